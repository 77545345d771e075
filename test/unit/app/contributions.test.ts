import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { decodeSendArguments } from "#app/chat/parameters.ts";
import { ARGUMENTS, CHAT_EDITOR, COMMANDS, CONTEXT, SETTINGS, VIEWS } from "#app/contributions.ts";

interface Manifest {
	readonly activationEvents: readonly string[];
	readonly capabilities: { readonly untrustedWorkspaces: { readonly restrictedConfigurations: readonly string[] } };
	readonly contributes: {
		readonly commands: readonly { readonly command: string; readonly title: string; readonly category: string }[];
		readonly viewsContainers: { readonly secondarySidebar: readonly { readonly id: string }[] };
		readonly views: Readonly<Record<string, readonly { readonly id: string }[]>>;
		readonly menus: Readonly<Record<string, readonly { readonly command: string; readonly when?: string }[]>>;
		readonly configuration: {
			readonly properties: Readonly<
				Record<
					string,
					{
						readonly description?: string;
						readonly markdownDescription?: string;
						readonly scope?: string;
						readonly default?: unknown;
						readonly type: unknown;
						readonly minimum?: number;
						readonly maximum?: number;
					}
				>
			>;
		};
	};
}

const root = new URL("../../../", import.meta.url);
const manifestText = await readFile(new URL("package.json", root), "utf8");
const manifest: Manifest = JSON.parse(manifestText);
const readme = await readFile(new URL("README.md", root), "utf8");
const { commands, views, viewsContainers, menus, configuration } = manifest.contributes;

const sorted = (names: Iterable<string>) => [...names].sort();

/** The rows of the README's table whose first cell is a name in backticks under that heading. */
function readmeTable(heading: string): string[][] {
	const section = readme.split(`## ${heading}\n`)[1]?.split("\n## ")[0] ?? "";
	return section
		.split("\n")
		.filter((line) => line.startsWith("| `switchboard."))
		.map((line) =>
			line
				.split("|")
				.slice(1, -1)
				.map((cell) => cell.trim()),
		);
}

test("the manifest and the code name the same commands", () => {
	assert.deepEqual(sorted(commands.map((each) => each.command)), sorted(Object.values(COMMANDS)));
});

test("every command belongs to the category Switchboard", () => {
	assert.deepEqual(
		commands.filter((each) => each.category !== "Switchboard"),
		[],
	);
});

test("the manifest and the code name the same settings", () => {
	assert.deepEqual(sorted(Object.keys(configuration.properties)), sorted(Object.values(SETTINGS)));
});

test("every setting says what it is for", () => {
	for (const [key, setting] of Object.entries(configuration.properties)) {
		assert.ok((setting.description ?? setting.markdownDescription ?? "").length > 10, key);
	}
});

test("connections are settings that no workspace can override", () => {
	assert.equal(configuration.properties[SETTINGS.connections]?.scope, "application");
});

test("a folder that is not trusted has no say in what the chat sends", () => {
	const chatSettings = Object.values(SETTINGS).filter((key) => key.startsWith("switchboard.chat."));
	assert.deepEqual(sorted(manifest.capabilities.untrustedWorkspaces.restrictedConfigurations), sorted(chatSettings));
});

test("the manifest and the code name the same containers and views", () => {
	const containers = viewsContainers.secondarySidebar.map((each) => each.id);
	const ids = Object.values(views).flatMap((each) => each.map((view) => view.id));
	assert.deepEqual(sorted([...containers, ...ids]), sorted(Object.values(VIEWS)));
	assert.deepEqual(sorted(Object.keys(views)), sorted(containers));
});

test("menus and conditions use only names that exist", () => {
	const known = new Set<string>([...Object.values(COMMANDS), ...Object.values(VIEWS), ...Object.values(CONTEXT)]);
	const used = Object.values(menus).flatMap((items) =>
		items.flatMap(({ command, when }) => [command, ...(when?.match(/switchboard[\w.-]*/g) ?? [])]),
	);
	assert.deepEqual(
		used.filter((name) => !known.has(name)),
		[],
	);
});

test("every context key of the code decides something in the manifest", () => {
	const words = new Set(manifestText.match(/[\w.-]+/g));
	for (const key of Object.values(CONTEXT)) assert.ok(words.has(key), key);
});

test("the chat's editor tab wakes the extension", () => {
	assert.ok(manifest.activationEvents.includes(`onWebviewPanel:${CHAT_EDITOR}`));
});

test("nothing is activated at startup", () => {
	assert.deepEqual(
		manifest.activationEvents.filter((event) => event === "*" || event === "onStartupFinished"),
		[],
	);
});

test("the README's table of commands is that of the manifest, titles included", () => {
	assert.deepEqual(
		sorted(readmeTable("Commands").map(([name, title]) => `${name} ${title}`)),
		sorted(commands.map(({ command, title }) => `\`${command}\` ${title}`)),
	);
});

test("the README's table of settings is that of the manifest", () => {
	assert.deepEqual(
		sorted(readmeTable("Settings").map(([name]) => name ?? "")),
		sorted(Object.keys(configuration.properties).map((key) => `\`${key}\``)),
	);
});

test("the README's table of commands has the arguments that the commands take", () => {
	assert.deepEqual(
		sorted(readmeTable("Commands").map(([name, , argument]) => `${name} ${argument}`)),
		sorted(Object.entries(ARGUMENTS).map(([name, fields]) => `\`${name}\` \`{${fields.join(", ")}}\``)),
	);
});

test("the send command takes the arguments that its table names, and no others", () => {
	for (const field of ARGUMENTS[COMMANDS.chatSend]) {
		const name = field.replace("?", "");
		assert.doesNotThrow(() => decodeSendArguments({ text: "x", [name]: name === "text" ? "x" : undefined }), name);
	}
	assert.throws(() => decodeSendArguments({ text: "x", max_tokens: 1 }), /max_tokens/);
});

test("the README's table of settings has the defaults of the manifest", () => {
	const shown = (value: unknown) => (value === null || value === "" ? "empty" : `\`${format(value)}\``);
	const format = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));
	assert.deepEqual(
		sorted(readmeTable("Settings").map(([name, value]) => `${name} ${value}`)),
		sorted(Object.entries(configuration.properties).map(([key, each]) => `\`${key}\` ${shown(each.default)}`)),
	);
});

test("every number among the settings has bounds", () => {
	for (const [key, { type, minimum, maximum }] of Object.entries(configuration.properties)) {
		if (!/number|integer/.test(JSON.stringify(type))) continue;
		assert.ok(minimum !== undefined && maximum !== undefined && minimum < maximum, key);
	}
});
