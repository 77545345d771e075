// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are the placeholders of prompts, branches and messages.
import { defaultPatience } from "#api/messages/model.ts";
import type { Price } from "#base/cost.ts";
import {
	anything,
	convert,
	flag,
	integer,
	type Limits,
	list,
	map,
	number,
	oneOf,
	parsed,
	type Schema,
	text,
	withDefault,
} from "#base/schema.ts";
import { PROMPT_NAME } from "./chat/prompts.ts";
import { SAVED_QUERY } from "./codehost/issue-queries.ts";
import { PRICE } from "./connections/connection.ts";

/** Setting, of which its entry in the manifest, its row in the reference and its reader are made. */
export interface Setting<T> {
	/** Type of its values, with the default; a default of `undefined` is an empty field. */
	readonly type: Schema<T> & { readonly otherwise: T };
	/** Markdown where it has code or bold text in it. */
	readonly description: string;
	/** More of the manifest's entry. */
	readonly json: Readonly<Record<string, unknown>>;
}

/** Setting that a workspace may override. */
function setting<T>(type: Setting<T>["type"], description: string, json = {}): Setting<T> {
	return { type, description, json };
}

/** Setting with a say in money, limits, tools or addresses: a workspace has no value for it. */
function userSetting<T>(type: Setting<T>["type"], description: string, json = {}): Setting<T> {
	return { type, description, json: { scope: "application", ...json } };
}

/** Number that the client of the service checks, so that its error names the field. */
function unchecked(type: Schema<number>) {
	return withDefault({ ...type, read: number().read }, undefined);
}

/** Number that is drawn into its bounds, of which the editor only warns. */
function within(type: (limits?: Limits) => Schema<number>, min: number, max: number): Schema<number> {
	return {
		json: type({ min, max }).json,
		read(value, place) {
			const drawn = Math.min(max, Math.max(min, number().read(value, place)));
			return type === integer ? Math.trunc(drawn) : drawn;
		},
	};
}

/** Map in which a malformed entry costs only itself. */
function mapOfValid<T>(value: Schema<T>): Schema<Readonly<Record<string, T>>> {
	return {
		json: map(value).json,
		read(given, place) {
			const entries = Object.entries(map(anything()).read(given, place));
			return Object.fromEntries(
				entries.flatMap(([name, each]) => {
					const valid = parsed(value, each);
					return valid === undefined ? [] : [[name, valid]];
				}),
			);
		},
	};
}

const PRICE_IN_CURRENCY = convert(PRICE, (price): Price => ({ currency: "USD", ...price }));

const EMPTY: Readonly<Record<string, never>> = {};

/** More of the entry of a setting that the editor shows once it is asked for advanced ones. */
const ADVANCED = { tags: ["advanced"] };

