import type { FoundIssue } from "#app/codehost/issue-groups.ts";
import type { AddedRepository, Repositories } from "#app/codehost/repositories.ts";
import { branchName, commitText, STARTED_ISSUE, type StartedIssue } from "#app/codehost/started-issue.ts";
import { KEPT } from "#app/contributions.ts";
import type { KeyValueStore } from "#app/ports.ts";
import { DisposableStore, ResourceOwner } from "#base/disposables.ts";
import { Emitter } from "#base/emitter.ts";
import { ClientError } from "#base/errors.ts";
import { parsed } from "#base/schema.ts";
import { followRepositories, type GitRepository, remotesOf } from "../git.ts";
import { leaving } from "../kit/leaving.ts";
import { plainLine } from "../kit/text.ts";
import { setting } from "../settings.ts";
import { wholeTitleOf } from "./issue-text.ts";

/** Most issues that a workspace remembers with their branches. */
const MOST = 100;

/** Folder as its state was last seen. */
interface Seen {
	readonly git: GitRepository;
	/** Issue whose branch is checked out. */
	readonly issue: StartedIssue | undefined;
	/** Issue, branch and commit, after a change of which the box of the commit message may be filled. */
	readonly key: string;
	/** Text that was put into the box. */
	readonly put: string;
}

/** Issues that are worked on in this workspace, each on a branch. Which one is current follows what is checked out. */
export class StartedIssues extends ResourceOwner {
	readonly #memory: KeyValueStore;
	readonly #repositories: Repositories;
	readonly #changed = this.held.add(new Emitter<void>());
	readonly #seen = new Map<string, Seen>();
	#following = this.held.add(new DisposableStore());

	constructor(memory: KeyValueStore, repositories: Repositories) {
		super();
		this.#memory = memory;
		this.#repositories = repositories;
	}

	/** Fires when another issue is the current one, or none. */
	readonly onDidChange = this.#changed.event;

	/** Issue whose branch is checked out in a folder of the workspace, and that folder. */
	get current(): { readonly issue: StartedIssue; readonly git: GitRepository } | undefined {
		for (const { issue, git } of this.#seen.values()) if (issue !== undefined) return { issue, git };
		return undefined;
	}

	/** True for the current issue. */
	isCurrent({ repository, connection }: AddedRepository, number: number): boolean {
		const issue = this.current?.issue;
		return issue?.number === number && issue.repository === repository && issue.connection === connection;
	}

	/** Issue whose branch is checked out in a folder. */
	on({ rootUri, state }: GitRepository): StartedIssue | undefined {
		return this.#list().find(({ folder, branch }) => folder === rootUri.fsPath && branch === state.HEAD?.name);
	}

	/** Listens to the repositories of the workspace, from the start again. */
	async follow(): Promise<void> {
		this.#following.dispose();
		this.#following = this.held.add(new DisposableStore());
		await followRepositories((git) => this.#update(git), this.#following);
	}

	/** Checks out the branch of an issue, which is created if there is none. Rejects with git's words. */
	async start({ repository, issue }: FoundIssue, git: GitRepository): Promise<StartedIssue> {
		const { HEAD } = git.state;
		const folder = git.rootUri.fsPath;
		const about = { ...repository, number: issue.number, title: wholeTitleOf(issue) };
		const isIt = (each: StartedIssue) =>
			each.folder === folder && each.number === issue.number && each.repository === repository.repository;
		const known = this.#list().find(isIt);
		const names = [...(known ? [known.branch] : []), branchName(setting("switchboard.codeHost.issueBranch"), about)];
		const branches = await Promise.all(
			names.map((name) =>
				git.getBranch(name).then(
					() => name,
					() => undefined,
				),
			),
		);
		const there = branches.find((name) => name !== undefined);
		const branch = there ?? names.at(-1) ?? "";
		const isThere = HEAD?.name === branch;
		if (!isThere) await checkedOut(branch, there === undefined ? git.createBranch(branch, true) : git.checkout(branch));
		const before = isThere ? known?.before : (HEAD?.name ?? HEAD?.commit);
		const started = { ...about, folder, branch, ...(before !== undefined && { before }) };
		await this.#keep([started, ...this.#list().filter((each) => !isIt(each) && !isOn(started)(each))]);
		await this.follow();
		return started;
	}

	/** Ends the work on the current issue. Goes back to the branch from before, unless asked to stay. Rejects with git's words. */
	async stop(stay = false): Promise<StartedIssue & { readonly now: string }> {
		const { issue, git } = this.current ?? {};
		if (issue === undefined || git === undefined) {
			throw new ClientError(
				"codehost",
				"invalid",
				"No issue is worked on here. Start with an issue of the Issues view.",
			);
		}
		if (!stay && issue.before !== undefined) await checkedOut(issue.before, git.checkout(issue.before));
		await this.#keep(this.#list().filter((each) => !isOn(issue)(each)));
		this.#update(git);
		return { ...issue, now: stay ? issue.branch : (issue.before ?? issue.branch) };
	}

	#list(): readonly StartedIssue[] {
		const kept = this.#memory.get(KEPT.started);
		return Array.isArray(kept) ? kept.flatMap((each) => parsed(STARTED_ISSUE, each) ?? []) : [];
	}

	async #keep(issues: readonly StartedIssue[]): Promise<void> {
		await this.#memory.set(KEPT.started, issues.slice(0, MOST));
	}

	/** Fills the box of a commit message after a checkout or a commit, unless the person has written in it. */
	#update(git: GitRepository): void {
		const { HEAD } = git.state;
		const folder = git.rootUri.fsPath;
		const issue = this.on(git);
		const key = JSON.stringify([issue?.repository, issue?.number, HEAD?.name, HEAD?.commit]);
		const before = this.#seen.get(folder);
		if (before?.key === key) return;
		const put = issue === undefined ? "" : this.#commitText(issue, git);
		const { inputBox } = git;
		if (inputBox.value !== put && ["", before?.put].includes(inputBox.value)) inputBox.value = put;
		this.#seen.set(folder, { git, issue, key, put });
		this.#changed.fire();
	}

	#commitText(issue: StartedIssue, git: GitRepository): string {
		const own = this.#repositories.addedAt(remotesOf([git]));
		const reference = `${own?.repository === issue.repository ? "" : issue.repository}#${issue.number}`;
		return leaving(commitText(setting("switchboard.codeHost.issueCommitMessage"), issue, reference));
	}
}

function isOn({ folder, branch }: StartedIssue): (other: StartedIssue) => boolean {
	return (other) => other.folder === folder && other.branch === branch;
}

/** Waits for a checkout. Rejects with git's own words and the next step. */
async function checkedOut(branch: string, checkout: Promise<void>): Promise<void> {
	try {
		await checkout;
	} catch (cause) {
		const { stderr, message }: { readonly stderr?: string; readonly message?: string } = Object(cause);
		const [words] = (stderr || message || "").replace(/^(?:error|fatal): /, "").split(/\n(?:Please|Aborting|hint:)/);
		const said = plainLine(words).replace(/\.$/, "");
		const step = /overwritten|merge|conflict/i.test(said)
			? "Commit or stash your changes"
			: "Mend that in Source Control";
		const sentence = `Git did not check out ${branch}: ${said}. ${step}, and try again.`;
		throw new ClientError("codehost", "invalid", sentence, { cause });
	}
}
