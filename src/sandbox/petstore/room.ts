import { askedOf } from "#sandbox/asked.ts";
import { FaultCounts } from "#sandbox/fault-counts.ts";
import { type Exchange, type Room, TooLarge } from "#sandbox/http.ts";
import { Violation } from "#sandbox/strict.ts";
import { holdBack } from "#sandbox/transmission.ts";
import { Visits } from "#sandbox/visits.ts";
import { deliver, type Handler, type Shaped, shaped } from "./answer.ts";
import { AuthorizationEndpoint } from "./authorization.ts";
import { answerAuthorization } from "./authorization-page.ts";
import { behaviourAt, type PetstoreBehaviour, readPetstoreBehaviour } from "./behaviour.ts";
import { readRequestBody } from "./body.ts";
import { FORMATS, formatOf } from "./format.ts";
import { petHandlers, storeHandlers, userHandlers } from "./handlers.ts";
import { checkSecurity, issuePetstoreKeys, type PetstoreKeys, type TokenOptions, Tokens } from "./keys.ts";
import type { Pet } from "./model.ts";
import { Pictures } from "./pictures.ts";
import { failureOf, Refused, refuse } from "./refusal.ts";
import { decodeSegment, noRoute, type Operation, type Route, routeOf } from "./route.ts";
import { createSeed } from "./seed.ts";
import { Store } from "./store.ts";

/** The path of the authorization page (contract section 5). */
const AUTHORIZE = "/oauth/authorize";

/** Path of the pictures, below the room. */
const PICTURES = "/pictures";

/** Counters of the room. */
export interface PetstoreStatus {
	/** Requests to the API, also refused ones and those for what is not there. */
	readonly requests: number;
	/** Requests per operation, refused ones included; one that was never asked for is not there. */
	readonly operations: Readonly<Partial<Record<Operation, number>>>;
	/** Number of answers of the API by status. */
	readonly statuses: Readonly<Record<number, number>>;
	/** The most requests to the API that were under way at once. */
	readonly mostAtOnce: number;
}

/** Controls of the pet store while it runs. */
export interface PetstoreControl {
	/** Replaces the behaviour and begins to count its faults anew; `{}` is a store that does all as it should. */
	behave(behaviour: PetstoreBehaviour): void;
	/** Mints an OAuth token. */
	mintToken(options?: TokenOptions): string;
	/** Revokes an OAuth token. Returns whether it was known. */
	revokeToken(token: string): boolean;
	/** The pet with an id, as the store has it. */
	pet(id: bigint): Pet | undefined;
	/** Puts a pet into the store, as somebody else would. */
	setPet(pet: Pet): void;
	/** Takes a pet out of the store, as somebody else would. Returns whether it was there. */
	deletePet(id: bigint): boolean;
}

/** Setup of the room. */
export interface PetstoreRoomOptions {
	/** Address of the room, without a slash at the end. */
	readonly baseUrl: string;
	readonly apiKey: string;
	/** The password of the seeded users. */
	readonly password: string;
	readonly behaviour: PetstoreBehaviour;
	/** Number of ordinary pets. */
	readonly pets: number;
	/** Adds what is hard to show or to hold. */
	readonly curious: boolean;
	/** The machine's time in epoch milliseconds. */
	readonly now: () => number;
}

interface Visit extends Exchange {
	readonly route: Route | undefined;
	readonly signal: AbortSignal;
}

/** A visit and the behavior of the store for it. */
interface ReadVisit extends Visit {
	readonly behaviour: PetstoreBehaviour;
}

/** The pet store (contract section 4), its authorization page (section 5), and the pictures of its pets. */
export class PetstoreRoom implements Room, PetstoreControl {
	/** The credentials of this start. */
	readonly keys: PetstoreKeys;
	readonly #apiKey: string;
	readonly #tokens: Tokens;
	readonly #authorization: AuthorizationEndpoint;
	readonly #pictures = new Pictures();
	readonly #store: Store;
	readonly #handlers: Readonly<Record<Operation, Handler>>;
	readonly #faults = new FaultCounts();
	readonly #visits = new Visits();
	readonly #operations: Partial<Record<Operation, number>> = {};
	readonly #statuses: Record<number, number> = {};
	#behaviour: PetstoreBehaviour;
	#requests = 0;
	#mostAtOnce = 0;

