import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { pathToFileURL } from "node:url";
import { RateLimits } from "#api/codehost/gate.ts";
import { createTransport } from "#api/http/undici-transport.ts";
import { defaultPatience } from "#api/messages/model.ts";
import { petstoreLimiters } from "#api/petstore/client.ts";
import { probeOf } from "#app/checks/connection-tests.ts";
import { ConnectionRegistry } from "#app/connections/registry.ts";
import { Vault } from "#app/connections/vault.ts";
import { systemClock } from "#base/clock.ts";
import { Redactor } from "#base/redaction.ts";
import { MemoryLog, MemorySecrets, MemorySettings } from "../../support/memory-editor.ts";
import { type Respond, serve } from "../../support/recording-server.ts";
import { type Deed, scriptedPerson } from "../../support/scripted-person.ts";
import { until } from "../../support/until.ts";

const { importConnections } = await import("#editor/connections/import-connections.ts");

const KEY = "sk-planted-0123456789abcdef0123456789";

const open: Respond = ({ path }) => (path.endsWith("/models") ? { body: { data: [{ id: "a" }] } } : { status: 400 });
const closed: Respond = (request, count) =>
	request.headers["x-api-key"] === "right" ? open(request, count) : { status: 401, body: { error: { message: "no" } } };
const other: Respond = () => ({ status: 404, body: { error: { message: "Unknown path" } } });

/** End of the settings with a model that has no address. */
const HUB = ', {"name": "Hub", "uses": "a/b"}]}';

/** Services of each kind and the settings of Continue about them. */
async function servers(t: TestContext) {
	const started = await Promise.all([open, closed, closed, other].map((respond) => serve(t, respond)));
	const gone = await serve(t, () => undefined);
	const origins = [...started, gone].map(({ origin }) => origin);
	const models = origins.map((apiBase, at) => ({
		provider: "openai",
		model: `m${at}`,
		apiBase: `${apiBase}/v1`,
		apiKey: KEY,
	}));
	return {
		started,
		origins,
		hosts: origins.map((origin) => new URL(origin).host),
		settings: JSON.stringify({ models }),
	};
}

function idsOf(registry: ConnectionRegistry): readonly string[] {
	return registry
		.list()
		.map(({ id }) => id)
		.sort();
}

/** A window whose person imports with these deeds; `files` by their paths below the home folder. */
async function importing(
	t: TestContext,
	deeds: readonly Deed[],
	{
		files = {},
		clipboard = "",
		given,
		cancelsAt,
	}: {
		files?: Record<string, string>;
		clipboard?: string;
		given?: string;
		/** Connections after which the person cancels the rest. */
		cancelsAt?: number;
	} = {},
) {
	const home = await mkdtemp(join(tmpdir(), "switchboard-home-"));
	const { HOME, USERPROFILE } = process.env;
	Object.assign(process.env, { HOME: home, USERPROFILE: home });
	t.after(async () => {
		Object.assign(process.env, { HOME, USERPROFILE });
		await rm(home, { recursive: true });
	});
	for (const [name, text] of Object.entries(files)) {
		await mkdir(join(home, name, ".."), { recursive: true });
		await writeFile(join(home, name), text);
	}
	const transport = createTransport();
	t.after(() => transport.close());
	const [log, redactor, clock, settings] = [new MemoryLog(), new Redactor(), systemClock, new MemorySettings()];
	const common = { transport, clock, redactor, log, patience: () => ({ ...defaultPatience, maxAttempts: 1 }) };
	const probe = probeOf({
		transport,
		clock,
		codehost: { ...common, rateLimits: new RateLimits(clock) },
		petstore: { ...common, limiters: petstoreLimiters() },
		requested: () => undefined,
	});
	const secrets = new MemorySecrets();
	const registry = new ConnectionRegistry({ settings, vault: new Vault(secrets, redactor, log), clock, log, probe });
	const isEnough = () => registry.list().length === cancelsAt;
	const person = scriptedPerson(deeds, {
		...(cancelsAt !== undefined && { canceled: until(isEnough, "the connections") }),
		workspace: {
			fs: {
				stat: ({ fsPath }: { fsPath: string }) => stat(fsPath),
				readFile: ({ fsPath }: { fsPath: string }) => readFile(fsPath),
			},
		},
		env: { clipboard: { readText: async () => clipboard } },
		Uri: { file: (path: string) => ({ fsPath: path, path: pathToFileURL(path).pathname }) },
	});
	const result = await importConnections(given, registry, join(home, "User")).catch((error: unknown) => error);
	const seen = JSON.stringify([result, person, settings.read(), log.lines, [...secrets.entries]]);
	assert.doesNotMatch(seen, /planted/, "no key of the settings is kept or shown");
	return { ...person, registry, result };
}

