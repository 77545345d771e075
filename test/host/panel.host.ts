import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { after, afterEach, before, describe, it } from "mocha";
import * as vscode from "vscode";
import type { SendResult } from "#app/chat/result.ts";
import { type Sandbox, startSandbox } from "#sandbox/sandbox.ts";
import { type DictatedService, startDictatedService } from "../support/dictated-service.ts";
import { readShownPanels } from "../support/shown-panels.ts";
import { until } from "../support/until.ts";

const run = <T>(command: string, argument?: object): Thenable<T> =>
	vscode.commands.executeCommand<T>(command, argument);

/** A place of the panel, and what a person does to see it and to have something else in its place. */
interface Place {
	readonly name: string;
	open?(): Thenable<unknown>;
	show(): Thenable<unknown>;
	hide(): Thenable<unknown>;
}

const moveTo = (container: string) =>
	run("vscode.moveViews", {
		viewIds: ["switchboard.chat"],
		destinationId: `workbench.view.extension.${container}`,
	});

const SIDEBAR: Place = {
	name: "in its sidebar, closed and opened",
	show: () => run("switchboard.chat.focus"),
	hide: () => run("workbench.action.closeAuxiliaryBar"),
};

const PLACES: readonly Place[] = [
	SIDEBAR,
	{
		name: "moved to another view container, behind a third one",
		open: () => moveTo("switchboard"),
		show: () => run("switchboard.chat.focus"),
		hide: () => run("workbench.view.explorer"),
	},
	{
		name: "in an editor tab, behind another one",
		open: () => run("workbench.action.closeAuxiliaryBar"),
		show: () => run("switchboard.chat.openInEditor"),
		async hide() {
			const [file] = await vscode.workspace.findFiles("notes.md");
			assert.ok(file);
			await vscode.window.showTextDocument(file, { preview: false });
		},
	},
];

/** What is read of a reply, from its result and from the screen. */
interface Reply {
	readonly phase: string | undefined;
	readonly blocks: readonly { readonly index: number; readonly text: string }[];
}

interface ShownReply extends Reply {
	/** Tells the page that shows it from one that was built again. */
	readonly born: number;
}

/** The reply that is on screen. None while there are two panels: here it is never in two places, but for a moment. */
async function shownReply(): Promise<ShownReply | undefined> {
	const [panel, ...others] = await readShownPanels();
	const message = panel?.messages.findLast(({ role }) => role === "assistant");
	if (panel === undefined || message === undefined || others.length > 0) return undefined;
	return { phase: message.phase, blocks: message.blocks, born: panel.born };
}

const lengthOf = ({ blocks }: Reply): number => blocks.reduce((sum, { text }) => sum + text.length, 0);

/** Limit on the wait for the screen, which only a slow machine needs. */
const LIMIT_MS = 150_000;

/** Reads the screen until something holds of it, and resolves to what was read last. */
async function readUntil(holds: (reply: ShownReply | undefined) => boolean): Promise<ShownReply | undefined> {
	for (const deadline = Date.now() + LIMIT_MS; ; await delay(20)) {
		const reply = await shownReply();
		if (holds(reply) || Date.now() > deadline) return reply;
	}
}

/** Waits until the screen shows exactly this reply, and resolves to the page that shows it. */
async function shows({ phase, blocks }: Reply): Promise<number> {
	const expected = JSON.stringify({ phase, blocks });
	const shown = await readUntil((reply) => JSON.stringify({ phase: reply?.phase, blocks: reply?.blocks }) === expected);
	assert.ok(shown, "no panel shows a reply, or more than one");
	assert.deepEqual({ phase: shown.phase, blocks: shown.blocks }, { phase, blocks });
	return shown.born;
}

/** Hides the panel and waits until its page has been taken down. */
async function hide(place: Place): Promise<void> {
	await place.hide();
	await until(async () => (await readShownPanels()).length === 0, "the page of the hidden panel to be taken down");
}

