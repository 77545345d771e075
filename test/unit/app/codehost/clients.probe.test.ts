import assert from "node:assert/strict";
import { test } from "node:test";
import { probeCodehost } from "#app/codehost/clients.ts";
import { appSecret } from "#app/connections/codehost-secret.ts";
import { codehostWindow } from "../../../support/codehost-window.ts";
import { serve } from "../../../support/recording-server.ts";
import { privateKey } from "../../../support/rsa-pair.ts";

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
