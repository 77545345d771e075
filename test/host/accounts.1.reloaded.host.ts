import assert from "node:assert/strict";
import { after, before, describe, it } from "mocha";
import { startUserService, type UserService } from "../support/user-service.ts";
import { accountLogins, eachIsItsOwn, OWNERS, storedAccounts } from "./kept-accounts.ts";

describe("two accounts after the window was reloaded", () => {
	let service: UserService;
	before(async () => {
		service = await startUserService(OWNERS, Number(new URL(storedAccounts()[0].baseUrl).port));
	});
	after(() => service.close());

	it("are both still there, each with its own token", async () => {
		await eachIsItsOwn(storedAccounts());
		assert.deepEqual(new Set(service.seen), new Set(Object.keys(OWNERS)));
	});

	it("are still accounts of the editor", async () => {
		assert.deepEqual(await accountLogins(), ["first", "second"]);
	});
});
