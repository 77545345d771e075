import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import * as vscode from "vscode";
import { differences, readShape } from "./result-shape.ts";

/**
 * Runs a command of ours by what follows `switchboard.` in its id. The result of a call with an argument must be plain
 * JSON with the keys that the reference names.
 */
export async function run<T>(command: string, argument?: object): Promise<T> {
	const result = await vscode.commands.executeCommand<T>(`switchboard.${command}`, argument);
	if (argument === undefined) return result;
	assert.deepEqual(JSON.parse(JSON.stringify(result)), result, `${command} resolves to plain JSON`);
	const page = await readOwnFile("docs/reference/commands.md");
	const row = page.split("\n").find((line) => line.startsWith(`| \`switchboard.${command}\` |`));
	const gives =
		row
			?.split(" | ")
			.at(-1)
			?.match(/(?<=`)[^`]*(?=`)/g) ?? [];
	const forms = gives.filter((form) => form.startsWith("{"));
	const found = forms.map((form) => differences(readShape(form), result));
	const isOneOf = found.length === 0 || found.some((each) => each.length === 0);
	assert.ok(isOneOf, `${command} is not as in the reference: ${found.map((each) => each.join(", ")).join(" / ")}`);
	return result;
}

/** Rejects with an error whose sentence matches, and holds none of these secrets. */
export async function refused(call: Thenable<unknown>, words: RegExp, secrets: readonly string[] = []): Promise<void> {
	await assert.rejects(
		async () => call,
		(error: Error) => {
			assert.match(error.message, words);
			for (const secret of secrets) assert.ok(!error.message.includes(secret));
			return true;
		},
	);
}

/** A file of the extension under test, which is this repository. */
export async function readOwnFile(path: string): Promise<string> {
	const extension = vscode.extensions.all.find(({ packageJSON }) => packageJSON.name === "switchboard");
	assert.ok(extension);
	return await readFile(vscode.Uri.joinPath(extension.extensionUri, path).fsPath, "utf8");
}
