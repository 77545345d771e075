import { moveTo, setAbility } from "#app/chat/choose-model.ts";
import type { ConversationFacts } from "#app/chat/conversation.ts";
import type { ModelLists } from "#app/chat/model-lists.ts";
import { type ChatParameters, decodeParameters } from "#app/chat/parameters.ts";
import { definedOnly, fieldsOf, type Target } from "#app/chat/request-target.ts";
import type { ChatSession, FactsChange } from "#app/chat/session.ts";
import { type Ability, SWITCHES } from "#app/connections/model-capabilities.ts";
import { escaped, unescaped } from "#base/escaped.ts";
import { capitalized, oneLine } from "#base/one-line.ts";
import { anything, type FieldValues, map, nullable, optional, text, trimmed } from "#base/schema.ts";
import { runOn } from "../kit/command.ts";
import { withoutIcons } from "../kit/plain.ts";
import { askChoice, askText, BACK } from "../kit/prompts.ts";
import type { Fields } from "../kit/rows.ts";
import { chatParameters } from "../settings.ts";
import { type ChatRoom, define, inChat, sessionOf } from "./chat-room.ts";
import { connectionRows } from "./model-picker.ts";
import { numberMistake } from "./version-commands.ts";

/** Settings of one conversation; null removes one. */
const INPUT = {
	conversation: optional(trimmed()),
	title: optional(nullable(text())),
	connection: optional(nullable(trimmed())),
	parameters: optional(nullable(map(anything()))),
};

/** Command for the settings of a conversation. */
export const SETTINGS_COMMANDS = [
	define("switchboard.chat.setConversation", "Conversation Settings...", {
		menus: [inChat("0_conversation@0")],
		input: INPUT,
		gives: ["{conversation, title, connection?, parameters}"],
		run: runOn(sessionOf, async (session, { argument }, parts) => {
			if (argument === undefined) await askSettings(session, parts);
			else session.setFacts(factsOf(argument, session.facts, parts));
			const { connection, parameters: { model, ...others } = {} } = session.facts;
			const parameters = model ? { model, ...others } : others;
			const { id: conversation, title } = session;
			return { conversation, title, ...(connection === undefined ? {} : { connection }), parameters };
		}),
	}),
];

function factsOf(
	{ title, connection, parameters }: FieldValues<typeof INPUT>,
	{ parameters: held }: ConversationFacts,
	{ registry }: ChatRoom,
): FactsChange {
	if (typeof connection === "string") registry.require(connection, "messages");
	return {
		...(title === undefined ? {} : { title: oneLine(title ?? "") || undefined }),
		...(connection === undefined ? {} : { connection: connection ?? undefined }),
		...(parameters === undefined ? {} : { parameters: parameters ? withChange(held, parameters) : DEFAULT_MODEL }),
	};
}

/** Default model, which must override the one of the last reply. */
const DEFAULT_MODEL: ChatParameters = { model: "" };

/** Merges a change into the parameters; null removes one. */
function withChange(held: ChatParameters = {}, change: Fields): ChatParameters {
	const kept = Object.entries(held).filter(([name]) => !(name in change));
	const changed = { ...Object.fromEntries(kept), ...decodeParameters(change) };
	return change["model"] === null ? { ...changed, ...DEFAULT_MODEL } : changed;
}

const LINES = String.raw`Write \n where a new line begins, and \\ for a backslash.`;

/** Settings with labels and parsers. */
const ROWS = {
	model: { label: "Model", of: (typed: string) => typed },
	system: { label: "System Prompt", of: unescaped, prompt: LINES },
	temperature: { label: "Temperature", of: Number, check: numberMistake },
	topP: { label: "Top P", of: Number, check: numberMistake },
	topK: { label: "Top K", of: Number, check: numberMistake },
	maxTokens: { label: "Reply Limit", of: Number, check: numberMistake },
	stopSequences: {
		label: "Stop Sequences",
		of: (typed: string) => unescaped(typed).split("|").filter(Boolean),
		prompt: `Separate them with |. ${LINES}`,
	},
} as const;

type RowName = keyof typeof ROWS;

const CONNECTION = { title: "Connection of the Conversation", placeholder: "Where should messages go?", stays: true };

