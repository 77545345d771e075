import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { RateLimits } from "#api/codehost/gate.ts";
import type { Transport } from "#api/http/transport.ts";
import { createTransport } from "#api/http/undici-transport.ts";
import { MessagesClient } from "#api/messages/client.ts";
import { defaultPatience } from "#api/messages/model.ts";
import { petstoreLimiters } from "#api/petstore/client.ts";
import { ModelLists } from "#app/chat/model-lists.ts";
import { ModelPicks } from "#app/chat/model-picks.ts";
import { RefusedParameters } from "#app/chat/refused-parameters.ts";
import { ChatSession } from "#app/chat/session.ts";
import { probeOf } from "#app/checks/connection-tests.ts";
import { findEngines, type LocalEngine } from "#app/checks/local-engines.ts";
import type { ConnectionService } from "#app/connections/connection.ts";
import { headersOf } from "#app/connections/messages-profiles.ts";
import { ConnectionRegistry } from "#app/connections/registry.ts";
import { SERVICES } from "#app/connections/services.ts";
import { Vault } from "#app/connections/vault.ts";
import { systemClock } from "#base/clock.ts";
import { Redactor } from "#base/redaction.ts";
import type { ChatRoom } from "#editor/chat/chat-room.ts";
import { ChosenConnection } from "#editor/chat/chosen-connection.ts";
import type { Added } from "#editor/connections/ask-connection.ts";
import { chatParts } from "../../support/chat-parts.ts";
import { MemoryLog, MemorySecrets, MemorySettings, MemoryStore } from "../../support/memory-editor.ts";
import { type Respond, serve } from "../../support/recording-server.ts";
import { type Deed, scriptedPerson } from "../../support/scripted-person.ts";

const { addByPerson } = await import("#editor/connections/connection-commands.ts");
const { useAdded } = await import("#editor/chat/chat-commands.ts");

const listOf = (...ids: readonly string[]) => ({ body: { data: ids.map((id) => ({ id })) } });

/** A service that has these models, and takes this key if it wants one. */
const service =
	(models: readonly string[], key?: string): Respond =>
	({ path, headers }) => {
		const given = headers["x-api-key"] ?? String(headers.authorization ?? "").replace(/^Bearer /, "");
		if (key !== undefined && given !== key) return { status: 401, body: { error: { message: "no" } } };
		return path.endsWith("/v1/models") ? listOf(...models) : { status: 400, body: {} };
	};

/** A window that reaches one server under every address, and adds a connection as a person who does these deeds. */
async function adding(
	t: TestContext,
	deeds: readonly Deed[],
	{
		respond,
		engines = [],
		only,
		press,
		there = [],
	}: {
		respond: Respond;
		engines?: readonly LocalEngine[];
		only?: ConnectionService | undefined;
		press?: string;
		/** Addresses of Ollama that are connected already. */
		there?: readonly string[];
	},
) {
	const server = await serve(t, respond);
	const real = createTransport();
	t.after(() => real.close());
	const transport: Transport = {
		send: ({ url, ...request }) => real.send({ ...request, url: new URL(url.pathname + url.search, server.origin) }),
		close: () => real.close(),
	};
	const [log, redactor, clock, settings] = [new MemoryLog(), new Redactor(), systemClock, new MemorySettings()];
	const common = { transport, clock, redactor, log, patience: () => ({ ...defaultPatience, maxAttempts: 1 }) };
	const probe = probeOf({
		transport,
		clock,
		codehost: { ...common, rateLimits: new RateLimits(clock) },
		petstore: { ...common, limiters: petstoreLimiters() },
		requested: () => undefined,
	});
	const vault = new Vault(new MemorySecrets(), redactor, log);
	const registry = new ConnectionRegistry({ settings, vault, clock, log, probe });
	for (const baseUrl of there) {
		await registry.add({ service: "messages", label: baseUrl, profile: "ollama", baseUrl }, undefined, {
			unasked: true,
		});
	}
	const { parts } = chatParts();
	const open = async (
		{ baseUrl, profile }: { baseUrl: string; profile: Parameters<typeof headersOf>[0] },
		key?: string,
	) =>
		new MessagesClient({
			transport,
			clock,
			patience: defaultPatience,
			endpoint: { baseUrl, profile: headersOf(profile), key },
		});
	const store = new MemoryStore();
	const given = { ...parts, registry, open, refused: new RefusedParameters(store), picks: new ModelPicks(store) };
	const models = new ModelLists({ ...given, clock, log, prices: () => ({}), defaults: () => ({}) });
	const chosen = new ChosenConnection(store, registry, clock);
	const session = new ChatSession("chat", {
		...parts,
		registry,
		chosen: () => chosen.get(),
		modelFor: (connection, named) => models.modelFor(connection, named),
	});
	// What is not there is not used.
	const room = { registry, chosen, models, conversations: { active: session } } as unknown as ChatRoom;
	const person = scriptedPerson(deeds, { press });
	const tools = {
		registry,
		trySandbox: () => assert.fail("no sandbox"),
		findInstallations: () => assert.fail("no app"),
		findEngines: async () => engines,
		added: (each: Added) => useAdded(each, room),
	};
	const added = await addByPerson(tools, only);
	return { ...person, ...server, registry, session, added: added && registry.get(added.id) };
}

