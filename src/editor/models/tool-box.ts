import type * as vscode from "vscode";
import { isRecord } from "#api/http/json.ts";
import type { ToolDefinition } from "#api/messages/model.ts";
import type { ConversationFacts } from "#app/chat/conversation.ts";
import type { PreparedCall, ToolOutput } from "#app/chat/tool-box.ts";
import type { MessagesConnection } from "#app/connections/connection.ts";
import { presetOfProfile } from "#app/connections/messages-profiles.ts";
import { object, optional, parsed, text } from "#base/schema.ts";
import { plainLine, quoted } from "../kit/text.ts";
import { definedTools, partBlocks } from "./history.ts";
import { OFFERED, type ToolRooms } from "./tool.ts";
import { definitionOf, materialOf, prepareTool, TOOLS } from "./tools.ts";

/** Manifest entry of a tool of another extension. */
const CONTRIBUTED = object({ name: text(), displayName: optional(text()), userDescription: optional(text()) });

/** Tools of the editor that do not work outside of its own Chat. */
const NEEDS_CHAT =
	/^(?:copilot_|vscode_|(?:run_in|send_to|kill)_terminal$|get_terminal_output$|runSubagent$|manage_todo_list$|setArtifact|task_complete$|inline_chat_exit$)/;
const EDITORS_AGENT = "GitHub.copilot-chat";

interface KnownTool {
	/** Name in settings and conversations. */
	readonly name: string;
	readonly label: string;
	readonly description: string;
	/** Ids of the extensions that contribute it; empty for the editor and MCP servers. */
	readonly owner: string;
	/** False for one that services would refuse. */
	readonly isUsable: boolean;
	readonly group: "Switchboard: Reads" | "Switchboard: Writes" | "Editor and Other Extensions" | "MCP Servers";
	/** Definition with a valid wire name. */
	readonly definition: ToolDefinition;
}

const UNUSABLE = "Not offered to models: its input is not described as an object. Tell its author.";

const UNOWNED = "an MCP server or the editor";

type Editor = Pick<typeof vscode, "lm" | "extensions" | "CancellationTokenSource">;

/**
 * Tools of the panel: Switchboard's, and those of extensions and MCP servers. `chosen` returns the tools that the settings
 * turn on; undefined if none are set.
 */
export function editorToolBox(rooms: ToolRooms, editor: Editor, chosen: () => readonly string[] | undefined) {
	/** All current tools, Switchboard's first. */
	function all(): readonly KnownTool[] {
		const own = TOOLS.map((tool): KnownTool => {
			const { name, displayName: label, userDescription: description, writes } = tool;
			const group = writes ? "Switchboard: Writes" : "Switchboard: Reads";
			return { name, label, description, owner: "", isUsable: true, group, definition: definitionOf(tool) };
		});
		const contributed = editor.extensions.all.flatMap(({ id, packageJSON }) =>
			[packageJSON.contributes?.languageModelTools ?? []].flat().map((tool: unknown) => ({ id, tool })),
		);
		const taken = new Set(own.map(({ name }) => name));
		// The editor lists ours as well.
		const others = editor.lm.tools.filter(({ name }) => !taken.has(name));
		const known = definedTools(others, taken).map(({ tool, ...defined }): KnownTool => {
			const { name, description: words } = tool;
			const group = name.startsWith("mcp_") ? "MCP Servers" : "Editor and Other Extensions";
			// Descriptions for models are pages long: the first sentence says what a tool is for.
			const [sentence = ""] = /^.+?(?:[.!?](?=\s+\p{Lu})|\n|$)/su.exec(words.trim()) ?? [];
			const here = contributed.filter((each) => isRecord(each.tool) && each.tool["name"] === name);
			const { displayName: label = name, userDescription = sentence } = parsed(CONTRIBUTED, here[0]?.tool) ?? {};
			const description = defined.isUsable ? userDescription : UNUSABLE;
			return { ...defined, name, label, description, owner: here.map(({ id }) => id).join("/"), group };
		});
		return [...own, ...known.filter(({ name, owner }) => !NEEDS_CHAT.test(name) && owner !== EDITORS_AGENT)];
	}

	/** Tools that are on, present or not: of the conversation, the settings, or those that read, or all in a trial. */
	function names({ tools }: ConversationFacts, connection?: MessagesConnection): readonly string[] {
		const known = tools ?? chosen();
		if (known !== undefined) return known;
		const isTrial = connection !== undefined && presetOfProfile(connection.profile)?.isTrial === true;
		return TOOLS.filter(({ writes }) => isTrial || !writes).map(({ name }) => name);
	}

	/** Present and usable tools that are on, by wire name; Switchboard's only if they have something to work on. */
	function on(facts: ConversationFacts, connection?: MessagesConnection): readonly KnownTool[] {
		const wanted = new Set(names(facts, connection));
		const idle = new Set(TOOLS.filter(({ when }) => !OFFERED[when](rooms)).map(({ name }) => name));
		return all()
			.filter(({ name, isUsable }) => isUsable && wanted.has(name) && !idle.has(name))
			.sort((a, b) => (a.definition.name < b.definition.name ? -1 : 1));
	}

	const find = (name: string) => all().find(({ definition }) => definition.name === name);

	/** Runs a tool of others; `signal` cancels it. */
	async function invoke(name: string, input: object, signal: AbortSignal): Promise<ToolOutput> {
		const source = new editor.CancellationTokenSource();
		signal.addEventListener("abort", () => source.cancel(), { once: true });
		try {
			const options = { input, toolInvocationToken: undefined };
			const { content } = await editor.lm.invokeTool(name, options, source.token);
			const parts = content.map((part) => partBlocks(part, { images: true, documents: false }));
			const images = parts.flat().flatMap((block) => (block.type === "image" ? block.source.data : []));
			const texts = parts.map((blocks) => blocks.map((block) => ("text" in block ? block.text : "")).join(""));
			return { text: await materialOf(texts.join("\n"), rooms), images };
		} finally {
			source.dispose();
		}
	}

	return {
		all,
		names,
		on,
		offered(facts: ConversationFacts, connection?: MessagesConnection): readonly ToolDefinition[] {
			return on(facts, connection).map(({ definition }) => definition);
		},
		has: (name: string) => find(name) !== undefined,
		prepare(name: string, input: Readonly<Record<string, unknown>>): PreparedCall {
			const tool = find(name);
			if (tool === undefined || tool.group.startsWith("Switchboard")) return prepareTool(name, input, rooms);
			return {
				title: plainLine(`Run tool ${quoted(tool.label)} of ${tool.owner || UNOWNED}`),
				permission: `${tool.name} extension ${tool.owner || UNOWNED.replaceAll(" ", "-")}`,
				icon: tool.group === "MCP Servers" ? "plug" : "package",
				run: (signal) => invoke(tool.name, input, signal),
			};
		},
	};
}
