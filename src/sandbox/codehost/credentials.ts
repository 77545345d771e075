import { randomBytes, verify } from "node:crypto";
import { integer, object, oneOf, parsedJson, type Schema, text } from "#base/schema.ts";
import { type App, type createApps, INSTALLATION_IDS, type SandboxInstallation } from "./model.ts";
import { refusal } from "./refusal.ts";

/** Personal access token (contract section 5). */
interface Pat {
	readonly kind: "fine-grained" | "classic";
	/** Login of the user it acts as. */
	readonly user: string;
	/** Fine-grained: private repositories (`owner/name`) that it can read; it can read all public ones. */
	readonly repositories: "all" | readonly string[];
	readonly issues: boolean;
	/** True if it can read private repositories. */
	readonly private: boolean;
}

/** Identity of a bearer token. */
export type BearerIdentity =
	| { readonly kind: "user"; readonly pat: Pat }
	| { readonly kind: "app"; readonly app: App }
	| { readonly kind: "installation"; readonly app: App; readonly installation: SandboxInstallation };

interface Token {
	readonly caller: BearerIdentity;
	readonly expiresAt: number;
}

/** Rate limit bucket of a caller (contract section 8). */
export function bucketOf(caller: BearerIdentity): string {
	if (caller.kind === "user") return `user ${caller.pat.user}`;
	return caller.kind === "app" ? `app ${caller.app.id}` : `installation ${caller.app.id}/${caller.installation.id}`;
}

const PAT: Pat = { kind: "fine-grained", user: "ada", repositories: "all", issues: true, private: true };

const YEAR_SECONDS = 365 * 24 * 3600;

/** Mints credentials, and identifies their bearers. */
export class Credentials {
	readonly #now: () => number;
	readonly #apps: readonly App[];
	readonly #tokens = new Map<string, Token>();

	/** `now` is the clock in epoch milliseconds. */
	constructor(apps: readonly App[], now: () => number) {
		this.#apps = apps;
		this.#now = now;
	}

	/** Mints a PAT, by default of `ada` for a year and all repositories. A classic one does not expire by default. */
	mintPat({ expiresInSeconds, ...given }: Partial<Pat> & { readonly expiresInSeconds?: number } = {}): string {
		const pat = { ...PAT, ...given };
		const isClassic = pat.kind === "classic";
		const seconds = expiresInSeconds ?? (isClassic ? Number.POSITIVE_INFINITY : YEAR_SECONDS);
		const expiresAt = this.#now() + seconds * 1000;
		return this.#mint(isClassic ? "svc_" : "service_pat_", { caller: { kind: "user", pat }, expiresAt });
	}

	/** Mints an installation token. `expiresAt` is in epoch milliseconds. */
	mintToken(app: App, installation: SandboxInstallation, expiresAt: number): string {
		return this.#mint("svi_", { caller: { kind: "installation", app, installation }, expiresAt });
	}

	/** Revokes a token; true if it existed. */
	revoke(token: string): boolean {
		return this.#tokens.delete(token);
	}

	revokeTokens(): void {
		for (const [token, { caller }] of this.#tokens) if (caller.kind === "installation") this.#tokens.delete(token);
	}

	/** Identity of an `Authorization` header. Throws 401. */
	callerOf(authorization: string | undefined): BearerIdentity {
		const value = /^Bearer ([\w.~+/=-]+)$/i.exec(authorization ?? "")?.[1] ?? "";
		// Only a JWT has dots: the tokens minted here have none.
		if (value.includes(".")) return { kind: "app", app: provenApp(value, this.#apps, this.#now()) };
		const token = this.#tokens.get(value);
		if (token === undefined || this.#now() >= token.expiresAt) throw refusal("badCredentials");
		return token.caller;
	}

	/** Stores a token under a random value with a prefix that no real host uses. */
	#mint(prefix: string, token: Token): string {
		const value = prefix + randomBytes(24).toString("hex");
		this.#tokens.set(value, token);
		return value;
	}
}

/** Mints the credentials of a start, for `ada` unless named otherwise. */
export function issueKeys(credentials: Credentials, { app, otherApp }: ReturnType<typeof createApps>) {
	return {
		/** Fine-grained PAT for all her repositories. */
		fineGrained: credentials.mintPat(),
		/** Classic PAT with the same rate limit. */
		classic: credentials.mintPat({ kind: "classic" }),
		expired: credentials.mintPat({ expiresInSeconds: -1 }),
		/** Fine-grained PAT that reads no private repository but `exchange/vault`. */
		oneRepository: credentials.mintPat({ repositories: ["exchange/vault"] }),
		withoutIssues: credentials.mintPat({ issues: false }),
		publicOnly: credentials.mintPat({ kind: "classic", private: false }),
		/** Fine-grained PAT of `lin`, who has no display name. */
		otherUser: credentials.mintPat({ user: "lin" }),
		app: {
			...keysOf(app),
			/** Installation on `ada`, for `garden` only. */
			selectedInstallationId: INSTALLATION_IDS.selected,
			/** Suspended installation on `party-line`. */
			suspendedInstallationId: INSTALLATION_IDS.suspended,
			/** Installation on `lin` that cannot read issues. */
			installationIdWithoutIssues: INSTALLATION_IDS.withoutIssues,
		},
		/** Second app; its installation has the same id as the first app's. */
		otherApp: keysOf(otherApp),
	};
}

function keysOf(app: App) {
	return {
		/** App ID, the `iss` of its JWTs. */
		appId: app.id,
		/** Installation on all repositories of an account: `exchange`, or `lin` for the other app. */
		installationId: INSTALLATION_IDS.main,
		/** Private key (PKCS#1 PEM, RSA 2048), generated by the first call. */
		privateKeyPem: () => app.key.pem(),
	};
}

/** Longest lifetime of a JWT in seconds (contract section 5). */
const LONGEST_SECONDS = 600;

/** App that a JWT authenticates (contract section 5): RS256, signed by its key, `exp` within 600 s. Throws 401. */
function provenApp(token: string, apps: readonly App[], now: number): App {
	const [header = "", payload = "", signature = "", ...more] = token.split(".");
	const claims = partOf(payload, object({ iss: text(), exp: integer(), iat: integer() }));
	const app = apps.find(({ id }) => String(id) === claims?.iss);
	const key = app?.key.publicKey;
	const signed = Buffer.from(`${header}.${payload}`);
	if (claims === undefined || app === undefined || key === undefined) throw refusal("badCredentials");
	const { exp, iat } = claims;
	const seconds = Math.floor(now / 1000);
	const isProven =
		more.length === 0 &&
		partOf(header, object({ alg: oneOf("RS256") })) !== undefined &&
		verify("RSA-SHA256", signed, key, Buffer.from(signature, "base64url")) &&
		exp > seconds &&
		exp <= seconds + LONGEST_SECONDS &&
		iat <= seconds;
	if (!isProven) throw refusal("badCredentials");
	return app;
}

function partOf<T>(part: string, schema: Schema<T>): T | undefined {
	return parsedJson(schema, Buffer.from(part, "base64url").toString());
}
