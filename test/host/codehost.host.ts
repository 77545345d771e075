import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { after, before, describe, it } from "mocha";
import * as vscode from "vscode";
import { readAppKey } from "#api/codehost/private-key.ts";
import { type Sandbox, startSandbox } from "#sandbox/sandbox.ts";
import { refused, run } from "../support/checked-run.ts";
import { readShownRows, type ShownRow } from "../support/shown-rows.ts";
import { until } from "../support/until.ts";

/** Waits until a view shows on screen what it should. */
async function shown(view: string, holds: (rows: readonly ShownRow[]) => boolean, what: string): Promise<void> {
	let rows: readonly ShownRow[] = [];
	const look = async () => {
		rows = await readShownRows(view);
		return holds(rows);
	};
	await until(look, what).catch((error: Error) => {
		throw new Error(`${error.message}; on screen: ${JSON.stringify(rows)}`);
	});
}

const isIssue = ({ name }: ShownRow) => /^(Open |Closed )?issue \d+/i.test(name);

/** True if an issue with that number of siblings, itself included, is on screen. */
const isIssueAmong = (siblings: number) => (rows: readonly ShownRow[]) =>
	rows.some((row) => isIssue(row) && row.siblings === siblings);

describe("a code host in an editor", () => {
	let sandbox: Sandbox;
	let pat: string;
	let app: string;
	before(async () => {
		sandbox = await startSandbox();
	});
	after(async () => {
		for (const connection of [pat, app]) await run("removeConnection", { connection });
		await sandbox.close();
	});
	const base = () => ({ service: "codehost", baseUrl: sandbox.baseUrls.codehost, profile: "sandbox" });

	it("is added with a token, and says whose it is", async () => {
		const added = await run<{ id: string; login: string }>("addConnection", {
			...base(),
			label: "Ada",
			token: sandbox.keys.codehost.fineGrained,
		});
		pat = added.id;
		assert.deepEqual(Object.keys(added).sort(), ["id", "login"]);
		assert.equal(added.login, "ada");
	});

	it("is added as an app, and the key is nowhere to be seen", async () => {
		const { appId, installationId, privateKeyPem } = sandbox.keys.codehost.app;
		const privateKey = await privateKeyPem();
		const added = await run<{ id: string }>("addConnection", {
			...base(),
			label: "Night Operator",
			appId,
			installationId,
			privateKey,
		});
		app = added.id;
		const settings = JSON.stringify(vscode.workspace.getConfiguration().inspect("switchboard.connections"));
		assert.match(settings, /Night Operator/);
		assert.match(settings, /SHA256:/);
		assert.doesNotMatch(settings, /PRIVATE KEY/);
		assert.ok(!settings.includes(sandbox.keys.codehost.fineGrained));
	});

	it("stores nothing that the service refuses, and names the field at fault", async () => {
		const before = vscode.workspace.getConfiguration().get("switchboard.connections");
		const token = sandbox.keys.codehost.expired;
		const add = (fields: object) => run("addConnection", { ...base(), label: "x", ...fields });
		await refused(add({ token }), /Bad credentials/i, [token]);
		await refused(add({}), /token is missing/);
		await refused(add({ token: "a", appId: 1 }), /together/);
		await refused(add({ appId: 1, privateKey: "nonsense" }), /privateKey has no BEGIN line/);
		await refused(add({ token: "a", model: "m" }), /^model does not belong to this connection/);
		await refused(run("editConnection", { connection: pat, model: "m" }), /model does not belong to this connection/);
		assert.deepEqual(vscode.workspace.getConfiguration().get("switchboard.connections"), before);
	});

	it("names the App ID and the key that were refused where no view shows them", async () => {
		const { appId } = sandbox.keys.codehost.app;
		const { privateKey: key } = generateKeyPairSync("rsa", { modulusLength: 2048 });
		const privateKey = key.export({ type: "pkcs8", format: "pem" }).toString();
		const wrong = `refused App ID ${appId} with the key ${readAppKey(privateKey).fingerprint} (401).`;
		for (const call of [
			run("addConnection", { ...base(), label: "Wrong", appId, privateKey }),
			run("replaceKey", { connection: app, privateKey }),
		]) {
			await assert.rejects(call, ({ message }: Error) => message.includes(wrong));
		}
		assert.equal((await run<{ ok: boolean }>("testConnection", { connection: app })).ok, true);
	});

	it("takes a token's expiry with the token, but not from an app or in the past", async () => {
		const token = sandbox.keys.codehost.classic;
		const endOf = async () =>
			(await run<{ tokenExpiresAt: string | null }>("codehost.status", { connection: pat })).tokenExpiresAt;
		await refused(run("replaceKey", { connection: pat, token, expiresAt: "2001-01-01" }), /expiresAt must not be/);
		assert.equal(await endOf(), null);
		await run("replaceKey", { connection: pat, token, expiresAt: "2199-12-31" });
		assert.equal(await endOf(), "2199-12-31T23:59:59.999Z");
		await run("replaceKey", { connection: pat, token });
		assert.equal(await endOf(), null);
		const ofApp = { connection: app, expiresAt: "2199-12-31" };
		await refused(run("editConnection", ofApp), /^expiresAt does not belong to this connection/);
		const privateKey = await sandbox.keys.codehost.app.privateKeyPem();
		await refused(run("replaceKey", { ...ofApp, privateKey }), /^expiresAt does not belong to this connection/);
	});
});

