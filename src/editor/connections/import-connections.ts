import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join, posix } from "node:path";
import * as vscode from "vscode";
import { listedModels } from "#app/connections/connection.ts";
import { type Importable, readImportable } from "#app/connections/importable.ts";
import type { ConnectionRegistry } from "#app/connections/registry.ts";
import { ClientError, type ErrorCode, invalid } from "#base/errors.ts";
import { LIMITS } from "#base/limits.ts";
import { withoutIcons } from "../kit/plain.ts";
import { askSeveral, choose, leadTo } from "../kit/prompts.ts";
import { syntheticRow } from "../kit/tree.ts";
import { withProgress } from "../progress.ts";
import { replaceSecretByPrompt } from "./ask-connection.ts";
import { defaultLabel } from "./connect.ts";
import { namesIn } from "./connection-facts.ts";
import { CONNECTED_SERVICES, noAnswers } from "./services.ts";

const TITLE = "Import Connections";

/** Adds the services in settings that are given, or those that the person chooses. It takes no key from there. */
export async function importConnections(given: string | undefined, registry: ConnectionRegistry, userFolder: string) {
	const settings = given === undefined ? await askSettings(userFolder) : { source: "text", text: given };
	if (settings === undefined) return undefined;
	const { source, text } = settings;
	const kept = registry.list("messages").map(({ baseUrl }) => baseUrl);
	const { services, skipped } = await readImportable(text, source, kept);
	if (given !== undefined) return { ...(await addAll(services, registry)), skipped };
	if (services.length === 0) return leadTo(`${source} has no new address.`);
	const rows = services.map((value) => ({
		label: withoutIcons(labelOf(value)),
		description: withoutIcons(value.baseUrl),
		detail: withoutIcons(namesIn(listedModels(value).map(({ name, label = name }) => label))),
		value,
		picked: true,
		group: source,
	}));
	const chosen = await askSeveral({ title: TITLE, placeholder: "Which ones to add? Keys are left behind." }, rows);
	return chosen && addChosen(chosen, skipped, registry);
}

/** Asks for settings that are where their tools keep them, for the clipboard or for a file. */
async function askSettings(userFolder: string) {
	const own = [
		{ label: "Continue", detail: join(homedir(), ".continue/config.yaml") },
		{ label: "Continue", detail: join(homedir(), ".continue/config.json") },
		{ label: "VS Code", detail: join(userFolder, "chatLanguageModels.json") },
	].filter(({ detail }) => existsSync(detail));
	const read = await choose({ title: TITLE, placeholder: "Import from where?" }, [
		...own.map((row) => ({ ...row, value: () => settingsAt(vscode.Uri.file(row.detail)) })),
		{
			label: "Clipboard",
			detail: "Addresses with their models, one a line, or settings that you copied",
			value: async () => ({ source: "The clipboard", text: await vscode.env.clipboard.readText() }),
		},
		{
			label: "File...",
			detail: "Such as config.yaml, chatLanguageModels.json or roo-code-settings.json",
			async value() {
				const [file] = (await vscode.window.showOpenDialog({ title: TITLE, openLabel: "Import" })) ?? [];
				return file && settingsAt(file);
			},
		},
	]);
	return read?.();
}

async function settingsAt(uri: vscode.Uri) {
	const { fs } = vscode.workspace;
	const source = posix.basename(uri.path);
	if ((await fs.stat(uri)).size > LIMITS.importCharacters) throw invalid("messages", source, "is too large");
	return { source, text: new TextDecoder().decode(await fs.readFile(uri)) };
}

function labelOf({ label, profile, baseUrl }: Importable): string {
	return label ?? defaultLabel({ ...noAnswers("messages"), profile, baseUrl });
}

/** Codes of a service that may not be running just now. */
const AWAY: ReadonlySet<ErrorCode> = new Set(["network", "timeout", "proxy", "overloaded", "server"]);

/**
 * Adds each service that speaks the messages API, also one that refuses requests without a key, or is away just now. Those
 * that are not checked yet when the signal aborts are left out.
 */
async function addAll(services: readonly Importable[], registry: ConnectionRegistry, signal?: AbortSignal) {
	const refused = new Set<string>();
	const notMessages: string[] = [];
	const unreached: string[] = [];
	const adding = services.map(async (each) => {
		const draft = { ...each, service: "messages", label: labelOf(each), model: listedModels(each)[0]?.name } as const;
		try {
			return [(await registry.add(draft, undefined, { signal })).id];
		} catch (error) {
			if (!(error instanceof ClientError)) throw error;
			if (error.code === "aborted") return [];
			const isRefused = CONNECTED_SERVICES.messages.form.fieldToFix(error, noAnswers("messages")) === "key";
			if (AWAY.has(error.code)) unreached.push(each.baseUrl);
			else if (!isRefused) {
				notMessages.push(each.baseUrl);
				return [];
			}
			const { id } = await registry.add(draft, undefined, { unasked: true });
			if (isRefused) refused.add(id);
			return [id];
		}
	});
	const ids = (await Promise.all(adding)).flat();
	return { ids, needKey: ids.filter((id) => refused.has(id)), notMessages, unreached };
}

async function addChosen(chosen: readonly Importable[], skipped: readonly string[], registry: ConnectionRegistry) {
	const add = (signal: AbortSignal) => addAll(chosen, registry, signal);
	const added = await withProgress("Checking the addresses...", add, { wizard: TITLE });
	const { ids, needKey, notMessages, unreached } = added;
	const unchecked = chosen.length - ids.length - notMessages.length;
	// After Escape, no further key is asked for.
	while (unchecked === 0 && needKey[0] !== undefined) {
		const connection = registry.require(needKey[0]);
		try {
			if (!(await replaceSecretByPrompt(connection, registry, ["key"], { isOnly: true }))) break;
		} catch (error) {
			if (!(error instanceof ClientError)) throw error;
			await registry.remove(connection.id);
			ids.splice(ids.indexOf(connection.id), 1);
			notMessages.push(connection.baseUrl);
		}
		needKey.shift();
	}
	const about = (words: string, names: readonly string[]) => names.length > 0 && `${words}: ${namesIn(names)}.`;
	const labels = needKey.map((id) => registry.labelOf(id));
	const said = [
		`${ids.length || "No"} ${ids.length === 1 ? "connection" : "connections"} added.`,
		unchecked > 0 && `Canceled before ${unchecked} ${unchecked === 1 ? "was" : "were"} checked.`,
		about("Needs a key", labels),
		about("Does not speak the Messages API", notMessages),
		about("Not reached just now", unreached),
		about("Without an address", skipped),
	];
	const argument = syntheticRow({ connection: needKey[0] });
	const enterKey = { label: "Enter Key", command: "switchboard.replaceKey", argument };
	const next = labels.length > 0 ? enterKey : CONNECTED_SERVICES.messages.next;
	leadTo(said.filter(Boolean).join(" "), ...(ids.length > 0 ? [next] : []));
	return { ...added, skipped };
}
