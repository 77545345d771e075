import assert from "node:assert/strict";
import { test } from "node:test";
import { CodehostAccess, installationsOf, probeCodehost } from "#app/codehost/clients.ts";
import { appSecret } from "#app/connections/codehost-secret.ts";
import { codehostWindow } from "../../../support/codehost-window.ts";
import { serve } from "../../../support/recording-server.ts";
import { privateKey } from "../../../support/rsa-pair.ts";
import { requestsTo } from "../../../support/sandbox-requests.ts";

test("clock skew costs one more request and one warning per access", async (context) => {
	const { sandbox, hostClock, access: parts, log } = await codehostWindow(context);
	const { appId, installationId, privateKeyPem } = sandbox.keys.codehost.app;
	const secret = appSecret({ privateKey: await privateKeyPem() });
	const credential = { kind: "app", appId: String(appId), installationId } as const;
	const draft = { service: "codehost", label: "Host", baseUrl: sandbox.baseUrls.codehost, profile: "sandbox" } as const;
	hostClock.leadMs = 600_000;
	const asked = requestsTo(sandbox, "codehost").length;
	await installationsOf(parts, { ...draft, appId: credential.appId }, { secret });
	assert.equal(requestsTo(sandbox, "codehost").length - asked, 2);
	assert.equal((await probeCodehost(parts, { ...draft, credential }, { secret })).error, undefined);
	const access = new CodehostAccess(parts, { ...draft, credential }, secret);
	context.after(() => access.dispose());
	await access.client.getRepository("exchange", "switchboard");
	assert.equal(
		requestsTo(sandbox, "codehost").length - asked,
		8,
		"its list twice, the probe's list twice and exchange, an exchange twice, a read",
	);
	assert.equal(log.lines.filter((line) => line.includes("a clock 600 s ahead")).length, 3, log.lines.join());
	assert.ok(Math.abs(access.app?.credential.skewMs ?? 0) > 500_000);
	hostClock.leadMs = 0;
	const before = requestsTo(sandbox, "codehost").length;
	await access.app?.tokens.renew();
	assert.equal(requestsTo(sandbox, "codehost").length - before, 2, "the clock has been put right");
	assert.equal(access.app?.credential.skewMs, 0);
});

test("an installation is missing only if a complete list or the exchange says so", async (context) => {
	const { access: parts } = await codehostWindow(context);
	const secret = appSecret({ privateKey: privateKey.export({ type: "pkcs1", format: "pem" }).toString() });
	const token = { token: "t".repeat(40), expires_at: "2099-01-01T00:00:00Z" };
	const reasonAt = async (link: string, exchange: { readonly status: number; readonly body: object }) => {
		const server = await serve(context, ({ path }) =>
			path.endsWith("/access_tokens") ? exchange : { headers: { link }, body: [{ id: 1 }] },
		);
		const credential = { kind: "app", appId: "4711", installationId: 7 } as const;
		const draft = {
			service: "codehost",
			label: "Host",
			baseUrl: server.origin,
			profile: "custom",
			credential,
		} as const;
		return (await probeCodehost(parts, draft, { secret })).error?.reason;
	};
	const elsewhere = '<https://evil.test/x>; rel="next"';
	const given = { status: 201, body: token };
	assert.equal(await reasonAt("", given), "not-installed");
	assert.equal(await reasonAt(elsewhere, given), undefined);
	assert.equal(await reasonAt(elsewhere, { status: 404, body: {} }), "not-installed");
});