const OLLAMA = { profile: "ollama", label: "Ollama", baseUrl: "http://127.0.0.1:11434" };

test("an engine that runs here is added by one choice, and takes the next message", async (t) => {
	const { questions, notices, session, added } = await adding(t, [{ choose: /^Ollama: 3 models$/ }], {
		respond: service(["nomic-embed-text", "qwen3", "gemma3"]),
		engines: [{ ...OLLAMA, models: 3 }],
	});
	assert.equal(questions.length, 1);
	assert.deepEqual(questions[0]?.rows.slice(0, 2), ["On This Machine", "Ollama: 3 models"]);
	assert.deepEqual(notices, ["Added Ollama. New conversations use qwen3."]);
	assert.deepEqual([session.target.connection?.id, session.target.model], [added?.id, "qwen3"]);
});

test("an engine that is connected is not offered again, whatever name its host has", async (t) => {
	const { questions } = await adding(t, ["leave"], {
		respond: service(["qwen3"]),
		engines: [{ ...OLLAMA, models: 3 }],
		there: ["http://localhost:11434"],
	});
	assert.ok(!questions[0]?.rows.includes("Ollama: 3 models"));
});

test("no service needs more than three questions before it is added", async (t) => {
	for (const only of ["messages", "codehost", "petstore"] as const) {
		for (const [profile, { label, baseUrl = "" }] of Object.entries(SERVICES[only].presets)) {
			if (profile === "sandbox") continue;
			const isPlaced = baseUrl.startsWith("https://");
			const respond: Respond = (request) => {
				if (only === "codehost") return { body: { login: "ada" } };
				const wanted = profile === "ollama" ? undefined : "secret-1";
				if (only === "messages") return service(["a"], wanted)(request, 0);
				return request.headers["api_key"] === wanted ? { body: {} } : { status: 401, body: {} };
			};
			const deeds: Deed[] = [
				{ choose: new RegExp(`^${label}$`) },
				...(isPlaced ? [] : [{ type: "service.example:7813" }]),
				{ type: "secret-1" },
			];
			const { questions, added } = await adding(t, deeds, { respond, only });
			assert.equal(added?.profile, profile, JSON.stringify(questions));
			assert.ok(questions.length <= 3, `${label}: ${questions.map(({ asked }) => asked).join(" | ")}`);
		}
	}
});

