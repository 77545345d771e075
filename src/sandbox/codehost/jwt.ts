import { type KeyObject, verify } from "node:crypto";
import { badCredentials } from "./refusal.ts";

/** The most seconds that `exp` may lie ahead (contract section 5). */
const LONGEST_SECONDS = 600;

/** Whose JWTs are believed, and when. */
export interface JwtChecks<T> {
	/** The host's time in epoch milliseconds. */
	readonly now: number;
	/** The app of an `iss`. */
	readonly find: (issuer: string) => T | undefined;
	/** The app's public key; undefined while it has none, so that nothing can be signed with it. */
	readonly keyOf: (app: T) => KeyObject | undefined;
}

/** True if a bearer value has the form of a JWT; the tokens minted here have no dot. */
export function looksLikeJwt(token: string): boolean {
	return token.includes(".");
}

/**
 * The app that a JWT proves itself to be (contract section 5): RS256, `iss` the App ID as a string, `exp` not past and
 * at most 600 s ahead, `iat` not in the future, signed with the app's key. Throws the 401 of the contract otherwise.
 */
export function appOf<T>(token: string, { now, find, keyOf }: JwtChecks<T>): T {
	const [header = "", payload = "", signature = "", ...more] = token.split(".");
	if (more.length > 0 || signature === "") throw badCredentials("a JWT has three parts");
	const { alg, crit } = objectOf(header, "header");
	if (alg !== "RS256") throw badCredentials("alg must be RS256");
	if (crit !== undefined) throw badCredentials("crit is not understood");
	const { iss, exp, iat } = objectOf(payload, "payload");
	if (typeof iss !== "string") throw badCredentials("iss must be a string");
	const app = find(iss);
	if (app === undefined) throw badCredentials("iss is not the App ID of any app");
	const key = keyOf(app);
	const signed = Buffer.from(`${header}.${payload}`);
	if (key === undefined || !verify("RSA-SHA256", signed, key, bytesOf(signature, "signature"))) {
		throw badCredentials("the signature is not of the app's key");
	}
	// After the signature: nothing is said about the claims of somebody who is not the app.
	const seconds = Math.floor(now / 1000);
	if (!isWhole(exp)) throw badCredentials("exp must be an integer");
	if (exp <= seconds) throw badCredentials("exp is past");
	if (exp > seconds + LONGEST_SECONDS) throw badCredentials("exp is more than 600 s ahead");
	if (!isWhole(iat)) throw badCredentials("iat must be an integer");
	if (iat > seconds) throw badCredentials("iat is in the future");
	return app;
}

function objectOf(part: string, name: string): Record<string, unknown> {
	let value: unknown;
	try {
		value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytesOf(part, name)));
	} catch {
		throw badCredentials(`the ${name} is not JSON in base64url`);
	}
	if (typeof value !== "object" || value === null) throw badCredentials(`the ${name} is not an object`);
	return Object.fromEntries(Object.entries(value));
}

function bytesOf(part: string, name: string): Buffer {
	const bytes = Buffer.from(part, "base64url");
	// Node's decoder forgives; the text that it would have written itself is the only one that counts.
	if (bytes.toString("base64url") !== part) throw badCredentials(`the ${name} is not base64url`);
	return bytes;
}

function isWhole(value: unknown): value is number {
	return Number.isSafeInteger(value);
}
