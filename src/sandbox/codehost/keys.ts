import { type App, INSTALLATION_ID } from "./apps.ts";
import type { Credentials } from "./credentials.ts";

/** Credentials of an app. */
export interface AppKeys {
	/** The App ID, the `iss` of its JWTs. */
	readonly appId: number;
	/** Its installation with every repository of the account: on `exchange`, for the other app on `lin`. */
	readonly installationId: number;
	/** The private key (PKCS#1 PEM, RSA 2048). The first call makes it, which takes a moment. */
	privateKeyPem(): Promise<string>;
}

/** The main app's further installations. */
export interface MainAppKeys extends AppKeys {
	/** On `ada`, for the repository `garden` only. */
	readonly selectedInstallationId: number;
	/** On `party-line`; suspended. */
	readonly suspendedInstallationId: number;
	/** On `lin`, without the permission to read issues. */
	readonly installationIdWithoutIssues: number;
}

/** The code host's credentials, valid for this start only. Those without a name of somebody else are of the user `ada`. */
export interface CodehostKeys {
	/** A fine-grained PAT for all her repositories. */
	readonly fineGrained: string;
	/** A classic PAT; it counts towards the same limit. */
	readonly classic: string;
	/** A PAT that has expired: 401. */
	readonly expired: string;
	/** A fine-grained PAT for `exchange/vault` as the only private repository: others are 404. */
	readonly oneRepository: string;
	/** A fine-grained PAT without the permission to read issues: 401 there. */
	readonly withoutIssues: string;
	/** A classic PAT whose scope is public repositories only: 401 on private ones. */
	readonly publicOnly: string;
	/** A fine-grained PAT of the user `lin`, who has told no name. */
	readonly otherUser: string;
	readonly app: MainAppKeys;
	/** A second app with a key of its own. Its installation has the same id as the first app's. */
	readonly otherApp: AppKeys;
}

/** Mints the credentials of a start. */
export function issueKeys(credentials: Credentials, { app, otherApp }: { app: App; otherApp: App }): CodehostKeys {
	return {
		fineGrained: credentials.mintPat(),
		classic: credentials.mintPat({ kind: "classic" }),
		expired: credentials.mintPat({ expiresInSeconds: -1 }),
		oneRepository: credentials.mintPat({ repositories: ["exchange/vault"] }),
		withoutIssues: credentials.mintPat({ issues: false }),
		publicOnly: credentials.mintPat({ kind: "classic", private: false }),
		otherUser: credentials.mintPat({ user: "lin" }),
		app: {
			...keysOf(app),
			selectedInstallationId: idOn(app, "ada"),
			suspendedInstallationId: idOn(app, "party-line"),
			installationIdWithoutIssues: idOn(app, "lin"),
		},
		otherApp: keysOf(otherApp),
	};
}

function keysOf(app: App): AppKeys {
	return { appId: app.id, installationId: INSTALLATION_ID, privateKeyPem: () => app.key.pem() };
}

function idOn(app: App, account: string): number {
	const installation = app.installations.find((one) => one.account === account);
	if (installation === undefined) throw new Error(`The app ${app.slug} is not on ${account}.`);
	return installation.id;
}
