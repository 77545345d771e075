import assert from "node:assert/strict";
import { after, before, describe, it } from "mocha";
import * as vscode from "vscode";
import { type Sandbox, startSandbox } from "#sandbox/sandbox.ts";
import { refused, run } from "../support/checked-run.ts";

interface Called<T = unknown> {
	readonly status: number;
	readonly data: T;
	readonly ms: number;
}

describe("a pet store in an editor", () => {
	let sandbox: Sandbox;
	let connection: string;
	before(async () => {
		sandbox = await startSandbox({ curious: true });
	});
	after(async () => {
		await run("removeConnection", { connection });
		await sandbox.close();
	});
	const base = () => ({ service: "petstore", baseUrl: sandbox.baseUrls.petstore, profile: "sandbox" });
	const settings = () => JSON.stringify(vscode.workspace.getConfiguration().inspect("switchboard.connections"));
	const call = <T>(operation: string, params?: object): Thenable<Called<T>> =>
		run("petstore.call", { connection, operation, ...(params === undefined ? {} : { params }) });

	it("is added with a key and a token, and neither is in the settings", async () => {
		const { apiKey, token } = sandbox.keys.petstore;
		const added = await run<{ id: string }>("addConnection", {
			...base(),
			label: "Pets",
			apiKey,
			token,
			format: "xml",
		});
		assert.deepEqual(Object.keys(added), ["id"]);
		connection = added.id;
		assert.match(settings(), /"format":"xml"/);
		for (const secret of [apiKey, token]) assert.ok(!settings().includes(secret));
	});

	it("stores nothing that the service refuses, and names the field at fault", async () => {
		const before = settings();
		const { expiredToken } = sandbox.keys.petstore;
		await refused(run("addConnection", { ...base(), label: "Old", token: expiredToken }), /expired/, [expiredToken]);
		await refused(run("addConnection", { ...base(), label: "x", apiKey: "not-the-key" }), /api_key/, ["not-the-key"]);
		await refused(run("addConnection", { ...base(), label: "x", format: "yaml" }), /format/);
		await refused(run("addConnection", { ...base(), label: "x", key: "k" }), /key does not belong/);
		await refused(run("petstore.addConnection", { label: "x" }), /baseUrl/);
		assert.equal(settings(), before);
	});

	it("is added by a preset's name, or by what differs, and asked where that says", async () => {
		const { apiKey } = sandbox.keys.petstore;
		const below = `${sandbox.baseUrls.petstore}/v2`;
		const profile = { basePath: "/v2", authUrl: "https://sign.example", clientId: "me" };
		const { id } = await run<{ id: string }>("addConnection", {
			service: "petstore",
			label: "Otherwise",
			baseUrl: below,
			profile,
			apiKey: `"${apiKey}"`,
		});
		assert.ok(settings().includes('"authUrl":"https://sign.example","clientId":"me"'), settings());
		assert.equal((await run<{ ok: boolean }>("testConnection", { connection: id })).ok, true);
		await run("removeConnection", { connection: id });
		const bare = await run<{ id: string }>("petstore.addConnection", { label: "Bare", baseUrl: below });
		assert.deepEqual(Object.keys(bare), ["id"]);
		await run("removeConnection", { connection: bare.id });
		await refused(run("addConnection", { ...base(), label: "x", profile: "nothing" }), /profile.*swagger-petstore/);
		await refused(
			run("addConnection", { ...base(), label: "x", profile: { page: "x" } }),
			/profile\.page is not known/,
		);
		await refused(run("addConnection", { ...base(), label: "x", token: "a b" }), /token has a space/);
		await refused(run("addConnection", { ...base(), label: "" }), /label/);
	});

	it("replaces key and token one without the other, and tests what is stored", async () => {
		assert.equal((await run<{ ok: boolean }>("testConnection", { connection })).ok, true);
		const { keys, petstore } = sandbox;
		await run("replaceKey", { connection, token: petstore.tokens.mint() });
		assert.equal((await call("getInventory")).status, 200);
		await refused(run("replaceKey", { connection, apiKey: "not-the-key" }), /api_key/, ["not-the-key"]);
		await refused(run("replaceKey", { connection, key: keys.petstore.apiKey }), /does not belong/);
		assert.equal((await call("getPetById", { petId: 1 })).status, 200);
		await run("replaceKey", { connection, token: "" });
		await refused(call("findPetsByStatus", { status: ["sold"] }), /token/i);
		assert.equal((await call("getInventory")).status, 200);
	});
});
