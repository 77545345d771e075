import * as vscode from "vscode";
import { systemClock } from "#base/clock.ts";

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
interface GitRepository {
	readonly rootUri: vscode.Uri;
	readonly state: { readonly remotes: readonly { readonly fetchUrl?: string; readonly pushUrl?: string }[] };
	/** Staged or unstaged changes, as git prints them. */
	diff(staged?: boolean): Promise<string>;
}

/** Timeout for git's search for the repositories of a workspace. Milliseconds. */
const LONGEST_LOOK_MS = 5_000;

/** The repositories of the workspace. None in a folder that is not trusted, or where git is off, missing or broken. */
export async function gitRepositories(): Promise<readonly GitRepository[]> {
	if (!vscode.workspace.isTrusted) return [];
	const extension = vscode.extensions.getExtension<GitExtension>("vscode.git");
	if (extension === undefined) return [];
	const git = extension.isActive ? extension.exports : await extension.activate().then(undefined, () => undefined);
	if (!git?.enabled) return [];
	const api = git.getAPI(1);
	if (api.state === "uninitialized") {
		const { promise, resolve } = Promise.withResolvers<void>();
		const waits = [api.onDidChangeState(() => resolve()), systemClock.after(LONGEST_LOOK_MS, resolve)];
		await promise;
		for (const each of waits) each.dispose();
	}
	return api.repositories;
}
