import { strict as assert } from "node:assert";
import { text } from "node:stream/consumers";
import { after, before, type TestContext, test } from "node:test";
import type { RequestNotice } from "#api/http/notice.ts";
import type { SelfDescription } from "#api/messages/model.ts";
import { type Sandbox, startSandbox } from "#sandbox/sandbox.ts";
import { listening } from "../../support/loopback.ts";
import { type CannedReply, serve } from "../../support/recording-server.ts";
import { clientAt, KEY } from "./client-at.ts";

let sandbox: Sandbox;
before(async () => {
	sandbox = await startSandbox();
});
after(() => sandbox.close());

/** The models that a service lists which answers so, and what it was asked. */
async function listed(context: TestContext, ...replies: readonly CannedReply[]) {
	const server = await serve(context, (_, count) => replies[count] ?? { status: 500 });
	const models = await clientAt(server.origin).listModels();
	return { models, requests: server.requests };
}

const ids = (models: readonly { readonly id: string }[] | null) => models?.map(({ id }) => id);
const page = (...names: string[]) => ({ data: names.map((id) => ({ id })) });

test("all pages of the sandbox's models are read, with the headers of the contract", async () => {
	const notices: RequestNotice[] = [];
	const client = clientAt(sandbox.baseUrls.messages, { key: sandbox.keys.messages, notices });
	assert.deepEqual(ids(await client.listModels()), ["sandbox", "sandbox-1", "sandbox-2"]);
	assert.deepEqual(
		notices.map(({ method, url, status }) => `${method} ${url.replace(sandbox.baseUrls.messages, "")} ${status}`),
		["GET /v1/models 200", "GET /v1/models?after_id=sandbox-1 200"],
	);
	for (const { headers } of notices) {
		assert.deepEqual(headers, { accept: "application/json", "service-version": "2023-06-01", "x-api-key": "{key}" });
	}
});

test("a service without a list has none: 404, 405 and a redirect are accepted", async (t) => {
	for (const status of [404, 405, 302]) {
		const { models, requests } = await listed(t, { status, headers: { location: "/elsewhere" }, body: "none" });
		assert.equal(models, null);
		assert.equal(requests.length, 1);
	}
});

test("a list with more pages is followed to its end, and never in a circle", async (t) => {
	const more = { ...page("a", "b"), has_more: true, last_id: "b" };
	const both = await listed(t, { body: more }, { body: { ...page("c"), has_more: false } });
	assert.deepEqual(ids(both.models), ["a", "b", "c"]);
	assert.deepEqual(
		both.requests.map(({ path }) => path),
		["/v1/models", "/v1/models?after_id=b"],
	);
	const circle = await listed(t, { body: more }, { body: more });
	assert.deepEqual(ids(circle.models), ["a", "b"]);
	assert.equal(circle.requests.length, 2);
});

test("at most 5,000 models are listed", async (t) => {
	const names = (from: number) => Array.from({ length: 2_000 }, (_, at) => `model-${from + at}`);
	const pages = [0, 2_000, 4_000, 6_000].map((from) => ({ body: { ...page(...names(from)), has_more: true } }));
	const { models, requests } = await listed(t, ...pages);
	assert.deepEqual([models?.length, models?.at(-1)?.id, requests.length], [5_000, "model-4999", 3]);
});

test("a refusal or a body that is no list fails without the key, and is not retried", async (t) => {
	const words = { error: { type: "authentication_error", message: `${KEY} is no good` } };
	for (const [reply, code] of [
		[{ status: 401, body: words }, "unauthorized"],
		[{ status: 429, body: words }, "rate-limited"],
		[{ status: 503, body: words }, "overloaded"],
		[{ status: 200, body: "<html>Sign in</html>" }, "malformed"],
		[{ status: 200, body: { models: [] } }, "malformed"],
	] as const) {
		await assert.rejects(listed(t, reply), (error: Error & { code?: string }) => {
			assert.equal(error.code, code);
			assert.ok(!error.message.includes(KEY));
			return true;
		});
	}
});

test("a request for models can be stopped", async (t) => {
	const server = await serve(t, () => ({ delayMs: 5_000, body: page("a") }));
	await assert.rejects(clientAt(server.origin).listModels(AbortSignal.timeout(50)), { code: "aborted" });
});

/** What models are known to be of a service that tells more of them at addresses of its own, and what it was asked. */
async function described(
	context: TestContext,
	describes: SelfDescription,
	answers: Readonly<Record<string, (body: string) => CannedReply>>,
) {
	const asked: string[] = [];
	const origin = await listening(context, async (request, response) => {
		const body = await text(request);
		const { method, url = "" } = request;
		if (url !== "/v1/models") asked.push(`${method} ${url} ${body}`.trim());
		const reply = url === "/v1/models" ? { body: page("a", "b") } : (answers[url]?.(body) ?? { status: 404 });
		response.writeHead(reply.status ?? 200, { "content-type": "application/json" }).end(JSON.stringify(reply.body));
	});
	const client = clientAt(origin, { describes });
	const models = (await client.listModels()) ?? [];
	const byId = (all: typeof models) => Object.fromEntries(all.map(({ id, name: _, ...facts }) => [id, facts]));
	return { asked, models: byId(models), reread: async () => byId(await client.reread(models)) };
}

