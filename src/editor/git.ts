import * as vscode from "vscode";
import { systemClock } from "#base/clock.ts";
import { ClientError } from "#base/errors.ts";

/** Part of the built-in git extension's API that is used here. */
interface GitExtension {
	readonly enabled: boolean;
	getAPI(version: 1): GitApi;
}

interface GitApi {
	readonly repositories: readonly GitRepository[];
	/** Reports no repositories until it has looked for them. */
	readonly state: "uninitialized" | "initialized";
	readonly onDidChangeState: vscode.Event<GitApi["state"]>;
}

/** A repository of the workspace, as the built-in git extension knows it. */
export interface GitRepository {
	readonly rootUri: vscode.Uri;
	/** Box of the message of the next commit. */
	readonly inputBox: { value: string };
	readonly state: {
		readonly remotes: readonly { readonly fetchUrl?: string; readonly pushUrl?: string }[];
		/** Current commit, and the branch if there is one. */
		readonly HEAD?: { readonly name?: string };
		readonly workingTreeChanges: readonly { readonly uri: vscode.Uri; readonly status: number }[];
		/** New files, where a setting parts them from the changes. */
		readonly untrackedChanges: GitRepository["state"]["workingTreeChanges"];
		readonly onDidChange: vscode.Event<void>;
	};
	/** Reads the state anew. */
	status(): Promise<void>;
	/** Staged or unstaged changes, as git prints them. */
	diff(staged?: boolean): Promise<string>;
	/** Commits, the newest first. Rejects before the first one. */
	log(options: { readonly maxEntries: number }): Promise<readonly { readonly message: string }[]>;
}

/** Status of a new file that git does not track. */
export const UNTRACKED = 7;

/** Timeout for git's search for the repositories of a workspace. Milliseconds. */
const LONGEST_LOOK_MS = 5_000;

/** The repositories of the workspace, at least one. Rejects with a sentence: no trust, no git or no repository. */
export async function gitRepositories(): Promise<readonly GitRepository[]> {
	if (!vscode.workspace.isTrusted) throw none("Changes in an untrusted folder are not read. Trust it, and try again.");
	const extension = vscode.extensions.getExtension<GitExtension>("vscode.git");
	const git = extension?.isActive ? extension.exports : await extension?.activate().then(undefined, () => undefined);
	if (!git?.enabled) throw none("Git is off or missing. Install it, or turn on git.enabled.");
	const api = git.getAPI(1);
	if (api.state === "uninitialized") {
		const { promise, resolve } = Promise.withResolvers<void>();
		const waits = [api.onDidChangeState(() => resolve()), systemClock.after(LONGEST_LOOK_MS, resolve)];
		await promise;
		for (const each of waits) each.dispose();
	}
	if (api.repositories.length > 0) return api.repositories;
	throw none("There is no git repository in this workspace. Open one, or run Git: Initialize Repository.");
}

/** Addresses of the remotes of repositories. */
export function remotesOf(repositories: readonly GitRepository[]): readonly string[] {
	const remotes = repositories.flatMap(({ state }) => state.remotes);
	return remotes.flatMap(({ fetchUrl, pushUrl }) => [fetchUrl, pushUrl].filter((url) => url !== undefined));
}

function none(sentence: string): ClientError {
	return new ClientError("messages", "invalid", sentence, { field: "diff" });
}
