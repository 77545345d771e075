import * as vscode from "vscode";
import type { FoundIssue } from "#app/codehost/issue-groups.ts";
import type { Repositories } from "#app/codehost/repositories.ts";
import { branchName, commitText, STARTED_ISSUES, type StartedIssue } from "#app/codehost/started-issue.ts";
import { KEPT } from "#app/contributions.ts";
import type { KeyValueStore } from "#app/ports.ts";
import type { DisposableStore } from "#base/disposables.ts";
import { Emitter } from "#base/emitter.ts";
import { ClientError } from "#base/errors.ts";
import { oneLine } from "#base/one-line.ts";
import { parsed } from "#base/schema.ts";
import { type GitRepository, gitApi, remoteOfBranch } from "../git.ts";
import { leaving } from "../kit/leaving.ts";
import { withoutIcons } from "../kit/plain.ts";
import { plainLine } from "../kit/text.ts";
import { setting } from "../settings.ts";
import { wholeTitleOf } from "./issue-text.ts";

/** Most issues that a workspace remembers with their branches. */
const MOST = 100;

/** Characters of the current issue in the status bar. */
const LONGEST_IN_BAR = 30;

/** Issues that are worked on in this workspace, each on a branch. Which one is current follows what is checked out. */
export type StartedIssues = ReturnType<typeof startedIssues>;

/** Follows the repositories of the workspace, and shows the current issue in the status bar; `memory` keeps all. */
export function startedIssues(memory: KeyValueStore, repositories: Repositories, held: DisposableStore) {
	const changed = held.add(new Emitter<void>());
	let api: Awaited<ReturnType<typeof gitApi>>;
	/** Current issue as it was last shown. */
	let shown: StartedIssue | undefined;
	const item = held.add(vscode.window.createStatusBarItem("switchboard.issue", vscode.StatusBarAlignment.Left, 0));
	item.name = "Current Issue";
	item.command = "switchboard.codehost.stopWorking";
	const all = () => parsed(STARTED_ISSUES, memory.get(KEPT.started)) ?? [];
	const keep = (issues: readonly StartedIssue[]) => memory.set(KEPT.started, issues.slice(0, MOST));
	const othersThan = ({ folder, branch }: StartedIssue) =>
		all().filter((each) => each.folder !== folder || each.branch !== branch);
	/** Repository whose branch is that of an issue. */
	const current = () => api?.repositories.find(on);
	held.add(vscode.workspace.onDidGrantWorkspaceTrust(follow));
	void follow();

	/** Issue whose branch is checked out in a folder. */
	function on({ rootUri, state: { HEAD } }: GitRepository): StartedIssue | undefined {
		return all().find(({ folder, branch }) => folder === rootUri.fsPath && branch === HEAD?.name);
	}

	async function follow(): Promise<void> {
		api = await gitApi();
		if (api === undefined) return;
		held.add(api.onDidOpenRepository(watch));
		held.add(api.onDidCloseRepository(update));
		api.repositories.forEach(watch);
	}

	function watch({ state }: GitRepository): void {
		held.add(state.onDidChange(update));
		update();
	}

	function update(): void {
		const git = current();
		const issue = git && on(git);
		if (JSON.stringify(issue) === JSON.stringify(shown)) return;
		shown = issue;
		changed.fire();
		item.hide();
		if (issue === undefined) return;
		const label = leaving(`#${issue.number} ${plainLine(issue.title)}`);
		item.text = `$(issues) ${withoutIcons(oneLine(label, LONGEST_IN_BAR))}`;
		item.tooltip = `Working on ${label}\n${issue.repository}, branch ${issue.branch}`;
		item.accessibilityInformation = { label: `Working on issue ${label}`, role: "button" };
		item.show();
	}

	/** Beginning of a commit message for the issue of a folder's branch; empty without one. */
	function textOn(git: GitRepository): string {
		const issue = on(git);
		const template = setting("switchboard.codeHost.issueCommitMessage");
		return issue === undefined ? "" : leaving(commitText(template, issue, referenceOn(git) ?? ""));
	}

	/** Name of the issue of a folder's branch in its commit messages, such as `#24` or `acme/app#24`. */
	function referenceOn(git: GitRepository): string | undefined {
		const issue = on(git);
		return issue && `${repositories.isAt(issue, remoteOfBranch(git)) ? "" : issue.repository}#${issue.number}`;
	}

	/** Checks out the branch of an issue, which is created if there is none. Rejects with git's words. */
	async function start({ repository, issue }: FoundIssue, git: GitRepository): Promise<StartedIssue> {
		const { HEAD } = git.state;
		const untouched = ["", textOn(git)];
		const about = { ...repository, number: issue.number, title: wholeTitleOf(issue), folder: git.rootUri.fsPath };
		const isIt = (each: StartedIssue) =>
			each.folder === about.folder && each.number === about.number && each.repository === about.repository;
		const known = all().find(isIt);
		const has = (name: string) => git.getBranch(name).then(Boolean, () => false);
		const fresh = branchName(setting("switchboard.codeHost.issueBranch"), about);
		const branch = known && (await has(known.branch)) ? known.branch : fresh;
		const isThere = HEAD?.name === branch;
		if (!isThere) await checkedOut(branch, (await has(branch)) ? git.checkout(branch) : git.createBranch(branch, true));
		const before = isThere ? known?.before : (HEAD?.name ?? HEAD?.commit);
		const started = { ...about, branch, ...(before !== undefined && { before }) };
		await keep([started, ...othersThan(started).filter((each) => !isIt(each))]);
		if (!api?.getRepository(git.rootUri)) await follow();
		update();
		// Only here: after a commit, Amend would take it for the words of the person.
		if (untouched.includes(git.inputBox.value)) git.inputBox.value = textOn(git);
		return started;
	}

	/** Ends the work on the current issue, and goes back to the branch from before unless asked to stay. */
	async function stop(stay: boolean): Promise<StartedIssue & { readonly now: string }> {
		const git = current();
		const issue = git && on(git);
		if (git === undefined || issue === undefined) {
			const sentence = "No issue is worked on here. Use Start Working on Issue in an issue's menu.";
			throw new ClientError("codehost", "invalid", sentence);
		}
		const text = textOn(git);
		const now = stay ? issue.branch : (issue.before ?? issue.branch);
		if (now !== issue.branch) await checkedOut(now, git.checkout(now));
		await keep(othersThan(issue));
		update();
		if (git.inputBox.value === text) git.inputBox.value = "";
		return { ...issue, now };
	}

	return { onDidChange: changed.event, current: () => shown, referenceOn, start, stop };
}

/** Waits for a checkout. Rejects with git's own words and the next step. */
async function checkedOut(branch: string, checkout: Promise<void>): Promise<void> {
	await checkout.catch((cause: unknown) => {
		const { stderr = String(cause) }: { readonly stderr?: string } = Object(cause);
		const [words] = stderr.replace(/^(?:error|fatal): /, "").split(/\n(?:Please|Aborting|hint:)/);
		const step = stderr.includes("would be overwritten") ? "Commit or stash your changes, and try" : "Try";
		const sentence = `Git did not check out ${branch}: ${plainLine(words)}. ${step} again.`;
		throw new ClientError("codehost", "invalid", sentence, { cause });
	});
}
