import type * as vscode from "vscode";
import { isRecord } from "#api/http/json.ts";
import type { ToolDefinition } from "#api/messages/model.ts";
import type { ConversationFacts } from "#app/chat/conversation.ts";
import type { PreparedCall, ToolBox, ToolOutput } from "#app/chat/tool-box.ts";
import type { MessagesConnection } from "#app/connections/connection.ts";
import { presetOfProfile } from "#app/connections/messages-profiles.ts";
import { oneLine } from "#base/one-line.ts";
import { object, optional, parsed, text } from "#base/schema.ts";
import { plainLine } from "../kit/text.ts";
import { definedTools, partBlocks } from "./history.ts";
import { OFFERED, type ToolRooms } from "./tool.ts";
import { definitionOf, materialOf, prepareTool, TOOLS } from "./tools.ts";

/** Tool in the manifest of another extension, which alone has words for people and says whose it is. */
const CONTRIBUTED = object({ name: text(), displayName: optional(text()), userDescription: optional(text()) });

/** Tools of the editor and of its own agent that do nothing, or not what they should, outside of the editor's own Chat. */
const NEEDS_CHAT =
	/^(?:copilot_|vscode_|(?:run_in|send_to|kill)_terminal$|get_terminal_output$|runSubagent$|manage_todo_list$|setArtifact|task_complete$|inline_chat_exit$)/;
const EDITORS_AGENT = "GitHub.copilot-chat";

/** Tool that can be offered to a model. */
interface KnownTool {
	/** Name in the settings and in a conversation. */
	readonly name: string;
	readonly label: string;
	readonly description: string;
	/** Ids of the extensions whose manifest has it, empty for a tool of the editor or of an MCP server. */
	readonly owner: string;
	/** False for one that services would refuse, which is never offered. */
	readonly isUsable: boolean;
	readonly group: "Switchboard: Reads" | "Switchboard: Writes" | "Editor and Other Extensions" | "MCP Servers";
	/** Definition for a request, whose name is valid on the wire. */
	readonly definition: ToolDefinition;
}

const UNUSABLE = "Not offered to models: its input is not described as an object. Tell its author.";

const UNOWNED = "an MCP server or the editor";

/** Characters of the name of a tool in a title: its owner comes behind it. */
const LONGEST_LABEL = 80;

/** Part of the editor's API that tools are taken from. */
type Editor = Pick<typeof vscode, "lm" | "extensions" | "CancellationTokenSource">;

/** Tools of the panel: ours, and those of other extensions and of MCP servers, which the editor knows. */
export class EditorToolBox implements ToolBox {
	readonly #rooms: ToolRooms;
	readonly #editor: Editor;
	readonly #chosen: () => readonly string[] | undefined;

	/** `chosen` gives the names of the tools that the settings turn on; undefined where they say nothing. */
	constructor(rooms: ToolRooms, editor: Editor, chosen: () => readonly string[] | undefined) {
		this.#rooms = rooms;
		this.#editor = editor;
		this.#chosen = chosen;
	}

	/** All tools that there are now, ours first. */
	all(): readonly KnownTool[] {
		const own = TOOLS.map((tool): KnownTool => {
			const { name, displayName: label, userDescription: description, writes } = tool;
			const group = writes ? "Switchboard: Writes" : "Switchboard: Reads";
			return { name, label, description, owner: "", isUsable: true, group, definition: definitionOf(tool) };
		});
		const contributed = this.#editor.extensions.all.flatMap(({ id, packageJSON }) =>
			[packageJSON.contributes?.languageModelTools ?? []].flat().map((tool: unknown) => ({ id, tool })),
		);
		const taken = new Set(own.map(({ name }) => name));
		// The editor lists ours as well.
		const others = this.#editor.lm.tools.filter(({ name }) => !taken.has(name));
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

	/**
	 * Names of the tools that are on in a conversation with a connection, there now or not: those of the conversation, else
	 * of the settings, else those of ours that read, and all of ours where nothing real can change.
	 */
	names({ tools }: ConversationFacts, connection?: MessagesConnection): readonly string[] {
		const chosen = tools ?? this.#chosen();
		if (chosen !== undefined) return chosen;
		const isTrial =
			connection !== undefined &&
			presetOfProfile(connection.profile)?.isTrial === true &&
			this.#rooms.registry.list("petstore").every(({ profile }) => profile === "sandbox");
		return TOOLS.filter(({ writes }) => isTrial || !writes).map(({ name }) => name);
	}

	/** Tools of the {@link names} that are there now, ours only with something to work on, ordered by name on the wire. */
	on(facts: ConversationFacts, connection?: MessagesConnection): readonly KnownTool[] {
		const on = new Set(this.names(facts, connection));
		const idle = new Set(TOOLS.filter(({ when }) => !OFFERED[when](this.#rooms)).map(({ name }) => name));
		const wire = ({ definition }: KnownTool) => definition.name;
		return this.all()
			.filter(({ name, isUsable }) => isUsable && on.has(name) && !idle.has(name))
			.sort((a, b) => (wire(a) < wire(b) ? -1 : 1));
	}

	offered(facts: ConversationFacts, connection?: MessagesConnection): readonly ToolDefinition[] {
		return this.on(facts, connection).map(({ definition }) => definition);
	}

	has(name: string): boolean {
		return this.#find(name) !== undefined;
	}

	#find(name: string): KnownTool | undefined {
		return this.all().find(({ definition }) => definition.name === name);
	}

	prepare(name: string, input: Readonly<Record<string, unknown>>): PreparedCall {
		const tool = this.#find(name);
		if (tool === undefined || tool.group.startsWith("Switchboard")) return prepareTool(name, input, this.#rooms);
		return {
			title: plainLine(`Run tool ${oneLine(tool.label, LONGEST_LABEL)} of ${tool.owner || UNOWNED}`),
			permission: `${tool.name} extension ${tool.owner || UNOWNED.replaceAll(" ", "-")}`,
			icon: tool.group === "MCP Servers" ? "plug" : "package",
			run: (signal) => this.#invoke(tool.name, input, signal),
		};
	}

	/** Runs a tool of others, which hears of it when the signal aborts. */
	async #invoke(name: string, input: object, signal: AbortSignal): Promise<ToolOutput> {
		const source = new this.#editor.CancellationTokenSource();
		signal.addEventListener("abort", () => source.cancel(), { once: true });
		try {
			const options = { input, toolInvocationToken: undefined };
			const { content } = await this.#editor.lm.invokeTool(name, options, source.token);
			const parts = content.map((part) => partBlocks(part, { images: true, documents: false }));
			const images = parts.flat().flatMap((block) => (block.type === "image" ? block.source.data : []));
			const texts = parts.map((blocks) => blocks.map((block) => ("text" in block ? block.text : "")).join(""));
			return { text: await materialOf(texts.join("\n"), this.#rooms), images };
		} finally {
			source.dispose();
		}
	}
}
