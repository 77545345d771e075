import { generateKeyPair, type KeyObject } from "node:crypto";
import { promisify } from "node:util";

/** A label, as it is on the wire. */
export interface SandboxLabel {
	readonly id: number;
	readonly name: string;
	readonly color: string;
	readonly description: string | null;
}

/** An issue. Times are epoch milliseconds. */
export interface SandboxIssue {
	readonly id: number;
	readonly number: number;
	readonly title: string;
	readonly body: string | null;
	readonly labels: readonly SandboxLabel[];
	/** A login; null where the account is gone. */
	readonly author: string | null;
	readonly comments: number;
	readonly createdAt: number;
	readonly updatedAt: number;
	/** Open as long as there is none. */
	readonly closedAt: number | null;
}

/** A user or an organization. */
interface Account {
	readonly id: number;
	readonly login: string;
	/** Absent for users who have not set one. */
	readonly name?: string;
	readonly type: "User" | "Organization";
}

/** A repository. */
export interface SandboxRepository {
	readonly id: number;
	readonly owner: Account;
	readonly name: string;
	readonly description: string | null;
	readonly private: boolean;
	/** The users who see it although it is private; its owner does anyway. */
	readonly members: readonly string[];
	/** Issues of the repository by number, upwards. */
	issues(): readonly SandboxIssue[];
}

/** The accounts of the code host by login. */
export const ACCOUNTS: ReadonlyMap<string, Account> = new Map(
	(
		[
			{ id: 1, login: "ada", name: "Ada Quill", type: "User" },
			{ id: 2, login: "lin", type: "User" },
			{ id: 3, login: "exchange", name: "The Exchange", type: "Organization" },
			{ id: 4, login: "party-line", name: "Party Line", type: "Organization" },
			{ id: 5, login: "quiet-office", name: "Quiet Office", type: "Organization" },
		] as const
	).map((account) => [account.login, account]),
);

/** A user or organization. `name` is left out where there is none. `base` is the room's base URL. */
export function accountJson({ id, login, name, type }: Account, base: string): object {
	return { login, id, type, html_url: `${base}/web/${login}`, ...(name !== undefined && { name }) };
}

/** A repository. `base` is the room's base URL. */
export function repositoryJson(repository: SandboxRepository, base: string): object {
	const full_name = `${repository.owner.login}/${repository.name}`;
	return {
		id: repository.id,
		name: repository.name,
		full_name,
		private: repository.private,
		owner: accountJson(repository.owner, base),
		description: repository.description,
		html_url: `${base}/web/${full_name}`,
	};
}

/** An issue of a repository. `base` is the room's base URL. */
export function issueJson(issue: SandboxIssue, repository: SandboxRepository, base: string): object {
	const { number, title } = issue;
	const path = `${repository.owner.login}/${repository.name}`;
	return {
		id: issue.id,
		number,
		title,
		state: issue.closedAt === null ? "open" : "closed",
		body: issue.body,
		user: issue.author === null ? null : author(issue.author, base),
		labels: issue.labels,
		comments: issue.comments,
		html_url: `${base}/web/${path}/issues/${number}`,
		created_at: timestamp(issue.createdAt),
		updated_at: timestamp(issue.updatedAt),
		closed_at: issue.closedAt === null ? null : timestamp(issue.closedAt),
	};
}

/**
 * An installation of an app. The contract shows none of its fields; `id` is what it is listed for. `base` is the room's base
 * URL.
 */
export function installationJson(installation: SandboxInstallation, base: string): object {
	return {
		id: installation.id,
		account: author(installation.account, base),
		suspended_at: installation.suspended ? "2025-03-01T08:00:00Z" : null,
	};
}

/** A time as the contract writes it: ISO 8601 in whole seconds. */
export function timestamp(epochMs: number): string {
	return `${new Date(epochMs).toISOString().slice(0, 19)}Z`;
}

/** An account by its login, also one that is not known here, such as a bot. */
function author(login: string, base: string): object {
	const known = ACCOUNTS.get(login);
	return known === undefined ? { login, type: "Bot", html_url: `${base}/web/${login}` } : accountJson(known, base);
}

/** An app on an account. */
export interface SandboxInstallation {
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
	readonly key: SandboxAppKey;
	readonly installations: readonly SandboxInstallation[];
}

/** An app's RSA key of 2048 bits, made when it is first asked for: the start of the sandbox does not wait for it. */
class SandboxAppKey {
	/** Public key that verifies the app's JWTs; undefined until the private key was given out. */
	publicKey: KeyObject | undefined;
	#pem: Promise<string> | undefined;

	/** The private key as PKCS#1 PEM, the form in which code hosts hand it out. */
	pem(): Promise<string> {
		this.#pem ??= promisify(generateKeyPair)("rsa", { modulusLength: 2048 }).then(({ publicKey, privateKey }) => {
			this.publicKey = publicKey;
			return privateKey.export({ type: "pkcs1", format: "pem" }).toString();
		});
		return this.#pem;
	}
}

/** Ids of the main app's installations. The other app's only one has the same id as the main one. */
export const INSTALLATION_IDS = { main: 7001, selected: 7002, suspended: 7003, withoutIssues: 7004 };

/** The apps of a start; their ids are the same at each, their keys are not. */
export function createApps(): { readonly app: App; readonly otherApp: App } {
	const whole = { id: INSTALLATION_IDS.main, repositories: "all", issues: true, suspended: false } as const;
	return {
		app: {
			id: 100_001,
			key: new SandboxAppKey(),
			installations: [
				{ ...whole, account: "exchange" },
				{ ...whole, id: INSTALLATION_IDS.selected, account: "ada", repositories: ["garden"] },
				{ ...whole, id: INSTALLATION_IDS.suspended, account: "party-line", suspended: true },
				{ ...whole, id: INSTALLATION_IDS.withoutIssues, account: "lin", issues: false },
			],
		},
		otherApp: {
			id: 100_002,
			key: new SandboxAppKey(),
			installations: [{ ...whole, account: "lin" }],
		},
	};
}
