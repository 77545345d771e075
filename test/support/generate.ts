import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { SETTINGS } from "#app/settings.ts";
import { object } from "#base/schema.ts";
import { TOOLS } from "#editor/models/tools.ts";
import { COMMAND_TABLE, SUBMENUS } from "./command-table.ts";
import { ROOT } from "./paths.ts";

/** Files by their path in the tree that are written from the definitions in the code. */
export async function generatedFiles(): Promise<ReadonlyMap<string, string>> {
	return new Map([
		["package.json", await manifestText()],
		["docs/reference/commands.md", commandsPage()],
		["docs/reference/settings.md", settingsPage()],
		["docs/reference/tools.md", toolsPage()],
	]);
}

/** The manifest with the commands, menus and keybindings of the definitions. */
async function manifestText(): Promise<string> {
	const written = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));
	const entries = [
		...COMMAND_TABLE.flatMap(({ id, palette, menus = [] }) => [
			...menus.flat().map(({ menu, when, group }) => ({ menu, item: { command: id, when, group } })),
			...(palette === undefined ? [] : [{ menu: "commandPalette", item: { command: id, when: String(palette) } }]),
		]),
		...SUBMENUS.flatMap(([id, , menus]) =>
			menus.map(({ menu, when, group }) => ({ menu, item: { submenu: id, when, group } })),
		),
	];
	const menus = Map.groupBy(entries, ({ menu }) => menu);
	Object.assign(written.contributes, {
		commands: COMMAND_TABLE.map(({ id, title, icon, enablement }) => ({
			command: id,
			category: "Switchboard",
			title,
			...(icon && { icon: `$(${icon})` }),
			...(enablement && { enablement }),
		})),
		submenus: SUBMENUS.map(([id, label]) => ({ id, label })),
		keybindings: COMMAND_TABLE.flatMap(({ id, keybinding }) => (keybinding ? [{ command: id, ...keybinding }] : [])),
		languageModelTools: TOOLS.map((tool) => ({
			name: tool.name,
			displayName: tool.displayName,
			toolReferenceName: tool.toolReferenceName,
			canBeReferencedInPrompt: true,
			icon: `$(${tool.icon})`,
			when: tool.when,
			userDescription: tool.userDescription,
			modelDescription: tool.modelDescription,
			tags: [tool.topic],
			inputSchema: object(tool.input, { strict: true }).json,
		})),
		menus: Object.fromEntries([...menus].map(([menu, all]) => [menu, all.map(({ item }) => item)])),
	});
	const settings = manifestSettings();
	const connections = settings["switchboard.connections"];
	// The fields of a connection stand in the manifest alone.
	if (connections) connections.items = written.contributes.configuration[0].properties["switchboard.connections"].items;
	written.contributes.configuration = SETTING_GROUPS.map(([title, prefix], order) => ({
		title,
		order,
		properties: Object.fromEntries(Object.entries(settings).filter(([key]) => prefix.test(key))),
	}));
	const ofChat = Object.keys(SETTINGS).filter((key) => key.startsWith("switchboard.chat."));
	written.capabilities.untrustedWorkspaces.restrictedConfigurations = ofChat;
	return `${JSON.stringify(written, null, "\t")}\n`;
}

/** Groups of settings in the editor's Settings. */
const SETTING_GROUPS: readonly (readonly [title: string, prefix: RegExp])[] = [
	["Connections", /^switchboard\.(?:connections|retry|silence)\b/],
	["Chat", /^switchboard\.(?:chat|models)\./],
	["Code Host", /^switchboard\.codeHost\./],
	["Pet Store", /^switchboard\.petStore\./],
];

/** Entry of a setting in the manifest. */
interface ManifestSetting {
	readonly default: unknown;
	readonly tags?: readonly string[];
	readonly minimum?: unknown;
	readonly maximum?: unknown;
	readonly description?: string;
	readonly markdownDescription?: string;
	items?: unknown;
}

