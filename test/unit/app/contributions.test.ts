import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { PET_STATUSES, petToSendShape, userShape } from "#api/petstore/model.ts";
import { SERVICE_IDS } from "#app/connections/services.ts";
import {
	AUTHENTICATION,
	CHAT_EDITOR,
	CONTEXT,
	INVENTORY_PANEL,
	ISSUE_PAGE,
	ISSUE_SCHEME,
	MODEL_VENDOR,
	PET_CARD,
	PET_SCHEME,
	PHOTO_SCHEME,
	REQUEST_SCHEME,
	STORE_SCHEME,
	TEXT_SCHEME,
	TREES,
	USAGE_PANEL,
	VIEWS,
	WALKTHROUGH,
} from "#app/contributions.ts";
import manifest from "../../../package.json" with { type: "json" };
import { COMMAND_TABLE, SUBMENUS } from "../../support/command-table.ts";
import { MENUS } from "../../support/menus.ts";
import { ROOT } from "../../support/paths.ts";

const root = new URL("../../../", import.meta.url);
const manifestText = await readFile(new URL("package.json", root), "utf8");
const { authentication, commands, views, viewsContainers, viewsWelcome, keybindings, configuration } =
	manifest.contributes;

const settings: Readonly<Record<string, object>> = Object.assign({}, ...configuration.map((each) => each.properties));

const commandIds = COMMAND_TABLE.map(({ id }) => id);

const sorted = (names: Iterable<string>) => [...names].sort();

/** The strings and templates of a source text, without those in comments. */
function stringsOf(source: string): string[] {
	const code = source.replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, "");
	return (code.match(/"(?:\\.|[^"\\\n])*"|`(?:\\[\s\S]|[^`\\])*`/g) ?? []).map((text) => text.slice(1, -1));
}

test("a sentence names only commands that there are, by their titles, and buttons", () => {
	const texts = globSync("src/**/*.ts", { cwd: ROOT }).flatMap((path) =>
		stringsOf(readFileSync(join(ROOT, path), "utf8")),
	);
	// A button is a text of its own.
	const known = new Set([...commands.map(({ title }) => title), ...texts].map((each) => each.split(/\.\.\.| \(/)[0]));
	const verbs = new Set(commands.map(({ title }) => title.split(" ", 1)[0]));
	const name = new RegExp(`\\b(?:${[...verbs].join("|")})(?: (?:[A-Z][\\w-]*|[a-z]{1,4}))* [A-Z][\\w-]*`, "g");
	const ofOthers = [
		"Attach it in the Switchboard",
		"Attach a PNG",
		"Choose Save with Encoding",
		"Choose a File",
		"Export OpenSSH",
		"New Token",
		"Open Editor",
		"Copy Issue",
		"Open Keyboard Shortcuts",
		"Start Ollama with OLLAMA_CONTEXT_LENGTH",
	];
	const named = texts.flatMap((text) => text.match(name) ?? []).filter((each) => !ofOthers.includes(each));
	assert.deepEqual(
		named.filter((each) => !known.has(each)),
		[],
	);
});

test("every setting says what it is for, and every number has bounds", () => {
	const none = { description: "", markdownDescription: "", minimum: Number.NaN, maximum: Number.NaN, type: "" };
	for (const [key, setting] of Object.entries(settings)) {
		const { description, markdownDescription, minimum, maximum, type } = { ...none, ...setting };
		assert.ok(`${description}${markdownDescription}`.length > 10, key);
		if (/number|integer/.test(JSON.stringify(type))) assert.ok(minimum < maximum, key);
	}
});

test("no workspace overrides connections, tools or limits", () => {
	const chat = ["tools", "costLimit", "prices", "contextBudget", "toolRounds"].map(
		(name) => `switchboard.chat.${name}`,
	);
	const byKey = new Map<string, object>(Object.entries(settings));
	for (const key of ["switchboard.connections", ...chat]) {
		assert.ok(
			Object.entries(byKey.get(key) ?? {}).some((entry) => `${entry}` === "scope,application"),
			key,
		);
	}
});

test("a folder that is not trusted has no say in what the chat sends", () => {
	const chatSettings = Object.keys(settings).filter((key) => key.startsWith("switchboard.chat."));
	assert.deepEqual(sorted(manifest.capabilities.untrustedWorkspaces.restrictedConfigurations), sorted(chatSettings));
});

test("the settings of a connection name the services that there are", () => {
	const [connections] = configuration.flatMap(({ properties }) =>
		"switchboard.connections" in properties ? [properties["switchboard.connections"]] : [],
	);
	const service = connections?.items.properties.service ?? { enum: [] };
	assert.deepEqual(sorted(service.enum), sorted(SERVICE_IDS));
});

test("the manifest and the code name the same views, each in a container", () => {
	const containers = Object.values(viewsContainers).flatMap((each) => each.map(({ id }) => id));
	const ids = Object.values(views).flatMap((each) => each.map((view) => view.id));
	assert.deepEqual(sorted(ids), sorted(Object.values(VIEWS)));
	assert.deepEqual(sorted(Object.keys(views)), sorted(containers));
});

test("every view has an icon, for where there is no room for its name", () => {
	for (const { id, icon } of Object.values(views).flat()) assert.ok(icon, id);
});

test("the trees of the code are the tree views of the manifest, in its order", () => {
	const trees = Object.values(views).flatMap((each) => each.filter((view) => !("type" in view)));
	assert.deepEqual(
		trees.map(({ id }) => id),
		[...TREES],
	);
});

test("every tree has words and a way on for when it is empty", () => {
	for (const id of TREES) {
		const welcomes = viewsWelcome.filter(({ view }) => view === id);
		assert.ok(welcomes.length > 0, id);
		for (const { contents } of welcomes) assert.match(contents, /\n\[[^\]]+\]\(command:switchboard\.[\w.]+\)/, id);
	}
});

