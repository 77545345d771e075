import { PORTAL } from "#sandbox/faults.ts";
import { type Content, type Exchange, Refused } from "#sandbox/http.ts";
import { type Answer, Service, type ServiceStatus, type Visit } from "#sandbox/service.ts";
import { Violation } from "#sandbox/strict.ts";
import { AuthorizationEndpoint } from "./authorization.ts";
import { answerAuthorization } from "./authorization-page.ts";
import { behaviourAt, type PetstoreBehaviour, readPetstoreBehaviour } from "./behaviour.ts";
import { readRequestBody } from "./body.ts";
import { FORMATS, type Format, formatOf, MEDIA_TYPES, stringifyExact } from "./format.ts";
import { type Handler, type Outcome, petHandlers, shaped, storeHandlers, userHandlers } from "./handlers.ts";
import { checkSecurity, issuePetstoreKeys, type PetstoreKeys, type TokenOptions, Tokens } from "./keys.ts";
import { MAX_INT64, type Pet } from "./model.ts";
import { Pictures } from "./pictures.ts";
import { decodeSegment, noRoute, type Operation, type Route, routeOf } from "./route.ts";
import { createSeed } from "./seed.ts";
import { Store } from "./store.ts";
import { toXml } from "./xml.ts";

/** The path of the authorization page (contract section 5). */
const AUTHORIZE = "/oauth/authorize";

/** Path of the pictures, below the room. */
const PICTURES = "/pictures";

/** Counters of the pet store. */
export interface PetstoreStatus extends ServiceStatus {
	/** Requests per operation, refused ones included; one that was never asked for is not there. */
	readonly operations: Readonly<Partial<Record<Operation, number>>>;
}

/** Setup of the pet store. */
export interface PetstoreOptions {
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
export class PetstoreRoom extends Service<PetstoreBehaviour> {
	/** The credentials of this start. */
	readonly keys: PetstoreKeys;
	readonly #apiKey: string;
	readonly #tokens: Tokens;
	readonly #authorization: AuthorizationEndpoint;
	readonly #pictures = new Pictures();
	readonly #store: Store;
	readonly #handlers: Readonly<Record<Operation, Handler>>;
	readonly #operations: Partial<Record<Operation, number>> = {};

	constructor(behaviour: PetstoreBehaviour, { baseUrl, apiKey, password, pets, curious, now }: PetstoreOptions) {
		super(readPetstoreBehaviour, behaviour);
		const picturesUrl = baseUrl + PICTURES;
		this.#apiKey = apiKey;
		this.#tokens = new Tokens(now);
		this.#authorization = new AuthorizationEndpoint(this.#tokens, now);
		this.#store = new Store(createSeed({ pets, curious, pictures: picturesUrl, password }));
		this.#handlers = {
			...petHandlers(this.#store, this.#pictures, picturesUrl),
			...storeHandlers(this.#store),
			...userHandlers(this.#store, now),
		};
		this.keys = issuePetstoreKeys(this.#tokens, { apiKey, password, authUrl: baseUrl });
	}

	status(): PetstoreStatus {
		return { ...this.counters(), operations: { ...this.#operations } };
	}

	/** Mints an OAuth token. */
	mintToken(options: TokenOptions = {}): string {
		return this.#tokens.mint(options);
	}

	/** Revokes an OAuth token. Returns whether it was known. */
	revokeToken(token: string): boolean {
		return this.#tokens.revoke(token);
	}

	/** The pet with an id, as the store has it. */
	pet(id: bigint): Pet | undefined {
		return this.#store.pet(id);
	}

	/** Puts a pet into the store, as somebody else would. */
	setPet(pet: Pet): void {
		this.#store.setPet(pet);
	}

	/** Takes a pet out of the store, as somebody else would. Returns whether it was there. */
	deletePet(id: bigint): boolean {
		return this.#store.deletePet(id);
	}

	isPage(path: string): boolean {
		return path === AUTHORIZE;
	}

	async handle(exchange: Exchange): Promise<void> {
		const { request, response, path } = exchange;
		if (path === AUTHORIZE) return answerAuthorization(exchange, this.#authorization, this.standing.oauth ?? {});
		if (path.startsWith(`${PICTURES}/`)) {
			request.resume();
			return this.#pictures.send(response, path.slice(PICTURES.length + 1));
		}
		const route = routeOf(request.method, path);
		const operation = route?.plan.operation;
		if (operation !== undefined) this.#operations[operation] = (this.#operations[operation] ?? 0) + 1;
		await this.serve(
			exchange,
			(behaviour) => behaviourAt(behaviour, operation),
			async (visit) => {
				if (this.open > (visit.behaviour.mostAtOnce ?? this.open)) throw new Refused(500, "Too much at once");
				if (route === undefined) throw noRoute(path);
				return this.#answer(visit, route);
			},
		);
	}

	protected write(value: unknown): Content {
		return contentIn("json", "", value);
	}

	protected refusal({ status, message, form }: Refused, { request }: Exchange): Content {
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

	async #answer({ request, url, behaviour }: Visit<PetstoreBehaviour>, { plan, segment }: Route): Promise<Answer> {
		const format = formatOf(request.headers.accept, plan.gives);
		if (format === undefined) throw new Refused(406, `Only ${plan.gives.join(" and ")} can be sent here`);
		if (behaviour.portal && plan.method !== "GET") {
			request.resume();
			return { status: 200, body: null, ...(behaviour.answerWith === undefined && { write: () => PORTAL }) };
		}
		checkSecurity(plan, request.headers, { apiKey: this.#apiKey, tokens: this.#tokens });
		try {
			const body = await readRequestBody(request, plan.takes, behaviour.readBytesPerSecond);
			const task = { segment: decodeSegment(segment), query: url.searchParams, body, behaviour };
			const [status, told] = shaped(this.#handlers[plan.operation](task), behaviour);
			if (told === undefined) return { status, body: "", write: () => ({ type: MEDIA_TYPES[format], text: "" }) };
			const { headers = {}, value } = told;
			return { status, headers, body: value, write: (one) => toldIn(format, one, { told, behaviour }) };
		} catch (error) {
			// A request that breaks a rule is refused as the contract says for the operation.
			if (!(error instanceof Violation)) throw error;
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
	{ told, behaviour }: { readonly told: Outcome; readonly behaviour: PetstoreBehaviour },
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
