import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Sandbox, startSandbox } from "#sandbox/sandbox.ts";
import { GET_SESSION } from "../support/companion.ts";
import { noticeIn } from "../support/notices.ts";
import { type QuickInput, quickInput } from "../support/quick-input.ts";
import { treeView } from "../support/tree-view.ts";
import { insist } from "../support/until.ts";
import { addCodehost, type Driver, openDriver } from "./driver.ts";

let driver: Driver;
let sandbox: Sandbox;
let questions: QuickInput;

before(async () => {
	sandbox = await startSandbox();
	driver = await openDriver({ width: 1300, height: 900 });
	questions = quickInput(driver.workbench.page);
});

after(async () => {
	await driver.dispose();
	await sandbox.close();
});

interface Session {
	/** That of the connection. */
	readonly id: string;
	readonly accessToken: string;
	readonly account: { readonly label: string };
}

/** Session that another extension gets when it asks for an account of a code host. */
async function session(options: object): Promise<Session | null> {
	return (await driver.execute(GET_SESSION, "switchboard-codehost", ["issues"], options)) as Session | null;
}

/** As an extension asks that has not been given an account before, or wants another one. */
const ANEW = { createIfNone: true, clearSessionPreference: true };

/** The question of the editor whether another extension may have an account. */
const dialog = () => driver.workbench.page.locator(".monaco-dialog-box");
const answer = async (name: string) => {
	const button = dialog().getByRole("button", { name, exact: true });
	await button.waitFor();
	// A click while the dialog comes up may be lost.
	await insist(
		() => button.click({ timeout: 2_000 }),
		async () => !(await button.isVisible()),
		{ what: `the answer ${name}` },
	);
};

const host = () => new URL(sandbox.baseUrls.codehost).host;
let ada: string;
let lin: string;

test("without an account, an extension's request asks for a token connection", async () => {
	assert.equal(await session({ silent: true }), null);
	const asked = session({ createIfNone: true });
	await dialog().waitFor();
	assert.match(await dialog().innerText(), /switchboard-companion' wants to sign in using Switchboard Code Host/);
	await answer("Allow");
	await questions.asked("Add Connection (1)");
	await questions.answer("Custom", sandbox.baseUrls.codehost, sandbox.keys.codehost.otherUser);
	const given = await asked;
	lin = given?.id ?? "";
	assert.equal(given?.accessToken, sandbox.keys.codehost.otherUser);
	assert.equal(given?.account.label, `lin (${host()})`);
});

test("an existing account is given out only with the person's consent", async () => {
	ada = await addCodehost(driver, sandbox, "Ada", { token: sandbox.keys.codehost.fineGrained });
	const { appId, installationId, privateKeyPem } = sandbox.keys.codehost.app;
	await addCodehost(driver, sandbox, "Operator", { appId, installationId, privateKey: await privateKeyPem() });
	const asked = assert.rejects(session(ANEW), /consent/);
	await answer("Allow");
	await questions.asked("wants to access a Switchboard Code Host account");
	await questions.choices(host()).nth(1).waitFor();
	const offered = await questions.choices().allInnerTexts();
	assert.deepEqual(
		offered
			.map((text) => text.trim())
			.filter((text) => text.includes(host()))
			.sort(),
		[`ada (${host()})`, `lin (${host()})`],
	);
	assert.ok(!offered.some((text) => /Operator|exchange/.test(text)), "an app is no account");
	await questions.leave();
	await asked;
	const refused = assert.rejects(session(ANEW), /consent/);
	await answer("Cancel");
	await refused;
});

test("with consent an extension gets the chosen account's token until sign-out", async () => {
	const asked = session(ANEW);
	await answer("Allow");
	await questions.choose(`ada (${host()})`);
	assert.equal((await asked)?.accessToken, sandbox.keys.codehost.fineGrained);
	assert.equal((await session({ silent: true }))?.account.label, `ada (${host()})`);
	await driver.execute("switchboard.signOut", { connection: ada });
	assert.notEqual((await session({ silent: true }))?.accessToken, sandbox.keys.codehost.fineGrained);
	await driver.execute("switchboard.replaceKey", { connection: ada, token: sandbox.keys.codehost.fineGrained });
});

test("replacing a token by another user's names its owner", async () => {
	const { fineGrained, otherUser } = sandbox.keys.codehost;
	await driver.workbench.runCommand("Switchboard: Replace Key or Token...");
	await questions.choices("ada").waitFor();
	await questions.choose("Ada");
	await questions.fill("Personal access token", otherUser);
	await noticeIn(driver, "Ada is now used as lin instead of ada.");
	await driver.execute("notifications.clearAll");
	await driver.execute("switchboard.replaceKey", { connection: ada, token: fineGrained });
});

test("issues are listed again after a reload, except those of a signed-out account", async () => {
	const issues = treeView(driver.workbench.page, "Issues");
	await driver.execute("switchboard.codehost.addRepository", { connection: ada, repository: "ada/garden" });
	await driver.execute("switchboard.codehost.addRepository", { connection: lin, repository: "lin/kites" });
	await driver.execute("switchboard.signOut", { connection: ada });
	await driver.reload();
	await driver.execute("switchboard.issues.focus");
	await issues.row(/^Error: Ada is signed out/).waitFor();
	await driver.execute("switchboard.codehost.showIssues", { repository: "lin/kites" });
	await issues.row("issue 7:").waitFor();
	await issues.row(/^Issues of lin\/kites, 7/).waitFor();
	assert.equal(await driver.workbench.page.locator(".quick-input-widget").isVisible(), false);
	await driver.execute("switchboard.connections.focus");
	const connections = treeView(driver.workbench.page, "Connections");
	await connections.row(/^Ada, .*signed out/).waitFor();
	await connections.row(/^Operator, .*app on exchange/).waitFor();
});
