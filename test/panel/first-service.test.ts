import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as textOf } from "node:stream/consumers";
import { after, before, test } from "node:test";
import type { Frame } from "playwright-core";
import { quickInput } from "../support/quick-input.ts";
import { until } from "../support/until.ts";
import { type Driver, openDriver } from "./driver.ts";

const MODELS: Readonly<Record<string, readonly string[]>> = {
	"nomic-embed-text:latest": ["embedding"],
	"tiny-1:latest": ["completion"],
};

/** Bodies of the messages that came. */
const asked: { readonly model: string; readonly tools?: unknown }[] = [];

/** Answers as an Ollama does that has a model for embeddings and one for a chat. */
async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
	const json = (status: number, body: object) => response.writeHead(status).end(JSON.stringify(body));
	if (request.url === "/v1/models") return void json(200, { data: Object.keys(MODELS).map((id) => ({ id })) });
	const { model, ...body } = JSON.parse((await textOf(request)) || "{}");
	if (MODELS[model] === undefined) return void json(404, { error: { message: `model '${model}' not found` } });
	if (request.url === "/api/show") return void json(200, { capabilities: MODELS[model] });
	asked.push({ model, ...body });
	response.writeHead(200, { "content-type": "text/event-stream" });
	const event = (data: { readonly type: string; readonly [field: string]: unknown }) =>
		response.write(`event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`);
	event({ type: "message_start", message: { id: "m", model, role: "assistant" } });
	event({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } });
	event({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hello from tiny" } });
	event({ type: "content_block_stop", index: 0 });
	event({ type: "message_delta", delta: { stop_reason: "end_turn" } });
	event({ type: "message_stop" });
	response.end();
}

const server = createServer((request, response) => void answer(request, response));
let driver: Driver;
let chat: Frame;

before(async () => {
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	driver = await openDriver({ width: 1400, height: 900 });
	chat = await driver.openChat();
});

after(async () => {
	await driver.dispose();
	server.closeAllConnections();
	server.close();
});

test("a question that waits for a first service is sent to its first model that chats", async () => {
	const box = chat.getByRole("textbox").first();
	await box.fill("What can you do?");
	await box.press("Enter");
	const prompts = quickInput(driver.workbench.page);
	await prompts.answer("Ollama");
	await prompts.fill("http://127.0.0.1:11434", `127.0.0.1:${(server.address() as AddressInfo).port}/v1`);
	await until(async () => (await chat.locator("body").innerText()).includes("Hello from tiny"), "the reply");
	assert.deepEqual(
		asked.map(({ model, tools }) => [model, tools]),
		[["tiny-1:latest", undefined]],
	);
	await chat.getByRole("button", { name: /^Select Model: tiny-1:latest, Ollama on 127\.0\.0\.1:\d+/ }).waitFor();
});
