import type { Clock } from "#base/clock.ts";
import type { Disposable } from "#base/disposables.ts";
import { Emitter } from "#base/emitter.ts";
import { ClientError, withFacts } from "#base/errors.ts";
import { abortedError, disposedError, unlessAborted } from "../http/exchange.ts";
import type { AppIdentity } from "./app-jwt.ts";
import type { AskOptions } from "./client.ts";
import type { ProtectSecret, Refusal, TokenSource } from "./credential.ts";
import type { InstallationToken } from "./model.ts";

/** Time before its expiry at which a token is renewed, at most half its life. */
const RENEWED_AHEAD_MS = 5 * 60 * 1_000;
/** Longest life of a token (contract section 8), for a wrong clock of the service. Milliseconds. */
const LONGEST_LIFE_MS = 60 * 60 * 1_000;
/** Assumed lifetime of a token without an expiry time. Milliseconds. */
const UNKNOWN_LIFE_MS = 10 * 60 * 1_000;
/** After a renewal failed while the old token is still good. Milliseconds. */
const NEXT_RENEWAL_MS = 30_000;
/** Waits of a read whose new token has not reached all servers yet. Milliseconds. */
const LAG_WAITS_MS: readonly number[] = [1_000, 2_000, 3_000];
/** A token older than this is known everywhere. Milliseconds. */
const LONGEST_LAG_MS = 15_000;

/** State of the current token, in epoch milliseconds by this machine's clock. */
export interface TokenState {
	/** Null while there is no token, or where it is not known. */
	readonly expiresAt: number | null;
	/** Time after which the next call renews an installation token; null for a personal one. */
	readonly renewsAt: number | null;
	/** Number of exchanges that returned a token. */
	readonly exchanges: number;
	/** Exchanges that replaced a token. */
	readonly renewals: number;
	/** Error of the last renewal; null when it succeeded. */
	readonly error: ClientError | null;
}

interface HeldToken {
	readonly token: string;
	readonly issuedMonotonic: number;
	readonly expiresAt: number;
	readonly renewsAt: number;
	readonly protection: Disposable | undefined;
}

/** Tokens of one installation, renewed ahead of expiry (contract section 5). Concurrent callers share one exchange. */
export class InstallationTokenSource implements TokenSource, Disposable {
	readonly kind = "installation";
	readonly origin: string;
	readonly identity: string;
	readonly bucket: string;
	readonly #options: ConstructorParameters<typeof InstallationTokenSource>[2];
	readonly #changed = new Emitter<void>();
	readonly #over = new AbortController();
	#held: HeldToken | undefined;
	/** The token that the service has taken at least once: it knows it by now. */
	#proven: string | undefined;
	#pending: Promise<string> | undefined;
	#notBefore = 0;
	#exchanges = 0;
	#error: ClientError | null = null;

	/** `exchange` is `createInstallationToken` of the app's client. */
	constructor(
		app: AppIdentity,
		installationId: number,
		options: {
			readonly exchange: (options: AskOptions) => Promise<InstallationToken>;
			readonly clock: Clock;
			/** Keeps the tokens out of logs. */
			readonly protect?: ProtectSecret | undefined;
		},
	) {
		this.#options = options;
		this.origin = app.origin;
		this.bucket = `app ${app.appId} installation ${installationId}`;
		this.identity = `${app.origin} ${this.bucket} key ${app.key.fingerprint}`;
	}

	/** Fires when {@link state} has changed otherwise than by the passing of time. */
	readonly onDidChange = this.#changed.event;