test("only one empty view offers the sandbox and the walkthrough", () => {
	for (const id of ["switchboard.trySandbox", "switchboard.getStarted"]) {
		assert.equal(viewsWelcome.filter(({ contents }) => contents.includes(`command:${id})`)).length, 1, id);
	}
});

test("the walkthrough has its name, and steps that lead to and end with what exists", () => {
	const { walkthroughs } = manifest.contributes;
	assert.deepEqual(
		walkthroughs.map(({ id }) => id),
		[WALKTHROUGH],
	);
	const known = new Set<string>([...commandIds, ...Object.values(CONTEXT)]);
	for (const { description, completionEvents } of walkthroughs.flatMap(({ steps }) => steps)) {
		const [, command = ""] = /\(command:([\w.]+)\)/.exec(description) ?? [];
		const events = completionEvents.map((event) => event.replace(/^on(?:Command|Context):/, ""));
		assert.deepEqual(
			[command, ...events].filter((each) => !known.has(each)),
			[],
		);
	}
});

test("the welcomes lead to commands that exist, on conditions that exist", () => {
	const known = new Set<string>([...commandIds, ...TREES, ...Object.values(CONTEXT)]);
	const used = viewsWelcome.flatMap(({ view, contents, when = "" }) => [
		view,
		...[...contents.matchAll(/command:([\w.]+)/g)].map(([, id = ""]) => id),
		...(when.match(/switchboard[\w.]*/g) ?? []),
	]);
	assert.deepEqual(
		used.filter((name) => !known.has(name)),
		[],
	);
});

test("the menu of a connection fits its state, and a signed-out one offers sign-in", () => {
	const shown = (state: string) =>
		(MENUS["view/item/context"] ?? []).flatMap(({ command = "", when = "" }) => {
			const [, pattern] = /^view == switchboard\.connections && viewItem =~ \/(.*)\/$/.exec(when) ?? [];
			return pattern !== undefined && new RegExp(pattern).test(state) ? [command] : [];
		});
	const names = ["signIn", "signOut", "replaceKey", "editConnection", "removeConnection"];
	const [signIn = "", signOut = "", replaceKey = "", ...others] = names.map((name) => `switchboard.${name}`);
	for (const kind of ["codehost.pat", "codehost.app", "petstore", "messages"]) {
		const [held, bare, out, passing] = ["stored", "stored.bare", "stored.out", "passing"].map((state) =>
			shown(`connection.${kind}.${state}`),
		);
		const has = (menu = held, ids: readonly string[] = []) => ids.map((id) => menu?.includes(id));
		// A store takes a sign-in beside its key.
		assert.deepEqual(has(held, [signIn, signOut, replaceKey]), [kind === "petstore", true, true], kind);
		assert.deepEqual(has(bare, [signIn, signOut, replaceKey]), [kind === "petstore", false, true], kind);
		assert.deepEqual(has(out, [signIn, signOut, replaceKey]), [true, false, false], kind);
		assert.deepEqual(has(out, others), [true, true], kind);
		assert.deepEqual(has(passing, [signIn, signOut, replaceKey]), [false, false, false], kind);
	}
});