/** All settings by their keys, in the order of the editor's Settings. */
const TABLE = {
	"switchboard.connections": userSetting(
		withDefault(list(anything()), []),
		"The services you work with. Add one with the command `Switchboard: Add Connection...`; keys are kept in the editor's secret storage, never here.",
	),
	"switchboard.codeHost.refreshMinutes": userSetting(
		withDefault(within(number, 0, 1_440), 5),
		"Minutes between automatic refreshes of the issues that are loaded. Pauses while the window is not focused or the rate limit is nearly used up. 0 turns it off.",
	),
	"switchboard.codeHost.queries": setting(
		withDefault(list(anything()), []),
		'Queries to choose in the Issues view, such as `{"name": "Blockers", "repositories": ["acme/app"], "parameters": {"labels": "blocker", "assignee": "@me"}}`. Without `repositories` a query lists all added ones. `parameters` are those of the code host; `@me` stands for you.',
		{ ...ADVANCED, items: SAVED_QUERY.json },
	),
	"switchboard.codeHost.issueBranch": setting(
		withDefault(text(), "issue-${number}-${title}"),
		"Name of the branch that **Switchboard: Start Working on Issue** creates. `${number}`, `${title}` and `${repository}` are those of the issue; characters that git refuses become hyphens.",
		ADVANCED,
	),
	"switchboard.codeHost.issueCommitMessage": setting(
		withDefault(text(), "\n\nFixes ${issue}"),
		"Text that **Switchboard: Start Working on Issue** puts into the box of the commit message if it is empty. `${issue}` is `#24`, or `acme/app#24` in a folder of another repository; `${number}`, `${title}` and `${repository}` are filled as well. Leave empty for none.",
		{ ...ADVANCED, editPresentation: "multilineText" },
	),
	"switchboard.petStore.refreshMinutes": userSetting(
		withDefault(within(number, 0, 1_440), 5),
		"Minutes after which loaded pets, orders and inventories are refreshed once the window gains focus. 0 turns it off.",
	),
	"switchboard.petStore.openPetsAs": setting(
		withDefault(oneOf("card", "json"), "card"),
		"Opens the row of a pet as a card, or as the JSON that is edited.",
		ADVANCED,
	),
	"switchboard.chat.model": setting(
		withDefault(text(), ""),
		"Default model where a connection names none, if its service lists that model. Empty: the first model that the service lists.",
	),
	"switchboard.chat.replyLimit": setting(
		unchecked(integer({ min: 1, max: 1_000_000 })),
		"Reply limit: most tokens of a reply (max_tokens). Leave empty for as many as the model gives, up to 16,000, or 4,096 where that is not known. A reply that reaches it is marked as cut off.",
	),
	"switchboard.chat.systemPrompt": setting(
		withDefault(text(), ""),
		"System prompt, sent with every conversation. Leave empty to send none.",
		{ editPresentation: "multilineText" },
	),
	"switchboard.chat.temperature": setting(
		unchecked(number({ min: 0, max: 2 })),
		"Sampling temperature. Leave empty for the service's default.",
		ADVANCED,
	),
	"switchboard.chat.topP": setting(
		unchecked(number({ min: 0, max: 1 })),
		"Nucleus sampling (top_p). Leave empty for the service's default.",
		ADVANCED,
	),
	"switchboard.chat.topK": setting(
		unchecked(integer({ min: 0, max: 1_000_000 })),
		"Top-k sampling (top_k). Leave empty for the service's default.",
		ADVANCED,
	),
	"switchboard.chat.stopSequences": setting(
		withDefault(list(text()), []),
		"Stop sequences: a reply ends where one of these texts would appear.",
		{ ...ADVANCED, items: { type: "string", minLength: 1 }, uniqueItems: true },
	),
	"switchboard.chat.contextBudget": userSetting(
		withDefault(within(integer, 1_000, 100_000_000), 100_000),
		"Largest request sent without asking, in estimated tokens of the message, its attachments and the conversation before it.",
		ADVANCED,
	),
	"switchboard.chat.pasteLimit": setting(
		withDefault(within(integer, 0, 1_000_000), 4_000),
		"Pasted text of more characters becomes an attachment that can be edited. 0 turns it off.",
		ADVANCED,
	),
	"switchboard.chat.tools": userSetting(
		withDefault(list(text()), []),
		"Names of the tools that models may call in the chat, unless a conversation has its own choice. By default those of Switchboard that only read; if the built-in sandbox is your only pet store, its conversations get all of them. Switchboard's tools ask before they change data; all others ask before they run. **Switchboard: Choose Tools...** lists them all and can make a choice the default.",
		{ uniqueItems: true },
	),
	"switchboard.chat.toolRounds": userSetting(
		withDefault(within(integer, 1, 100), 25),
		"Maximum tool-call rounds per message. After that the reply pauses until you choose Continue.",
		ADVANCED,
	),
	"switchboard.chat.prompts": setting(
		withDefault(mapOfValid(text()), EMPTY),
		"Reusable prompts by name, inserted in the composer by typing `/` and the name. A name has no spaces and no slash. `${selection}` is replaced by the text selected in the editor, `${file}` by the active file.",
		{
			propertyNames: {
				pattern: PROMPT_NAME.source,
				patternErrorMessage:
					"A name of a prompt has no spaces and no slash, and at most 50 characters. This one cannot be typed behind the slash.",
			},
		},
	),
	"switchboard.chat.commitInstructions": setting(
		withDefault(text(), ""),
		"Instructions for **Switchboard: Write Commit Message**: a language, a prefix, a length. They go before the style of the last messages.",
		{ editPresentation: "multilineText" },
	),
	"switchboard.chat.prices": userSetting(
		withDefault(mapOfValid(PRICE_IN_CURRENCY), EMPTY),
		'Prices per million tokens by model, such as `{"some-model": {"input": 3, "output": 15, "currency": "EUR"}}`. Used to estimate the cost of a conversation. They take precedence over the prices in `switchboard.connections` and those of the service.',
		ADVANCED,
	),
	"switchboard.chat.costLimit": userSetting(
		withDefault(within(number, 0, 1_000_000), undefined),
		"Cost of a conversation above which Switchboard asks before it sends another message or the results of tools, in the currency of `#switchboard.chat.prices#`. Leave empty for no limit.",
	),
	"switchboard.chat.notify": setting(
		withDefault(flag(), false),
		"Show a notification when a reply has ended, or a tool call waits for your approval, while the chat is not visible.",
	),
	"switchboard.retry.maxAttempts": userSetting(
		withDefault(within(integer, 1, 10), defaultPatience.maxAttempts),
		"Maximum attempts of a request until a reply begins. 1 turns retries off. A read of a code host or pet store ends after 45 seconds, retries included. Waits for a code host's rate limit do not count.",
		ADVANCED,
	),
	"switchboard.retry.maxWaitSeconds": userSetting(
		withDefault(within(number, 0, 600), defaultPatience.maxRetryWaitMs / 1_000),
		"Longest wait between two attempts, in seconds. If a service asks for a longer wait, the request is not retried automatically.",
		ADVANCED,
	),
	"switchboard.silence.noticeSeconds": userSetting(
		withDefault(within(number, 1, 3_600), defaultPatience.silenceNoticeMs / 1_000),
		"Seconds without data after which a reply shows that it is waiting.",
		ADVANCED,
	),
	"switchboard.silence.limitSeconds": userSetting(
		withDefault(within(number, 1, 3_600), defaultPatience.silenceLimitMs / 1_000),
		"A reply that has begun ends as stalled after this many seconds without data. Before it begins, a cloud service gets 60 s and a local engine 10 minutes, or this time if it is longer. At most 30 s for code hosts and pet stores.",
		ADVANCED,
	),
	"switchboard.models.otherExtensions": userSetting(
		withDefault(flag(), true),
		"Let other extensions use your models, which costs what your messages cost. Requests lists what they ask as another extension.",
	),
};

/** Key of a setting, whole. */
export type SettingKey = keyof typeof TABLE;

/** Types of the values of the settings. */
export type SettingValues = { readonly [K in SettingKey]: (typeof TABLE)[K] extends Setting<infer T> ? T : never };

/** The settings by their keys, each with the type of its values. */
export const SETTINGS: { readonly [K in SettingKey]: Setting<SettingValues[K]> } = TABLE;
