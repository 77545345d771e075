import assert from "node:assert/strict";
import { test } from "node:test";
import { Conversations } from "#app/chat/conversations.ts";
import { Emitter } from "#base/emitter.ts";
import { fakeVscode } from "../../../support/fake-vscode.ts";
import { settle } from "../../../support/scripted-sender.ts";
import { toolChat } from "../../../support/tool-chat.ts";

const { UnseenReplies } = await import("#editor/chat/panels.ts");

test("hidden replies that wait are counted on the view, and notify only if wanted", async () => {
	let [isVisible, wants, badge] = [true, false, 0];
	const told: string[] = [];
	fakeVscode({
		workspace: { getConfiguration: () => ({ get: () => wants, inspect: () => undefined }) },
		window: {
			showInformationMessage: async (words: string, button: string) => {
				told.push(words);
				return button;
			},
		},
	});
	const { parts, sender, call } = await toolChat();
	const conversations = new Conversations(parts);
	const store = { onDidDelete: new Emitter<string>().event };
	const unseen = new UnseenReplies({ conversations, store } as ConstructorParameters<typeof UnseenReplies>[0], {
		isVisible: () => isVisible,
		setBadge: (given) => {
			badge = given?.value ?? 0;
		},
		reveal: async () => {
			isVisible = true;
			unseen.update();
		},
	});
	const first = conversations.active;
	void first.send("sell one");
	await call("sell");
	assert.equal(badge, 0);
	isVisible = false;
	unseen.update();
	assert.deepEqual([badge, told], [1, []]);
	wants = true;
	conversations.show(conversations.create("other"));
	void conversations.active.send("and you?");
	await sender.answer("Hello.");
	conversations.show(first);
	await settle();
	assert.deepEqual([badge, told], [1, ['The reply in "and you?" has ended.']]);
	assert.notEqual(conversations.active, first);
	conversations.show(first);
	assert.equal(badge, 0);
	conversations.dispose();
});
