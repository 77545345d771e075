import * as vscode from "vscode";

/** What of the built-in git extension's interface is used here. */
interface GitExtension {
	readonly enabled: boolean;
	getAPI(version: 1): { readonly repositories: readonly GitRepository[] };
}

/** A repository of the workspace, as the built-in git extension knows it. */
export interface GitRepository {
	readonly rootUri: vscode.Uri;
	readonly state: { readonly remotes: readonly { readonly fetchUrl?: string; readonly pushUrl?: string }[] };
	/** What has changed, as git prints it: what is staged, or what is not. */
	diff(staged?: boolean): Promise<string>;
}

/** The repositories of the workspace. None in a folder that is not trusted, or where git is off, missing or broken. */
export async function gitRepositories(): Promise<readonly GitRepository[]> {
	if (!vscode.workspace.isTrusted) return [];
	const extension = vscode.extensions.getExtension<GitExtension>("vscode.git");
	if (extension === undefined) return [];
	const git = extension.isActive ? extension.exports : await extension.activate().then(undefined, () => undefined);
	return git?.enabled ? git.getAPI(1).repositories : [];
}
