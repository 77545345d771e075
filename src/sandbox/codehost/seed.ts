import { curiosities } from "./curiosities.ts";
import { type Issue, plainIssues } from "./issues.ts";

/** A user or an organization. */
export interface Account {
	readonly id: number;
	readonly login: string;
	/** Not everybody has told one. */
	readonly name?: string;
	readonly type: "User" | "Organization";
}

/** A repository. */
export interface Repository {
	readonly id: number;
	readonly owner: Account;
	readonly name: string;
	readonly description: string | null;
	readonly private: boolean;
	/** The users who see it although it is private; its owner does anyway. */
	readonly members: readonly string[];
	/** Its issues and pull requests by number, upwards. */
	issues(): readonly Issue[];
}

/** Data of the code host. It is the same at each start. */
export interface Seed {
	/** By login. */
	readonly accounts: ReadonlyMap<string, Account>;
	/** The repository of a path, whatever the case of its letters. */
	repository(owner: string, name: string): Repository | undefined;
	/** The present path (`owner/name`) of a repository that was renamed. */
	renamed(owner: string, name: string): string | undefined;
}

const ACCOUNTS: readonly Account[] = [
	{ id: 1, login: "ada", name: "Ada Quill", type: "User" },
	{ id: 2, login: "lin", type: "User" },
	{ id: 3, login: "exchange", name: "The Exchange", type: "Organization" },
	{ id: 4, login: "party-line", name: "Party Line", type: "Organization" },
	{ id: 5, login: "quiet-office", name: "Quiet Office", type: "Organization" },
];

interface Plan {
	readonly path: string;
	readonly description?: string;
	readonly private?: true;
	readonly members?: readonly string[];
	/** Made when first asked for: ten thousand issues are not needed to start. */
	readonly make: (repositoryId: number) => readonly Issue[];
}

const PLANS: readonly Plan[] = [
	{
		path: "exchange/switchboard",
		description: "The board itself: 250 open issues, which are three pages of a hundred.",
		make: (id) => plainIssues({ repositoryId: id, open: 250 }),
	},
	{
		path: "exchange/archive",
		description: "Everything ever reported: 10,000 open issues.",
		make: (id) => plainIssues({ repositoryId: id, open: 10_000 }),
	},
	{
		path: "exchange/vault",
		description: "Private, for members of the exchange.",
		private: true,
		members: ["ada"],
		make: (id) => plainIssues({ repositoryId: id, open: 12, closed: 5 }),
	},
	{ path: "exchange/empty", make: () => [] },
	{
		path: "exchange/curiosities",
		description: "Issues that are hard to show: markup, control characters, nothing at all.",
		make: curiosities,
	},
	{
		path: "ada/garden",
		description: "Beds, seeds and weather; some issues are closed, some numbers are pull requests.",
		make: (id) => plainIssues({ repositoryId: id, open: 21, closed: 13, pullRequests: 6 }),
	},
	{
		path: "ada/notes",
		description: "Private notes.",
		private: true,
		make: (id) => plainIssues({ repositoryId: id, open: 4, closed: 2 }),
	},
	{ path: "lin/kites", make: (id) => plainIssues({ repositoryId: id, open: 7, closed: 1 }) },
	{
		path: "lin/diary",
		private: true,
		make: (id) => plainIssues({ repositoryId: id, open: 3 }),
	},
	{ path: "party-line/chatter", make: (id) => plainIssues({ repositoryId: id, open: 5 }) },
	{
		path: "quiet-office/ledger",
		description: "Public; no app is installed here.",
		make: (id) => plainIssues({ repositoryId: id, open: 9 }),
	},
];

const RENAMED: ReadonlyMap<string, string> = new Map([["exchange/telephone", "exchange/switchboard"]]);

/** The accounts and repositories of a start. */
export function createSeed(): Seed {
	const accounts = new Map(ACCOUNTS.map((account) => [account.login, account]));
	const repositories = new Map<string, Repository>();
	for (const [index, { path, description, private: hidden, members, make }] of PLANS.entries()) {
		const [login = "", name = ""] = path.split("/");
		const owner = accounts.get(login);
		if (owner === undefined) throw new Error(`${path} has no owner.`);
		const id = 5001 + index;
		let made: readonly Issue[] | undefined;
		repositories.set(path, {
			id,
			owner,
			name,
			description: description ?? null,
			private: hidden ?? false,
			members: members ?? [],
			issues() {
				made ??= make(id);
				return made;
			},
		});
	}
	const pathOf = (owner: string, name: string) => `${owner}/${name}`.toLowerCase();
	return {
		accounts,
		repository: (owner, name) => repositories.get(pathOf(owner, name)),
		renamed: (owner, name) => RENAMED.get(pathOf(owner, name)),
	};
}