test("a key is asked only once the service refused, and a wrong one at its own box", async (t) => {
	const open = await adding(t, [{ choose: /Custom Messages/ }, { type: "localhost:7813/v1" }], {
		respond: service(["a"]),
		only: "messages",
	});
	assert.equal(open.questions.length, 2);
	assert.deepEqual([open.added?.label, open.added?.baseUrl], ["Models on localhost:7813", "http://localhost:7813"]);
	assert.equal(open.requests[0]?.path, "/v1/models");
	const deeds: Deed[] = [{ choose: /Custom Messages/ }, { type: "a.example" }, { type: "wrong" }, { type: "right" }];
	const closed = await adding(t, deeds, { respond: service(["a"], "right"), only: "messages" });
	const [, , first, second] = closed.questions;
	assert.deepEqual([first?.problem, first?.value], ["", ""]);
	assert.deepEqual([/refused the key/.test(second?.problem ?? ""), second?.value], [true, "wrong"]);
	assert.equal(closed.added?.baseUrl, "https://a.example");
});

test("leaving the choice of a model keeps the connection with its first model", async (t) => {
	const deeds: Deed[] = [{ choose: /Custom Messages/ }, { type: "a.example" }];
	const left = await adding(t, [...deeds, "leave"], { respond: service(["a", "b"]), only: "messages" });
	assert.equal(left.questions.length, 3);
	assert.deepEqual(left.notices, ["Added Models on a.example. New conversations use a."]);
	const picked = await adding(t, [...deeds, { choose: /^b$/ }], { respond: service(["a", "b"]), only: "messages" });
	assert.equal(picked.session.target.model, "b");
	const none = await adding(t, [...deeds, { type: "mine" }], { respond: service([]), only: "messages" });
	assert.deepEqual(none.notices, ["Added Models on a.example. New conversations use mine."]);
});

test("a key typed for one service is not sent to the one chosen after going back", async (t) => {
	const deeds: Deed[] = [{ choose: /^Anthropic$/ }, { type: "key-of-one" }, "back", { choose: /^Custom Messages/ }];
	const { requests } = await adding(t, [...deeds, { type: "a.example" }], {
		respond: ({ headers }) => ({ status: headers["x-api-key"] === undefined ? 400 : 401, body: {} }),
		only: "messages",
	});
	const keys = requests.map(({ headers }) => headers["x-api-key"]);
	assert.equal(keys.at(-1), undefined, JSON.stringify(keys));
});

test("a key over plain http to another machine is sent only after a confirmation", async (t) => {
	const deeds: Deed[] = [{ choose: /^Custom Messages/ }, { type: "http://gpu-box:8000" }, { type: "open-key" }];
	const options = { respond: service(["a"], "open-key"), only: "messages" } as const;
	const dismissed = await adding(t, deeds, options);
	assert.match(dismissed.notices[0] ?? "", /^Requests to gpu-box:8000 would carry a credential over plain http/);
	assert.match(dismissed.questions[3]?.problem ?? "", /^Use https/);
	assert.ok(dismissed.requests.every(({ headers }) => headers["x-api-key"] === undefined));
	const { added } = await adding(t, deeds, { ...options, press: "Use Anyway" });
	assert.equal(added?.label, "Models on gpu-box:8000");
});

test("engines of this machine are found by their usual addresses, all at once", async () => {
	const urls: string[] = [];
	const reply = (body: unknown, status = 200) => ({
		status,
		headers: { "content-type": "application/json" },
		body: (async function* () {
			yield Buffer.from(JSON.stringify(body));
		})(),
	});
	const transport: Transport = {
		async send({ url, signal }) {
			urls.push(url.href);
			if (url.port === "11434") return reply(listOf("a", "b", "c").body);
			if (url.port === "8000") return reply({ error: "no" }, 401);
			// Whatever else runs there may keep silent.
			if (url.port === "8080") return new Promise((_, reject) => signal?.addEventListener("abort", reject));
			throw Object.assign(new Error("refused"), { code: "ECONNREFUSED" });
		},
		close: async () => undefined,
	};
	const begun = Date.now();
	assert.deepEqual(await findEngines({ transport, clock: systemClock }), [{ ...OLLAMA, models: 3 }]);
	assert.ok(Date.now() - begun < 5_000);
	for (const port of [11434, 1234, 9931, 8080, 8000]) {
		assert.ok(urls.includes(`http://127.0.0.1:${port}/v1/models`), `${port}`);
	}
	assert.ok(urls.every((url) => url.startsWith("http://127.0.0.1:")));
});
