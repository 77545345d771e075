import * as vscode from "vscode";
import type { MessagesConnection } from "#app/connections/connection.ts";
import { isReadableOnTheWay } from "#app/connections/fields.ts";
import { SETTINGS } from "#app/contributions.ts";
import type { Service } from "#base/errors.ts";
import { leadTo, notify } from "../kit/prompts.ts";

/** Thrown when the person wants to correct the address; `message` is why, in a sentence. */
export class AddressUnwanted extends Error {}

/**
 * Says where messages go now that the connection in use has gone: what a person writes must not change its reader unnoticed.
 */
export function tellReplaced(gone: MessagesConnection, now: MessagesConnection): void {
	const step = { label: "Choose Another", command: "switchboard.chat.selectConnection" };
	leadTo(`${gone.label} is gone. Messages now go to ${now.label} (${new URL(now.baseUrl).host}).`, step);
}

/** Says that entries of the settings cannot be used: without a word, a slip of the pen looks like a lost connection. */
export async function tellProblems(problems: readonly string[]): Promise<void> {
	const more = problems.length === 1 ? "" : ` And ${problems.length - 1} more.`;
	const text = `A connection in the settings cannot be used: ${problems[0]}.${more}`;
	if ((await notify("Warning", text, "Open Settings")) === undefined) return;
	const revealSetting = { key: SETTINGS.connections };
	await vscode.commands.executeCommand("workbench.action.openSettingsJson", { revealSetting });
}

/**
 * Asks whether a secret may go to an address at which it can be read on its way. Resolves when it may. Throws {@link
 * AddressUnwanted} when the address is to be corrected, or the question is left open.
 */
export async function confirmReadable(
	baseUrl: string,
	{ service, secret }: { readonly service: Service; readonly secret: string | undefined },
): Promise<void> {
	if (secret === undefined || secret === "" || !isReadableOnTheWay(baseUrl)) return;
	const use = "Use Anyway";
	const name = service === "messages" ? "key" : "credential";
	const text = `The ${name} would go to ${new URL(baseUrl).host} over plain http, where others on the network can read it.`;
	const choice = await notify("Warning", text, "Edit Address", use);
	// Dismissing the question returns to the address, so that earlier answers are not lost.
	if (choice !== use) throw new AddressUnwanted(`Use https to keep the ${name} private on the network.`);
}
