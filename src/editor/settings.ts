import * as vscode from "vscode";
import type { CallPatience } from "#api/http/caller.ts";
import type { MessagesPatience } from "#api/messages/model.ts";
import type { ChatParameters } from "#app/chat/parameters.ts";
import { type Prompt, promptsOf, withPrompt } from "#app/chat/prompts.ts";
import type { ConnectionSettings } from "#app/ports.ts";
import { SETTINGS, type SettingKey, type SettingValues } from "#app/settings.ts";
import { LIMITS } from "#base/limits.ts";
import { parsed } from "#base/schema.ts";
import { leaving } from "./kit/leaving.ts";

/** Value of a setting; its default where the value has the wrong type, as for the editor's own settings. */
export function setting<K extends SettingKey>(key: K): SettingValues[K] {
	const { type } = SETTINGS[key];
	return parsed(type, vscode.workspace.getConfiguration().get(key)) ?? type.otherwise;
}

/** The parameters of `switchboard.chat.*`, empty ones left out. */
export function chatParameters(): ChatParameters {
	const stopSequences = setting("switchboard.chat.stopSequences");
	return {
		model: setting("switchboard.chat.model"),
		maxTokens: setting("switchboard.chat.replyLimit"),
		system: setting("switchboard.chat.systemPrompt") || undefined,
		temperature: setting("switchboard.chat.temperature"),
		topP: setting("switchboard.chat.topP"),
		topK: setting("switchboard.chat.topK"),
		stopSequences: stopSequences.length > 0 ? stopSequences : undefined,
	};
}

/** The saved prompts. */
export function savedPrompts(): readonly Prompt[] {
	return promptsOf(setting("switchboard.chat.prompts"));
}

/** Saves a prompt in the user settings, in place of one of the same name. */
export async function savePrompt(prompt: Prompt): Promise<void> {
	await setForUser("switchboard.chat.prompts", withPrompt(ofUser("switchboard.chat.prompts"), prompt));
}

/** Value in the user settings, as it was written; undefined if there is none. */
function ofUser(key: SettingKey): unknown {
	return vscode.workspace.getConfiguration().inspect(key)?.globalValue;
}

/** Changes a user setting. */
export async function setForUser(key: SettingKey, value: unknown): Promise<void> {
	try {
		await vscode.workspace.getConfiguration().update(key, value, vscode.ConfigurationTarget.Global);
	} catch (error) {
		// The editor's words for a file that another window has written name no next step.
		if (!/\bnewer\b/.test(String(error))) throw error;
		throw new Error("Another window has changed the settings. Reload this window and try again.", { cause: error });
	}
}

/** Value of a switch of the editor's own; undefined in an editor without it, though its settings file may name it. */
export function editorSwitch(key: string): boolean | undefined {
	const configuration = vscode.workspace.getConfiguration();
	return configuration.inspect(key)?.defaultValue === undefined ? undefined : configuration.get(key) === true;
}

/** Runs the listener whenever a setting, or one of the editor's Chat, changes. */
export function onSettingChange(key: SettingKey | "chat", listener: () => void): vscode.Disposable {
	return vscode.workspace.onDidChangeConfiguration((event) => {
		if (event.affectsConfiguration(key)) listener();
	});
}

/** Names of the tools that the person turned on by default; undefined where they have not chosen. */
export function defaultTools(): readonly string[] | undefined {
	return parsed(SETTINGS["switchboard.chat.tools"].type, ofUser("switchboard.chat.tools"));
}

/** Timeouts and retries of a messages client. The first byte gets no less time: a whole reply comes with it. */
export function patience(firstByteMs: number = LIMITS.cloudFirstByteMs): MessagesPatience {
	const shared = servicePatience();
	return {
		...shared,
		silenceNoticeMs: setting("switchboard.silence.noticeSeconds") * 1_000,
		firstByteMs: Math.max(firstByteMs, shared.silenceLimitMs),
	};
}

/** Timeouts and retries of the clients of code hosts and pet stores. */
export function servicePatience(): CallPatience {
	return {
		maxAttempts: setting("switchboard.retry.maxAttempts"),
		maxRetryWaitMs: setting("switchboard.retry.maxWaitSeconds") * 1_000,
		silenceLimitMs: setting("switchboard.silence.limitSeconds") * 1_000,
	};
}

/** Connections of the user settings only: a workspace must never point a key at another address. */
export const userConnections: ConnectionSettings = {
	read: () => ofUser("switchboard.connections"),
	write: (connections) =>
		setForUser("switchboard.connections", connections.length === 0 ? undefined : leaving(connections)),
	onDidChange: (listener) => onSettingChange("switchboard.connections", listener),
};
