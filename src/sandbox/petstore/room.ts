import { ClientError } from "#base/errors.ts";
import { type Content, Refused, type SandboxExchange } from "#sandbox/http.ts";
import { SandboxService, type Visit } from "#sandbox/service.ts";
import { authorizationEndpoint } from "./authorization.ts";
import { readRequestBody } from "./body.ts";
import { type PetstoreFaults, petstoreFaults } from "./faults.ts";
import { type Format, formatOf, MEDIA_TYPES, stringifyExact } from "./format.ts";
import { petstoreHandlers } from "./handlers.ts";
import { checkSecurity, issuePetstoreKeys, Tokens } from "./keys.ts";
import { Pictures } from "./pictures.ts";
import { PLANS, type Plan } from "./route.ts";
import { createSeed } from "./seed.ts";
import { Store } from "./store.ts";
import { toXml } from "./xml.ts";

/** Path of the authorization page (contract section 5). */
const AUTHORIZE = "/oauth/authorize";

const PICTURES = "/pictures";

/** Pet store (contract section 4), its authorization page (section 5), and pictures. */
export class PetstoreSandbox extends SandboxService<PetstoreFaults, Plan> {
	readonly keys: ReturnType<typeof issuePetstoreKeys>;
	/** OAuth tokens, for tests to mint and revoke. */
	readonly tokens: Tokens;
	/** Data, for tests to change as another client would. */
	readonly store: Store;
	readonly #apiKey: string;
	readonly #authorize: ReturnType<typeof authorizationEndpoint>;
	readonly #pictures = new Pictures();
	readonly #handlers: ReturnType<typeof petstoreHandlers>;

	/** `curious` adds pets that are hard to display; `now` is the clock in epoch milliseconds. */
	constructor(
		faults: PetstoreFaults,
		options: Record<"baseUrl" | "apiKey" | "password", string> & {
			readonly pets: number;
			readonly curious: boolean;
			readonly now: () => number;
		},
	) {
		super(petstoreFaults, faults, PLANS);
		const { baseUrl, apiKey, password, now } = options;
		const picturesUrl = baseUrl + PICTURES;
		this.#apiKey = apiKey;
		this.tokens = new Tokens(now);
		this.#authorize = authorizationEndpoint(this.tokens);
		this.store = new Store(createSeed(options, picturesUrl));
		this.#handlers = petstoreHandlers(this.store, this.#pictures, { picturesUrl, now });
		this.keys = issuePetstoreKeys(this.tokens, { apiKey, password, authUrl: baseUrl });
	}

	isPage(path: string): boolean {
		return path === AUTHORIZE;
	}

	override async handle(exchange: SandboxExchange): Promise<void> {
		const { request, response, path } = exchange;
		if (path === AUTHORIZE) await this.#authorize(exchange, this.standing.tokenSeconds);
		else if (path.startsWith(`${PICTURES}/`)) {
			request.resume();
			this.#pictures.send(response, path.slice(PICTURES.length + 1));
		} else await super.handle(exchange);
	}

	protected refusal({ status, message }: Refused, { request }: SandboxExchange): Content {
		const format = formatOf(request.headers.accept) ?? "json";
		return contentIn(format, "ApiResponse", { code: status, type: "error", message });
	}

	protected async answer(visit: Visit<PetstoreFaults>, plan: Plan, [segment = ""]: readonly string[]) {
		const { request, url, faults } = visit;
		const format = formatOf(request.headers.accept, plan.gives);
		if (format === undefined) throw new Refused(406, `Only ${plan.gives.join(" and ")} can be sent here`);
		checkSecurity(plan, request.headers, { apiKey: this.#apiKey, tokens: this.tokens });
		try {
			const body = await readRequestBody(request, plan.takes);
			const task = { segment, query: url.searchParams, body, faults };
			const { root, value, headers = {} } = this.#handlers[plan.name](task);
			const write = (one: unknown) => contentIn(format, root, one);
			return this.alter({ status: 200, headers, body: value, write }, visit);
		} catch (error) {
			// The contract names the refusal of an invalid request.
			if (!(error instanceof ClientError)) throw error;
			throw new Refused(plan.invalid[0], `${plan.invalid[1]}: ${error.message}`);
		}
	}
}

function contentIn(format: Format, root: string, value: unknown): Content {
	return { type: MEDIA_TYPES[format], text: format === "json" ? stringifyExact(value) : toXml(root, value) };
}
