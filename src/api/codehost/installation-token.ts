import type { Clock } from "#base/clock.ts";
import type { Disposable } from "#base/disposables.ts";
import { Emitter } from "#base/emitter.ts";
import { ClientError, withFacts } from "#base/errors.ts";
import { abortedError, disposedError, unlessAborted } from "../http/exchange.ts";
import type { AppIdentity } from "./app-jwt.ts";
import type { AskOptions } from "./client.ts";
import type { ProtectSecret, Refusal } from "./credential.ts";
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

/** Source of the tokens of one installation; see {@link installationSource}. */
export type InstallationTokenSource = ReturnType<typeof installationSource>;

/** Source of the tokens of one installation, renewed ahead of expiry (contract section 5). Callers share one exchange. */
export function installationSource(
	app: AppIdentity,
	installationId: number,
	options: {
		/** `createInstallationToken` of the app's client. */
		readonly exchange: (options: AskOptions) => Promise<InstallationToken>;
		readonly clock: Clock;
		/** Keeps the tokens out of logs. */
		readonly protect?: ProtectSecret | undefined;
	},
) {
	const { clock, protect } = options;
	const bucket = `app ${app.appId} installation ${installationId}`;
	const changed = new Emitter<void>();
	const over = new AbortController();
	let held: HeldToken | undefined;
	/** The token that the service has taken at least once: it knows it by now. */
	let proven: string | undefined;
	let pending: Promise<string> | undefined;
	let notBefore = 0;
	let exchanges = 0;
	let lastError: ClientError | null = null;

	function exchange(failFast = false): Promise<string> {
		pending ??= fetchToken(failFast).finally(() => {
			pending = undefined;
		});
		return pending;
	}

	async function fetchToken(failFast: boolean): Promise<string> {
		const { signal } = over;
		signal.throwIfAborted();
		const issued = await options.exchange({ signal, failFast }).finally(() => signal.throwIfAborted());
		hold(issued.token, lifeOf(issued));
		return issued.token;
	}

	/** Remaining life of a token in milliseconds, by the service's clock if plausible; null if unknown. */
	function lifeOf({ expiresAt, serverTime }: InstallationToken): number | null {
		if (expiresAt === null) return null;
		const byService = serverTime === null ? 0 : expiresAt - serverTime;
		return byService > 0 ? byService : expiresAt - clock.now();
	}

	function hold(token: string, lifeMs: number | null): void {
		const life = lifeMs !== null && lifeMs > 0 ? Math.min(lifeMs, LONGEST_LIFE_MS) : UNKNOWN_LIFE_MS;
		const ahead = life < 2 * RENEWED_AHEAD_MS ? life / 2 : RENEWED_AHEAD_MS;
		const expiresAt = clock.now() + life;
		held?.protection?.dispose();
		held = {
			token,
			issuedMonotonic: clock.monotonic(),
			expiresAt,
			renewsAt: expiresAt - ahead,
			protection: protect?.(token),
		};
		exchanges += 1;
		notBefore = 0;
		lastError = null;
		changed.fire();
	}

	/** Renews the token while the old one is used. Never rejects: `state` has the error. */
	async function renewAhead(): Promise<void> {
		try {
			await exchange();
		} catch (error) {
			if (over.signal.aborted) return;
			notBefore = clock.monotonic() + NEXT_RENEWAL_MS;
			lastError = error instanceof ClientError ? error : null;
			changed.fire();
		}
	}

	function drop(): void {
		held?.protection?.dispose();
		held = undefined;
	}

	return {
		kind: "installation" as const,
		origin: app.origin,
		identity: `${app.origin} ${bucket} key ${app.key.fingerprint}`,
		bucket,
		/** Fires when {@link state} has changed otherwise than by the passing of time. */
		onDidChange: changed.event,
		get state(): TokenState {
			return {
				expiresAt: held?.expiresAt ?? null,
				renewsAt: held?.renewsAt ?? null,
				exchanges,
				renewals: Math.max(0, exchanges - 1),
				error: lastError,
			};
		},
		async token(signal?: AbortSignal): Promise<string> {
			if (signal?.aborted) throw abortedError("codehost");
			const now = clock.now();
			if (held === undefined || now >= held.expiresAt) return unlessAborted(exchange(), signal, "codehost");
			if (now >= held.renewsAt && clock.monotonic() >= notBefore) void renewAhead();
			return held.token;
		},
		/** Gets a new token now, although the old one may still be good. */
		async renew({ signal, failFast }: AskOptions = {}): Promise<void> {
			await unlessAborted(exchange(failFast), signal, "codehost");
		},
		accepted(token: string): void {
			proven = token;
		},
		refused({ token, method, status, repeats }: Refusal): number | null {
			if (method !== "GET") return null;
			if (held === undefined || token !== held.token) return repeats === 0 ? 0 : null;
			const age = clock.monotonic() - held.issuedMonotonic;
			if (token !== proven && age <= LONGEST_LAG_MS) return LAG_WAITS_MS[repeats] ?? null;
			if (status === 403 || repeats > 0) return null;
			// Refused before its time: revoked, or expired by another clock.
			drop();
			return 0;
		},
		explain(error: ClientError, { status }: Refusal): ClientError {
			if (status !== 401) return error;
			// A new token was refused too: if one was ever accepted, this is about the repository (contract section 7).
			return withFacts(error, { reason: proven === undefined ? "not-installed" : "repository-refused" });
		},
		/** Ends the exchange under way; its callers hear that the credential was disposed. */
		dispose(): void {
			over.abort(disposedError("codehost"));
			drop();
			changed.dispose();
		},
	};
}
