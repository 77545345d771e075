import assert from "node:assert/strict";
import { test } from "node:test";
import { listedModels } from "#app/connections/connection.ts";
import { readImportable } from "#app/connections/importable.ts";
import { LIMITS } from "#base/limits.ts";

const KEY = "sk-planted-0123456789abcdef0123456789";

const read = (settings: string | object, kept: readonly string[] = []) =>
	readImportable(typeof settings === "string" ? settings : JSON.stringify(settings, null, "\t"), "file", kept);

/** Services in a line each: profile, address, models with the labels that they have. */
async function services(settings: string | object, kept?: readonly string[]) {
	const found = await read(settings, kept);
	return found.services.map(({ profile, baseUrl, models }) => {
		const names = listedModels({ models }).map(({ name, label }) => (label === undefined ? name : `${name}=${label}`));
		return [profile, baseUrl, ...names].join(" ");
	});
}

const CONTINUE = `
name: Mine
version: 1.0.0
defaults: &local
  provider: ollama
  apiKey: ${KEY}
models:
  - {<<: *local, name: Llama, model: llama3.1:8b}
  - <<: *local
    model: qwen3 # the second
  - {provider: ollama, model: AUTODETECT}
  - {provider: ollama, model: nomic-embed-text, roles: [embed]}
  - {provider: ollama, model: qwen3-coder, roles: [edit], apiBase: "http://tower:11434/"}
  - {provider: openai, model: gpt-oss, apiBase: http://localhost:1234/v1/}
  - {provider: anthropic, model: claude-sonnet-4-5, apiKey: ${KEY}}
  - {provider: llama.cpp, model: any}
  - {provider: openai, name: GPT, model: gpt-5}
  - uses: mistral/codestral
    with: {MISTRAL_API_KEY: ${KEY}}
  - {provider: vllm, name: Secret, model: a, apiBase: "https://me:${KEY}@host.example/v1"}
  - {provider: vllm, name: Query, model: a, apiBase: "https://host.example/v1?key=${KEY}"}
  - {provider: vllm, name: Variable, model: a, apiBase: "\${{ secrets.VLLM_URL }}"}
  - {provider: vllm, name: Socket, model: a, apiBase: "file:///var/run/vllm.sock"}
`;

const EDITOR = [
	{
		name: "Gateway",
		vendor: "customendpoint",
		apiKey: KEY,
		apiType: "messages",
		models: [
			{ id: "a", name: "A", url: "https://gate.example/ai/v1/messages", requestHeaders: { "x-key": KEY } },
			{ id: "b", name: "B", url: "https://gate.example/ai/v1/chat/completions" },
			{ id: "c", name: "C", url: "https://gate.example/ai/v1/responses" },
		],
	},
	{ name: "Ollama", vendor: "ollama", url: "http://localhost:11434" },
	{ name: "Copilot", vendor: "copilot", settings: { "gpt-5": { reasoningEffort: "high" } } },
];

const ROO = {
	providerProfiles: {
		currentApiConfigName: "work",
		apiConfigs: {
			work: { apiProvider: "anthropic", apiModelId: "claude-sonnet-4-5", apiKey: KEY, ollamaBaseUrl: "http://old:1" },
			home: { apiProvider: "lmstudio", lmStudioModelId: "qwen3", lmStudioBaseUrl: "http://192.168.1.5:1234" },
			open: { apiProvider: "openai", openAiBaseUrl: "https://a.example/v1", openAiModelId: "m", openAiApiKey: KEY },
			none: { apiProvider: "gemini", apiModelId: "gemini-3", geminiApiKey: KEY },
		},
	},
	globalSettings: { customModes: [] },
};

const LIST = `# Mine
http://localhost:11434 qwen3, llama3.1:8b ${KEY} api_key=abc
- https://openrouter.ai/api/v1: anthropic/claude-sonnet-4.5
* gate.example/ai
nothing here
`;

