import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Sandbox, startSandbox } from "#sandbox/sandbox.ts";
import { type EchoService, startEchoService } from "../support/echo-service.ts";
import { treeView } from "../support/tree-view.ts";
import { type Driver, openDriver } from "./driver.ts";

const KEY = "panel-suite-key-0123456789";
const REPOSITORY = "exchange/switchboard";

let driver: Driver;
let sandbox: Sandbox;
let service: EchoService;
/** Ids of the connections by their label. */
const ids = new Map<string, string>();

/** Adds a connection; what is left out is as the sandbox's code host wants it. */
async function add(label: string, fields: object): Promise<void> {
	const base = { service: "codehost", baseUrl: sandbox.baseUrls.codehost, profile: "sandbox" };
	const added = await driver.execute("switchboard.addConnection", { ...base, label, ...fields });
	ids.set(label, (added as { id: string }).id);
}

before(async () => {
	[sandbox, service] = await Promise.all([startSandbox(), startEchoService()]);
	driver = await openDriver({ width: 1300, height: 1000 });
	const { fineGrained, otherUser, app } = sandbox.keys.codehost;
	const { appId, installationId, privateKeyPem } = app;
	await add("Work", { token: fineGrained });
	await add("Home", { token: otherUser });
	await add("Operator", { appId, installationId, privateKey: await privateKeyPem() });
	await add("Echo", { service: "messages", baseUrl: service.baseUrl, profile: undefined, key: KEY, model: "echo" });
	await driver.execute("switchboard.codehost.addRepository", { connection: ids.get("Work"), repository: REPOSITORY });
	await driver.execute("switchboard.codehost.addRepository", { connection: ids.get("Home"), repository: "lin/kites" });
	await driver.reload();
});

after(async () => {
	await driver.dispose();
	await sandbox.close();
	await service.close();
});

const view = (name: string) => treeView(driver.workbench.page, name);

test("two accounts and an app survive a reload of the window: all are listed, each with its own credential", async () => {
	await driver.execute("switchboard.connections.focus");
	await view("Connections")
		.row(/^Work, .*token of ada/)
		.waitFor();
	await view("Connections")
		.row(/^Home, .*token of lin/)
		.waitFor();
	await view("Connections")
		.row(/^Operator, .*app on exchange/)
		.waitFor();
	for (const [label, login] of [
		["Work", "ada"],
		["Home", "lin"],
	] as const) {
		const who = await driver.execute("switchboard.codehost.whoAmI", { connection: ids.get(label) });
		assert.equal((who as { login: string }).login, login);
	}
	const app = await driver.execute("switchboard.codehost.whoAmI", { connection: ids.get("Operator") });
	assert.equal((app as { account: string }).account, "exchange");
});

test("issues are in the trees again after the reload, without a question", async () => {
	await driver.execute("switchboard.issues.focus");
	await view("Issues").row("issue 250").waitFor();
	await driver.execute("switchboard.codehost.showIssues", { repository: "lin/kites" });
	await view("Issues")
		.row(/^Issues of lin\/kites, 7/)
		.waitFor();
	assert.equal(await driver.workbench.page.locator(".quick-input-widget").isVisible(), false);
});

test("the key of a messages service survives a reload of the window", async () => {
	const before = service.seen.length;
	const result = await driver.execute("switchboard.chat.send", { text: "after", connection: ids.get("Echo") });
	assert.equal((result as { outcome: string }).outcome, "complete");
	assert.equal(service.seen.length, before + 1);
	assert.equal(service.seen.at(-1)?.headers["x-api-key"], KEY);
});

test("signing out of one account clears its issues, leaves those of the other, and stays so after another reload", async () => {
	const issues = view("Issues");
	await driver.execute("switchboard.signOut", { connection: ids.get("Work") });
	await issues.row(/^Error: Work is signed out/).waitFor();
	await issues.row("issue 250").waitFor({ state: "detached" });
	await issues.row("issue 7:").waitFor();
	await driver.reload();
	await driver.execute("switchboard.issues.focus");
	await issues.row(/^Error: Work is signed out/).waitFor();
	await driver.execute("switchboard.codehost.showIssues", { repository: "lin/kites" });
	await issues.row("issue 7:").waitFor();
	await driver.execute("switchboard.connections.focus");
	await view("Connections")
		.row(/^Work, .*signed out/)
		.waitFor();
	await driver.workbench.screenshot("codehost-reloaded");
});
