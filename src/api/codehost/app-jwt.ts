import type { KeyObject } from "node:crypto";
import type { Clock } from "#base/clock.ts";
import type { Disposable } from "#base/disposables.ts";
import { type ClientError, withFacts } from "#base/errors.ts";
import type { ProtectSecret, Refusal, TokenSource } from "./credential.ts";
import type { AppKey } from "./private-key.ts";

/** Backdating of a token, for clocks that differ (contract section 5). Seconds. */
const BACKDATED_S = 60;
/** Lifetime of a token: less than the 600 s allowed, for a clock that is fast. Seconds. */
const LIFE_S = 540;
/** Time for which one is reused instead of signing the next. Milliseconds. */
const REUSED_MS = 4 * 60 * 1_000;
/** Clocks that differ by less are not what a refusal is about. Milliseconds. */
const SKEW_THAT_MATTERS_MS = 30_000;
/** Harmless difference of clocks, by which tokens are backdated. Milliseconds. */
export const ALLOWED_DRIFT_MS = BACKDATED_S * 1_000;
/** A service that says itself what of a token it does not take: the times in it. */
const OF_TIME = /'(?:exp|iat|nbf)'|\b(?:expiration time|issued at)\b/i;

/** Signs an app's token (RS256; contract section 5). `now` is the service's time in epoch milliseconds. */
export async function signAppJwt(
	key: KeyObject,
	{ appId, now }: { readonly appId: string; readonly now: number },
): Promise<string> {
	const { SignJWT } = await import("jose/jwt/sign");
	const seconds = Math.floor(now / 1_000);
	return new SignJWT()
		.setProtectedHeader({ alg: "RS256", typ: "JWT" })
		.setIssuedAt(seconds - BACKDATED_S)
		.setExpirationTime(seconds + LIFE_S)
		.setIssuer(appId)
		.sign(key);
}

/** The identity of an app at one service. */
export interface AppIdentity {
	/** The only origin that may see its tokens. */
	readonly origin: string;
	/** App ID as the service shows it; a number counts as its text. */
	readonly appId: string | number;
	readonly key: AppKey;
}

/** A source of the tokens with which an app proves itself. */
export interface AppTokenSource extends TokenSource, Disposable {
	/** Lead of the service's clock, if it mattered. Milliseconds. */
	readonly skewMs: number;
}

interface Signed {
	readonly text: string;
	readonly skewMs: number;
	/** Time of the signature by both clocks: the wall clock may be set, the monotonic one may stop in a sleep. */
	readonly at: { readonly wall: number; readonly monotonic: number };
	readonly protection: Disposable | undefined;
}

/** Source of an app's tokens, dated by the service's clock after a refusal (retried once) with another `Date`. */
export function appSource(
	{ origin, appId, key }: AppIdentity,
	{
		clock,
		protect,
		onSkew,
	}: {
		readonly clock: Clock;
		/** Keeps the tokens out of logs. */
		readonly protect?: ProtectSecret | undefined;
		/** Hears a new lead of the service's clock, by which later tokens are dated; positive if it is ahead. */
		readonly onSkew?: ((skewMs: number) => void) | undefined;
	},
): AppTokenSource {
	const issuer = String(appId);
	let signed: Signed | undefined;
	let signing: Promise<string> | undefined;
	let skewMs = 0;

	const ageOf = ({ at }: Signed) => Math.max(clock.now() - at.wall, clock.monotonic() - at.monotonic);

	const sign = async (): Promise<string> => {
		const dated = { skewMs, at: { wall: clock.now(), monotonic: clock.monotonic() } };
		const text = await signAppJwt(key.key, { appId: issuer, now: dated.at.wall + skewMs });
		signed?.protection?.dispose();
		signed = { ...dated, text, protection: protect?.(text) };
		return text;
	};

	return {
		kind: "app",
		origin,
		identity: `${origin} app ${issuer} key ${key.fingerprint}`,
		bucket: `app ${issuer}`,
		get skewMs() {
			return skewMs;
		},
		async token() {
			if (signed !== undefined && ageOf(signed) < REUSED_MS && signed.skewMs === skewMs) return signed.text;
			signing ??= sign().finally(() => {
				signing = undefined;
			});
			return signing;
		},
		refused({ token, status, serverTime, repeats }: Refusal) {
			if (status !== 401) return null;
			// Another call has found the difference, or signed the next token, meanwhile.
			if (token !== signed?.text || signed.skewMs !== skewMs) return repeats > 0 ? null : 0;
			if (repeats > 0) {
				// That time did not help: it may have been a proxy's.
				skewMs = 0;
				return null;
			}
			const measured = serverTime === null ? skewMs : serverTime - clock.now();
			if (Math.abs(measured - skewMs) > SKEW_THAT_MATTERS_MS) {
				skewMs = Math.abs(measured) > SKEW_THAT_MATTERS_MS ? measured : 0;
				onSkew?.(skewMs);
				return 0;
			}
			// It expired on its way, as after a sleep: the next one is new.
			return ageOf(signed) >= LIFE_S * 1_000 ? 0 : null;
		},
		explain(error: ClientError, { status, serverTime }: Refusal) {
			if (status !== 401) return error;
			const reason = OF_TIME.test(error.message) ? "clock-skew" : "app-refused";
			const differsMs = serverTime === null ? skewMs : serverTime - clock.now();
			if (Math.abs(differsMs) <= SKEW_THAT_MATTERS_MS) {
				const doubt = " (or this machine's clock is wrong: the service does not tell its time)";
				return withFacts(error, { reason }, serverTime === null ? `${error.message}${doubt}` : error.message);
			}
			const minutes = Math.max(1, Math.round(Math.abs(differsMs) / 60_000));
			const side = differsMs > 0 ? "behind" : "ahead of";
			const remark = `the clock here is about ${minutes} min ${side} the service's`;
			return withFacts(error, { reason }, `${error.message} (${remark})`);
		},
		dispose() {
			signed?.protection?.dispose();
			signed = undefined;
		},
	};
}
