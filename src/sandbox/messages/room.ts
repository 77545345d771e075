import { createHash } from "node:crypto";
import { holdBack } from "#sandbox/faults.ts";
import { type Content, jsonContent, mediaTypesOf, Refused, readBody, type SandboxExchange } from "#sandbox/http.ts";
import { type CleanReply, type Route, SandboxService, type Visit } from "#sandbox/service.ts";
import { strictJson, strictly } from "#sandbox/strict.ts";
import type { OwnConnections } from "./consult.ts";
import { type MessagesFaults, messagesFaults } from "./faults.ts";
import { play } from "./player.ts";
import { planReply } from "./reply.ts";
import { messagesBody } from "./request.ts";
import { checkRules, TEXT_ONLY } from "./rules.ts";
import { messageOf, scriptOf } from "./script.ts";

/** Version of the API (contract section 9). */
const VERSION = "2023-06-01";

const ROUTES = [
	{ name: "messages", method: "POST", path: /^\/v1\/messages$/ },
	{ name: "models", method: "GET", path: /^\/v1\/models$/ },
] as const satisfies readonly Route[];

const LARGEST_BODY = 8 * 1024 * 1024;

const ERROR_TYPES: ReadonlyMap<number, string> = new Map([
	[401, "authentication_error"],
	[403, "permission_error"],
	[404, "not_found_error"],
	[413, "request_too_large"],
	[429, "rate_limit_error"],
	[529, "overloaded_error"],
]);

/** Messages service: `POST /v1/messages` (contract section 4) and the common `GET /v1/models`. */
export class MessagesSandbox extends SandboxService<MessagesFaults, (typeof ROUTES)[number]> {
	readonly #key: string;
	readonly #own: OwnConnections | undefined;
	#exchanges = 0;

	/** `faults` are the defaults of every reply, `key` is the accepted one. */
	constructor(faults: MessagesFaults, key: string, own?: OwnConnections) {
		super(messagesFaults, faults, ROUTES);
		this.#key = key;
		this.#own = own;
	}

	/** Answers an exchange. Its faults are in its body. */
	override async handle(exchange: SandboxExchange): Promise<void> {
		exchange.response.setHeader("request-id", `request-sandbox-${++this.#exchanges}`);
		const route = this.routeOf(exchange);
		await this.during(exchange, (signal) => this.answerAt(route, { ...exchange, faults: {}, signal }));
	}

	protected async answer(visit: Visit<MessagesFaults>, { name }: (typeof ROUTES)[number]) {
		const { "x-api-key": key, "service-version": version } = visit.request.headers;
		if (!key) throw new Refused(401, "The header x-api-key is required.");
		if (key !== this.#key) throw new Refused(401, "The key in x-api-key is not known.");
		if (version === undefined) throw new Refused(400, "The header service-version is required.");
		if (version !== VERSION) throw new Refused(400, `The header service-version must be ${VERSION}.`);
		if (name === "models") return { status: 200, body: modelsPage(visit.url.searchParams) };
		return this.#reply(visit, `message-sandbox-${this.#exchanges}`);
	}

	protected refusal({ status, message }: Refused, { response }: SandboxExchange): Content {
		const type = ERROR_TYPES.get(status) ?? (status < 500 ? "invalid_request_error" : "api_error");
		return jsonContent({ type: "error", error: { type, message }, request_id: response.getHeader("request-id") });
	}

	async #reply({ faults: _, ...around }: Visit<MessagesFaults>, id: string): Promise<CleanReply | undefined> {
		const { request, response, signal } = around;
		const [type] = mediaTypesOf(request.headers["content-type"] ?? "");
		if (type !== "application/json") throw new Refused(400, "The header content-type must be application/json.");
		const bytes = await readBody(request, LARGEST_BODY);
		const body = strictly(messagesBody, strictJson(bytes.toString(), "The body"));
		const { sandbox = {} } = body.metadata ?? {};
		const asked = { ...this.standing, ...strictly(messagesFaults, sandbox, "metadata.sandbox") };
		checkRules(body);
		const { fail, refuse } = asked;
		if (refuse !== undefined && refuse in body) throw new Refused(400, `\`${refuse}\` is deprecated for this model.`);
		const key = createHash("sha256").update(bytes).digest("hex");
		const faults = fail ? { ...asked, fail: { times: 1, ...fail } } : asked;
		if (this.misbehave({ ...around, faults }, key)) return undefined;
		await holdBack(faults, signal);
		const reply = planReply(body, faults, this.#own);
		if (body.stream !== true) return { status: 200, body: messageOf(id, reply) };
		await play(response, scriptOf(id, reply, faults), { faults, signal });
		return undefined;
	}
}

/** Listed models, which all give the same answers. */
const MODELS = [
	{ id: "sandbox", display_name: "Sandbox" },
	{ id: "sandbox-1", display_name: "Sandbox One" },
	{ id: TEXT_ONLY, display_name: "Sandbox Two, text only" },
].map(({ id, display_name }) => {
	const [yes, no] = [{ supported: true }, { supported: false }];
	const seeing = { supported: id !== TEXT_ONLY };
	const capabilities = {
		image_input: seeing,
		pdf_input: no,
		tool_use: seeing,
		thinking: { ...yes, types: { adaptive: yes, enabled: yes } },
		effort: { ...yes, low: yes, medium: yes, high: yes, max: yes },
	};
	const limits = { max_input_tokens: 200_000, max_tokens: 64_000 };
	return { type: "model", id, display_name, created_at: "2026-01-01T00:00:00Z", ...limits, capabilities };
});

/** Small enough for several pages. */
const PAGE_SIZE = 2;

function modelsPage(query: URLSearchParams): object {
	const from = MODELS.findIndex(({ id }) => id === query.get("after_id")) + 1;
	const data = MODELS.slice(from, from + PAGE_SIZE);
	const has_more = from + PAGE_SIZE < MODELS.length;
	return { data, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null, has_more };
}
