import { ClientError } from "#base/errors.ts";
import { type CallerOptions, httpCaller, type Sent } from "../http/caller.ts";
import { OriginLimiters } from "../http/concurrency-limiter.ts";
import { withDroppedHeader } from "../http/fault.ts";
import { together } from "../http/together.ts";
import type { TransportRequest } from "../http/transport.ts";
import { explained, type Identification, identify, type PetstoreCredential } from "./credential.ts";
import { errorOfPetstoreReply } from "./fault.ts";
import type { AnyOperation } from "./operation.ts";
import {
	OPERATIONS,
	type OperationData,
	type OperationName,
	type OperationParameters,
	operationAt,
} from "./operations.ts";
import { readReply } from "./reply.ts";
import { buildPetstoreRequest, type Checked, checkParameters, type PetstoreEndpoint } from "./request.ts";

/** Pet store, and a credential that must belong to the origin of its base URL. */
interface PetstoreClientOptions extends Omit<CallerOptions, "service">, Pick<PetstoreEndpoint, "baseUrl" | "profile"> {
	readonly credential?: PetstoreCredential | undefined;
}

/** HTTP requests of a call, retries and redirects included, and malformed items of a list, which were left out. */
type Tally = { requests: number; leftOut: number };

type Brought = { readonly status: number; readonly data: unknown };

/** Options of one call. */
export interface CallOptions {
	readonly signal?: AbortSignal | undefined;
	/** Hears how many bytes of an upload are sent, and of how many. */
	readonly onProgress?: ((sent: number, total: number) => void) | undefined;
	/** Status that the store itself sent for the pet, allowed beside those of the contract. */
	readonly ownStatus?: string | undefined;
	/** More secrets that the service may repeat. */
	readonly secrets?: readonly string[] | undefined;
}

/** More calls at once make some stores fail. */
const MOST_AT_ONCE = 4;

/** Concurrency limits of a process: four requests at once to each pet store. */
export function petstoreLimiters(): OriginLimiters {
	return new OriginLimiters(MOST_AT_ONCE);
}

/** Client of one pet store (contract section 4). */
export class PetstoreClient {
	readonly #options: PetstoreClientOptions;
	readonly #http: ReturnType<typeof httpCaller>;

	/** Throws ClientError `invalid` for `base_url`; the reason is `other-origin` if the credential belongs elsewhere. */
	constructor(options: PetstoreClientOptions) {
		this.#options = options;
		const { credential } = options;
		const { origin } = buildPetstoreRequest(OPERATIONS.getInventory, new Map(), options).url;
		if (credential !== undefined && origin !== credential.origin) {
			const sentence = `base_url leads to ${origin}, but the credential was entered for ${credential.origin}`;
			throw new ClientError("petstore", "invalid", sentence, { field: "base_url", reason: "other-origin" });
		}
		this.#http = httpCaller({ ...options, service: "petstore" });
	}

	/**
	 * Calls an operation. Several statuses or tags take a request each and are merged by id: services disagree on
	 * repeated parameters. Rejects with ClientError: `invalid` with the `field` before anything is sent.
	 */
	async call<N extends OperationName>(name: N, parameters: OperationParameters<N>, options: CallOptions = {}) {
		const answer = await this.callNamed(name, parameters, options);
		// The table that gives the name its type is the one that its reply was read by.
		return { ...answer, data: answer.data as OperationData<N> };
	}

	/**
	 * Calls an operation with parameters from outside, such as a command's arguments. Resolves to the status of the last
	 * reply, and to the time from the call to its end in milliseconds, waits included.
	 */
	async callNamed(name: OperationName, parameters: unknown, options: CallOptions = {}) {
		const operation: AnyOperation = OPERATIONS[name];
		const { clock } = this.#options;
		const begun = clock.monotonic();
		const tally: Tally = { requests: 0, leftOut: 0 };
		const each = oneByOne(operation, checkParameters(operation, parameters, options));
		const send = (values: Checked, signal: AbortSignal) =>
			this.#send(operation, buildPetstoreRequest(operation, values, this.#options), {
				tally,
				options: { ...options, signal },
			});
		const brought = await together(each, send, options.signal);
		const status = brought.at(-1)?.status ?? 0;
		const data: unknown = brought.length === 1 ? brought[0]?.data : merged(brought.map((one) => one.data));
		return { status, data, ms: clock.monotonic() - begun, ...tally };
	}

	/** Makes a request of a log again: at its address of this origin, and with its headers but for the credential. */
	repeat({ method, url, headers, body, signal }: TransportRequest): Promise<Brought> {
		const operation = operationAt(method, url.pathname);
		const text = typeof body === "string" && { body };
		const shown = { url: url.href, headers, body: null, ...text };
		const wire = { method: operation.method, url, headers, shown, secrets: [], ...text };
		return this.#send(operation, wire, { tally: { requests: 0, leftOut: 0 }, options: { signal } });
	}

	#send(
		operation: AnyOperation,
		wire: ReturnType<typeof buildPetstoreRequest>,
		{ tally, options }: { tally: Tally; options: CallOptions },
	): Promise<Brought> {
		const { method, body, headers } = wire;
		const { signal, onProgress, secrets = [] } = options;
		const total = typeof body === "object" ? body.length : 0;
		const own = [...wire.secrets, ...secrets];
		return this.#http<Sent & { readonly who: Identification }, Brought>({
			...wire,
			signal,
			tally,
			onSent: onProgress && ((sent) => onProgress(sent, total)),
			writes: method !== "GET",
			// A secret in the address would go wherever the service points to.
			follows: own.length === 0,
			before: () => {
				const who = identify(this.#options.credential, operation, headers);
				const all = { ...headers, ...who.headers };
				return { headers: all, shown: who.shown, secrets: [...own, ...who.secrets], who };
			},
			succeeds: (status) => status >= 200 && status <= 299,
			read: async (reply, _, { redact }) => {
				const leftOut = (count: number) => {
					tally.leftOut += count;
				};
				return { status: reply.status, data: await readReply(reply, operation, { redact, leftOut }) };
			},
			fail: (reply, { who, headers: sent }, redact) => {
				const now = this.#options.clock.now();
				const { format } = this.#options.profile;
				const error = withDroppedHeader(errorOfPetstoreReply(reply, operation, { redact, now, format }), sent);
				const isRefused = reply.status === 401 || reply.status === 403;
				return isRefused ? { error: explained(error, operation, { ...who, now }), again: false } : { error };
			},
		});
	}
}

/** Parameters of each request: one request per value of a list in the query. */
function oneByOne({ parameters }: AnyOperation, values: Checked): readonly Checked[] {
	for (const [name, value] of values) {
		if (parameters[name]?.in !== "query" || !Array.isArray(value)) continue;
		return [...new Set<unknown>(value)].map((one) => new Map(values).set(name, [one]));
	}
	return [values];
}

/** Items of several lists, each id once. Items without an id are kept. */
function merged(lists: readonly unknown[]): readonly unknown[] {
	const seen = new Set<unknown>();
	return lists.flat().filter((item) => {
		const id = typeof item === "object" && item !== null && "id" in item ? item.id : undefined;
		return id === undefined || seen.size < seen.add(id).size;
	});
}