test("models at one address become one service, and a provider has its usual address", async () => {
	assert.deepEqual(await services(CONTINUE), [
		"ollama http://127.0.0.1:11434 llama3.1:8b=Llama qwen3",
		"ollama http://tower:11434 qwen3-coder",
		"lm-studio http://localhost:1234 gpt-oss",
		"anthropic https://api.anthropic.com claude-sonnet-4-5",
		"llama.cpp http://127.0.0.1:8080 any",
	]);
	const { skipped } = await read(CONTINUE);
	assert.deepEqual(skipped, ["GPT", "mistral/codestral", "Secret", "Query", "Variable", "Socket"]);
	const older = { models: [{ title: "Old", provider: "ollama", model: "m", apiKey: KEY }], tabAutocompleteModel: {} };
	assert.deepEqual(await services(older), ["ollama http://127.0.0.1:11434 m=Old"]);
});

test("the language models of VS Code are read, comments and trailing commas included", async () => {
	const gateway = "custom https://gate.example/ai a=A b=B c=C";
	assert.deepEqual(await services(EDITOR), [gateway, "ollama http://localhost:11434"]);
	assert.deepEqual((await read(EDITOR)).services[0]?.label, "Gateway");
	assert.deepEqual((await read(EDITOR)).skipped, ["Copilot"]);
	const text = `\ufeff[\r\n\t// mine\r\n\t{"vendor": "ollama", // here\r\n\t"url": "http://a.example//x"},\r\n]`;
	assert.deepEqual(await services(text), ["ollama http://a.example//x"]);
});

test("an export of Roo Code gives address and model of each profile's own provider", async () => {
	assert.deepEqual(await services(ROO), [
		"anthropic https://api.anthropic.com claude-sonnet-4-5",
		"lm-studio http://192.168.1.5:1234 qwen3",
		"custom https://a.example m",
	]);
	assert.deepEqual((await read(ROO)).skipped, ["none"]);
});

test("a list has an address a line, with its models behind it", async () => {
	assert.deepEqual(await services(LIST), [
		"ollama http://localhost:11434 qwen3 llama3.1:8b",
		"openrouter https://openrouter.ai/api anthropic/claude-sonnet-4.5",
		"custom https://gate.example/ai",
	]);
	assert.deepEqual((await read(LIST)).skipped, ["line 5"]);
	assert.deepEqual(await services(""), []);
});

test("a list may have labels, several addresses a line, and addresses in brackets", async () => {
	const list = `My servers:
Ollama: http://localhost:11434 qwen3:8b
Studio: tower:1234
http://a.example, http://b.example; https://c.example m
[::1]:8080 qwen
localhost:8000: llama3:70b`;
	assert.deepEqual(await services(list), [
		"ollama http://localhost:11434 qwen3:8b",
		"custom https://tower:1234",
		"custom http://a.example",
		"custom http://b.example",
		"custom https://c.example m",
		"llama.cpp http://[::1]:8080 qwen",
		"vllm http://localhost:8000 llama3:70b",
	]);
	assert.deepEqual((await read(list)).skipped, ["line 1"]);
});

test("an entry of another form is left out alone", async () => {
	const yaml = `models:
  - name: 4
  -
  - {name: Roles, roles: chat}
  - {uses: a/b, override: {apiBase: "http://tower:1"}}
  - {provider: ollama, model: m}`;
	assert.deepEqual(await services("models:\n- {provider: vllm, model: m}"), ["vllm http://127.0.0.1:8000 m"]);
	assert.deepEqual(await services(yaml), ["custom http://tower:1", "ollama http://127.0.0.1:11434 m"]);
	assert.deepEqual((await read(yaml)).skipped, ["an entry without a name"]);
	assert.deepEqual(await services([null, { models: 7 }, ...EDITOR.slice(1)]), ["ollama http://localhost:11434"]);
	const roo = { providerProfiles: { apiConfigs: { a: null, b: { apiProvider: "ollama" } } } };
	assert.deepEqual(await services(roo), ["ollama http://127.0.0.1:11434"]);
	assert.deepEqual((await read(roo)).skipped, ["a"]);
});

test("no key of any form is in what is read", async () => {
	for (const settings of [CONTINUE, EDITOR, ROO, LIST]) {
		assert.doesNotMatch(JSON.stringify(await read(settings)), /planted|abc\b/);
	}
});

