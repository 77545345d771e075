import assert from "node:assert/strict";
import { after, before, describe, it } from "mocha";
import * as vscode from "vscode";
import { startUserService, type UserService } from "../support/user-service.ts";
import { labelOf, OWNERS } from "./kept-accounts.ts";

describe("two accounts of a code host", () => {
	let service: UserService;
	before(async () => {
		service = await startUserService(OWNERS);
	});
	after(() => service.close());

	it("are kept side by side, each with its own token", async () => {
		for (const [token, login] of Object.entries(OWNERS)) {
			const added = await vscode.commands.executeCommand("switchboard.addConnection", {
				service: "codehost",
				label: labelOf(login),
				baseUrl: service.baseUrl,
				token,
				expiresAt: "2099-12-31",
			});
			assert.equal((added as { login: string }).login, login);
		}
		assert.deepEqual(new Set(service.seen), new Set(Object.keys(OWNERS)));
	});

	it("are accounts of the editor, named with their host", async () => {
		const accounts = await vscode.authentication.getAccounts("switchboard-codehost");
		const { host } = new URL(service.baseUrl);
		assert.deepEqual(accounts.map(({ label }) => label).sort(), [`first (${host})`, `second (${host})`]);
	});
});
