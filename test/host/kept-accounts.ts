import assert from "node:assert/strict";
import * as vscode from "vscode";

/** The tokens that the first window is given, and whose they are. */
export const OWNERS = { "service_pat_first-0123456789": "first", "svc_second-0123456789": "second" };

/** A connection to a code host as the settings keep it. */
export interface Stored {
	readonly id: string;
	readonly label: string;
	readonly baseUrl: string;
}

/** What a connection of an owner is called. */
export function labelOf(login: string): string {
	return `Account of ${login}`;
}

/** The connections of an earlier window, all to one service. */
export function storedAccounts(): readonly [Stored, Stored] {
	const list = vscode.workspace.getConfiguration().get<Stored[]>("switchboard.connections") ?? [];
	const [first, second, ...others] = list.filter(({ label }) => label.startsWith(labelOf("")));
	assert.ok(first !== undefined && second !== undefined, "the accounts of the first window are in the settings");
	assert.deepEqual(others, []);
	return [first, second];
}

/** Asks the service who the owner of each connection's token is, and finds each to be its own. */
export async function eachIsItsOwn(stored: readonly Stored[]): Promise<void> {
	for (const { id, label } of stored) {
		const who = await vscode.commands.executeCommand<{ login: string }>("switchboard.codehost.whoAmI", {
			connection: id,
		});
		assert.equal(label, labelOf(who.login));
	}
}

/** The logins of the editor's accounts at code hosts, in order. */
export async function accountLogins(): Promise<readonly (string | undefined)[]> {
	const accounts = await vscode.authentication.getAccounts("switchboard-codehost");
	return accounts.map(({ label }) => label.split(" ")[0]).sort();
}
