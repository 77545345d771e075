import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import * as vscode from "vscode";
import { differences, type ResultShape, readShape } from "./result-shape.ts";

/**
 * Runs a command of ours by what follows `switchboard.` in its id. The result of a call with an argument must be plain
 * JSON with the keys that the README's table of commands names.
 */
export async function run<T>(command: string, argument?: object): Promise<T> {
	const result = await vscode.commands.executeCommand<T>(`switchboard.${command}`, argument);
	if (argument === undefined) return result;
	assert.deepEqual(JSON.parse(JSON.stringify(result)), result, `${command} resolves to plain JSON`);
	const shapes = (await tableOfResults()).get(`switchboard.${command}`) ?? [];
	const found = shapes.map((shape) => differences(shape, result));
	const isOneOf = found.length === 0 || found.some((each) => each.length === 0);
	assert.ok(isOneOf, `${command} is not as in the README: ${found.map((each) => each.join(", ")).join(" / ")}`);
	return result;
}

let table: Promise<ReadonlyMap<string, readonly ResultShape[]>> | undefined;

/** The shapes of each command's result; more than one where it depends, none where it stands elsewhere. */
export function tableOfResults(): Promise<ReadonlyMap<string, readonly ResultShape[]>> {
	table ??= readTable();
	return table;
}

/** The README of the extension under test. */
export function readReadme(): Promise<string> {
	const extension = vscode.extensions.all.find(({ packageJSON }) => packageJSON.name === "switchboard");
	assert.ok(extension);
	return readFile(vscode.Uri.joinPath(extension.extensionUri, "README.md").fsPath, "utf8");
}

async function readTable(): Promise<ReadonlyMap<string, readonly ResultShape[]>> {
	const section = (await readReadme()).split("## Commands\n")[1]?.split("\n## ")[0] ?? "";
	const rows = section.split("\n").filter((line) => line.startsWith("| `switchboard."));
	return new Map(
		rows.map((row) => {
			const [, name = "", , , result = ""] = row.split("|").map((cell) => cell.trim());
			const shapes = [...result.matchAll(/`(\{[^`]*)`/g)].map(([, written = ""]) => readShape(written));
			return [name.replaceAll("`", ""), shapes];
		}),
	);
}
