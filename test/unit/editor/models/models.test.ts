import assert from "node:assert/strict";
import { test } from "node:test";
import { ClientError } from "#base/errors.ts";
import { chatParts, MESSAGES } from "../../../support/chat-parts.ts";
import { fakeVscode } from "../../../support/fake-vscode.ts";

const { startModels } = await import("#editor/models/models.ts");
const { LanguageModelError } = await import("vscode");
Object.assign(LanguageModelError, {
	NoPermissions: (words: string) => Object.assign(new Error(words), { code: "no" }),
	Blocked: (words: string) => Object.assign(new Error(words), { code: "blocked" }),
});

/** The provider, where other extensions may use the models or not. */
async function setUp(isAllowed: boolean, more: object = {}) {
	fakeVscode({
		workspace: { getConfiguration: () => ({ get: () => isAllowed }) },
		LanguageModelChatMessageRole: { User: 1, Assistant: 2 },
		LanguageModelTextPart: class {
			readonly value: string;
			constructor(value: string) {
				this.value = value;
			}
		},
	});
	const { parts, sender, registry, opened } = chatParts();
	const { id } = await registry.add(MESSAGES, "key-12345");
	const callers: (string | undefined)[] = [];
	const open: typeof parts.open = (connection, key, firstByteMs, caller) => {
		callers.push(caller);
		return parts.open(connection, key, firstByteMs);
	};
	// What is not there is not used.
	const of = <T>(value: object) => value as T;
	const { provider } = startModels(of<Parameters<typeof startModels>[0]>({ ...parts, open, ...more }));
	type Given = Parameters<typeof provider.provideLanguageModelChatResponse>;
	const heard: string[] = [];
	const ask = (requestInitiator?: string) =>
		provider.provideLanguageModelChatResponse(
			of<Given[0]>({ id: `${id}/m`, version: "m", name: "M" }),
			[of<Given[1][0]>({ role: 1, content: [{ value: "hi" }] })],
			of<Given[2]>({ requestInitiator }),
			{ report: (part) => heard.push(String(Object(part).value)) },
			of<Given[4]>({ onCancellationRequested: () => undefined }),
		);
	return { ask, callers, opened, sender, heard };
}

test("requests name the other extension or the editor that makes them", async () => {
	const { ask, callers, sender } = await setUp(true);
	for (const caller of ["Acme.pets", "core", "GitHub.copilot-chat", undefined]) {
		const asked = ask(caller);
		await sender.answer("Hi.");
		await asked;
	}
	const editor = "Editor's Chat";
	assert.deepEqual(callers, ["Another extension (Acme.pets)", editor, editor, editor]);
});

test("the editor and other extensions are refused at a limit, in words", async () => {
	const refusal = new ClientError("messages", "forbidden", "Daily limit of A: used.", { reason: "over-budget" });
	const { ask, sender } = await setUp(true, { budget: { book: () => Promise.reject(refusal) } });
	const words = "Daily limit of A: used. Raise it in Edit Connection, or wait until it starts over.";
	for (const caller of ["core", "Acme.pets"]) await assert.rejects(ask(caller), { code: "blocked", message: words });
	assert.equal(sender.replies.length, 0);
});

test("a setting refuses other extensions the models, and leaves them to the editor", async () => {
	const { ask, opened, sender } = await setUp(false);
	await assert.rejects(ask("acme.pets"), { code: "no", message: /Turn on switchboard\.models\.otherExtensions/ });
	assert.equal(opened.length, 0);
	const asked = ask("core");
	await sender.answer("Hi.");
	await asked;
	assert.equal(opened.length, 1);
});