describe("the panel on screen", () => {
	let sandbox: Sandbox;
	let service: DictatedService;
	const connections: string[] = [];
	const connect = async (label: string, baseUrl: string, key: string): Promise<string> => {
		const argument = { service: "messages", label, baseUrl, key, model: "any" };
		const { id } = await run<{ id: string }>("switchboard.addConnection", argument);
		connections.push(id);
		return id;
	};
	before(async () => {
		sandbox = await startSandbox();
		service = await startDictatedService();
		await connect("Sandbox", sandbox.baseUrls.messages, sandbox.keys.messages);
		await connect("Dictated", service.baseUrl, "any-key");
	});
	after(async () => {
		for (const connection of connections) await run("switchboard.removeConnection", { connection });
		await service.close();
		await sandbox.close();
	});

	afterEach(async () => {
		await run("switchboard.chat.stop");
		await run("workbench.action.closeAllEditors");
		await moveTo("switchboard-chat");
	});

	for (const place of PLACES) {
		it(`shows all that has come when it was hidden in the middle of a reply: ${place.name}`, async () => {
			const said: string[] = [];
			const say = (index: number, text: string) => {
				service.say(index, text);
				said[index] = (said[index] ?? "") + text;
			};
			const reply = (phase: string): Reply => ({ phase, blocks: said.map((text, index) => ({ index, text })) });
			await place.open?.();
			await place.show();
			const result = run<SendResult>("switchboard.chat.send", { text: "Go on", connection: connections[1] });
			await service.begun();
			say(0, "before");
			say(1, "other before");
			const first = await shows(reply("streaming"));

			await hide(place);
			say(1, " other hidden");
			say(0, " hidden");
			await place.show();
			const second = await shows(reply("streaming"));
			say(0, " shown");
			say(1, " other shown");
			assert.equal(await shows(reply("streaming")), second);

			await hide(place);
			say(2, "a block begun while nobody looked");
			say(0, " hidden again");
			await place.show();
			const third = await shows(reply("streaming"));
			say(2, " and ended in sight");
			service.end();
			assert.equal(await shows(reply("ended")), third);
			const { outcome, blocks } = await result;
			assert.equal(outcome, "complete");
			assert.deepEqual(
				blocks.map(({ index, text }) => ({ index, text })),
				reply("ended").blocks,
			);

			await hide(place);
			await place.show();
			const fourth = await shows(reply("ended"));
			assert.equal(new Set([first, second, third, fourth]).size, 4);
		});
	}

	it("shows the whole of a reply that ended while it was hidden", async () => {
		await SIDEBAR.show();
		const result = run<SendResult>("switchboard.chat.send", { text: "Go on", connection: connections[1] });
		await service.begun();
		service.say(0, "begun in sight");
		await shows({ phase: "streaming", blocks: [{ index: 0, text: "begun in sight" }] });
		await hide(SIDEBAR);
		service.say(0, ", ended out of it");
		service.end();
		assert.equal((await result).outcome, "complete");
		await SIDEBAR.show();
		await shows({ phase: "ended", blocks: [{ index: 0, text: "begun in sight, ended out of it" }] });
	});

	it("shows no gap and nothing twice when it is hidden and shown again and again in a rush of text", async () => {
		const words = (name: string) => Array.from({ length: 6_000 }, (_, n) => `${name}${n}`).join(" ");
		const say = [words("a"), words("b")];
		await SIDEBAR.show();
		const result = run<SendResult>("switchboard.chat.send", {
			text: "Go on",
			connection: connections[0],
			maxTokens: 100_000,
			metadata: { sandbox: { say, wordDelayMs: 3 } },
		});
		let length = 0;
		const showsMore = async () => {
			const shown = await readUntil((reply) => reply?.phase === "streaming" && lengthOf(reply) > length);
			assert.equal(shown?.phase, "streaming");
			assert.ok(lengthOf(shown) > length, `no more than the ${length} characters that were shown before`);
			for (const { index, text } of shown.blocks) assert.ok(say[index]?.startsWith(text), `${index}: ${text}`);
			assert.equal(new Set(shown.blocks.map(({ index }) => index)).size, shown.blocks.length);
			length = lengthOf(shown);
		};
		for (let round = 0; round < 5; round++) {
			// What a page that was built again starts with, and what is added to it.
			await showsMore();
			await showsMore();
			await hide(SIDEBAR);
			await SIDEBAR.show();
		}
		await run("switchboard.chat.stop");
		const { outcome, blocks } = await result;
		assert.equal(outcome, "stopped");
		await shows({ phase: "ended", blocks: blocks.map(({ index, text }) => ({ index, text: text.trimEnd() })) });
	});
});
