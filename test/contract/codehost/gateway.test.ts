import { strict as assert } from "node:assert";
import { test } from "node:test";
import { appClientsAt, errorOf, serve } from "../../support/codehost-client.ts";
import { FakeClock } from "../../support/fake-clock.ts";

const HOUR = 3_600_000;

for (const ahead of [HOUR, -HOUR]) {
	test(`a gateway whose Date is off by ${ahead / HOUR} h breaks no app after one refusal`, async (context) => {
		const clock = new FakeClock();
		let isBroken = true;
		const server = await serve(context, ({ headers }) => {
			const [, claims = ""] = (headers.authorization ?? "").split(".");
			const { iat, exp } = JSON.parse(Buffer.from(claims, "base64url").toString());
			const isTaken = !isBroken && iat * 1_000 <= clock.now() && exp * 1_000 >= clock.now();
			const date = { date: new Date(clock.now() + ahead).toUTCString() };
			return isTaken
				? { headers: date, body: [] }
				: { status: 401, headers: date, body: { message: "Bad credentials" } };
		});
		const { app, appCredential, skews } = appClientsAt(server.origin, { clock });
		const error = await errorOf(app.listInstallations());
		assert.equal(error.reason, "app-refused");
		assert.match(error.message, /the clock here is about 60 min (?:behind|ahead of) the service's/);
		isBroken = false;
		await app.listInstallations();
		assert.deepEqual([server.requests.length, appCredential.skewMs, skews], [3, 0, []]);
	});
}
