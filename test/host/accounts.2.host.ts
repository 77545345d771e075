import assert from "node:assert/strict";
import { after, before, describe, it } from "mocha";
import * as vscode from "vscode";
import { until } from "../support/until.ts";
import { startUserService, type UserService } from "../support/user-service.ts";
import { accountLogins, eachIsItsOwn, OWNERS, storedAccounts } from "./kept-accounts.ts";

describe("two accounts after the window was closed and opened again", () => {
	let service: UserService;
	let stored: ReturnType<typeof storedAccounts>;
	before(async () => {
		stored = storedAccounts();
		service = await startUserService(OWNERS, Number(new URL(stored[0].baseUrl).port));
	});
	after(() => service.close());

	it("are both still there, each with its own token", async () => {
		await eachIsItsOwn(stored);
		assert.deepEqual(await accountLogins(), ["first", "second"]);
	});

	it("show when their token expires, as it was entered", async () => {
		const status = await vscode.commands.executeCommand<{ tokenExpiresAt: string }>("switchboard.codehost.status", {
			connection: stored[0].id,
		});
		assert.match(status.tokenExpiresAt, /^2099-12-31/);
	});

	it("forget when a token expires that another one has replaced by name, unless its own end comes with it", async () => {
		const [, { id }] = stored;
		const expiresAt = async () =>
			(
				await vscode.commands.executeCommand<{ tokenExpiresAt: string | null }>("switchboard.codehost.status", {
					connection: id,
				})
			).tokenExpiresAt;
		const edit = (change: object) =>
			vscode.commands.executeCommand("switchboard.editConnection", { connection: id, ...change });
		const [other, token] = Object.keys(OWNERS);
		await edit({ expiresAt: "2098-01-01" });
		await edit({ token: other });
		assert.equal(await expiresAt(), null);
		await edit({ token, expiresAt: "2098-01-01" });
		assert.match((await expiresAt()) ?? "", /^2098-01-01/);
		await edit({ token });
		assert.match((await expiresAt()) ?? "", /^2098-01-01/, "it is the same token");
	});

	it("are accounts no more once signed out, and the other one stays", async () => {
		const gone: string[] = [];
		const subscription = vscode.authentication.onDidChangeSessions(({ provider }) => gone.push(provider.id));
		await vscode.commands.executeCommand("switchboard.signOut", { connection: stored[0].id });
		await assert.rejects(async () =>
			vscode.commands.executeCommand("switchboard.codehost.whoAmI", { connection: stored[0].id }),
		);
		await until(async () => gone.includes("switchboard-codehost"), "the editor to hear of it");
		subscription.dispose();
		assert.deepEqual(await accountLogins(), ["second"]);
	});

	it("leave nothing behind when their connections are removed", async () => {
		for (const { id } of stored)
			await vscode.commands.executeCommand("switchboard.removeConnection", { connection: id });
		assert.deepEqual(await accountLogins(), []);
	});
});
