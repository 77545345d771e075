import { strict as assert } from "node:assert";
import { test } from "node:test";
import { patSource } from "#api/codehost/credential.ts";
import { readAppKey } from "#api/codehost/private-key.ts";
import { appClientsAt, clientAt, fullProfile } from "../../support/codehost-client.ts";
import { sandboxForFile } from "../../support/codehost-wire.ts";
import { nextOnly } from "../../support/misbehavior.ts";

const { sandbox } = await sandboxForFile();
const { origin } = new URL(sandbox.baseUrls.codehost);
const { app, otherApp, fineGrained, classic } = sandbox.keys.codehost;

const patClient = (token = fineGrained) =>
	clientAt(sandbox.baseUrls.codehost, { profile: fullProfile, credential: patSource(token, { origin }) });

async function clientsOf({ appId, installationId, privateKeyPem }: typeof app | typeof otherApp) {
	const key = readAppKey(await privateKeyPem());
	return appClientsAt(sandbox.baseUrls.codehost, { appId, installationId, key });
}

test("a token of either kind, or an installation's, reads repositories and issues", async () => {
	for (const token of [fineGrained, classic]) {
		const client = patClient(token);
		const { login, name } = (await client.getUser()).value;
		assert.deepEqual([login, name], ["ada", "Ada Quill"]);
		assert.equal((await client.getRepository("exchange", "vault")).value.fullName, "exchange/vault");
		assert.equal((await client.listIssues("exchange", "vault")).issues.length, 12);
	}
	const { client } = await clientsOf(app);
	assert.equal((await client.getRepository("exchange", "vault")).value.fullName, "exchange/vault");
	assert.equal((await client.listIssues("exchange", "vault")).issues.length, 12);
});

test("an app's installations are listed over all pages, the suspended one marked", async () => {
	const { value } = await (await clientsOf(app)).app.listInstallations();
	assert.deepEqual(
		value.map(({ id, account, suspended }) => [id, account, suspended]),
		[
			[app.installationId, "exchange", false],
			[app.selectedInstallationId, "ada", false],
			[app.suspendedInstallationId, "party-line", true],
			[app.installationIdWithoutIssues, "lin", false],
		],
	);
});

test("a host that wants plain JSON beside the vendor's type gets it", async () => {
	const vendorType = "application/vnd.service+json";
	sandbox.codehost.behave({}, (reply, { request }) => {
		const { accept = "" } = request.headers;
		return accept.replace(vendorType, "").includes("application/json") ? reply : { status: 406 };
	});
	assert.equal((await patClient().getUser()).value.login, "ada");
});

for (const links of ["all", "only the next"] as const) {
	test(`with links to ${links} a listing that stops at a limit continues from there`, async () => {
		if (links !== "all") sandbox.codehost.behave({}, nextOnly);
		const client = patClient();
		const whole = (await client.listIssues("exchange", "switchboard")).issues.map(({ number }) => number);
		assert.equal(whole.length, 250);
		const seen: number[] = [];
		let continuation: Awaited<ReturnType<typeof client.listIssues>>["continuation"];
		do {
			const part = await client.listIssues("exchange", "switchboard", { limit: 70, continuation });
			assert.ok(part.issues.length <= 70);
			seen.push(...part.issues.map(({ number }) => number));
			continuation = part.continuation;
			assert.equal(part.complete, continuation === undefined);
		} while (continuation !== undefined);
		assert.deepEqual(seen, whole);
	});
}

test("two apps with the same installation id on one host never share a token", async () => {
	assert.equal(app.installationId, otherApp.installationId);
	const [one, two] = [await clientsOf(app), await clientsOf(otherApp)];
	const [vault, diary] = await Promise.all([
		one.client.getRepository("exchange", "vault"),
		two.client.getRepository("lin", "diary"),
	]);
	assert.deepEqual([vault.value.fullName, diary.value.fullName], ["exchange/vault", "lin/diary"]);
});
