import { ClientError } from "#base/errors.ts";
import { PORTAL } from "#sandbox/faults.ts";
import { type Content, Refused, type SandboxExchange } from "#sandbox/http.ts";
import { type CleanReply, SandboxService, type ServiceStatus, type Visit } from "#sandbox/service.ts";
import { AuthorizationEndpoint } from "./authorization.ts";
import { type PetstoreBehaviour, petstoreBehaviour } from "./behaviour.ts";
import { readRequestBody } from "./body.ts";
import { FORMATS, type Format, formatOf, MEDIA_TYPES, stringifyExact } from "./format.ts";
import { type Handler, petHandlers, type Success, shaped, storeHandlers, userHandlers } from "./handlers.ts";
import { checkSecurity, issuePetstoreKeys, type PetstoreKeys, Tokens } from "./keys.ts";
import { MAX_INT64 } from "./model.ts";
import { Pictures } from "./pictures.ts";
import { type Operation, PLANS, type Plan } from "./route.ts";
import { createSeed } from "./seed.ts";
import { Store } from "./store.ts";
import { toXml } from "./xml.ts";

/** The path of the authorization page (contract section 5). */
const AUTHORIZE = "/oauth/authorize";

/** Path of the pictures, below the room. */
const PICTURES = "/pictures";

/** Setup of the pet store. */
interface PetstoreOptions {
	/** Address of the room, without a slash at the end. */
	readonly baseUrl: string;
	readonly apiKey: string;
	/** The password of the seeded users. */
	readonly password: string;
	/** Number of ordinary pets. */
	readonly pets: number;
	/** Adds what is hard to show or to hold. */
	readonly curious: boolean;
	/** The machine's time in epoch milliseconds. */
	readonly now: () => number;
}

/** The pet store (contract section 4), its authorization page (section 5), and the pictures of its pets. */
export class PetstoreSandbox extends SandboxService<PetstoreBehaviour, Plan> {
	/** The credentials of this start. */
	readonly keys: PetstoreKeys;
	/** The OAuth tokens, which a test mints and revokes. */
	readonly tokens: Tokens;
	/** Pets, orders and users, which a test changes as another client would. */
	readonly store: Store;
	readonly #apiKey: string;
	readonly #authorization: AuthorizationEndpoint;
	readonly #pictures = new Pictures();
	readonly #handlers: Readonly<Record<Operation, Handler>>;

	constructor(behaviour: PetstoreBehaviour, options: PetstoreOptions) {
		super(petstoreBehaviour, behaviour, PLANS);
		const { baseUrl, apiKey, password, now } = options;
		const picturesUrl = baseUrl + PICTURES;
		this.#apiKey = apiKey;
		this.tokens = new Tokens(now);
		this.#authorization = new AuthorizationEndpoint(this.tokens, now);
		this.store = new Store(createSeed(options, picturesUrl));
		this.#handlers = {
			...petHandlers(this.store, this.#pictures, picturesUrl),
			...storeHandlers(this.store),
			...userHandlers(this.store, now),
		};
		this.keys = issuePetstoreKeys(this.tokens, { apiKey, password, authUrl: baseUrl });
	}

	status(): ServiceStatus<Operation> {
		return this.counters();
	}

	isPage(path: string): boolean {
		return path === AUTHORIZE;
	}

	override async handle(exchange: SandboxExchange): Promise<void> {
		const { request, response, path } = exchange;
		if (path === AUTHORIZE) await this.#authorization.handle(exchange, this.standing.oauth ?? {});
		else if (path.startsWith(`${PICTURES}/`)) {
			request.resume();
			this.#pictures.send(response, path.slice(PICTURES.length + 1));
		} else await super.handle(exchange);
	}

	protected override isLocal(field: string): boolean {
		return field !== "oauth";
	}

	protected write(value: unknown): Content {
		return contentIn("json", "", value);
	}

	protected refusal({ status, message, form }: Refused, { request }: SandboxExchange): Content {
		const told = { code: status, type: "error", message };
		if (form === "text") return { type: "text/plain; charset=utf-8", text: message };
		if (form === "problem") {
			return {
				type: "application/problem+json",
				text: JSON.stringify({ type: "about:blank", title: message, status }),
			};
		}
		const format = form === "xml" ? "xml" : (formatOf(request.headers.accept, FORMATS) ?? "json");
		return contentIn(format, "ApiResponse", told);
	}

	protected async answer(
		{ request, url, behaviour }: Visit<PetstoreBehaviour>,
		plan: Plan,
		[segment = ""]: readonly string[],
	): Promise<CleanReply> {
		if (this.open > (behaviour.mostAtOnce ?? this.open)) throw new Refused(500, "Too much at once");
		const format = formatOf(request.headers.accept, plan.gives);
		if (format === undefined) throw new Refused(406, `Only ${plan.gives.join(" and ")} can be sent here`);
		if (behaviour.portal && plan.method !== "GET") {
			request.resume();
			return { status: 200, body: null, ...(behaviour.answerWith === undefined && { write: () => PORTAL }) };
		}
		checkSecurity(plan, request.headers, { apiKey: this.#apiKey, tokens: this.tokens });
		try {
			const body = await readRequestBody(request, plan.takes, behaviour.readBytesPerSecond);
			const task = { segment, query: url.searchParams, body, behaviour };
			const [status, told] = shaped(this.#handlers[plan.name](task), behaviour);
			if (told === undefined) return { status, body: "", write: () => ({ type: MEDIA_TYPES[format], text: "" }) };
			const { headers = {}, value } = told;
			return { status, headers, body: value, write: (one) => toldIn(format, one, { told, behaviour }) };
		} catch (error) {
			// A request that breaks a rule is refused as the contract says for the operation.
			if (!(error instanceof ClientError)) throw error;
			throw new Refused(plan.invalid[0], `${plan.invalid[1]}: ${error.message}`);
		}
	}
}

function contentIn(format: Format, root: string, value: unknown): Content {
	return { type: MEDIA_TYPES[format], text: format === "json" ? stringifyExact(value) : toXml(root, value) };
}

/** A value of an outcome in the format that was asked for, with the ids that the behavior wants. */
function toldIn(
	format: Format,
	value: unknown,
	{ told, behaviour }: { readonly told: Success; readonly behaviour: PetstoreBehaviour },
): Content {
	if (told.plain) return { type: "text/plain; charset=utf-8", text: String(value) };
	const other = format === "json" ? "xml" : "json";
	const { ids, answerWith } = behaviour;
	const exact = ids === undefined ? value : withIds(value, ids);
	return contentIn(answerWith === "other-format" ? other : format, told.root, exact);
}

/** The value with every `id` and `petId` put wrong. */
function withIds(value: unknown, how: NonNullable<PetstoreBehaviour["ids"]>): unknown {
	if (Array.isArray(value)) return value.map((item) => withIds(item, how));
	if (typeof value === "bigint") {
		const wrong = { rounded: BigInt(Number(value)), text: value.toString(), beyond: MAX_INT64 + 1n };
		return wrong[how];
	}
	if (typeof value !== "object" || value === null) return value;
	return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withIds(one, how)]));
}