test("an address that is a connection already is left out, whatever name its host has", async () => {
	assert.deepEqual(await services(EDITOR, ["http://127.0.0.1:11434", "https://gate.example/ai"]), []);
});

test("broken settings are refused with their name and the line or field, unquoted", async () => {
	const refused = (settings: string, words: string | RegExp) => assert.rejects(read(settings), { message: words });
	await refused(`models:\n  - name: a\n   apiKey: ${KEY}`, "file: line 3 cannot be read");
	await refused(`{"models": [{"apiKey": "${KEY}}]}`, /^file: line 1 cannot be read$/);
	await refused("models: *none", "file: cannot be read");
	await refused("models: text", "file: models must be a list");
	await refused("name: x", "file: models is missing");
	await refused('{"providerProfiles": {}}', "file: providerProfiles.apiConfigs is missing");
});

test("hostile settings are refused in a moment", async () => {
	const most = LIMITS.importCharacters;
	const doubled = Array.from({ length: 30 }, (_, at) => `k${at + 1}: &k${at + 1} [*k${at}, *k${at}]`);
	const hostile = {
		large: "a".repeat(most + 1),
		aliases: ["k0: &k0 [x]", ...doubled, "models: *k30"].join("\n"),
		circle: "models: &a [*a]",
		deep: "[".repeat(most),
		many: Array.from({ length: 60 }, (_, at) => `a${at}.example`).join("\n"),
	};
	for (const [name, settings] of Object.entries(hostile)) {
		await assert.rejects(read(settings), { code: "invalid" }, name);
	}
	for (const blank of [" ", "\n ", "//", '"', "a.", "- ", "a", '\\"', "/*"]) {
		const begun = performance.now();
		const start = /[\\/]/.test(blank) ? "[" : "";
		await read(start + blank.repeat(most / blank.length - 1)).catch(() => undefined);
		assert.ok(performance.now() - begun < 20_000, blank);
	}
	const strange = { models: [{ name: "a\u202eb\nc", provider: "x" }] };
	assert.deepEqual((await read(strange)).skipped, ["a b c"]);
});

test("a line of a list that looks like a key is no address, and is not named", async () => {
	const keys = [
		"abcdefghijklmnopqrstuvwxyzabcdef.ABCDEFGH",
		"0123456789abcdef0123456789abcdef.AbCdEfGh12345678",
		"eyJhbGci.eyJzdWIiOiIxMjM0NTY3ODkwIiwi.x",
		KEY,
	];
	const found = await read(`https://api.example/anthropic glm-5\n${keys.join("\n")}\nhttps://api.example/${KEY}`);
	assert.deepEqual(
		found.services.map(({ baseUrl }) => baseUrl),
		["https://api.example/anthropic"],
	);
	assert.deepEqual(found.skipped, ["line 2", "line 3", "line 4", "line 5", "line 6"]);
});

test("a key in a path is left out of settings too, and a name may begin with api", async () => {
	const entry = { provider: "vllm", name: "Path", apiBase: `https://gate.example/v1/${KEY}` };
	assert.deepEqual(await read({ models: [entry] }), { services: [], skipped: ["Path"] });
	assert.deepEqual(await services("https://api-eu.example api-small nemotronultralonginstruct"), [
		"custom https://api-eu.example api-small nemotronultralonginstruct",
	]);
});

test("comments in JSON hide no line, and are none within a text", async () => {
	const settings = `// first
	[/* mine
	*/ {"vendor": "ollama",// here
	"url": "http://tower:11434", "name": "a // b"}]`;
	const { services: found } = await read(settings);
	assert.deepEqual(
		found.map(({ baseUrl, label }) => [baseUrl, label]),
		[["http://tower:11434", "a // b"]],
	);
});

test("an entry for embeddings alone is left out, also at an address of its own", async () => {
	const entry = (roles: string) => `models: [{provider: vllm, model: e, apiBase: "http://e:1", roles: ${roles}}]`;
	assert.deepEqual(await services(entry("[embed, rerank]")), []);
	assert.equal((await services(entry("[embed, chat]"))).length, 1);
});
