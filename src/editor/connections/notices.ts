import * as vscode from "vscode";
import type { MessagesConnection } from "#app/connections/connection.ts";
import { isReadableOnTheWay } from "#app/connections/fields.ts";
import type { SettingKey } from "#app/settings.ts";
import { ClientError, type Service } from "#base/errors.ts";
import { leadTo, notify } from "../kit/prompts.ts";
import { syntheticRow } from "../kit/tree.ts";

/** Announces which connection replaces a removed one, since it will receive what is written. */
export function tellReplaced(gone: MessagesConnection, now: MessagesConnection): void {
	const step = { label: "Choose Another", command: "switchboard.chat.selectConnection" };
	leadTo(`${gone.label} is gone. Messages now go to ${now.label} (${new URL(now.baseUrl).host}).`, step);
}

/** Warns about unusable entries of the settings, which would look like lost connections. */
export async function tellProblems(problems: readonly string[]): Promise<void> {
	const more = problems.length === 1 ? "" : ` And ${problems.length - 1} more.`;
	const text = `A connection in the settings cannot be used: ${problems[0]}.${more}`;
	if ((await notify("Warning", text, "Open Settings")) === undefined) return;
	const revealSetting = { key: "switchboard.connections" satisfies SettingKey };
	await vscode.commands.executeCommand("workbench.action.openSettingsJson", { revealSetting });
}

/** Asks before a secret goes over plain http. Throws `aborted`, or `invalid` for the address without a `connection`. */
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
	const text = `Requests to ${new URL(baseUrl).host} would carry a credential over plain http, where others on the network can read it.`;
	if ((await notify("Warning", text, "Edit Address", use)) === use) return;
	// Dismissing the question returns to the address, so that earlier answers are not lost.
	if (connection === undefined)
		throw new ClientError(service, "invalid", "Use https to keep the credential private on the network.");
	void vscode.commands.executeCommand("switchboard.editConnection", syntheticRow({ connection }));
	throw personLeft(service);
}

/** Error of a prompt that was dismissed. */
export function personLeft(service: Service): ClientError {
	return new ClientError(service, "aborted", "The person left");
}
