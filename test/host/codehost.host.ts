import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { after, before, describe, it } from "mocha";
import * as vscode from "vscode";
import { readAppKey } from "#api/codehost/private-key.ts";
import { type Sandbox, startSandbox } from "#sandbox/sandbox.ts";
import { run } from "../support/checked-run.ts";
import { lean } from "../support/misbehavior.ts";
import { readShownRows, type ShownRow } from "../support/shown-rows.ts";
import { until } from "../support/until.ts";

/** Rejects with an error whose sentence matches, and holds none of the sandbox's secrets. */
async function refused(call: Thenable<unknown>, words: RegExp, secrets: readonly string[] = []): Promise<void> {
	await assert.rejects(
		async () => call,
		(error: Error) => {
			assert.match(error.message, words);
			for (const secret of secrets) assert.ok(!error.message.includes(secret));
			return true;
		},
	);
}

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

/** Whether an issue is on screen that has so many rows beside it, itself included. */
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
		await refused(run("addConnection", { ...base(), label: "Old", token }), /Bad credentials/i, [token]);
		await refused(run("addConnection", { ...base(), label: "None" }), /token is missing/);
		await refused(run("addConnection", { ...base(), label: "x", token: "a", appId: 1 }), /together/);
		await refused(
			run("addConnection", { ...base(), label: "x", appId: 1, privateKey: "nonsense" }),
			/privateKey has no BEGIN line/,
		);
		const ofApp = { ...base(), label: "x", appId: 1, privateKey: "x", expiresAt: "2099-12-31" };
		await refused(run("addConnection", ofApp), /expiresAt does not belong to this connection/);
		await refused(run("editConnection", { connection: pat, model: "m" }), /model does not belong to this connection/);
		for (const model of ["m", ""]) {
			const ofModel = { ...base(), label: "x", token: sandbox.keys.codehost.fineGrained, model };
			await refused(run("addConnection", ofModel), /^model does not belong to this connection/);
		}
		const elsewhere = { ...base(), baseUrl: `${base().baseUrl}/elsewhere`, label: "Lost" };
		await refused(
			run("addConnection", { ...elsewhere, token: sandbox.keys.codehost.fineGrained }),
			/Lost has no code host's API at this address \(404\)\. Check the base URL\./,
		);
		await refused(run("addConnection", { ...base(), label: "x", token: "a", key: "b" }), /key does not belong/);
		assert.deepEqual(vscode.workspace.getConfiguration().get("switchboard.connections"), before);
	});

	it("names the App ID and the key that were refused where no view shows them, and keeps what there is", async () => {
		const { appId, installationId } = sandbox.keys.codehost.app;
		const { privateKey: key } = generateKeyPairSync("rsa", { modulusLength: 2048 });
		const privateKey = key.export({ type: "pkcs8", format: "pem" }).toString();
		const { fingerprint } = readAppKey(privateKey);
		const before = vscode.workspace.getConfiguration().get("switchboard.connections");
		const wordsFor = async (call: Thenable<unknown>) => {
			const error = await call.then(
				() => assert.fail("it was taken"),
				(thrown: unknown) => thrown,
			);
			assert.ok(error instanceof Error);
			assert.match(error.message, /^[^.]+\. The App ID or the key is another app's, .*with the app's page\.$/);
			return error.message.split(".")[0];
		};
		const ofApp = { ...base(), label: "Wrong", appId, privateKey };
		const wrong = `refused App ID ${appId} with the key ${fingerprint} (401)`;
		assert.equal(await wordsFor(run("addConnection", { ...ofApp, installationId })), `Wrong ${wrong}`);
		assert.equal(await wordsFor(run("addConnection", ofApp)), `Wrong ${wrong}`, "nor are installations listed with it");
		assert.equal(await wordsFor(run("replaceKey", { connection: app, privateKey })), `Night Operator ${wrong}`);
		sandbox.codehost.behave({ on: ["installations"], fail: { status: 404, message: "Integration not found" } });
		const baseUrl = sandbox.baseUrls.codehost.replace("127.0.0.1", "localhost");
		const moved = await wordsFor(run("editConnection", { connection: app, baseUrl, privateKey }));
		assert.equal(moved, `Night Operator refused App ID ${appId} with the key ${fingerprint} (404)`);
		sandbox.codehost.behave({});
		assert.deepEqual(vscode.workspace.getConfiguration().get("switchboard.connections"), before);
		assert.equal((await run<{ ok: boolean }>("testConnection", { connection: app })).ok, true);
	});

	it("returns the identity of a connection as plain JSON", async () => {
		const ada = await run<object>("codehost.whoAmI", { connection: pat });
		assert.deepEqual(JSON.parse(JSON.stringify(ada)), ada);
		assert.deepEqual(ada, {
			connection: pat,
			kind: "pat",
			login: "ada",
			name: "Ada Quill",
			appId: null,
			installationId: null,
			account: null,
		});
		const operator = await run<{ kind: string; account: string }>("codehost.whoAmI", { connection: app });
		assert.equal(operator.kind, "app");
		assert.equal(operator.account, "exchange");
	});

	it("lists the installations of an app, the suspended one marked, and of a token none", async () => {
		const { installations } = await run<{
			installations: { id: number; account: string; suspended: boolean }[];
		}>("codehost.listInstallations", { connection: app });
		const suspended = installations.filter((each) => each.suspended);
		assert.deepEqual(
			suspended.map(({ id }) => id),
			[sandbox.keys.codehost.app.suspendedInstallationId],
		);
		await refused(run("codehost.listInstallations", { connection: pat }), /app/);
	});

	it("reports the state of a credential, renewals and limit included", async () => {
		await run("codehost.listIssues", { connection: app, repository: "exchange/switchboard", limit: 1 });
		const status = await run<{
			tokenExpiresAt: string;
			access: string;
			tokenRenewsAt: string;
			exchanges: number;
			renewals: number;
			rate: { gauge: { remaining: number } };
		}>("codehost.status", { connection: app });
		assert.deepEqual(JSON.parse(JSON.stringify(status)), status);
		assert.ok(Date.parse(status.tokenExpiresAt) > Date.parse(status.tokenRenewsAt));
		assert.ok(Date.parse(status.tokenRenewsAt) > Date.now() + 50 * 60_000);
		assert.deepEqual([status.access, status.exchanges], ["open", 1]);
		assert.equal(status.renewals, 0);
		assert.ok(status.rate.gauge.remaining > 0);
	});

	it("adds a repository by name or address, and none that the credential cannot read", async () => {
		const added = await run<object>("codehost.addRepository", { connection: pat, repository: "exchange/switchboard" });
		assert.deepEqual(added, { connection: pat, repository: "exchange/switchboard" });
		await refused(
			run("codehost.addRepository", { connection: pat, repository: "ada/nothing" }),
			/Ada has no such thing, or hides it from this credential \(404\)\. Check the owner and the name/,
		);
		await refused(run("codehost.addRepository", { connection: pat, repository: "nonsense" }), /repository/);
		await refused(run("codehost.addRepository", { connection: "gone", repository: "a/b" }), /connection/);
	});

	const issueDocument = () => vscode.workspace.textDocuments.find(({ uri }) => uri.scheme === "switchboard-issue");

	it("renews the document of an issue that a refresh has brought changed", async () => {
		await run("codehost.loadMore", { repository: "exchange/switchboard" });
		await run("codehost.openIssue", { repository: "exchange/switchboard", number: 250 });
		await until(async () => (issueDocument()?.getText() ?? "") !== "", "the document of the issue");
		const document = issueDocument();
		assert.match(document?.getText() ?? "", /^- Author: /m);
		const renewed = new Promise<void>((resolve) => {
			const subscription = vscode.workspace.onDidChangeTextDocument((event) => {
				if (event.document !== document || /^- Author: /m.test(document.getText())) return;
				subscription.dispose();
				resolve();
			});
		});
		sandbox.codehost.behave({}, lean);
		await run("codehost.refreshIssues");
		await renewed;
		sandbox.codehost.behave({});
		await run("codehost.refreshIssues");
	});

	it("has two accounts for two tokens of one user, named by their connections", async () => {
		const labels = async () =>
			(await vscode.authentication.getAccounts("switchboard-codehost"))
				.map(({ label }) => label)
				.filter((label) => label.startsWith(`ada (${new URL(sandbox.baseUrls.codehost).host})`));
		const [alone] = await labels();
		const token = sandbox.keys.codehost.classic;
		const { id } = await run<{ id: string }>("addConnection", { ...base(), label: "Broad", token });
		const both = await labels();
		assert.deepEqual(both, [alone, `${alone} · Broad`]);
		await run("removeConnection", { connection: id });
		assert.deepEqual(await labels(), [alone]);
	});

	it("takes a token as it is copied from a script or a header, wherever an argument has one", async () => {
		const { fineGrained, classic } = sandbox.keys.codehost;
		const { id } = await run<{ id: string }>("addConnection", { ...base(), label: "Pasted", token: `"${classic}"` });
		await run("replaceKey", { connection: id, token: `Bearer ${fineGrained}` });
		const baseUrl = sandbox.baseUrls.codehost.replace("127.0.0.1", "localhost");
		await run("editConnection", { connection: id, baseUrl, token: `'token ${classic}'` });
		assert.equal((await run<{ login: string }>("codehost.whoAmI", { connection: id })).login, "ada");
		await run("removeConnection", { connection: id });
	});

	it("filters and sorts, and refuses what is neither", async () => {
		assert.deepEqual(await run("codehost.filterIssues", { text: "bell" }), { text: "bell", state: "open" });
		assert.deepEqual(await run("codehost.clearFilter", {}), { text: "", state: "open" });
		assert.deepEqual(await run("codehost.sortIssues", { sort: "title" }), { sort: "title" });
		await refused(run("codehost.sortIssues", { sort: "random" }), /sort must be/);
		await refused(run("codehost.filterIssues", { state: "ajar" }), /state must be/);
		await run("codehost.sortIssues", { sort: "service" });
	});

	it("is tested step by step", async () => {
		const result = await run<{ ok: boolean; steps: { name: string; state: string }[] }>("testConnection", {
			connection: pat,
		});
		assert.equal(result.ok, true);
		assert.deepEqual(
			result.steps.map(({ name, state }) => `${name} ${state}`),
			["dns ok", "tls ok", "auth ok", "clock ok", "read ok"],
		);
	});

	it("takes away what was read when it is signed out, and gives it back when signed in", async () => {
		await run("codehost.showIssues", { repository: "exchange/switchboard" });
		await shown("Issues", isIssueAmong(100 + 1), "the issues");
		assert.deepEqual(await run("signOut", { connection: pat }), { signedOut: pat });
		await shown("Issues", (rows) => rows.some(({ name }) => name.startsWith("Error: Ada is signed out")), "the error");
		assert.deepEqual((await readShownRows("Issues")).filter(isIssue), []);
		await refused(run("codehost.whoAmI", { connection: pat }), /sign|token/i);
		await refused(run("codehost.loadMore", { repository: "exchange/switchboard" }), /sign|token/i);
		const result = await run<{ ok: boolean }>("testConnection", { connection: pat });
		assert.equal(result.ok, false);
		const token = sandbox.keys.codehost.classic;
		assert.deepEqual(await run("replaceKey", { connection: pat, token }), { id: pat });
		assert.equal((await run<{ login: string }>("codehost.whoAmI", { connection: pat })).login, "ada");
		await shown("Issues", isIssueAmong(100 + 1), "the first hundred of whoever signed in");
	});

	it("is given a token's end with the token, and takes it from no app and not for the past", async () => {
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

	it("is never signed out by a 403", async () => {
		await refused(
			run("codehost.listIssues", { connection: app, repository: "quiet-office/ledger" }),
			/not accessible/i,
		);
		assert.equal((await run<{ kind: string }>("codehost.whoAmI", { connection: app })).kind, "app");
	});

	it("reads a repository through another connection once that is chosen", async () => {
		const repository = "exchange/switchboard";
		assert.deepEqual(await run("codehost.bindRepository", { repository, to: app }), { repository, connection: app });
		assert.deepEqual(await run("codehost.removeRepository", { repository }), { removed: repository });
		await refused(run("codehost.showIssues", { repository }), /not one of the added/);
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
		const repository = "exchange/switchboard";
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
		assert.deepEqual(await run("codehost.loadMore", { repository: "exchange/archive" }), {
			loaded: 100,
			complete: false,
		});
		assert.deepEqual((await run<{ connections: object }>("trySandbox", {})).connections, connections);
	});
});