/** Entries of the settings in the manifest. */
function manifestSettings(): Record<string, ManifestSetting> {
	const readingTools = TOOLS.filter(({ writes }) => !writes).map(({ name }) => name);
	const entries = Object.entries(SETTINGS).map(([key, { type, description, json }], at) => [
		key,
		{
			...closed(type.json),
			...(type.otherwise === undefined && { type: [type.json["type"], "null"] }),
			order: at + 1,
			default: key === "switchboard.chat.tools" ? readingTools : (type.otherwise ?? null),
			[/[`*]/.test(description) ? "markdownDescription" : "description"]: description,
			...json,
		},
	]);
	return Object.fromEntries(entries);
}

/** JSON schema by which the editor marks a field that is not known; its reader drops one. */
function closed(json: object): object {
	const inner = "additionalProperties" in json ? json.additionalProperties : undefined;
	return {
		...json,
		...("properties" in json && { additionalProperties: false }),
		...(typeof inner === "object" && inner !== null && { additionalProperties: closed(inner) }),
	};
}

const GENERATED = "<!-- Written by `npm run generate`. -->";

/** Groups of commands by the second part of their id, in the order of the page. */
const GROUPS: readonly (readonly [title: string, prefix: RegExp])[] = [
	["Connections", /^switchboard\.\w+$/],
	["Code host", /^switchboard\.codehost\./],
	["Pet store", /^switchboard\.petstore\./],
	["Chat", /^switchboard\.chat\./],
	["Requests", /^switchboard\.requests\./],
	["Usage", /^switchboard\.usage\./],
];

function commandsPage(): string {
	const groups = GROUPS.map(([title, prefix]) => {
		const rows = COMMAND_TABLE.filter(({ id }) => prefix.test(id)).map((command) => {
			const { gives = [], takes = [formOf(command.input ?? {})] } = command;
			const result = gives.length === 0 ? "[A reply](../automation.md#replies)" : forms(gives);
			return [`\`${command.id}\``, command.title, forms(takes), result];
		});
		return `## ${title}\n\n${table(["Command", "Title", "Argument", "Result"], rows)}`;
	});
	return page(
		"Commands",
		"Commands are in the palette under **Switchboard**, unless they need a row, a message or an argument, or stand in the menu " +
			"of their view. Without an argument they ask; with one they resolve to plain JSON. `?` marks what may be left out. [Automation](../automation.md) explains the fields.",
		groups,
	);
}

/** Form of an argument with such fields. */
function formOf(input: object): string {
	const names = Object.entries(input).map(([name, schema]) => ("isOptional" in schema ? `${name}?` : name));
	return `{${names.join(", ")}}`;
}

function settingsPage(): string {
	const rows = Object.entries(manifestSettings()).map(([name, entry]) => {
		const { minimum, maximum, default: set, description, markdownDescription: text = description, tags } = entry;
		const range = minimum === undefined ? "" : ` From ${minimum} to ${maximum}.`;
		// A link of the editor's to another setting.
		const plain = `${text}`.replaceAll(/`#([\w.]+)#`/g, "`$1`");
		return [
			`\`${name}\``,
			set === null || set === "" ? "empty" : `\`${JSON.stringify(set)}\``,
			`${tags ? "Advanced. " : ""}${plain}${range}`,
		];
	});
	return page(
		"Settings",
		"All settings of Switchboard, as in the editor's Settings under **Extensions**. Advanced ones are shown there with `@tag:advanced`.",
		[table(["Setting", "Default", "Meaning"], rows)],
	);
}

function toolsPage(): string {
	const tools = TOOLS.map(({ name, displayName, modelDescription, writes, input }) => {
		const rows = Object.entries(input).map(([field, schema]) => [
			`\`${field}\`${"isOptional" in schema ? "?" : ""}`,
			typeOf(schema.json),
			String(schema.json["description"] ?? ""),
		]);
		const inputs = rows.length === 0 ? "No input." : table(["Input", "Type", "Meaning"], rows);
		return `## ${displayName}\n\n\`${name}\`, ${writes ? "writes" : "reads"}. ${modelDescription}\n\n${inputs}`;
	});
	return page(
		"Tools",
		"Tools for models that call tools, in the chat, in the editor's own Chat and for other extensions. Those that write ask you first. `?` marks what may be left out.",
		tools,
	);
}

/** Type of an input in words, with its bounds. */
function typeOf(schema: object): string {
	const { type, items, minimum, maximum, maxItems, maxLength, enum: values } = { ...EMPTY, ...schema };
	if (values !== undefined) return values.map((value) => `\`${value}\``).join(", ");
	if (items !== undefined) return `list of ${typeOf(items)}${maxItems === undefined ? "" : `, at most ${maxItems}`}`;
	if (minimum !== undefined)
		return maximum === undefined ? `${type} from ${minimum}` : `${type}, ${minimum} to ${maximum}`;
	return maxLength === undefined ? type : `${type}, at most ${maxLength} characters`;
}

interface Schema {
	readonly type: string;
	readonly items?: object;
	readonly minimum?: number;
	readonly maximum?: number;
	readonly maxItems?: number;
	readonly maxLength?: number;
	readonly enum?: readonly string[];
}

const EMPTY: Schema = { type: "string" };

function forms(written: readonly string[]): string {
	return written.map((each) => `\`${each}\``).join(" or ");
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
	const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
	return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

function page(title: string, intro: string, parts: readonly string[]): string {
	return `${[`# ${title}`, GENERATED, intro, ...parts].join("\n\n")}\n`;
}

if (import.meta.main) {
	for (const [path, text] of await generatedFiles()) {
		await mkdir(dirname(join(ROOT, path)), { recursive: true });
		await writeFile(join(ROOT, path), text);
		console.log(path);
	}
}