const unknown = { maxInputTokens: null, maxOutputTokens: null };

test("Ollama is asked about each model, and one that it cannot show stays as listed", async (t) => {
	const { asked, models } = await described(t, "ollama", {
		"/api/show": (body) =>
			body.includes('"b"')
				? { status: 500 }
				: {
						body: {
							capabilities: ["completion", "tools", "vision"],
							model_info: { "general.architecture": "x", "x.context_length": 40_960 },
							parameters: "stop  x\nnum_ctx  8192",
						},
					},
	});
	assert.deepEqual(asked.toSorted(), ["GET /api/ps", 'POST /api/show {"model":"a"}', 'POST /api/show {"model":"b"}']);
	const abilities = { tools: true, images: true, thinking: false };
	assert.deepEqual(models, { a: { ...unknown, maxInputTokens: 8192, abilities }, b: unknown });
	const made = { capabilities: [], model_info: { "x.context_length": 40_960 }, parameters: "stop  x" };
	const { models: cold } = await described(t, "ollama", { "/api/show": () => ({ body: made }) });
	assert.equal(cold["a"]?.maxInputTokens, null, "what a model was made for is not what is loaded");
	const vectors = { capabilities: ["embedding"] };
	const { models: embedding } = await described(t, "ollama", { "/api/show": () => ({ body: vectors }) });
	assert.equal(embedding["a"]?.chats, false);
});

test("Ollama's allocated context counts for a loaded model, else the configured one", async (t) => {
	const shown = { capabilities: ["completion"], parameters: "num_ctx  8192" };
	const contexts = async (loaded: unknown) => {
		const answers = { "/api/show": () => ({ body: shown }), "/api/ps": () => ({ body: loaded }) };
		const { models } = await described(t, "ollama", answers);
		return [models["a"]?.maxInputTokens, models["b"]?.maxInputTokens];
	};
	assert.deepEqual(await contexts({ models: [{ name: "a", model: "a", context_length: 4096 }] }), [4096, 8192]);
	for (const loaded of [{ models: [{ name: "a" }, null, { name: "b", context_length: "many" }] }, { models: {} }, []]) {
		assert.deepEqual(await contexts(loaded), [8192, 8192], JSON.stringify(loaded));
	}
});

test("Ollama is asked again about loaded models alone; the others stay as they were", async (t) => {
	const shown = { capabilities: ["completion", "tools"], parameters: "num_ctx  8192" };
	let loaded: object[] = [];
	const { asked, models, reread } = await described(t, "ollama", {
		"/api/show": () => ({ body: shown }),
		"/api/ps": () => ({ body: { models: loaded } }),
	});
	asked.length = 0;
	loaded = [{ name: "a", context_length: 4096 }];
	assert.deepEqual(await reread(), { ...models, a: { ...models["a"], maxInputTokens: 4096 } });
	assert.deepEqual(asked, ["GET /api/ps"]);
});

test("LM Studio describes all models at once, with the context each is loaded with", async (t) => {
	const { asked, models } = await described(t, "lm-studio", {
		"/api/v1/models": () => ({
			body: {
				models: [
					{
						key: "a",
						max_context_length: 131_072,
						capabilities: { vision: true, trained_for_tool_use: false },
						loaded_instances: [{ id: "a", config: { context_length: 4096 } }],
					},
					{ key: "b", max_context_length: 32_768, capabilities: { vision: false, trained_for_tool_use: true } },
				],
			},
		}),
	});
	const vectors = { models: [{ key: "a", type: "embedding", max_context_length: 2048 }] };
	const { models: embedding } = await described(t, "lm-studio", { "/api/v1/models": () => ({ body: vectors }) });
	assert.equal(embedding["a"]?.chats, false);
	assert.deepEqual(asked, ["GET /api/v1/models"]);
	const blind = { images: false, tools: true, toolChoice: true };
	assert.deepEqual(models, {
		a: { ...unknown, maxInputTokens: 4096, abilities: { images: true, tools: false, toolChoice: false } },
		b: { ...unknown, maxInputTokens: 32_768, abilities: blind },
	});
});

test("llama.cpp describes the model that it runs, and behind a router none", async (t) => {
	const props = {
		default_generation_settings: { n_ctx: 16_384 },
		modalities: { vision: true },
		chat_template_caps: { supports_tools: true },
	};
	const { asked, models } = await described(t, "llama.cpp", { "/props": () => ({ body: props }) });
	assert.deepEqual(asked, ["GET /props"]);
	const abilities = { tools: true, toolChoice: true, images: true };
	assert.deepEqual(models["a"], { ...unknown, maxInputTokens: 16_384, abilities });
	const router = await described(t, "llama.cpp", { "/props": () => ({ body: { role: "router" } }) });
	assert.deepEqual(router.models["a"], { ...unknown, abilities: {} });
});

test("no other service is asked more than for its list", async (t) => {
	const { asked, models } = await described(t, "list", {});
	assert.deepEqual([asked, models], [[], { a: unknown, b: unknown }]);
});
