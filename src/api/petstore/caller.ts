import { type CallerOptions, type Failure, HttpCaller, type Sent } from "../http/caller.ts";
import type { WireReply } from "../http/exchange.ts";
import { quietly } from "../http/notice.ts";
import type { PetstoreObserver, PetstorePatience } from "./answer.ts";
import { explained, type Identification, identify, type PetstoreCredential } from "./credential.ts";
import { errorOfReply } from "./fault.ts";
import type { PetstoreProfile } from "./model.ts";
import type { AnyOperation } from "./operation.ts";
import { readReply } from "./reply.ts";
import type { WireRequest } from "./request.ts";

/** A pet store, the credential for it, and how to deal with both. */
export interface PetstoreClientOptions
	extends Pick<CallerOptions, "transport" | "clock" | "lanes" | "redact" | "letGo"> {
	/** `http:` or `https:`, with or without a path; the credential must belong to its origin. */
	readonly baseUrl: string;
	readonly profile: PetstoreProfile;
	readonly credential?: PetstoreCredential | undefined;
	/** Asked anew for each call and each of its tries. */
	readonly patience: () => PetstorePatience;
	readonly observer?: PetstoreObserver | undefined;
}

/** One call of an operation. */
export interface PetstoreCall {
	readonly operation: AnyOperation;
	readonly wire: WireRequest;
	readonly signal: AbortSignal | undefined;
	/** Called with the bytes of a body that are sent so far. */
	readonly onSent: ((bytes: number) => void) | undefined;
	/** Tries of a read, where another number than the caller's patience has is worth their time. */
	readonly maxAttempts: number | undefined;
	readonly tally: Tally;
}

/** Totals of a call. */
export interface Tally {
	/** Requests made. */
	requests: number;
	/** Items of lists that are no such thing. */
	leftOut: number;
}

/** Reply of a request. */
export interface Brought {
	readonly status: number;
	readonly data: unknown;
}

type SentByWhom = Sent & { readonly who: Identification };

/** Makes calls to a pet store, and sends no credential anywhere but to the origin of the base URL. */
export class Caller {
	readonly #options: PetstoreClientOptions;
	readonly #http: HttpCaller;

	constructor(options: PetstoreClientOptions) {
		this.#options = options;
		const { observer } = options;
		this.#http = new HttpCaller({
			...options,
			service: "petstore",
			onRequest: (notice) => observer?.onRequest?.(notice),
		});
	}

	/** Makes a call to its end. Rejects with ClientError only. */
	async call({ operation, wire, signal, onSent, maxAttempts, tally }: PetstoreCall): Promise<Brought> {
		const { credential, observer } = this.#options;
		return this.#http.call<SentByWhom, Brought>({
			...{ method: wire.method, url: wire.url, body: wire.body, shown: wire.shown, signal, onSent, maxAttempts, tally },
			writes: operation.method !== "GET",
			// A secret in the address would go wherever the service points to.
			follows: wire.secrets.length === 0,
			before: () => {
				const ownKey = !("api_key" in operation.parameters) ? "none" : "api_key" in wire.headers ? "given" : "absent";
				const who = identify(credential, { security: operation.security, ownKey });
				const secrets = [...wire.secrets, ...who.secrets];
				return { headers: { ...wire.headers, ...who.headers }, shown: who.shown, secrets, who };
			},
			succeeds: (status) => status >= 200 && status <= 299,
			read: async (reply, _, { redact }) => {
				const leftOut = (count: number) => {
					tally.leftOut += count;
				};
				return { status: reply.status, data: await readReply(reply, { operation, redact, leftOut }) };
			},
			fail: (reply, sent, redact) => this.#failure(operation, reply, { ...sent, redact }),
			onWait: ({ inMs, attempt, error }) => {
				quietly(() => observer?.onRetry?.({ inMs, attempt, error }));
				return () => undefined;
			},
		});
	}

	#failure(
		operation: AnyOperation,
		reply: WireReply,
		{ who, redact }: SentByWhom & { readonly redact: (text: string) => string },
	): Failure {
		const now = this.#options.clock.now();
		const error = errorOfReply(reply, { operation, redact, now });
		const isRefused = reply.status === 401 || reply.status === 403;
		return isRefused ? { error: explained(error, operation, { ...who, now }), again: false } : { error };
	}
}