test("each chosen service is asked, and a key only where it is refused without one", async (t) => {
	const { settings, started, hosts, origins } = await servers(t);
	const deeds: Deed[] = [{ choose: /^Continue$/ }, "accept", { type: "wrong" }, { type: "right" }, { type: "right" }];
	const files = { ".continue/config.yaml": settings };
	const { questions, notices, registry, result } = await importing(t, deeds, { files });
	const [where, pick, first, again, second, ...more] = questions;
	assert.deepEqual(where?.rows, ["Continue", "Clipboard", "File..."]);
	assert.deepEqual(pick?.rows, ["config.yaml", ...hosts.map((host) => `Models on ${host}`)]);
	assert.deepEqual(pick?.details.slice(1), ["m0", "m1", "m2", "m3", "m4"]);
	assert.equal(first?.title, `Models on ${hosts[1]} Needs an API Key`);
	assert.match(again?.problem ?? "", /refused the key/);
	assert.equal(second?.title, `Models on ${hosts[2]} Needs an API Key`);
	assert.deepEqual(more, []);
	const [, , , speechless, gone] = origins;
	assert.deepEqual(notices, [
		`4 connections added. Does not speak the Messages API: ${speechless}. Not reached just now: ${gone}.`,
	]);
	const kept = registry.list("messages").map(({ baseUrl, model, models }) => [baseUrl, model, models]);
	assert.deepEqual(
		kept.sort(),
		origins
			.map((origin, at) => [origin, `m${at}`, [`m${at}`]])
			.filter(([origin]) => origin !== speechless)
			.sort(),
	);
	const { ids, ...others } = Object(result);
	assert.deepEqual([...ids].sort(), idsOf(registry));
	assert.deepEqual(others, { needKey: [], notMessages: [speechless], unreached: [gone], skipped: [] });
	const sent = started.flatMap(({ requests }) => requests.map(({ headers }) => JSON.stringify(headers)));
	assert.ok(!sent.some((headers) => headers.includes("planted")));
});

test("leaving the question about a key keeps the connections and says which need one", async (t) => {
	const { settings, hosts } = await servers(t);
	const files = { "User/chatLanguageModels.json": settings };
	const { questions, notices, registry } = await importing(t, [{ choose: /^VS Code$/ }, "accept", "leave"], { files });
	assert.equal(questions.length, 3);
	assert.equal(registry.list("messages").length, 4);
	const names = `Models on ${hosts[1]} and Models on ${hosts[2]}`;
	assert.ok(notices[0]?.startsWith(`4 connections added. Needs a key: ${names}. `), notices[0]);
});

test("a service that has no messages API once its key is given is told, and left out", async (t) => {
	const later: Respond = (request, count) =>
		request.headers["x-api-key"] === undefined ? closed(request, count) : other(request, count);
	const gateway = await serve(t, later);
	const clipboard = `${gateway.origin} m`;
	const deeds: Deed[] = [{ choose: /^Clip/ }, "accept", { type: "right" }];
	const { notices, registry, result } = await importing(t, deeds, { clipboard });
	assert.deepEqual(notices, [`No connections added. Does not speak the Messages API: ${gateway.origin}.`]);
	assert.deepEqual(registry.list(), []);
	assert.deepEqual(result, { ids: [], needKey: [], notMessages: [gateway.origin], unreached: [], skipped: [] });
});

test("leaving while addresses are checked keeps what was added, and says so", async (t) => {
	const ready = await serve(t, open);
	const silent = await serve(t, () => ({ after: new Promise(() => undefined) }));
	const clipboard = `${ready.origin} m\n${silent.origin} m`;
	const { notices, registry } = await importing(t, [{ choose: /^Clip/ }, "accept"], {
		clipboard,
		cancelsAt: 1,
	});
	assert.deepEqual(notices, ["1 connection added. Canceled before 1 was checked."]);
	assert.deepEqual(
		registry.list().map(({ baseUrl }) => baseUrl),
		[ready.origin],
	);
});

test("only chosen services are asked, and without a choice nothing is", async (t) => {
	const { settings, started, hosts } = await servers(t);
	const clipboard = settings.replace("]}", HUB);
	const one = await importing(t, [{ choose: /^Clip/ }, { choose: new RegExp(`^Models on ${hosts[0]}$`) }], {
		clipboard,
	});
	assert.deepEqual(one.notices, ["1 connection added. Without an address: Hub."]);
	assert.deepEqual(one.questions[0]?.rows, ["Clipboard", "File..."]);
	assert.deepEqual(
		started.map(({ requests }) => requests.length > 0),
		[true, false, false, false],
	);
	const none = await importing(t, [{ choose: /^Clip/ }, "leave"], { clipboard });
	assert.deepEqual([none.notices, none.registry.list(), none.result], [[], [], undefined]);
});

test("an argument imports all without a question, and says what is missing", async (t) => {
	const { settings, origins } = await servers(t);
	const given = settings.replace("]}", HUB);
	const { questions, notices, registry, result } = await importing(t, [], { given });
	assert.deepEqual([questions, notices], [[], []]);
	const { ids, needKey, ...others } = Object(result);
	assert.deepEqual([...ids].sort(), idsOf(registry));
	assert.deepEqual(
		needKey.map((id: string) => registry.get(id)?.baseUrl),
		origins.slice(1, 3),
	);
	assert.deepEqual(others, { notMessages: [origins[3]], unreached: [origins[4]], skipped: ["Hub"] });
});

test("settings that are broken or hold nothing new are told by their name", async (t) => {
	const files = { ".continue/config.yaml": `models:\n  - name: a\n   apiKey: ${KEY}` };
	const broken = await importing(t, [{ choose: /^Continue$/ }], { files });
	assert.match(String(broken.result), /config\.yaml: line 3 cannot be read/);
	const large = { ".continue/config.yaml": "a".repeat(300_000) };
	assert.match(
		String((await importing(t, [{ choose: /^Cont/ }], { files: large })).result),
		/config\.yaml is too large/,
	);
	const empty = await importing(t, [{ choose: /^Clipboard$/ }]);
	assert.deepEqual(empty.notices, ["The clipboard has no new address."]);
});