/** Lists the settings, and edits the chosen ones until the person leaves. */
async function askSettings(session: ChatSession, { registry, models }: ChatRoom): Promise<void> {
	for (let last = ""; ; ) {
		const { target } = session;
		const shown = settingWords(session, models, chatParameters());
		const { unknown, ...abilities } = models.capabilities(target.connection, target.model);
		const askConnection = async () => {
			const connection = await askChoice(CONNECTION, connectionRows(registry, target.connection?.id));
			if (typeof connection === "object") moveTo(connection.id, session);
		};
		const rows = [
			{ label: "Connection", description: withoutIcons(target.connection?.label ?? "none"), edit: askConnection },
			...(Object.keys(ROWS) as RowName[]).map((name) => ({
				label: ROWS[name].label as string,
				description: withoutIcons(shown(name).replaceAll("\n", " ").slice(0, 80)),
				edit: () => askValue(name, session, models),
			})),
			...SWITCHES.map((name) => ({
				label: `${capitalized(name)} of the Model`,
				description: unknown.includes(name) ? "not known, not sent" : abilities[name] ? "on" : "off",
				edit: () => askSwitch(name, target, { registry, models }),
			})),
		];
		const row = await askChoice(
			{ title: "Conversation Settings", placeholder: "What is different in this conversation?", stays: true },
			rows.map((value) => ({ ...value, value, active: last === value.label })),
		);
		if (typeof row !== "object") return;
		last = row.label;
		await row.edit();
	}
}

/** Asks for an ability of a model, for all conversations. */
async function askSwitch(name: Ability, target: Target, rooms: Pick<ChatRoom, "registry" | "models">): Promise<void> {
	const title = `${capitalized(name)} of ${withoutIcons(target.model)}`;
	const frame = { title, placeholder: "Holds for this model in every conversation", stays: true };
	const choice = await askChoice<boolean | "told">(frame, [
		{ label: "On", value: true },
		{ label: "Off", value: false },
		{ label: "As the Service Says", value: "told" },
	]);
	if (choice === undefined || choice === BACK) return;
	await setAbility(name, choice === "told" ? undefined : choice, target, rooms);
}

/** Describes each setting of a conversation: its sent value, or why it is not sent. */
export function settingWords(
	{ facts: { parameters = {} }, target }: Pick<ChatSession, "facts" | "target">,
	models: Pick<ModelLists, "refused" | "capabilities" | "modelFor">,
	settings: ChatParameters,
): (name: RowName) => string {
	const leftOut = models.refused.of(target.connection?.id, target.model);
	const abilities = models.capabilities(target.connection, target.model);
	const asked = { ...settings, ...parameters };
	const sampling = { temperature: 0, topP: 0, topK: 0 };
	const sent = fieldsOf({ ...asked, ...sampling, ...leftOut }, abilities);
	const { maxTokens: limit = Number.NaN } = asked;
	const tokens = sent.maxTokens.toLocaleString("en");
	const limitNote = sent.maxTokens < limit ? `, at most ${tokens} with this model` : "";
	return (name) => {
		if (name in leftOut) return `not sent: ${target.model} refused it. Enter a value to send it again.`;
		if (name in sampling && !(name in definedOnly(sent))) {
			return `not sent: ${target.model} does not take it${abilities.sampling ? " while it thinks" : ""}`;
		}
		const most = name === "maxTokens" ? limitNote : "";
		const own = parameters[name];
		if (own !== undefined && own !== "") return textOf(own) + most;
		const standard = name === "maxTokens" ? sent.maxTokens : undefined;
		const everywhere = name === "model" ? models.modelFor(target.connection) : textOf(settings[name] ?? standard);
		const isHeld = name === "model" && target.model !== everywhere;
		return isHeld ? `${target.model} (as before)` : `${everywhere || "not set"} (as everywhere)${most}`;
	};
}

/** Asks for a value of one conversation. A new one is sent again, even if it was refused before. */
async function askValue(name: RowName, session: ChatSession, { refused }: ModelLists): Promise<void> {
	const row = ROWS[name];
	const { parameters = {} } = session.facts;
	const { connection, model } = session.target;
	const held = textOf(parameters[name]);
	// The box has a single line.
	const value = "prompt" in row ? escaped(held) : held;
	const typed = await askText({
		title: `${row.label} of the Conversation`,
		placeholder: "Empty: as in the settings",
		value,
		...("prompt" in row ? { prompt: row.prompt } : {}),
		...("check" in row ? { check: row.check } : {}),
	});
	if (typeof typed !== "string" || typed === value) return;
	const { [name]: _, ...others } = parameters;
	if (name === "model") {
		session.setFacts({ connection: connection?.id, parameters: { ...others, model: typed.trim() } });
		return;
	}
	const own = typed.trim() === "" ? others : { ...others, [name]: row.of(typed.trim()) };
	session.setFacts({ parameters: Object.keys(own).length === 0 ? undefined : own });
	await refused.remove(connection?.id, model, name);
}

function textOf(value: unknown): string {
	return Array.isArray(value) ? value.join("|") : String(value ?? "");
}