describe("a silent code host in an editor", () => {
	let hosts: readonly Sandbox[] = [];
	const ids: string[] = [];
	before(async () => {
		hosts = await Promise.all([startSandbox({ codehost: { on: ["issues"], neverAnswer: true } }), startSandbox()]);
	});
	after(async () => {
		for (const connection of ids) await run("removeConnection", { connection });
		for (const each of hosts) await each.close();
	});

	it("keeps back no row of another one, and has a row that says that it is loading", async () => {
		const repository = "exchange/paging";
		for (const { baseUrls, keys } of hosts) {
			const host = { service: "codehost", baseUrl: baseUrls.codehost, profile: "sandbox", label: "Host" };
			const { id } = await run<{ id: string }>("addConnection", { ...host, token: keys.codehost.classic });
			ids.push(id);
			await run("codehost.addRepository", { connection: id, repository });
		}
		await vscode.commands.executeCommand("switchboard.issues.focus");
		await run("codehost.showIssues", { connection: ids[0], repository });
		await run("codehost.showIssues", { connection: ids[1], repository });
		await shown("Issues", isIssueAmong(100 + 1), "the issues of the other one");
		await run("codehost.showIssues", { connection: ids[0], repository });
		await shown("Issues", (rows) => rows.some(({ name }) => name === "Loading issues"), "the row of the silent one");
	});
});

describe("the sandbox in an editor", () => {
	let ids: readonly string[] = [];
	// Other suites have the views to themselves.
	after(async () => {
		for (const connection of ids) await run("removeConnection", { connection });
	});

	it("connects every service, with repositories to look at", async () => {
		const { connections } = await run<{ connections: Record<string, string> }>("trySandbox", {});
		assert.deepEqual(Object.keys(connections).sort(), ["codehost", "codehostApp", "messages", "petstore"]);
		ids = Object.values(connections);
		const { codehost, codehostApp } = connections;
		const wish = { repository: "exchange/switchboard", limit: 1 };
		for (const connection of [codehost, codehostApp]) {
			const { issues } = await run<{ issues: object[] }>("codehost.listIssues", { connection, ...wish });
			assert.equal(issues.length, 1);
		}
		// The first page may be there already: a row says how many issues a repository has.
		const more = await run<{ loaded: number; complete: boolean }>("codehost.loadMore", {
			repository: "exchange/archive",
		});
		assert.deepEqual([more.loaded % 100, more.complete], [0, false]);
		assert.deepEqual((await run<{ connections: object }>("trySandbox", {})).connections, connections);
	});

	it("lists the issues of a query of the settings, as it is there by now", async () => {
		const settings = vscode.workspace.getConfiguration("switchboard.codeHost");
		const write = (queries: unknown) => settings.update("queries", queries, vscode.ConfigurationTarget.Global);
		const { codehost: connection } = (await run<{ connections: Record<string, string> }>("trySandbox", {})).connections;
		const counted = async () => {
			const { loaded } = await run<{ loaded: number }>("codehost.loadMore", { connection, repository: "ada/garden" });
			return loaded;
		};
		try {
			await write([{ name: "Mine", parameters: { creator: "@me" } }, { parameters: {} }]);
			await run("codehost.chooseQuery", { query: "Mine" });
			const mine = await counted();
			assert.ok(mine > 0);
			await write([{ name: "Mine", parameters: { creator: "@me", labels: "bug" } }]);
			await until(async () => (await counted()) < mine, "the query as it was changed");
			await write(undefined);
			await until(async () => (await counted()) > mine, "all issues once the query is gone");
			await refused(run("codehost.chooseQuery", { query: "Mine" }), /query is not the name of a query/);
		} finally {
			await write(undefined);
			await run("codehost.chooseQuery", { query: "All Issues" });
		}
	});
});
