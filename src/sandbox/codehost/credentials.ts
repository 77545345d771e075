import { randomBytes, verify } from "node:crypto";
import { integer, object, oneOf, parsedJson, type Schema, text } from "#base/schema.ts";
import { type App, type createApps, INSTALLATION_IDS, type SandboxInstallation } from "./model.ts";
import { badCredentials } from "./refusal.ts";

/** A personal access token (contract section 5). */
interface Pat {
	readonly kind: "fine-grained" | "classic";
	/** The login of the user it acts as. */
	readonly user: string;
	/** Fine-grained: the private repositories (`owner/name`) it was given; public ones can always be read. */
	readonly repositories: "all" | readonly string[];
	/** True if it may read issues. */
	readonly issues: boolean;
	/** True if it may read private repositories at all. A classic token without is of the public scope only. */
	readonly private: boolean;
}

/** Identity behind a bearer value. */
export type BearerIdentity =
	| { readonly kind: "user"; readonly pat: Pat }
	| { readonly kind: "app"; readonly app: App }
	| { readonly kind: "installation"; readonly app: App; readonly installation: SandboxInstallation };

/** A token that was handed out. Times are epoch milliseconds, infinite for one without an end. */
interface Token {
	readonly caller: BearerIdentity;
	readonly expiresAt: number;
}

/** The bucket in which a caller's requests are counted (contract section 8). */
export function bucketOf(caller: BearerIdentity): string {
	if (caller.kind === "user") return `user ${caller.pat.user}`;
	return caller.kind === "app" ? `app ${caller.app.id}` : `installation ${caller.app.id}/${caller.installation.id}`;
}

const PAT: Pat = { kind: "fine-grained", user: "ada", repositories: "all", issues: true, private: true };

const YEAR_SECONDS = 365 * 24 * 3600;

/** Credentials of a start: mints them, and finds the identity of a bearer value. */
export class Credentials {
	readonly #now: () => number;
	readonly #apps: readonly App[];
	readonly #tokens = new Map<string, Token>();

	/** `now` is the machine's time in epoch milliseconds. */
	constructor(apps: readonly App[], now: () => number) {
		this.#apps = apps;
		this.#now = now;
	}

	/**
	 * Mints a PAT; by default a fine-grained one of `ada` for all her repositories that lives for a year. With negative
	 * `expiresInSeconds` it has expired already; a classic one has no end unless this is given.
	 */
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

	/** Makes a PAT or an installation token invalid. Returns whether it was known. */
	revoke(token: string): boolean {
		return this.#tokens.delete(token);
	}

	/** Makes all installation tokens invalid. */
	revokeTokens(): void {
		for (const [token, { caller }] of this.#tokens) if (caller.kind === "installation") this.#tokens.delete(token);
	}

	/** Identity behind an `Authorization` header. Throws the 401 of the contract. */
	callerOf(authorization: string | undefined): BearerIdentity {
		const value = /^Bearer ([\w.~+/=-]+)$/i.exec(authorization ?? "")?.[1] ?? "";
		// Only a JWT has dots: the tokens minted here have none.
		if (value.includes(".")) return { kind: "app", app: provenApp(value, this.#apps, this.#now()) };
		const token = this.#tokens.get(value);
		if (token === undefined || this.#now() >= token.expiresAt) throw badCredentials();
		return token.caller;
	}

	/** Keeps a token under a random value that no real host hands out. */
	#mint(prefix: string, token: Token): string {
		const value = prefix + randomBytes(24).toString("hex");
		this.#tokens.set(value, token);
		return value;
	}
}

/** Mints the credentials of a start. Those without a name of another user are of the user `ada`. */
export function issueKeys(credentials: Credentials, { app, otherApp }: ReturnType<typeof createApps>) {
	return {
		/** A fine-grained PAT for all her repositories. */
		fineGrained: credentials.mintPat(),
		/** A classic PAT; it counts towards the same limit. */
		classic: credentials.mintPat({ kind: "classic" }),
		/** A PAT that has expired: 401. */
		expired: credentials.mintPat({ expiresInSeconds: -1 }),
		/** A fine-grained PAT for `exchange/vault` as the only private repository: others are 404. */
		oneRepository: credentials.mintPat({ repositories: ["exchange/vault"] }),
		/** A fine-grained PAT without the permission to read issues: 401 there. */
		withoutIssues: credentials.mintPat({ issues: false }),
		/** A classic PAT whose scope is public repositories only: 401 on private ones. */
		publicOnly: credentials.mintPat({ kind: "classic", private: false }),
		/** A fine-grained PAT of the user `lin`, who has no name. */
		otherUser: credentials.mintPat({ user: "lin" }),
		app: {
			...keysOf(app),
			/** On `ada`, for the repository `garden` only. */
			selectedInstallationId: INSTALLATION_IDS.selected,
			/** On `party-line`; suspended. */
			suspendedInstallationId: INSTALLATION_IDS.suspended,
			/** On `lin`, without the permission to read issues. */
			installationIdWithoutIssues: INSTALLATION_IDS.withoutIssues,
		},
		/** A second app with a key of its own. Its installation has the same id as the first app's. */
		otherApp: keysOf(otherApp),
	};
}

/** The code host's credentials, valid for this start only. */
export type CodehostKeys = ReturnType<typeof issueKeys>;

function keysOf(app: App) {
	return {
		/** The App ID, the `iss` of its JWTs. */
		appId: app.id,
		/** Installation of the app on every repository of the account: on `exchange`, for the other app on `lin`. */
		installationId: INSTALLATION_IDS.main,
		/** The private key (PKCS#1 PEM, RSA 2048). The first call makes it, which takes a moment. */
		privateKeyPem: () => app.key.pem(),
	};
}

/** The most seconds that `exp` may lie ahead (contract section 5). */
const LONGEST_SECONDS = 600;

/**
 * The app that a JWT proves itself to be (contract section 5): RS256, `iss` the App ID as a string, `exp` not past and
 * at most 600 s ahead, `iat` not in the future, signed with the app's key. `now` is the host's time in epoch milliseconds.
 * Throws the 401 of the contract otherwise.
 */
function provenApp(token: string, apps: readonly App[], now: number): App {
	const [header = "", payload = "", signature = "", ...more] = token.split(".");
	const claims = partOf(payload, CLAIMS);
	const app = apps.find(({ id }) => String(id) === claims?.iss);
	const key = app?.key.publicKey;
	const signed = Buffer.from(`${header}.${payload}`);
	if (claims === undefined || app === undefined || key === undefined) throw badCredentials();
	const { exp, iat } = claims;
	const seconds = Math.floor(now / 1000);
	const isProven =
		more.length === 0 &&
		partOf(header, HEADER) !== undefined &&
		verify("RSA-SHA256", signed, key, Buffer.from(signature, "base64url")) &&
		exp > seconds &&
		exp <= seconds + LONGEST_SECONDS &&
		iat <= seconds;
	if (!isProven) throw badCredentials();
	return app;
}

const HEADER = object({ alg: oneOf("RS256") });

const CLAIMS = object({ iss: text(), exp: integer(), iat: integer() });

/** A part of a JWT; undefined where it is not one. */
function partOf<T>(part: string, schema: Schema<T>): T | undefined {
	return parsedJson(schema, Buffer.from(part, "base64url").toString());
}
