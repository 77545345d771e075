import { strict as assert } from "node:assert";
import { test } from "node:test";
import { MessagesClient } from "#api/messages/client.ts";
import { defaultPatience } from "#api/messages/model.ts";
import { probeMessages } from "#api/messages/probe.ts";
import { headersOf } from "#app/connections/messages-profiles.ts";
import { systemClock } from "#base/clock.ts";
import { describeFailure } from "#editor/words/failures.ts";
import { replyWords } from "#editor/words/reply-words.ts";
import { appClientsAt, clientAt, errorOf, transport } from "../../support/codehost-client.ts";
import { serve } from "../../support/recording-server.ts";
import { clientAt as petstoreAt } from "../petstore/client-at.ts";

const PAGE = "<!doctype html><title>Sign in</title><form action='/login'><input name='user'></form>";

for (const status of [200, 401, 403, 511]) {
	test(`a sign-in page with status ${status} is reported as such by all three services`, async (context) => {
		const headers = { "content-type": "text/html" };
		const server = await serve(context, () => ({ status, headers, body: PAGE }));
		const endpoint = { baseUrl: server.origin, profile: headersOf("anthropic"), key: "k" };
		const probed = await probeMessages({ transport, clock: systemClock, endpoint });
		const store = petstoreAt(server.origin, { carrier: transport }).client;
		const errors = [
			await errorOf(clientAt(server.origin).getUser()),
			await errorOf(clientAt(server.origin).getRepository("acme", "app")),
			await errorOf(appClientsAt(server.origin).app.listInstallations()),
			await errorOf(store.call("getInventory", {})),
			await errorOf(store.call("findPetsByStatus", { status: ["sold"] })),
			...(probed.ok ? [] : [probed.error]),
		];
		assert.equal(errors.length, 6);
		for (const error of errors) {
			const words =
				error.service === "codehost"
					? describeFailure(error, "X")
					: error.service === "petstore"
						? describeFailure(error, "X")
						: replyWords(error, { connection: "X", model: "" });
			assert.match(words.advice, /^A sign-in page or a gateway may be in the way: sign in there/, error.message);
			assert.doesNotMatch(`${words.title} ${words.advice}`, /Replace|wrong|Sign in again|in a little while/);
		}
	});
}

test("JSON nested 100,000 deep is a malformed reply for all three services", async (context) => {
	const deep = `{"id":1,"more":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
	const server = await serve(context, () => ({ headers: { "content-type": "application/json" }, body: deep }));
	const endpoint = { baseUrl: server.origin, profile: headersOf("anthropic"), key: "k" };
	const parts = { transport, clock: systemClock, endpoint, redact: String, patience: defaultPatience };
	const errors = [
		await errorOf(clientAt(server.origin).getRepository("acme", "app")),
		await errorOf(petstoreAt(server.origin).client.call("getPetById", { petId: 1 })),
		await errorOf(new MessagesClient(parts).listModels()),
	];
	for (const { code, message } of errors) {
		assert.equal(code, "malformed");
		assert.doesNotMatch(message, /call stack/);
	}
});
