import * as vscode from "vscode";
import { remotesIn } from "#app/codehost/git-config.ts";
import { LIMITS } from "#base/limits.ts";
import { gitRepositories } from "../git.ts";

/**
 * The addresses of the workspace's git remotes, as the built-in git extension knows them, else as `.git/config` names
 * them. None in a folder that is not trusted: nothing of it is read.
 */
export async function gitRemotes(): Promise<readonly string[]> {
	if (!vscode.workspace.isTrusted) return [];
	const known = await fromExtension().catch(() => []);
	return [...new Set(known.length > 0 ? known : await fromFiles())];
}

async function fromExtension(): Promise<readonly string[]> {
	const remotes = (await gitRepositories()).flatMap(({ state }) => state.remotes);
	return remotes.flatMap(({ fetchUrl, pushUrl }) => [fetchUrl, pushUrl].filter((url) => url !== undefined));
}

async function fromFiles(): Promise<readonly string[]> {
	const texts = (vscode.workspace.workspaceFolders ?? []).map(async ({ uri }) => {
		try {
			const config = vscode.Uri.joinPath(uri, ".git", "config");
			const { size } = await vscode.workspace.fs.stat(config);
			if (size > LIMITS.gitConfigBytes) return "";
			return new TextDecoder().decode(await vscode.workspace.fs.readFile(config));
		} catch {
			return "";
		}
	});
	return (await Promise.all(texts)).flatMap(remotesIn);
}
