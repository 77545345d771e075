import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { CodehostClient } from "#api/codehost/client.ts";
import { patSource } from "#api/codehost/credential.ts";
import { RateLimits } from "#api/codehost/rate-limits.ts";
import type { RequestNotice } from "#api/http/notice.ts";
import { createTransport } from "#api/http/undici-transport.ts";
import { MessagesClient } from "#api/messages/client.ts";
import { defaultPatience } from "#api/messages/model.ts";
import { defaultPetstorePatience, PetstoreClient, petstoreLimiters } from "#api/petstore/client.ts";
import { contractProfile } from "#api/petstore/model.ts";
import { codehostProfileOf } from "#app/connections/codehost-profiles.ts";
import { curlOf } from "#app/requests/curl.ts";
import { type LoggedRequest, RequestLog } from "#app/requests/request-log.ts";
import { systemClock as clock } from "#base/clock.ts";
import { Redactor } from "#base/redaction.ts";
import { type Sandbox, startSandbox } from "#sandbox/sandbox.ts";
import { codehostPatience } from "../../support/codehost-patience.ts";
import { filledIn, inShell } from "../../support/shell.ts";
import { exactId } from "../petstore/client-at.ts";

const transport = createTransport();
let sandbox: Sandbox;
before(async () => {
	sandbox = await startSandbox({ curious: true, wordDelayMs: 0 });
});
after(async () => {
	await transport.close();
	await sandbox.close();
});

/** A client of each service that writes to one log. */
function open() {
	const { baseUrls, keys } = sandbox;
	const redactor = new Redactor();
	const log = new RequestLog(clock, redactor);
	const observer = { onRequest: (notice: RequestNotice) => log.add(notice, notice.service) };
	const { origin } = new URL(baseUrls.codehost);
	return {
		log,
		redactor,
		codehost: new CodehostClient({
			...{ transport, clock, observer, patience: () => codehostPatience, rateLimits: new RateLimits(clock) },
			baseUrl: baseUrls.codehost,
			profile: codehostProfileOf("sandbox"),
			credential: patSource(keys.codehost.fineGrained, { origin }),
		}),
		petstore: (format: "json" | "xml" = "json") =>
			new PetstoreClient({
				...{ transport, clock, ...observer, patience: () => defaultPetstorePatience, limiters: petstoreLimiters() },
				baseUrl: baseUrls.petstore,
				profile: { ...contractProfile, format },
				credential: {
					origin,
					apiKey: () => keys.petstore.apiKey,
					accessToken: () => ({ value: keys.petstore.token, scopes: null, expiresAt: null }),
				},
			}),
		messages: new MessagesClient({
			...{ transport, clock, ...observer, patience: defaultPatience },
			endpoint: {
				baseUrl: baseUrls.messages,
				profile: { versionHeader: "service-version", version: "2023-06-01", keyHeader: "x-api-key" },
				key: keys.messages,
			},
		}),
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

test("a message works again from a shell, quotes and line breaks included, and its reply streams to the end", async () => {
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

test("a pet store's requests work again from a shell: a pet in JSON and XML, a form, a sign-in", async () => {
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

test("no key, token or password of the three services is ever in the log", async () => {
	const { log, codehost, petstore, messages, redactor } = open();
	const { keys } = sandbox;
	const secrets = [keys.messages, keys.codehost.fineGrained, keys.petstore.apiKey, keys.petstore.token];
	const all = [...secrets, keys.petstore.user.password];
	for (const secret of all) redactor.register(secret);
	await codehost.getUser();
	await codehost.getRepository("exchange", "nothing").catch(() => undefined);
	const store = petstore();
	await store.call("getInventory", {});
	await store.call("findPetsByStatus", { status: ["sold"] });
	await store.call("loginUser", keys.petstore.user);
	const person = { username: "grace", password: keys.petstore.user.password };
	await store.call("createUser", { body: person });
	await store.call("deletePet", { petId: exactId("1"), api_key: keys.petstore.apiKey }).catch(() => undefined);
	const content = `My keys are ${all.join(" and ")}`;
	await messages.send({ model: "sandbox", messages: [{ role: "user", content }], maxTokens: 50 });
	const requests = log.list();
	assert.equal(new Set(requests.map(({ service }) => service)).size, 3);
	assert.ok(requests.length >= 8);
	for (const text of requests.flatMap((request) => [JSON.stringify(request), curlOf(request)])) {
		for (const secret of all) assert.ok(!text.includes(secret) && !text.includes(encodeURIComponent(secret)), text);
	}
});