test("a row has at most three buttons, each with an icon and in its menu", () => {
	const icons = new Set(commands.filter(({ icon }) => icon !== undefined).map(({ command }) => command));
	const rows = MENUS["view/item/context"] ?? [];
	const inline = rows.filter(({ group }) => group?.startsWith("inline"));
	const byCondition = Map.groupBy(inline, ({ when }) => when?.replace(/\.\*\\blinked\\b/, ""));
	for (const [condition, items] of byCondition) assert.ok(items.length <= 3, condition);
	const below = Object.entries(MENUS).flatMap(([menu, items]) => (/^switchboard/.test(menu) ? items : []));
	const inSubmenus = below.map(({ command }) => command);
	for (const { command = "", when } of inline) {
		assert.ok(icons.has(command), command);
		const alike = rows.filter((row) => row.command === command && row.when === when);
		assert.ok(alike.length === 2 || inSubmenus.includes(command), `${command} where ${when}`);
	}
});

test("a row action that runs at once has no ellipsis, which announces a question", () => {
	const atOnce = [
		"testConnection",
		"showConnection",
		"codehost.whoAmI",
		"codehost.status",
		"codehost.listInstallations",
		"codehost.openRepository",
		"codehost.showIssues",
		"codehost.removeRepository",
		"codehost.openIssue",
		"codehost.openIssueInBrowser",
		"codehost.copyIssueNumber",
		"codehost.copyIssueTitle",
		"codehost.copyIssueLink",
		"codehost.copyIssueMarkdownLink",
		"codehost.askInChat",
		"codehost.loadMore",
		"codehost.retry",
		"requests.copyAsCurl",
	].map((name) => `switchboard.${name}`);
	assert.deepEqual(
		commands.filter(({ command, title }) => atOnce.includes(command) && title.endsWith("...")),
		[],
	);
});

test("the manifest and the code name the same provider of accounts", () => {
	assert.deepEqual(authentication, [{ ...AUTHENTICATION }]);
});

test("the manifest and the code name the same vendor of models", () => {
	const { languageModelChatProviders } = manifest.contributes;
	assert.deepEqual(
		languageModelChatProviders.map(({ vendor }) => vendor),
		[MODEL_VENDOR],
	);
	for (const { managementCommand } of languageModelChatProviders) {
		assert.ok(commandIds.some((id) => id === managementCommand));
	}
});

test("a document or chat that was left open wakes the extension", () => {
	const files = [PET_SCHEME, PHOTO_SCHEME, STORE_SCHEME];
	for (const scheme of [...files, ISSUE_SCHEME, REQUEST_SCHEME, TEXT_SCHEME]) {
		assert.ok(manifest.activationEvents.includes(`onFileSystem:${scheme}`), scheme);
	}
	assert.ok(manifest.activationEvents.includes(`onWebviewPanel:${CHAT_EDITOR}`));
});

test("the manifest and the code name the same custom editors", () => {
	const names = manifest.contributes.customEditors.map(({ viewType }) => viewType);
	assert.ok(names.includes(ISSUE_PAGE));
});

test("documents of pets and users have JSON schemas, which are those of the contract", async () => {
	const given = manifest.contributes.jsonValidation;
	const read = async ({ url }: { url: string }) => JSON.parse(await readFile(new URL(url, root), "utf8"));
	const [schema, user] = await Promise.all(given.map(read));
	assert.deepEqual(
		given.map(({ fileMatch }) => fileMatch.split(":", 1)[0]),
		[PET_SCHEME, STORE_SCHEME],
	);
	assert.ok(petToSendShape.kind === "record");
	assert.deepEqual(Object.keys(schema.properties), Object.keys(petToSendShape.fields));
	assert.deepEqual(schema.required, petToSendShape.required);
	assert.deepEqual(Object.keys(user.properties), Object.keys(userShape.fields));
	const [suggested, other] = schema.properties.status.anyOf;
	assert.deepEqual([suggested.enum, other], [PET_STATUSES, { type: "string" }], "a store may have told of another one");
});