	get state(): TokenState {
		return {
			expiresAt: this.#held?.expiresAt ?? null,
			renewsAt: this.#held?.renewsAt ?? null,
			exchanges: this.#exchanges,
			renewals: Math.max(0, this.#exchanges - 1),
			error: this.#error,
		};
	}

	async token(signal?: AbortSignal): Promise<string> {
		const { clock } = this.#options;
		if (signal?.aborted) throw abortedError("codehost");
		const held = this.#held;
		const now = clock.now();
		if (held === undefined || now >= held.expiresAt) {
			return await unlessAborted(this.#exchange(), signal, "codehost");
		}
		if (now >= held.renewsAt && clock.monotonic() >= this.#notBefore) void this.#renewAhead();
		return held.token;
	}

	/** Renews the token while the old one is used. Never rejects: {@link state} has the error. */
	async #renewAhead(): Promise<void> {
		try {
			await this.#exchange();
		} catch (error) {
			if (this.#over.signal.aborted) return;
			this.#notBefore = this.#options.clock.monotonic() + NEXT_RENEWAL_MS;
			this.#error = error instanceof ClientError ? error : null;
			this.#changed.fire();
		}
	}

	/** Gets a new token now, although the old one may still be good. */
	async renew({ signal, failFast }: AskOptions = {}): Promise<void> {
		await unlessAborted(this.#exchange(failFast), signal, "codehost");
	}

	accepted(token: string): void {
		this.#proven = token;
	}

	refused({ token, method, status, repeats }: Refusal): number | null {
		const held = this.#held;
		if (method !== "GET") return null;
		if (held === undefined || token !== held.token) return repeats === 0 ? 0 : null;
		const age = this.#options.clock.monotonic() - held.issuedMonotonic;
		if (token !== this.#proven && age <= LONGEST_LAG_MS) return LAG_WAITS_MS[repeats] ?? null;
		if (status === 403 || repeats > 0) return null;
		// Refused before its time: revoked, or expired by another clock.
		this.#drop();
		return 0;
	}

	explain(error: ClientError, { status }: Refusal): ClientError {
		if (status !== 401) return error;
		// A new token was refused too: if one was ever accepted, this is about the repository (contract section 7).
		return withFacts(error, { reason: this.#proven === undefined ? "not-installed" : "repository-refused" });
	}

	/** Ends the exchange under way; its callers hear that the credential was disposed. */
	dispose(): void {
		this.#over.abort(disposedError("codehost"));
		this.#drop();
		this.#changed.dispose();
	}

	#exchange(failFast = false): Promise<string> {
		this.#pending ??= this.#fetch(failFast).finally(() => {
			this.#pending = undefined;
		});
		return this.#pending;
	}

	async #fetch(failFast: boolean): Promise<string> {
		const { exchange } = this.#options;
		const { signal } = this.#over;
		signal.throwIfAborted();
		const issued = await exchange({ signal, failFast }).finally(() => signal.throwIfAborted());
		this.#hold(issued.token, this.#lifeOf(issued));
		return issued.token;
	}

	/** Remaining life of a token in milliseconds, by the service's clock if plausible; null if unknown. */
	#lifeOf({ expiresAt, serverTime }: InstallationToken): number | null {
		if (expiresAt === null) return null;
		const byService = serverTime === null ? 0 : expiresAt - serverTime;
		return byService > 0 ? byService : expiresAt - this.#options.clock.now();
	}

	#hold(token: string, lifeMs: number | null): void {
		const { clock, protect } = this.#options;
		const life = lifeMs !== null && lifeMs > 0 ? Math.min(lifeMs, LONGEST_LIFE_MS) : UNKNOWN_LIFE_MS;
		const ahead = life < 2 * RENEWED_AHEAD_MS ? life / 2 : RENEWED_AHEAD_MS;
		const expiresAt = clock.now() + life;
		this.#held?.protection?.dispose();
		this.#held = {
			token,
			issuedMonotonic: clock.monotonic(),
			expiresAt,
			renewsAt: expiresAt - ahead,
			protection: protect?.(token),
		};
		this.#exchanges += 1;
		this.#notBefore = 0;
		this.#error = null;
		this.#changed.fire();
	}

	#drop(): void {
		this.#held?.protection?.dispose();
		this.#held = undefined;
	}
}
