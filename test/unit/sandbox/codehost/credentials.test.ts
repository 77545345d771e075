import { strict as assert } from "node:assert";
import { test } from "node:test";
import { bucketOf, Credentials, createApps } from "#sandbox/codehost/credentials.ts";

const { app, otherApp } = createApps();
const [installation = assert.fail()] = app.installations;
const token = { app, installation, expiresAt: 9000, usableFrom: 0, lagStatus: 401 } as const;

test("no two credentials are alike", () => {
	const credentials = new Credentials([app], () => 0);
	const minted = Array.from({ length: 50 }, () => [credentials.mintPat(), credentials.mintToken(token)]).flat();
	assert.equal(new Set(minted).size, 100);
});

test("the tokens of a user share a bucket, and so do those of an installation, which another app's does not", () => {
	const credentials = new Credentials([app, otherApp], () => 0);
	const bucket = (value: string) => bucketOf(credentials.callerOf(`Bearer ${value}`, 0));
	assert.equal(bucket(credentials.mintPat()), bucket(credentials.mintPat({ kind: "classic" })));
	assert.notEqual(bucket(credentials.mintPat()), bucket(credentials.mintPat({ user: "lin" })));
	assert.equal(bucket(credentials.mintToken(token)), bucket(credentials.mintToken(token)));
	const [same = assert.fail()] = otherApp.installations;
	assert.equal(same.id, installation.id);
	const other = credentials.mintToken({ ...token, app: otherApp, installation: same });
	assert.notEqual(bucket(other), bucket(credentials.mintToken(token)));
});

test("of very many installation tokens the oldest are forgotten, which refuses them", () => {
	const credentials = new Credentials([app], () => 0);
	const first = credentials.mintToken(token);
	for (let n = 0; n < 9_999; n++) credentials.mintToken(token);
	assert.equal(credentials.callerOf(`Bearer ${first}`, 0).kind, "installation");
	credentials.mintToken(token);
	assert.throws(() => credentials.callerOf(`Bearer ${first}`, 0), { status: 401 });
});

test("an app's key is made once, and only when it is asked for", async () => {
	const { key } = createApps().app;
	const isMade = () => key.publicKey?.asymmetricKeyType === "rsa";
	assert.equal(isMade(), false);
	const [one, two] = await Promise.all([key.pem(), key.pem()]);
	assert.equal(one, two);
	assert.equal(isMade(), true);
});
