import { mkdir, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";

/** Durations of one activation, in milliseconds. */
export interface Activation {
	/** From asking the editor for it to its end, with the editor's own work. */
	readonly whole: number;
	/** Of that, the extension's module and all it requires at once. */
	readonly load: number;
	/** Of that, the call of `activate` until what it returned is settled. */
	readonly activate: number;
	/** From asking for it to the end of all that its `activate` has left to the next turn. */
	readonly settled: number;
}

/** Takes a list of extension ids, activates them one after the other and resolves to an {@link Activation} of each. */
export const STOPWATCH = "benchStopwatch.activate";

/** Writes an extension that does nothing but register so many commands; its id is `bench.` and the folder's name. */
export async function writeEmptyExtension(folder: string, count: number): Promise<void> {
	const ids = Array.from({ length: count }, (_, at) => `bench.${basename(folder)}.command${at}`);
	await write(folder, {
		commands: ids,
		program: `"use strict";
const { commands } = require("vscode");
const ids = ${JSON.stringify(ids)};
exports.activate = (context) => {
	for (const id of ids) context.subscriptions.push(commands.registerCommand(id, () => undefined));
};
`,
	});
}

/** Writes the extension that takes the time, inside the extension host that it shares with the others. */
export async function writeStopwatch(folder: string): Promise<void> {
	await write(folder, { commands: [STOPWATCH], program: STOPWATCH_PROGRAM });
}

async function write(folder: string, { commands, program }: { commands: readonly string[]; program: string }) {
	const manifest = {
		name: basename(folder),
		publisher: "bench",
		version: "0.0.0",
		engines: { vscode: "^1.106.0" },
		main: "./main.cjs",
		contributes: { commands: commands.map((command) => ({ command, title: command })) },
	};
	await mkdir(folder, { recursive: true });
	await writeFile(join(folder, "package.json"), JSON.stringify(manifest));
	await writeFile(join(folder, "main.cjs"), program);
}

/** The main module is timed where Node loads it, and its `activate` where the editor calls it. */
const STOPWATCH_PROGRAM = `"use strict";
const Module = require("node:module");
const { join } = require("node:path");
const { commands, extensions } = require("vscode");

const parts = new Map();
const load = Module.prototype.load;
Module.prototype.load = function (file) {
	const part = parts.get(file);
	if (part === undefined) return load.call(this, file);
	const start = performance.now();
	load.call(this, file);
	part.load = performance.now() - start;
	const { activate, deactivate } = this.exports;
	this.exports = {
		deactivate,
		async activate(context) {
			const start = performance.now();
			const result = await activate(context);
			part.activate = performance.now() - start;
			return result;
		},
	};
};

async function time(id) {
	const extension = extensions.getExtension(id);
	if (extension === undefined) throw new Error(id + " is not there.");
	if (extension.isActive) throw new Error(id + " is active already.");
	const part = {};
	parts.set(join(extension.extensionPath, extension.packageJSON.main), part);
	const start = performance.now();
	await extension.activate();
	const whole = performance.now() - start;
	await new Promise((resolve) => setImmediate(resolve));
	return { whole, settled: performance.now() - start, ...part };
}

exports.activate = (context) => {
	context.subscriptions.push(
		commands.registerCommand(${JSON.stringify(STOPWATCH)}, async (ids) => {
			const times = [];
			for (const id of ids) times.push(await time(id));
			return times;
		}),
	);
};
`;
