import * as vscode from "vscode";
import type { ChatModel, ModelLists } from "#app/chat/model-lists.ts";
import { pickKey } from "#app/chat/model-picks.ts";
import type { Target } from "#app/chat/request-target.ts";
import type { MessagesConnection } from "#app/connections/connection.ts";
import type { ConnectionRegistry } from "#app/connections/registry.ts";
import { addressBeside } from "../connections/connection-facts.ts";
import { withoutIcons } from "../kit/plain.ts";
import { askName, BACK, type Choice, type PromptFrame } from "../kit/prompts.ts";
import { joinParts } from "../kit/text.ts";
import type { ChatRoom } from "./chat-room.ts";

/** Value of the row that adds a connection. */
export const ADD = Symbol("add");

type Row = { readonly connection: MessagesConnection; readonly model: string } | typeof ADD;

/** Asks for a known model of a connection, or another name; undefined if the person leaves. */
export async function askModel(
	connection: MessagesConnection,
	models: ModelLists,
	current = models.modelFor(connection),
): Promise<string | undefined> {
	const frame = { title: "Select Model", placeholder: "Choose a model, or type its name" };
	const picked = await pick(frame, [connection], { models, target: { connection, model: current } });
	return typeof picked === "object" ? picked.model : undefined;
}

/** Asks for a model of all connections, another name for the current one, or a new connection; undefined if the person leaves. */
export async function askConnectionAndModel({ registry, models, conversations }: ChatRoom): Promise<Row | undefined> {
	const { target } = conversations.active;
	const rank = ({ id }: MessagesConnection) => (id === target.connection?.id ? 0 : 1);
	const connections = registry.list("messages").toSorted((a, b) => rank(a) - rank(b));
	const frame = { title: "Select Model", placeholder: "Where should messages go? Type to search" };
	const add: Choice<Row> = { label: "$(add) Add Connection...", alwaysShow: true, value: ADD };
	return pick(frame, connections, { models, target, last: [add] });
}

/** Asks for a model. A typed name is one of the connection of `target`; `last` are rows after the models. */
async function pick(
	frame: PromptFrame,
	connections: readonly MessagesConnection[],
	{ models, target, last = [] }: { models: ModelLists; target: Target; last?: readonly Choice<Row>[] },
): Promise<Row | undefined> {
	const known = () => connections.flatMap((each) => models.known(each));
	const answer = await askName<Row>(frame, {
		rows: () => [...grouped(known(), models, target), ...last],
		key: (row) => (row === ADD ? "" : pickKey(row.connection.id, row.model)),
		typed(name) {
			const { connection } = target;
			const isListed = known().some((model) => model.id === name && model.connection.id === connection?.id);
			if (connection === undefined || isListed) return undefined;
			return { label: `Use "${withoutIcons(name)}"`, alwaysShow: true, value: { connection, model: name } };
		},
		later: connections.map((each) => models.of(each)),
		press: async (row) => {
			if (row !== ADD) await models.picks.toggle(pickKey(row.connection.id, row.model));
		},
	});
	if (typeof answer === "object") await models.picks.used(pickKey(answer.connection.id, answer.model));
	return answer === BACK ? undefined : answer;
}

/** Rows of pinned, recent and other models, with headings if there are several groups. */
function grouped(all: readonly ChatModel[], models: ModelLists, target: Target): readonly Choice<Row>[] {
	const pinned = models.picks.of("pinned");
	const byKey = new Map(all.map((model) => [pickKey(model.connection.id, model.id), model]));
	const taken = new Set<string>();
	const groups = [
		["Pinned", pinned],
		["Recently Used", models.picks.of("recent")],
		["Models", [...byKey.keys()]],
	] as const;
	const filled = groups.flatMap(([label, keys]) => {
		const own = keys.filter((key) => byKey.has(key) && !taken.has(key));
		for (const key of own) taken.add(key);
		const rows = own.flatMap((key) => byKey.get(key) ?? []).map((model) => rowOf(model, target, pinned));
		return rows.length === 0 ? [] : [{ label, rows }];
	});
	if (filled.length === 1) return filled.flatMap(({ rows }) => rows);
	const kind = vscode.QuickPickItemKind.Separator;
	return filled.flatMap(({ label, rows }) => [{ label, kind, value: ADD }, ...rows]);
}

function rowOf(model: ChatModel, target: Target, pinned: readonly string[]): Choice<Row> {
	const { id, name, connection } = model;
	const isPinned = pinned.includes(pickKey(connection.id, id));
	const isCurrent = id === target.model && connection.id === target.connection?.id;
	const pin = { iconPath: new vscode.ThemeIcon(isPinned ? "pinned" : "pin"), tooltip: isPinned ? "Unpin" : "Pin" };
	return {
		label: withoutIcons(id),
		description: withoutIcons([name === id ? "" : name, isCurrent ? "(current)" : ""].join(" ").trim()),
		detail: joinParts([withoutIcons(connection.label), ...factsOf(model)]),
		buttons: [pin],
		value: { connection, model: id },
	};
}

/** Rows of the messages connections; the one with the id `active` is selected first. */
export function connectionRows(registry: ConnectionRegistry, active: string | undefined): Choice<MessagesConnection>[] {
	return registry.list("messages").map((value) => ({
		label: withoutIcons(value.label),
		description: withoutIcons(addressBeside(value)),
		active: value.id === active,
		value,
	}));
}

const COMPACT = new Intl.NumberFormat("en", { notation: "compact" });

function factsOf({ capabilities, price, retiresAt }: ChatModel): readonly (string | undefined)[] {
	const { tools, images, thinking, contextTokens } = capabilities;
	const marks = [tools && "$(tools) tools", images && "$(file-media) images", thinking && "$(lightbulb) thinking"];
	return [
		contextTokens === null ? undefined : `${COMPACT.format(contextTokens)} context`,
		price && `${price.input} in, ${price.output} out ${withoutIcons(price.currency)} per million`,
		marks.filter((mark) => mark !== false).join(" "),
		retiresAt && `$(warning) retires on ${retiresAt}`,
	];
}
