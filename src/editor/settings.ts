import * as vscode from "vscode";
import type { CallPatience } from "#api/http/caller.ts";
import { defaultPatience, type MessagesPatience } from "#api/messages/model.ts";
import { defaultPetstorePatience } from "#api/petstore/client.ts";
import type { ChatParameters } from "#app/chat/parameters.ts";
import { type Prompt, promptsOf, withPrompt } from "#app/chat/prompts.ts";
import { PRICE } from "#app/connections/connection.ts";
import { SETTINGS } from "#app/contributions.ts";
import type { ConnectionSettings } from "#app/ports.ts";
import type { Prices } from "#base/reply.ts";
import { anything, flag, list, map, number, parsed, type Schema, text } from "#base/schema.ts";
import { leaving } from "./kit/leaving.ts";

/**
 * The settings of `switchboard.chat.*`. A value of the wrong type counts as the default, as the editor's own settings do;
 * a value out of range is passed on, and the client refuses it by name.
 */
export function chatParameters(): ChatParameters {
	const stopSequences = value(SETTINGS.stopSequences, list(text())) ?? [];
	return {
		model: value(SETTINGS.model, text()),
		maxTokens: value(SETTINGS.maxTokens, number()),
		system: value(SETTINGS.system, text()) || undefined,
		temperature: value(SETTINGS.temperature, number()),
		topP: value(SETTINGS.topP, number()),
		topK: value(SETTINGS.topK, number()),
		stopSequences: stopSequences.length > 0 ? stopSequences : undefined,
	};
}

/** Estimated number of tokens above which a message is sent only after a question. */
export function contextBudget(): number {
	return bounded(SETTINGS.contextBudget, 1_000, 100_000_000) ?? 100_000;
}

/** Characters from which on a text that is pasted becomes an attachment; 0 for never. */
export function pasteLimit(): number {
	return bounded(SETTINGS.pasteLimit, 0, 1_000_000) ?? 4_000;
}

/** Most rounds of a message in which tools are called, before the person is asked. */
export function toolRounds(): number {
	return Math.floor(bounded(SETTINGS.toolRounds, 1, 100) ?? 25);
}

/** The prompts that are kept in the settings. */
export function savedPrompts(): readonly Prompt[] {
	return promptsOf(vscode.workspace.getConfiguration().get(SETTINGS.prompts));
}

/** Keeps a prompt among the person's own settings; one of that name makes room. */
export async function savePrompt(prompt: Prompt): Promise<void> {
	const before = vscode.workspace.getConfiguration().inspect(SETTINGS.prompts)?.globalValue;
	await setForUser(SETTINGS.prompts, withPrompt(before, prompt));
}

/** Changes one of the person's own settings. */
export async function setForUser(key: string, value: unknown): Promise<void> {
	try {
		await vscode.workspace.getConfiguration().update(key, value, vscode.ConfigurationTarget.Global);
	} catch (error) {
		// The editor's words for a file that another window has written name no next step.
		if (!/\bnewer\b/.test(String(error))) throw error;
		throw new Error("Another window has changed the settings. Reload this window and try again.", { cause: error });
	}
}

/** Names of the tools that the person has turned on by default; undefined where they have not chosen. */
export function defaultTools(): readonly string[] | undefined {
	return parsed(list(text()), vscode.workspace.getConfiguration().inspect(SETTINGS.tools)?.globalValue);
}

/** Makes a choice of tools the default. */
export async function setDefaultTools(names: readonly string[]): Promise<void> {
	await setForUser(SETTINGS.tools, names);
}

/** Prices of tokens, from `switchboard.chat.prices`. An entry that is no price is left out. */
export function prices(): Prices {
	const set = Object.entries(value(SETTINGS.prices, map(anything())) ?? {});
	return Object.fromEntries(
		set.flatMap(([model, each]) => {
			const price = parsed(PRICE, each);
			return price === undefined ? [] : [[model, { currency: "USD", ...price }]];
		}),
	);
}

/** Cost of a conversation above which the person is asked before another message; undefined for none. */
export function costLimit(): number | undefined {
	return bounded(SETTINGS.costLimit, 0, 1_000_000);
}

/** True if the person wants to be notified of what waits out of sight. */
export function notifies(): boolean {
	return value(SETTINGS.notify, flag()) ?? false;
}

/** True if other extensions may use the models. */
export function allowsOtherExtensions(): boolean {
	return value(SETTINGS.otherExtensions, flag()) ?? true;
}

/**
 * Patience with a messages service, from `switchboard.retry.*` and `switchboard.silence.*`. It is never less before the
 * first byte than after it: of a reply that does not stream, all comes at once.
 */
export function patience(firstByteMs = defaultPatience.firstByteMs): MessagesPatience {
	const shared = servicePatience(defaultPatience);
	return {
		...shared,
		silenceNoticeMs: milliseconds(SETTINGS.silenceNoticeSeconds, 1, 3600) ?? defaultPatience.silenceNoticeMs,
		firstByteMs: Math.max(firstByteMs, shared.silenceLimitMs),
	};
}

/**
 * Timeouts and retries of the clients of code hosts and pet stores, or of one with other defaults, from
 * `switchboard.retry.*` and `switchboard.silence.*`.
 */
export function servicePatience(defaults: CallPatience = defaultPetstorePatience): CallPatience {
	const { maxAttempts, maxRetryWaitMs, silenceLimitMs } = defaults;
	return {
		maxAttempts: bounded(SETTINGS.maxAttempts, 1, 10) ?? maxAttempts,
		maxRetryWaitMs: milliseconds(SETTINGS.maxWaitSeconds, 0, 600) ?? maxRetryWaitMs,
		silenceLimitMs: milliseconds(SETTINGS.silenceLimitSeconds, 1, 3600) ?? silenceLimitMs,
	};
}

/** Interval of the automatic refresh of issues, or by the setting of another key, in milliseconds; 0 turns it off. */
export function refreshIntervalMs(key: string = SETTINGS.refreshMinutes): number {
	return (bounded(key, 0, 1440) ?? 5) * 60_000;
}

/**
 * The list of connections in the person's own settings. Only the user's value is read: the setting has application
 * scope, and a workspace must never be able to point a key at another address.
 */
export const userConnections: ConnectionSettings = {
	read: () => vscode.workspace.getConfiguration().inspect(SETTINGS.connections)?.globalValue,
	async write(connections) {
		const value = connections.length === 0 ? undefined : leaving(connections);
		await setForUser(SETTINGS.connections, value);
	},
	onDidChange: (listener) =>
		vscode.workspace.onDidChangeConfiguration((event) => {
			if (event.affectsConfiguration(SETTINGS.connections)) listener();
		}),
};

/** A setting, or its default where what is set is of another type. */
function value<T>(key: string, schema: Schema<T>): T | undefined {
	const configuration = vscode.workspace.getConfiguration();
	return parsed(schema, configuration.get(key)) ?? parsed(schema, configuration.inspect(key)?.defaultValue);
}

function milliseconds(key: string, least: number, most: number): number | undefined {
	const seconds = bounded(key, least, most);
	return seconds === undefined ? undefined : seconds * 1000;
}

/** A number of the settings, drawn into its bounds: the editor only warns of a value outside them. */
function bounded(key: string, least: number, most: number): number | undefined {
	const found = value(key, number());
	return found === undefined ? undefined : Math.min(most, Math.max(least, found));
}
