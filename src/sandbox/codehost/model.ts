import { generateKeyPair, type KeyObject } from "node:crypto";

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
		visibility: repository.private ? "private" : "public",
		owner: accountJson(repository.owner, base),
		description: repository.description,
		html_url: `${base}/web/${full_name}`,
		url: `${base}/repos/${full_name}`,
		default_branch: "main",
		archived: false,
		has_issues: true,
		open_issues_count: repository.issues().filter((issue) => issue.closedAt === null).length,
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
		locked: false,
		assignees: [],
		milestone: null,
		url: `${base}/repos/${path}/issues/${number}`,
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
export function installationJson(installation: SandboxInstallation, app: App, base: string): object {
	const { id, account } = installation;
	const owner = ACCOUNTS.get(account);
	return {
		id,
		app_id: app.id,
		app_slug: app.slug,
		account: author(account, base),
		target_type: owner?.type ?? "User",
		repository_selection: installation.repositories === "all" ? "all" : "selected",
		permissions: { metadata: "read", ...(installation.issues && { issues: "read" }) },
		html_url: `${base}/web/${account}/installations/${id}`,
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
	readonly slug: string;
	readonly key: SandboxAppKey;
	readonly installations: readonly SandboxInstallation[];
}

/** An app's RSA key of 2048 bits, made when it is first asked for: the start of the sandbox does not wait for it. */
export class SandboxAppKey {
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
export const MAIN_INSTALLATION_ID = 7001;

/** The apps of a start; their ids are the same at each, their keys are not. */
export function createApps(): { readonly app: App; readonly otherApp: App } {
	const whole = { id: MAIN_INSTALLATION_ID, repositories: "all", issues: true, suspended: false } as const;
	return {
		app: {
			id: 100_001,
			slug: "night-operator",
			key: new SandboxAppKey(),
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
			key: new SandboxAppKey(),
			installations: [{ ...whole, account: "lin" }],
		},
	};
}
