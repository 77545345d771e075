import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { after, before, describe, it } from "mocha";
import * as vscode from "vscode";
import { startUserService, type UserService } from "../support/user-service.ts";

/** The same in the suite of the first start. */
const OWNERS = { "service_pat_first-0123456789": "first", "svc_second-0123456789": "second" };

interface Stored {
	readonly id: string;
	readonly label: string;
	readonly baseUrl: string;
}

const labels = async () =>
	(await vscode.authentication.getAccounts("switchboard-codehost")).map(({ label }) => label.split(" ")[0]).sort();

describe("two accounts after the window was closed and opened again", () => {
	let service: UserService;
	let stored: readonly Stored[];
	before(async () => {
		const list = vscode.workspace.getConfiguration().get<Stored[]>("switchboard.connections") ?? [];
		stored = list.filter(({ label }) => label.startsWith("Account of "));
		assert.equal(stored.length, 2);
		service = await startUserService(OWNERS, Number(new URL(stored[0]?.baseUrl ?? "").port));
	});
	after(() => service.close());

	it("are both still there, each with its own token", async () => {
		for (const { id, label } of stored) {
			const who = await vscode.commands.executeCommand<{ login: string }>("switchboard.codehost.whoAmI", {
				connection: id,
			});
			assert.equal(label, `Account of ${who.login}`);
		}
		assert.deepEqual(await labels(), ["first", "second"]);
	});

	it("tell when their token expires, as it was entered", async () => {
		const status = await vscode.commands.executeCommand<{ tokenExpiresAt: string }>("switchboard.codehost.status", {
			connection: stored[0]?.id,
		});
		assert.match(status.tokenExpiresAt, /^2099-12-31/);
	});

	it("are accounts no more once signed out, and the other one stays", async () => {
		const gone: string[] = [];
		const subscription = vscode.authentication.onDidChangeSessions(({ provider }) => gone.push(provider.id));
		await vscode.commands.executeCommand("switchboard.signOut", { connection: stored[0]?.id });
		await assert.rejects(async () =>
			vscode.commands.executeCommand("switchboard.codehost.whoAmI", { connection: stored[0]?.id }),
		);
		for (let waited = 0; !gone.includes("switchboard-codehost") && waited < 5_000; waited += 50) await delay(50);
		subscription.dispose();
		assert.ok(gone.includes("switchboard-codehost"));
		assert.deepEqual(await labels(), ["second"]);
	});

	it("leave nothing behind when their connections are removed", async () => {
		for (const { id } of stored)
			await vscode.commands.executeCommand("switchboard.removeConnection", { connection: id });
		assert.deepEqual(await labels(), []);
	});
});
