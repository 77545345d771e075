import { generateKeyPair, type KeyObject } from "node:crypto";
import { promisify } from "node:util";

/** Label on the wire. */
export interface SandboxLabel {
	readonly id: number;
	readonly name: string;
	readonly color: string;
	readonly description: string | null;
}

/** Issue. Times are epoch milliseconds. */
export interface SandboxIssue {
	readonly id: number;
	readonly number: number;
	readonly title: string;
	readonly body: string | null;
	readonly labels: readonly SandboxLabel[];
	/** Login; null for a deleted account. */
	readonly author: string | null;
	/** Login. */
	readonly assignee?: string | undefined;
	readonly milestone?: string | undefined;
	readonly comments: number;
	readonly createdAt: number;
	readonly updatedAt: number;
	/** Null for an open issue. */
	readonly closedAt: number | null;
}

interface Account {
	readonly id: number;
	readonly login: string;
	/** Absent for users without one. */
	readonly name?: string;
	readonly type: "User" | "Organization";
}

/** Repository. */
export interface SandboxRepository {
	readonly id: number;
	readonly owner: Account;
	readonly name: string;
	readonly description: string | null;
	readonly private: boolean;
	/** Users besides the owner who can see it if it is private. */
	readonly members: readonly string[];
	/** Issues by ascending number. */
	issues(): readonly SandboxIssue[];
}

/** Accounts by login. */
export const ACCOUNTS: ReadonlyMap<string, Account> = new Map([
	["ada", { id: 1, login: "ada", name: "Ada Quill", type: "User" }],
	["lin", { id: 2, login: "lin", type: "User" }],
	["exchange", { id: 3, login: "exchange", name: "The Exchange", type: "Organization" }],
	["party-line", { id: 4, login: "party-line", name: "Party Line", type: "Organization" }],
	["quiet-office", { id: 5, login: "quiet-office", name: "Quiet Office", type: "Organization" }],
]);

/** Account on the wire. `base` is the room's base URL. */
export function accountJson({ id, login, name, type }: Account, base: string): object {
	return { login, id, type, html_url: `${base}/web/${login}`, ...(name !== undefined && { name }) };
}

/** Repository on the wire. `base` is the room's base URL. */
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

/** Issue on the wire. `base` is the room's base URL. */
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
		assignees: issue.assignee === undefined ? [] : [author(issue.assignee, base)],
		milestone: issue.milestone === undefined ? null : { title: issue.milestone },
		comments: issue.comments,
		html_url: `${base}/web/${path}/issues/${number}`,
		created_at: timestamp(issue.createdAt),
		updated_at: timestamp(issue.updatedAt),
		closed_at: issue.closedAt === null ? null : timestamp(issue.closedAt),
	};
}

/** Installation on the wire; the contract names no field but `id`. `base` is the room's base URL. */
export function installationJson(installation: SandboxInstallation, base: string): object {
	return {
		id: installation.id,
		account: author(installation.account, base),
		suspended_at: installation.suspended ? "2025-03-01T08:00:00Z" : null,
	};
}

/** ISO 8601 time in whole seconds. */
export function timestamp(epochMs: number): string {
	return `${new Date(epochMs).toISOString().slice(0, 19)}Z`;
}

/** Account of a login, even of an unknown one such as a bot. */
function author(login: string, base: string): object {
	const known = ACCOUNTS.get(login);
	return known === undefined ? { login, type: "Bot", html_url: `${base}/web/${login}` } : accountJson(known, base);
}

/** Installation of an app on an account. */
export interface SandboxInstallation {
	readonly id: number;
	/** Login of the user or organization. */
	readonly account: string;
	/** Names of the repositories that the app can access. */
	readonly repositories: "all" | readonly string[];
	readonly issues: boolean;
	readonly suspended: boolean;
}

/** App, authenticated by its key. */
export interface App {
	readonly id: number;
	readonly key: SandboxAppKey;
	readonly installations: readonly SandboxInstallation[];
}

/** RSA key of an app, generated on demand: the start of the sandbox does not wait for it. */
class SandboxAppKey {
	/** Verifies JWTs; undefined until the private key was handed out. */
	publicKey: KeyObject | undefined;
	#pem: Promise<string> | undefined;

	/** Private key as PKCS#1 PEM, the format of code hosts. */
	pem(): Promise<string> {
		this.#pem ??= promisify(generateKeyPair)("rsa", { modulusLength: 2048 }).then(({ publicKey, privateKey }) => {
			this.publicKey = publicKey;
			return privateKey.export({ type: "pkcs1", format: "pem" }).toString();
		});
		return this.#pem;
	}
}

/** Installations of the main app. The other app's only one shares the id `main`. */
export const INSTALLATION_IDS = { main: 7001, selected: 7002, suspended: 7003, withoutIssues: 7004 };

/** Apps with fixed ids and new keys. */
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
