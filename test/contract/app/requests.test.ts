import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { RequestNotice } from "#api/http/notice.ts";
import type { TransportRequest } from "#api/http/transport.ts";
import { defaultPatience } from "#api/messages/model.ts";
import { PetstoreClient, petstoreLimiters } from "#api/petstore/client.ts";
import { contractProfile } from "#api/petstore/model.ts";
import type { Connection } from "#app/connections/connection.ts";
import { curlOf } from "#app/requests/curl.ts";
import { type LoggedRequest, RequestLog } from "#app/requests/request-log.ts";
import { repeatable } from "#app/requests/send-again.ts";
import { systemClock as clock } from "#base/clock.ts";
import { Redactor } from "#base/redaction.ts";
import { type Sandbox, startSandbox } from "#sandbox/sandbox.ts";
import { openWindow } from "../../support/codehost-window.ts";
import { filledIn, inShell } from "../../support/shell.ts";
import { clientAt, transport } from "../messages/client-at.ts";
import { exactId } from "../petstore/client-at.ts";

type Registry = Parameters<typeof repeatable>[1];

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

/** A logged request without what differs each time. */
const shapeOf = ({ id: _, at: _at, ms: _ms, ...request }: LoggedRequest) => request;

/** Sends the newest request of a log again; resolves to the status, the request and the one that this has logged. */
async function sendAgain(
	log: RequestLog,
	connection: Connection,
	client: { repeat(request: TransportRequest): Promise<{ readonly status: number }> },
) {
	const [first] = log.list();
	assert.ok(first !== undefined);
	const { request } = repeatable({ ...first, connection: connection.id }, { get: () => connection } as Registry);
	const { status } = await client.repeat(request);
	const [second] = log.list();
	assert.ok(second !== undefined && second.id !== first.id);
	return { status, first: shapeOf(first), second: shapeOf(second) };
}

test("a pet store's request is sent again byte for byte, with a credential", async () => {
	const { log, petstore } = open();
	const connection = { id: "one", service: "petstore", label: "Store", profile: "sandbox" } as const;
	const at = { ...connection, baseUrl: sandbox.baseUrls.petstore, format: "json" } as const;
	for (const format of ["json", "xml"] as const) {
		const client = petstore(format);
		const petId = exactId("9007199254740995");
		const calls = [
			() => client.call("addPet", { body: { id: petId, name: "Rex & <é>", photoUrls: [] } }),
			() => client.call("getPetById", { petId }),
			() => client.call("findPetsByStatus", { status: ["sold"] }),
			() => client.call("updatePetWithForm", { petId, name: "It's & =%" }),
			() => client.call("getInventory", {}),
			() => client.call("logoutUser", {}),
			() => client.call("deletePet", { petId }),
		];
		for (const call of calls.slice(0, -1)) {
			await call();
			const { status, first, second } = await sendAgain(log, at, client);
			assert.equal(status, 200, first.url);
			assert.deepEqual(second, first);
		}
		await calls.at(-1)?.();
		// What is gone by now is told in the words of the operation.
		await assert.rejects(sendAgain(log, at, client), { code: "not-found", reason: "absent" });
	}
});

test("a list of models is read again with the key of the connection", async () => {
	const { log, messages } = open();
	const { messages: baseUrl } = sandbox.baseUrls;
	await messages.listModels();
	const connection = { id: "one", service: "messages", label: "Model", profile: "sandbox", baseUrl } as const;
	const { status, first, second } = await sendAgain(log, connection, messages);
	assert.equal(status, 200);
	assert.deepEqual(second, first);
});

test("a code host's reads are sent again with its token, an exchange is not", async (t) => {
	const { addApp, clients } = await openWindow(t);
	const connection = await addApp();
	const log = new RequestLog(clock, new Redactor());
	clients.onRequest((notice) => log.add(notice, notice.connection));
	const { client } = await clients.open(connection.id);
	await client.listIssues("exchange", "switchboard", { limit: 1 });
	const { status, first, second } = await sendAgain(log, connection, client);
	assert.equal(status, 200);
	assert.deepEqual(second, { ...first, receivedBytes: second.receivedBytes });
	const exchange = log.list().find(({ method }) => method === "POST");
	assert.throws(() => repeatable(exchange ?? assert.fail(), clients.parts.registry), { message: /needs a token/ });
});
