import assert from "node:assert/strict";
import { test } from "node:test";
import { CONTRACT_CAPABILITIES } from "#app/connections/model-capabilities.ts";
import { chatParts } from "../../../support/chat-parts.ts";
import { fakeVscode } from "../../../support/fake-vscode.ts";
import { callBlock, settle } from "../../../support/scripted-sender.ts";

const { answerInChat } = await import("#editor/models/participant.ts");

test("a model in the editor's Chat learns of a denied call, and its rounds end", async () => {
	const refused = Object.assign(new Error("Canceled"), { name: "Canceled" });
	fakeVscode({
		workspace: { getConfiguration: () => ({ get: () => 2 }) },
		lm: { invokeTool: () => Promise.reject(refused) },
	});
	const { parts, sender, registry } = chatParts();
	await registry.add({ service: "messages", label: "A", baseUrl: "https://a.example", profile: "custom" }, "key-12345");
	const capabilities = () => ({ ...CONTRACT_CAPABILITIES, tools: true });
	// What is not there is not used.
	const of = <T>(value: object) => value as T;
	type Given = Parameters<typeof answerInChat>;
	const stores = { list: () => [{ id: "s", label: "Store", baseUrl: "https://s.example" }] };
	const toolRooms = of<Given[4]["toolRooms"]>({ registry: stores, repositories: { list: () => [], areRead: false } });
	const answer = answerInChat(
		of<Given[0]>({ prompt: "go", references: [] }),
		{ history: [] },
		of<Given[2]>({ progress: () => undefined }),
		of<Given[3]>({ onCancellationRequested: () => undefined }),
		{ ...parts, capabilities, toolRooms },
	);
	for (let round = 0; round < 2; round++) {
		await settle();
		sender.last.put(callBlock("switchboard_delete_order", { order: 1 }));
		sender.last.end({ outcome: "tool-use" });
	}
	const message = "Paused after 2 tool calls, 0 requests and 60 bytes of results. Send a message to continue.";
	assert.deepEqual(await answer, { errorDetails: { message } });
	const result = { type: "tool_result", tool_use_id: "call_0", is_error: true };
	assert.deepEqual(sender.last.request.messages.at(-1)?.content, [
		{ ...result, content: "The person did not allow this." },
	]);
});
