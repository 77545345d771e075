import * as vscode from "vscode";
import { setAbility } from "#app/chat/choose-model.ts";
import type { ChatSession } from "#app/chat/session.ts";
import { listedModels } from "#app/connections/connection.ts";
import { invalid } from "#base/errors.ts";
import { list, nullable, optional, trimmed } from "#base/schema.ts";
import type { ComposerView } from "#protocol/panel.ts";
import { runOn } from "../kit/command.ts";
import { withoutIcons } from "../kit/plain.ts";
import { askSeveral, notify, sayQuietly } from "../kit/prompts.ts";
import { joinParts, plainLine } from "../kit/text.ts";
import { TOOLS } from "../models/tools.ts";
import { setForUser } from "../settings.ts";
import { type ChatRoom, define, inChat, sessionOf } from "./chat-room.ts";
import { mayWrite } from "./say.ts";

const ASKING = "Switchboard's tools ask before they change data; all others ask before they run.";

/** Commands about the tools that models may call. */
export const TOOL_COMMANDS = [
	define("switchboard.chat.chooseTools", "Choose Tools...", {
		menus: [inChat("0_conversation@1")],
		input: { conversation: optional(trimmed()), tools: nullable(list(trimmed())) },
		gives: ["{conversation, tools}"],
		run: runOn(sessionOf, async (session, { argument }, room) => {
			const tools = argument === undefined ? await askTools(session, room) : known(argument.tools, room);
			if (tools === undefined) return undefined;
			session.setFacts({ tools: tools ?? undefined });
			const on = room.tools.on(session.facts, session.target.connection);
			return { conversation: session.id, tools: on.map(({ name }) => name) };
		}),
	}),
	define("switchboard.chat.manageAllowedTools", "Manage Allowed Tools...", {
		menus: [inChat("0_conversation@2")],
		input: { conversation: optional(trimmed()), revoke: optional(list(trimmed())) },
		gives: ["{conversation, always, allowed}"],
		run: runOn(sessionOf, async (session, { argument }, room) => {
			const held = session.facts.allowed ?? [];
			const revoked = argument === undefined ? await askRevoked(held, room) : (argument.revoke ?? []);
			if (revoked === undefined) return undefined;
			for (const each of revoked) await room.approvals.revoke(each);
			const allowed = held.filter((each) => !revoked.includes(each));
			if (allowed.length < held.length) session.setFacts({ allowed: allowed.length === 0 ? undefined : allowed });
			return { conversation: session.id, always: room.approvals.list(), allowed };
		}),
	}),
];

/** Tools of a conversation for the composer, with a sentence for a model that takes none. */
export function toolsView(session: ChatSession, room: ChatRoom): Pick<ComposerView, "tools"> {
	const { connection, model } = session.target;
	if (connection === undefined) return {};
	const { unknown } = room.models.capabilities(connection, model);
	const off = unknown.includes("tools") ? undefined : toolsOff(session, room);
	const on = room.tools.on(session.facts, connection).map(({ name }) => name);
	const all = room.tools.on({ tools: [...on, ...TOOLS.map(({ name }) => name)] });
	return { tools: { on: on.length, of: all.length, ...(off === undefined ? {} : { off }) } };
}

/** Reason why the model of a conversation gets no tools; undefined if it gets them. */
function toolsOff({ target: { connection, model } }: ChatSession, { models }: ChatRoom): string | undefined {
	const { tools, unknown } = models.capabilities(connection, model);
	if (connection === undefined || model === "" || tools) return undefined;
	if (unknown.includes("tools")) return plainLine(`Nothing says if ${model} takes tools.`);
	const isOwn = listedModels(connection).find(({ name }) => name === model)?.capabilities?.tools === false;
	return plainLine(isOwn ? `You turned off tools for ${model}.` : `${connection.label} gives ${model} no tools.`);
}

/** Validates names of tools. Throws `invalid`. */
function known(names: readonly string[] | null, { tools }: ChatRoom): readonly string[] | null {
	const there = new Set(tools.all().map(({ name }) => name));
	const at = names?.findIndex((name) => !there.has(name)) ?? -1;
	if (at >= 0) throw invalid("messages", `tools[${at}]`, "is not the name of a tool");
	return names;
}

async function askTools(session: ChatSession, room: ChatRoom): Promise<readonly string[] | undefined> {
	if (!(await mayWrite(session, room))) return undefined;
	const off = toolsOff(session, room);
	if (off !== undefined && (await notify("Warning", off, "Try Tools")) === undefined) return undefined;
	if (off !== undefined) await setAbility("tools", true, session.target, room);
	const all = room.tools.all();
	const { facts, target } = session;
	const on = new Set(room.tools.names(facts, target.connection));
	// A tool whose server does not run stays on.
	const absent = [...on].filter((name) => !all.some((tool) => tool.name === name));
	const rows = all.map(({ name, label, description, owner, group }) => ({
		label: withoutIcons(label),
		description: joinParts([label === name ? "" : name, owner]),
		group,
		detail: withoutIcons(plainLine(description)),
		value: name,
		picked: on.has(name),
	}));
	const placeholder = `Which tools may the model call? ${ASKING}`;
	const chosen = await askSeveral({ title: "Choose Tools", placeholder }, rows, {
		iconPath: new vscode.ThemeIcon("save"),
		tooltip: "Make This Choice the Default",
		run: (names) =>
			void setForUser("switchboard.chat.tools", [...names, ...absent]).then(
				() => sayQuietly("Default tools saved."),
				room.report,
			),
	});
	return chosen && [...chosen, ...absent];
}

/** Lists the permissions, and returns those that the person clears. */
async function askRevoked(
	allowed: readonly string[],
	{ approvals, registry, tools }: ChatRoom,
): Promise<readonly string[] | undefined> {
	const always = approvals.list();
	const held = [...new Set([...always, ...allowed])];
	if (held.length === 0) {
		void notify("Information", `No tools are allowed yet. ${ASKING}`);
		return undefined;
	}
	const all = tools.all();
	const rows = held.map((value) => {
		const [name = value, place = "", address = "", asker = ""] = value.split(" ");
		const label = all.find((tool) => tool.name === name)?.label ?? name;
		const labelOf = (id: string) =>
			registry.get(id)?.label ?? (id === "extension" ? "Extension" : "Removed connection");
		const description = withoutIcons(`${labelOf(place)} (${address}), for ${labelOf(asker)}`);
		const group = always.includes(value) ? "Always Allowed" : "Allowed in This Conversation";
		return { label: withoutIcons(label), description, value, picked: true, group };
	});
	const placeholder = "Clear a checkbox so that the tool asks again";
	const kept = await askSeveral({ title: "Manage Allowed Tools", placeholder }, rows);
	return kept && held.filter((each) => !kept.includes(each));
}
