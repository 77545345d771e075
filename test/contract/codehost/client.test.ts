import { strict as assert } from "node:assert";
import { test } from "node:test";
import { patSource } from "#api/codehost/credential.ts";
import { readAppKey } from "#api/codehost/private-key.ts";
import { appClientsAt, clientAt, fullProfile } from "../../support/codehost-client.ts";
import { sandboxForFile } from "../../support/codehost-wire.ts";

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

test("a host that wants plain JSON beside the vendor's type gets it", async () => {
	const vendorType = "application/vnd.service+json";
	sandbox.codehost.behave({}, (reply, { request }) => {
		const { accept = "" } = request.headers;
		return accept.replace(vendorType, "").includes("application/json") ? reply : { status: 406 };
	});
	assert.equal((await patClient().getUser()).value.login, "ada");
});

test("two apps with the same installation id on one host never share a token", async () => {
	assert.equal(app.installationId, otherApp.installationId);
	const [one, two] = [await clientsOf(app), await clientsOf(otherApp)];
	const [vault, diary] = await Promise.all([
		one.client.getRepository("exchange", "vault"),
		two.client.getRepository("lin", "diary"),
	]);
	assert.deepEqual([vault.value.fullName, diary.value.fullName], ["exchange/vault", "lin/diary"]);
});
