import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { exportName, fileOf, idFromName, splitName } from "#app/chat/journal-files.ts";
import { storageFolder } from "../../../support/chat-window.ts";
import { failingRenames, importOnWindows, useDrive } from "../../../support/on-windows.ts";

const { ConversationFiles } = (await importOnWindows(
	"editor/chat/conversation-files.ts",
)) as typeof import("#editor/chat/conversation-files.ts");

const DEVICES = ["con", "CON", "Con", "nul", "aux", "prn", "com1", "lpt9", "COM1", "console", "nul.txt"];
const PLACES = [".", "..", "a:b", "a:$DATA", "C:\\x", "\\\\server\\x", "../x", "a/b", "a\\b"];
const LETTERS = [
	"a",
	"A",
	"a.",
	"a..",
	"a ",
	" a",
	"a*b?",
	'"<>|',
	"~",
	"~97",
	"ä",
	"Ä",
	"a\u0308",
	"\ud800",
	"\0\n",
	"%41",
];

/** Ids that a command, a link or an import may name. */
const IDS = [...DEVICES, ...PLACES, ...LETTERS, "a".repeat(5_000), "A".repeat(5_000)];

async function setUp(context: TestContext) {
	useDrive(await storageFolder(context));
	return new ConversationFiles("C:\\Users\\Ada\\AppData\\Roaming\\Code\\User\\globalStorage\\acme.switchboard");
}

test("on Windows every id has files of its own, whatever its letters", async (context) => {
	const files = await setUp(context);
	for (const id of IDS) {
		await files.append(fileOf(id), id);
		await files.write(fileOf(id, ".draft"), id);
		await files.write(fileOf(id, ".lease"), id);
	}
	for (const id of IDS) {
		for (const name of [fileOf(id), fileOf(id, ".draft"), fileOf(id, ".lease")]) {
			assert.equal(new TextDecoder().decode(await files.read(name)), id.toWellFormed(), name);
		}
	}
	const names = (await files.list()).map(({ name }) => name);
	assert.equal(names.length, 3 * IDS.length);
	for (const id of IDS) await files.remove(fileOf(id));
	assert.equal((await files.list()).length, 2 * IDS.length);
});

test("the name of a file leads back to its id", () => {
	for (const id of IDS.filter((each) => each.isWellFormed() && each.length < 100)) {
		const { name = "" } = splitName(fileOf(id)) ?? {};
		assert.equal(idFromName(name, ""), id);
	}
});

test("the name of an export is one that every system takes", () => {
	for (const [title, name] of [
		["Fix: the *parser* / lexer?", "Fix-the-parser-lexer"],
		["..\\..\\etc", "etc"],
		["CON", "conversation"],
		["nul.", "conversation"],
		["?!", "conversation"],
		["Ä🙂 b", "Ä-b"],
		["x".repeat(300), "x".repeat(60)],
	] as const) {
		assert.equal(exportName(title), name);
	}
});

test("a file that another program has open is replaced once it is closed", async (context) => {
	const files = await setUp(context);
	await files.write("a.draft", "one");
	failingRenames.push("EPERM", "EACCES", "EBUSY");
	await files.write("a.draft", "two");
	assert.equal(new TextDecoder().decode(await files.read("a.draft")), "two");
	failingRenames.push("ENOSPC");
	await assert.rejects(files.write("a.draft", "three"), { code: "ENOSPC" });
	failingRenames.push(...Array.from({ length: 100 }, () => "EPERM"));
	await assert.rejects(files.write("a.draft", "three"), { code: "EPERM" });
	failingRenames.length = 0;
	assert.equal(new TextDecoder().decode(await files.read("a.draft")), "two");
});
