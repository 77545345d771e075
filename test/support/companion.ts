import { randomBytes } from "node:crypto";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";

/** A command of the editor with its arguments, which must be plain JSON. */
export interface CommandCall {
	readonly command: string;
	readonly args?: readonly unknown[];
}

/** A second extension beside ours that runs commands: some as soon as the window is up, others when told to. */
export interface Companion {
	/** Its folder, to be loaded as a development extension. */
	readonly folder: string;
	/**
	 * Runs a command in the editor and resolves to its result. Waits until the editor is up and has run what it was to
	 * run at its start; a failure of those is the failure of every call.
	 */
	execute(command: string, ...args: readonly unknown[]): Promise<unknown>;
	/** Makes the next {@link execute} wait for another window than the one that is up, which is about to be reloaded. */
	forgetWindow(): Promise<void>;
}

/**
 * A command of the companion itself: asks the editor for an account of a provider, as any other extension does. Its
 * arguments are those of `authentication.getSession`, and it resolves to the session, or null where there is none.
 */
export const GET_SESSION = "companion.getSession";

/**
 * A command of the companion itself: calls a language model tool, as any other extension does. Its arguments are the
 * tool's name and its input, and it resolves to the text of the result.
 */
export const INVOKE_TOOL = "companion.invokeTool";

/** A command of the companion itself: resolves to the number of the extension host's process. */
export const GET_PROCESS = "companion.getProcess";

/**
 * Writes the companion into a folder. It listens on loopback and obeys only the holder of a token that is written
 * beside it, so that nothing else on the machine can drive the editor.
 */
export async function writeCompanion(folder: string, onStart: readonly CommandCall[] = []): Promise<Companion> {
	await rm(folder, { recursive: true, force: true });
	await mkdir(folder, { recursive: true });
	const manifest = {
		name: "switchboard-companion",
		publisher: "switchboard",
		version: "0.0.0",
		engines: { vscode: "^1.106.0" },
		main: "./companion.cjs",
		activationEvents: ["*"],
		capabilities: { untrustedWorkspaces: { supported: true } },
	};
	await writeFile(join(folder, "package.json"), JSON.stringify(manifest));
	await writeFile(join(folder, "companion.cjs"), PROGRAM);
	await writeFile(join(folder, "start.json"), JSON.stringify({ token: randomBytes(16).toString("hex"), onStart }));
	return {
		folder,
		execute: (command, ...args) => execute(folder, { command, args }),
		forgetWindow: () => rm(join(folder, "port"), { force: true }),
	};
}

/** Time limit for a window to come up. */
const UP_MS = 180_000;
/** Time limit of a command. */
const ANSWER_MS = 180_000;

async function execute(folder: string, call: CommandCall): Promise<unknown> {
	const { token } = JSON.parse(await readFile(join(folder, "start.json"), "utf8"));
	for (const deadline = Date.now() + UP_MS; ; await delay(100)) {
		try {
			const port = Number(await readFile(join(folder, "port"), "utf8"));
			return decode(await post({ port, token }, JSON.stringify(call)));
		} catch (error) {
			// While a window starts or reloads there is no file, or one that names a listener that is gone.
			const code = error instanceof Error && "code" in error ? error.code : undefined;
			if ((code !== "ENOENT" && code !== "ECONNREFUSED") || Date.now() > deadline) throw error;
		}
	}
}

function post(to: { readonly port: number; readonly token: string }, body: string): Promise<string> {
	return new Promise((resolve, reject) => {
		const call = request(
			{ host: "127.0.0.1", port: to.port, method: "POST", headers: { authorization: to.token } },
			(reply) => text(reply).then(resolve, reject),
		);
		call.once("error", reject);
		call.setTimeout(ANSWER_MS, () => call.destroy(new Error(`The editor has not answered for 3 minutes: ${body}`)));
		call.end(body);
	});
}

function decode(reply: string): unknown {
	const { result, error }: { result?: unknown; error?: string } = JSON.parse(reply);
	if (error !== undefined) throw new Error(error);
	return result;
}

const PROGRAM = `"use strict";
const { existsSync, readFileSync, writeFileSync, rmSync } = require("node:fs");
const { createServer } = require("node:http");
const { flushCompileCache } = require("node:module");
const { join } = require("node:path");
const { authentication, commands, lm } = require("vscode");

const portFile = join(__dirname, "port");
const { token, onStart } = JSON.parse(readFileSync(join(__dirname, "start.json"), "utf8"));

const run = ({ command, args = [] }) => commands.executeCommand(command, ...args);
let port;

exports.activate = async (context) => {
	const getSession = async (...args) => (await authentication.getSession(...args)) ?? null;
	const invokeTool = async (name, input) => {
		const { content } = await lm.invokeTool(name, { input, toolInvocationToken: undefined });
		return content.map(({ value }) => value).join("");
	};
	context.subscriptions.push(commands.registerCommand("${GET_SESSION}", getSession));
	context.subscriptions.push(commands.registerCommand("${INVOKE_TOOL}", invokeTool));
	context.subscriptions.push(commands.registerCommand("${GET_PROCESS}", () => process.pid));
	let failure;
	try {
		for (const call of onStart) await run(call);
	} catch (error) {
		failure = error;
	}
	const server = createServer((request, response) => {
		const pieces = [];
		request.on("data", (piece) => pieces.push(piece));
		request.on("end", async () => {
			if (request.headers.authorization !== token) {
				response.writeHead(401).end();
				return;
			}
			try {
				if (failure) throw failure;
				const result = await run(JSON.parse(Buffer.concat(pieces).toString()));
				response.end(JSON.stringify({ result }));
			} catch (error) {
				response.end(JSON.stringify({ error: String(error?.message ?? error) }));
			}
		});
	});
	context.subscriptions.push({ dispose: () => server.close() });
	server.listen(0, "127.0.0.1", () => {
		port = String(server.address().port);
		writeFileSync(portFile, port);
		// Where what was compiled is kept for the next window: this process is ended before it would write that itself.
		flushCompileCache();
	});
};

// The file may be that of the next window already.
exports.deactivate = () => {
	if (existsSync(portFile) && readFileSync(portFile, "utf8") === port) rmSync(portFile);
};
`;