	constructor({ baseUrl, apiKey, password, behaviour, pets, curious, now }: PetstoreRoomOptions) {
		const picturesUrl = baseUrl + PICTURES;
		this.#apiKey = apiKey;
		this.#behaviour = behaviour;
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
		return {
			requests: this.#requests,
			operations: { ...this.#operations },
			statuses: { ...this.#statuses },
			mostAtOnce: this.#mostAtOnce,
		};
	}

	behave(behaviour: PetstoreBehaviour): void {
		this.#behaviour = readPetstoreBehaviour(behaviour, "behaviour");
		this.#faults.restart();
	}

	mintToken(options: TokenOptions = {}): string {
		return this.#tokens.mint(options);
	}

	revokeToken(token: string): boolean {
		return this.#tokens.revoke(token);
	}

	pet(id: bigint): Pet | undefined {
		return this.#store.pet(id);
	}

	setPet(pet: Pet): void {
		this.#store.setPet(pet);
	}

	deletePet(id: bigint): boolean {
		return this.#store.deletePet(id);
	}

	isPage(path: string): boolean {
		return path === AUTHORIZE;
	}

	close(): void {
		this.#visits.close();
	}

	async handle({ request, response, path, query }: Exchange): Promise<void> {
		if (path === AUTHORIZE) {
			const exchange = { request, response, path, query };
			return answerAuthorization(exchange, this.#authorization, this.#behaviour.oauth ?? {});
		}
		if (path.startsWith(`${PICTURES}/`)) {
			request.resume();
			return this.#pictures.send(response, path.slice(PICTURES.length + 1));
		}
		const route = routeOf(request.method, path);
		this.#requests++;
		if (route !== undefined) {
			const { operation } = route.plan;
			this.#operations[operation] = (this.#operations[operation] ?? 0) + 1;
		}
		await this.#visits.during(response, async (signal) => {
			this.#mostAtOnce = Math.max(this.#mostAtOnce, this.#visits.size);
			await this.#serve({ request, response, path, query, route, signal });
		});
	}

	/** Serves a request, or refuses it. */
	async #serve(visit: Visit): Promise<void> {
		const { request, response, path, route, signal } = visit;
		let behaviour: PetstoreBehaviour = {};
		try {
			const asked = askedOf(request, readPetstoreBehaviour);
			behaviour = behaviourAt({ ...this.#behaviour, ...asked.behaviour }, route?.plan.operation);
			await holdBack(behaviour, signal);
			const fault = this.#faults.hit(behaviour, asked.header);
			if (fault === "drop") {
				response.socket?.destroy();
				return;
			}
			if (fault === "fail" && behaviour.fail !== undefined) throw failureOf(behaviour.fail);
			if (this.#visits.size > (behaviour.mostAtOnce ?? this.#visits.size)) throw new Refused(500, "Too much at once");
			if (route === undefined) throw noRoute(path);
			await this.#answer({ ...visit, behaviour }, route);
		} catch (error) {
			if (signal.aborted) throw error;
			const refused = refusedBy(error, 400);
			this.#count(refused.status);
			const { body = behaviour.errorBody } = refused;
			refuse(response, refused, { format: formatOf(request.headers.accept, FORMATS) ?? "json", body });
			// What the client is still sending would be taken for the next request.
			request.resume();
		}
	}

	async #answer({ request, response, query, behaviour, signal }: ReadVisit, { plan, segment }: Route): Promise<void> {
		const format = formatOf(request.headers.accept, plan.gives);
		if (format === undefined) throw new Refused(406, `Only ${plan.gives.join(" and ")} can be sent here`);
		if (behaviour.portal && plan.method !== "GET") {
			request.resume();
			this.#count(200);
			const page = { format, behaviour: { answerWith: "html", ...behaviour }, signal } as const;
			return deliver(response, { status: 200, answer: { root: "", value: null } }, page);
		}
		checkSecurity(plan, request.headers, { apiKey: this.#apiKey, tokens: this.#tokens });
		const answer = await this.#answerOf({ request, query, behaviour }, { plan, segment });
		const { status } = answer;
		this.#count(status);
		await deliver(response, answer, { format, behaviour, signal });
	}

	/** Does what is asked; what breaks a rule is refused as the contract says for the operation. */
	async #answerOf(
		{ request, query, behaviour }: Pick<ReadVisit, "request" | "query" | "behaviour">,
		{ plan: { operation, takes, invalid }, segment }: Route,
	): Promise<Shaped> {
		try {
			const body = await readRequestBody(request, takes, behaviour.readBytesPerSecond);
			const task = { segment: decodeSegment(segment), query, body, behaviour };
			return shaped(this.#handlers[operation](task), behaviour);
		} catch (error) {
			const [status, message] = invalid;
			throw refusedBy(error, status, message);
		}
	}

	#count(status: number): void {
		this.#statuses[status] = (this.#statuses[status] ?? 0) + 1;
	}
}

/** The refusal of what went wrong; rethrows what is not the request's fault. */
function refusedBy(error: unknown, status: number, message?: string): Refused {
	if (error instanceof Refused) return error;
	if (error instanceof TooLarge) return new Refused(413, error.message);
	if (!(error instanceof Violation)) throw error;
	return new Refused(status, message === undefined ? error.message : `${message}: ${error.message}`);
}
