import { randomBytes } from "node:crypto";
import type { App, Installation } from "./apps.ts";
import { looksLikeJwt, appOf as provenAppOf } from "./jwt.ts";
import { badCredentials, NOT_ACCESSIBLE, Refused } from "./refusal.ts";

/** A personal access token (contract section 5). */
export interface Pat {
	readonly kind: "fine-grained" | "classic";
	/** The login of the user it acts as. */
	readonly user: string;
	/** Epoch milliseconds; a classic one has no end. */
	readonly expiresAt?: number;
	/** Fine-grained: the private repositories (`owner/name`) it was given; public ones can always be read. */
	readonly repositories: "all" | readonly string[];
	/** True if it may read issues. */
	readonly issues: boolean;
	/** True if it may read private repositories at all. A classic token without is of the public scope only. */
	readonly private: boolean;
}

/** Options of a new PAT; by default a fine-grained one of `ada` for all her repositories that lives for a year. */
export interface PatOptions {
	readonly kind?: "fine-grained" | "classic";
	readonly user?: string;
	/** Negative has expired already. A classic token has no end unless this is given. */
	readonly expiresInSeconds?: number;
	readonly repositories?: readonly string[];
	readonly issues?: boolean;
	readonly private?: boolean;
}

/** An installation token at its issue. */
export interface TokenOptions {
	readonly app: App;
	readonly installation: Installation;
	/** Epoch milliseconds. */
	readonly expiresAt: number;
	/** Refused before this, in epoch milliseconds. */
	readonly usableFrom: number;
	/** With this status. */
	readonly lagStatus: 401 | 403;
}

/** Identity behind a bearer value. */
export type Caller =
	| { readonly kind: "user"; readonly pat: Pat }
	| { readonly kind: "app"; readonly app: App }
	| { readonly kind: "installation"; readonly app: App; readonly installation: Installation };

/** The bucket in which a caller's requests are counted (contract section 8). */
export function bucketOf(caller: Caller): string {
	switch (caller.kind) {
		case "user":
			return `user ${caller.pat.user}`;
		case "app":
			return `app ${caller.app.id}`;
		case "installation":
			return `installation ${caller.app.id}/${caller.installation.id}`;
	}
}

/** Installation tokens are remembered up to this many; an older one is then unknown rather than expired. */
const MOST_TOKENS = 10_000;

const YEAR_SECONDS = 365 * 24 * 3600;

/** Every credential of a start: mints them, and tells who a bearer value is. */
export class Credentials {
	readonly #now: () => number;
	readonly #apps: ReadonlyMap<string, App>;
	readonly #pats = new Map<string, Pat>();
	readonly #tokens = new Map<string, TokenOptions>();

	/** `now` is the machine's time in epoch milliseconds. */
	constructor(apps: readonly App[], now: () => number) {
		this.#apps = new Map(apps.map((app) => [String(app.id), app]));
		this.#now = now;
	}

	/** Mints a PAT. */
	mintPat({ kind = "fine-grained", user = "ada", repositories, expiresInSeconds, ...may }: PatOptions = {}): string {
		const seconds = expiresInSeconds ?? (kind === "fine-grained" ? YEAR_SECONDS : undefined);
		const token = mint(kind === "fine-grained" ? "service_pat_" : "svc_");
		this.#pats.set(token, {
			kind,
			user,
			repositories: repositories ?? "all",
			issues: may.issues ?? true,
			private: may.private ?? true,
			...(seconds !== undefined && { expiresAt: this.#now() + seconds * 1000 }),
		});
		return token;
	}

	/** Mints an installation token. */
	mintToken(options: TokenOptions): string {
		const token = mint("svi_");
		this.#tokens.set(token, options);
		for (const oldest of this.#tokens.keys()) {
			if (this.#tokens.size <= MOST_TOKENS) break;
			this.#tokens.delete(oldest);
		}
		return token;
	}

	/** Makes a PAT or an installation token invalid. Returns whether it was known. */
	revoke(token: string): boolean {
		return this.#pats.delete(token) || this.#tokens.delete(token);
	}

	/** Makes all installation tokens invalid. */
	revokeTokens(): void {
		this.#tokens.clear();
	}

	/**
	 * Identity behind an `Authorization` header. `skewMs` is the lead of the host's clock. Throws the 401 of the
	 * contract, or the refusal of a token that is not in force yet.
	 */
	callerOf(authorization: string | undefined, skewMs: number): Caller {
		if (authorization === undefined) throw badCredentials("there is no Authorization header");
		const token = /^Bearer ([\w.~+/=-]+)$/i.exec(authorization)?.[1];
		if (token === undefined) throw badCredentials("Authorization is not a bearer token");
		if (looksLikeJwt(token)) return { kind: "app", app: this.#appOf(token, this.#now() + skewMs) };
		const pat = this.#pats.get(token);
		if (pat !== undefined) return this.#userOf(pat);
		const known = this.#tokens.get(token);
		if (known === undefined) throw badCredentials("the token is unknown or was revoked");
		return this.#installationOf(known);
	}

	#appOf(token: string, now: number): App {
		return provenAppOf(token, {
			now,
			find: (issuer) => this.#apps.get(issuer),
			keyOf: (app) => app.key.publicKey,
		});
	}

	#userOf(pat: Pat): Caller {
		if (pat.expiresAt !== undefined && this.#now() >= pat.expiresAt) throw badCredentials("the token has expired");
		return { kind: "user", pat };
	}

	#installationOf({ app, installation, expiresAt, usableFrom, lagStatus }: TokenOptions): Caller {
		if (this.#now() >= expiresAt) throw badCredentials("the token has expired");
		if (this.#now() < usableFrom) {
			const reason = "the token is not in force yet";
			throw lagStatus === 401 ? badCredentials(reason) : new Refused(403, NOT_ACCESSIBLE, { reason });
		}
		return { kind: "installation", app, installation };
	}
}

/** A value that nobody can guess and no real host hands out. */
function mint(prefix: string): string {
	return prefix + randomBytes(24).toString("hex");
}