test("every id that the source calls, or puts on a row or a button, is a command", () => {
	const texts = globSync("src/**/*.ts", { cwd: ROOT }).map((path) => readFileSync(join(ROOT, path), "utf8"));
	const called = texts.flatMap((text) => [
		...text.matchAll(/(?:executeCommand\(|(?:command|signIn): )"(switchboard\.[\w.]+)"/g),
	]);
	const known = new Set<string>(commandIds);
	assert.ok(called.length > 10);
	assert.deepEqual(
		called.map(([, id = ""]) => id).filter((id) => !known.has(id)),
		[],
	);
});

test("menus and conditions use only names that exist", () => {
	const names = [
		...commandIds,
		...SUBMENUS.map(([id]) => id),
		...Object.values(VIEWS),
		...Object.values(CONTEXT),
		CHAT_EDITOR,
		INVENTORY_PANEL,
		ISSUE_PAGE,
		PET_CARD,
		PET_SCHEME,
		TEXT_SCHEME,
		USAGE_PANEL,
	];
	const known = new Set<string>(names);
	const used = [...Object.values(MENUS), keybindings].flatMap((items) =>
		items.flatMap((item) => [
			("submenu" in item ? item.submenu : item.command) ?? "",
			...(item.when?.match(/switchboard[\w.-]*/g) ?? []),
		]),
	);
	assert.deepEqual(
		used.filter((name) => !known.has(name)),
		[],
	);
});

test("every action above the chat in its view is above it in an editor too", () => {
	const buttons = (menu: "view/title" | "editor/title", when: string) =>
		(MENUS[menu] ?? [])
			.filter((item) => item.when === when && item.group?.startsWith("navigation"))
			.map(({ command = "" }) => command);
	const inView = buttons("view/title", `view == ${VIEWS.chat}`);
	assert.deepEqual(
		sorted(buttons("editor/title", `activeWebviewPanelId == ${CHAT_EDITOR}`)),
		sorted(inView.filter((command) => command !== "switchboard.chat.openInEditor")),
	);
});

test("every context key of the code decides something in the manifest", () => {
	const words = new Set(manifestText.match(/[\w.-]+/g));
	for (const key of Object.values(CONTEXT)) assert.ok(words.has(key), key);
});

test("a key works only while the keyboard is in the chat or in a view of rows", () => {
	const onRow = /^focusedView == switchboard\.\w+ && !inputFocus$/;
	for (const { command, when } of keybindings) assert.ok(when === CONTEXT.focused || onRow.test(when), command);
});

test("nothing is activated at startup", () => {
	assert.deepEqual(
		manifest.activationEvents.filter((event) => event === "*" || event === "onStartupFinished"),
		[],
	);
});

test("no sentence or label names a field of the wire, but a setting in brackets", () => {
	const name =
		"(?<![#(])\\b(?:max_tokens|stop_(?:sequence|reason)s?|end_turn|top_[pk]|tool_(?:use|choice)|cache_control)\\b";
	const named = (text: string, quoted: string) => new RegExp(`["\`]${quoted}${name}`).test(text);
	const files = globSync("src/{editor,webview,app}/**/*.ts", { cwd: ROOT, exclude: ["src/editor/models/history.ts"] });
	const wrong = files.filter((file) => {
		// Below the editor, a name alone is one of the wire.
		const quoted = file.startsWith(join("src", "app")) ? '(?=[^"\n]* )[^"\n]*' : '[^"\n]*';
		return named(readFileSync(join(ROOT, file), "utf8").replaceAll(/^\s*(?:\/\*|\*|\/\/).*$/gm, ""), quoted);
	});
	assert.deepEqual(wrong, []);
});

test("each term is used everywhere: a key or token is replaced", () => {
	const others = /\b(?:Set|Change|Update) (?:Key|Token|Credential)\b|Replace Credential\b/i;
	const files = globSync(["src/**/*.ts", "package.json", "README.md", "docs/**/*.md"], { cwd: ROOT });
	assert.deepEqual(
		files.filter((file) => others.test(readFileSync(join(ROOT, file), "utf8"))),
		[],
	);
});

test("a skill has its folder's name, says when to use it, and is there with its tools", async () => {
	const { chatSkills, languageModelTools } = manifest.contributes;
	for (const { path, when } of chatSkills) {
		const skill = await readFile(new URL(path, root), "utf8");
		const [, name, description = ""] = /^---\nname: (\S+)\ndescription: (.+)\n---\n/.exec(skill) ?? [];
		assert.equal(path, `./media/skills/${name}/SKILL.md`);
		assert.match(description, /Use when/);
		const tools = new Map(languageModelTools.map((tool) => [tool.name, tool.when]));
		const named = skill.match(/switchboard_\w+/g) ?? [];
		assert.deepEqual(new Set(named.map((tool) => tools.get(tool))), new Set([when]), path);
	}
});
