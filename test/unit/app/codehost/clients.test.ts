import assert from "node:assert/strict";
import { test } from "node:test";
import { CodehostAccess, installationsOf, probeCodehost } from "#app/codehost/clients.ts";
import { appSecret } from "#app/connections/codehost-secret.ts";
import { codehostWindow } from "../../../support/codehost-window.ts";
import { requestsTo } from "../../../support/sandbox-requests.ts";

test("clock skew costs one more request and one warning per host", async (context) => {
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
		6,
		"its list, the probe's list and exchange, an exchange, a read",
	);
	assert.equal(log.lines.filter((line) => line.includes("the clock here is 600 s")).length, 1, log.lines.join());
	// The clock has been put right: whatever is read tells it, long before the next token is due.
	assert.ok(Math.abs(access.app?.credential.skewMs ?? 0) > 500_000);
	hostClock.leadMs = 0;
	await access.client.getRepository("exchange", "switchboard");
	assert.equal(access.app?.credential.skewMs, 0);
	const before = requestsTo(sandbox, "codehost").length;
	await access.app?.tokens.renew();
	assert.equal(requestsTo(sandbox, "codehost").length - before, 1, "its token is dated by the right time");
});
