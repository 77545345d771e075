import * as vscode from "vscode";
import type { MessagesConnection } from "#app/connections/connection.ts";
import { isReadableOnTheWay } from "#app/connections/fields.ts";
import type { SettingKey } from "#app/settings.ts";
import { ClientError, type Service } from "#base/errors.ts";
import { leadTo, notify } from "../kit/prompts.ts";
import { syntheticRow } from "../kit/tree.ts";

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
	const revealSetting = { key: "switchboard.connections" satisfies SettingKey };
	await vscode.commands.executeCommand("workbench.action.openSettingsJson", { revealSetting });
}

/**
 * Asks whether a secret may go to an address at which it can be read on its way. Resolves when it may. When the address is
 * to be corrected, or the question is left open, it leads to that of the `connection` and throws `aborted`; without one it
 * throws {@link AddressUnwanted}.
 */
export async function confirmReadable(
	baseUrl: string,
	{
		service,
		secret,
		connection,
	}: { readonly service: Service; readonly secret: string | undefined; readonly connection?: string | undefined },
): Promise<void> {
	if (secret === undefined || secret === "" || !isReadableOnTheWay(baseUrl)) return;
	const use = "Use Anyway";
	const text = `The credential would go to ${new URL(baseUrl).host} over plain http, where others on the network can read it.`;
	const choice = await notify("Warning", text, "Edit Address", use);
	if (choice === use) return;
	// Dismissing the question returns to the address, so that earlier answers are not lost.
	if (connection === undefined) throw new AddressUnwanted(`Use https to keep the credential private on the network.`);
	void vscode.commands.executeCommand("switchboard.editConnection", syntheticRow({ connection }));
	throw personLeft(service);
}

/** Error of a question that the person has left open. */
export function personLeft(service: Service): ClientError {
	return new ClientError(service, "aborted", "The person left");
}
