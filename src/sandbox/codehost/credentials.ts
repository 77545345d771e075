import { generateKeyPair, type KeyObject, randomBytes } from "node:crypto";
import { looksLikeJwt, appOf as provenAppOf } from "./jwt.ts";
import { badCredentials, notAccessible } from "./refusal.ts";

/** An app on an account. */
export interface Installation {
	readonly id: number;
	/** The login of the user or organization. */
	readonly account: string;
	/** The names of its repositories that the app may reach. */
	readonly repositories: "all" | readonly string[];
	/** True if it may read issues. */
	readonly issues: boolean;
	readonly suspended: boolean;
}

/** An app: an identity of its own, proved by its key. */
export interface App {
	/** The App ID. */
	readonly id: number;
	readonly slug: string;
	readonly key: AppKey;
	readonly installations: readonly Installation[];
}

/** An app's RSA key of 2048 bits, made when it is first asked for: the start of the sandbox does not wait for it. */
export class AppKey {
	#making: Promise<string> | undefined;
	#publicKey: KeyObject | undefined;

	/** Public key that verifies the app's JWTs; undefined until the private key was given out. */
	get publicKey(): KeyObject | undefined {
		return this.#publicKey;
	}

	/** The private key as PKCS#1 PEM, the form in which code hosts hand it out. */
	pem(): Promise<string> {
		this.#making ??= new Promise((resolve, reject) => {
			generateKeyPair("rsa", { modulusLength: 2048 }, (error, publicKey, privateKey) => {
				if (error !== null) return reject(error);
				this.#publicKey = publicKey;
				resolve(privateKey.export({ type: "pkcs1", format: "pem" }).toString());
			});
		});
		return this.#making;
	}
}

/** The installation of the main app on the organization with everything in it. The other app has one with the same id. */
const INSTALLATION_ID = 7001;

/** The apps of a start; their ids are the same at each, their keys are not. */
export function createApps(): { readonly app: App; readonly otherApp: App } {
	const whole = { id: INSTALLATION_ID, repositories: "all", issues: true, suspended: false } as const;
	return {
		app: {
			id: 100_001,
			slug: "night-operator",
			key: new AppKey(),
			installations: [
				{ ...whole, account: "exchange" },
				{ ...whole, id: 7002, account: "ada", repositories: ["garden"] },
				{ ...whole, id: 7003, account: "party-line", suspended: true },
				{ ...whole, id: 7004, account: "lin", issues: false },
			],
		},
		otherApp: {
			id: 100_002,
			slug: "day-operator",
			key: new AppKey(),
			installations: [{ ...whole, account: "lin" }],
		},
	};
}
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
	#issued = 0;

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

	/** Number of installation tokens that were issued. */
	get tokens(): number {
		return this.#issued;
	}

	/** Mints an installation token. */
	mintToken(options: TokenOptions): string {
		this.#issued++;
		const token = mint("svi_");
		this.#tokens.set(token, options);
		const [oldest] = this.#tokens.keys();
		if (this.#tokens.size > MOST_TOKENS && oldest !== undefined) this.#tokens.delete(oldest);
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
			throw lagStatus === 401 ? badCredentials(reason) : notAccessible(reason);
		}
		return { kind: "installation", app, installation };
	}
}

/** A value that nobody can guess and no real host hands out. */
function mint(prefix: string): string {
	return prefix + randomBytes(24).toString("hex");
}

/** Mints the credentials of a start. Those without a name of somebody else are of the user `ada`. */
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
		/** A fine-grained PAT of the user `lin`, who has told no name. */
		otherUser: credentials.mintPat({ user: "lin" }),
		app: {
			...keysOf(app),
			/** On `ada`, for the repository `garden` only. */
			selectedInstallationId: idOn(app, "ada"),
			/** On `party-line`; suspended. */
			suspendedInstallationId: idOn(app, "party-line"),
			/** On `lin`, without the permission to read issues. */
			installationIdWithoutIssues: idOn(app, "lin"),
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
		/** Its installation with every repository of the account: on `exchange`, for the other app on `lin`. */
		installationId: INSTALLATION_ID,
		/** The private key (PKCS#1 PEM, RSA 2048). The first call makes it, which takes a moment. */
		privateKeyPem: () => app.key.pem(),
	};
}

function idOn(app: App, account: string): number {
	const installation = app.installations.find((one) => one.account === account);
	if (installation === undefined) throw new Error(`The app ${app.slug} is not on ${account}.`);
	return installation.id;
}
