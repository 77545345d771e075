import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { defaultCodehostPatience } from "#api/codehost/model.ts";
import { Traffic } from "#api/codehost/traffic.ts";
import { Access } from "#app/codehost/access.ts";
import { appSecret } from "#app/codehost/secret.ts";
import type { CodehostCredential } from "#app/connections/connection.ts";
import { Redactor } from "#base/redaction.ts";
import { startSandbox } from "#sandbox/sandbox.ts";
import { transport } from "../../../support/codehost-client.ts";
import { FakeClock } from "../../../support/fake-clock.ts";
import { MemoryLog } from "../../../support/memory-editor.ts";

const minute = 60_000;

/** A code host and the ways into it, all by one clock. */
async function host(context: TestContext) {
	const clock = new FakeClock();
	const sandbox = await startSandbox({ now: () => clock.now() });
	context.after(() => sandbox.close());
	const open = (credential: CodehostCredential, secret: string) => {
		const parts = {
			transport,
			clock,
			traffic: new Traffic(clock),
			redactor: new Redactor(),
			log: new MemoryLog(),
			patience: () => defaultCodehostPatience,
		};
		const draft = {
			service: "codehost",
			label: "Host",
			baseUrl: sandbox.baseUrls.codehost,
			profile: "sandbox",
		} as const;
		const access = new Access(parts, { ...draft, credential }, secret);
		context.after(() => access.dispose());
		return access;
	};
	return { clock, sandbox, open };
}

test("an app's connection in use gets its next token by itself, one that was only opened gets none", async (context) => {
	const { clock, sandbox, open } = await host(context);
	const { appId, installationId, privateKeyPem } = sandbox.keys.codehost.app;
	const secret = appSecret({ privateKey: await privateKeyPem() });
	const credential = { kind: "app", appId: String(appId), installationId } as const;
	open(credential, secret);
	const access = open(credential, secret);
	await access.client.getRepository("exchange", "switchboard");
	assert.equal(sandbox.status().codehost.tokens, 1);
	const renewed = new Promise<void>((resolve) => {
		access.onDidChange(() => access.app?.tokens.state.renewals === 1 && resolve());
	});
	clock.advance(55 * minute);
	await renewed;
	assert.equal(sandbox.status().codehost.tokens, 2);
	access.dispose();
	clock.advance(10 * 60 * minute);
	await pause(20);
	assert.deepEqual([sandbox.status().codehost.tokens, clock.waiting], [2, 0]);
});
