import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { RequestNotice } from "#api/http/notice.ts";
import { defaultPatience } from "#api/messages/model.ts";
import { PetstoreClient, petstoreLimiters } from "#api/petstore/client.ts";
import { contractProfile } from "#api/petstore/model.ts";
import { curlOf } from "#app/requests/curl.ts";
import { type LoggedRequest, RequestLog } from "#app/requests/request-log.ts";
import { systemClock as clock } from "#base/clock.ts";
import { Redactor } from "#base/redaction.ts";
import { type Sandbox, startSandbox } from "#sandbox/sandbox.ts";
import { filledIn, inShell } from "../../support/shell.ts";
import { clientAt, transport } from "../messages/client-at.ts";
import { exactId } from "../petstore/client-at.ts";

let sandbox: Sandbox;
before(async () => {
	sandbox = await startSandbox({ curious: true, messages: { wordDelayMs: 0 } });
});
after(() => sandbox.close());

/** A client of each service whose requests can be copied as a command, which write to one log. */
function open() {
	const { baseUrls, keys } = sandbox;
	const log = new RequestLog(clock, new Redactor());
	const onRequest = (notice: RequestNotice) => log.add(notice, notice.service);
	return {
		log,
		petstore: (format: "json" | "xml" = "json") =>
			new PetstoreClient({
				transport,
				clock,
				onRequest,
				patience: () => defaultPatience,
				limiters: petstoreLimiters(),
				baseUrl: baseUrls.petstore,
				profile: { ...contractProfile, format },
				credential: {
					origin: new URL(baseUrls.petstore).origin,
					apiKey: () => keys.petstore.apiKey,
					accessToken: () => ({ value: keys.petstore.token, scopes: null, expiresAt: null }),
				},
			}),
		messages: clientAt(baseUrls.messages, { key: keys.messages, onRequest }),
	};
}

/** Runs what is copied of a request with a person's own values in it; resolves to the status and the reply's text. */
async function repeat(request: LoggedRequest | undefined, values: Readonly<Record<string, string>>) {
	assert.ok(request !== undefined);
	const copied = curlOf(request);
	const printed = await inShell(`${filledIn(copied, values)} --silent --write-out '\\n%{http_code}'`);
	const end = printed.lastIndexOf("\n");
	return { status: Number(printed.slice(end + 1)), text: printed.slice(0, end), copied };
}

test("a message works again from a shell, and its reply streams to the end", async () => {
	const { log, messages } = open();
	const content = 'It\'s "quoted",\nwith `ticks` $HOME !! \\ and\u202e \u{1f50c}';
	const ended = await messages.send({ model: "sandbox", messages: [{ role: "user", content }], maxTokens: 2_000 });
	assert.equal(ended.outcome, "complete");
	const [request] = log.list();
	assert.ok((request?.receivedBytes ?? 0) > 500);
	const again = await repeat(request, { key: sandbox.keys.messages });
	assert.equal(again.status, 200);
	assert.match(again.text, /event: message_stop/);
	assert.equal((await repeat(request, {})).status, 401);
});

test("a pet store's requests work again from a shell, in JSON, XML and forms", async () => {
	const { log, petstore } = open();
	const { apiKey, token, user } = sandbox.keys.petstore;
	const values = { api_key: apiKey, token, password: encodeURIComponent(user.password), body: "/dev/null" };
	for (const format of ["json", "xml"] as const) {
		const client = petstore(format);
		const pet = { id: exactId("9007199254740993"), name: "Rex & 'Co' <é>", photoUrls: ["https://a.example/?a=b&c"] };
		await client.call("addPet", { body: pet });
		assert.equal((await repeat(log.list()[0], values)).status, 200, `addPet in ${format}`);
		await client.call("getPetById", { petId: pet.id });
		const again = await repeat(log.list()[0], values);
		assert.equal(again.status, 200);
		assert.match(again.text, /9007199254740993/);
		await client.call("updatePetWithForm", { petId: pet.id, name: "It's & =%" });
		assert.equal((await repeat(log.list()[0], values)).status, 200, `updatePetWithForm in ${format}`);
	}
	await petstore().call("loginUser", user);
	const [login] = log.list();
	assert.match(login?.url ?? "", /password=\{password\}/);
	assert.equal((await repeat(login, values)).status, 200);
});
