import assert from "node:assert/strict";
import { test } from "node:test";
import { fakeVscode } from "../../support/fake-vscode.ts";

const { chatParameters, savedPrompts, servicePatience, setForUser, setting } = await import("#editor/settings.ts");

/** Lets the settings have these values. */
function givenSettings(values: Readonly<Record<string, unknown>>): void {
	fakeVscode({ workspace: { getConfiguration: () => ({ get: (key: string) => values[`${key}`] }) } });
}

test("a number of the settings is drawn into its bounds", () => {
	for (const [written, read] of [
		[0, 1],
		[1.5, 1],
		[25, 25],
		[1_000, 100],
	]) {
		givenSettings({ "switchboard.chat.toolRounds": written });
		assert.equal(setting("switchboard.chat.toolRounds"), read);
	}
	givenSettings({ "switchboard.retry.maxWaitSeconds": 1_000 });
	assert.equal(servicePatience().maxRetryWaitMs, 600_000);
});

test("a value of the wrong type counts as the default", () => {
	for (const written of [undefined, null, "x", Number.NaN]) {
		const keys = ["switchboard.chat.contextBudget", "switchboard.chat.costLimit", "switchboard.chat.notify"] as const;
		givenSettings(Object.fromEntries(keys.map((key) => [key, written])));
		assert.deepEqual(
			keys.map((key) => setting(key)),
			[100_000, undefined, false],
		);
	}
});

test("a parameter out of range reaches the client, whose error names it", () => {
	givenSettings({ "switchboard.chat.temperature": 3, "switchboard.chat.replyLimit": 0.5 });
	const { temperature, maxTokens } = chatParameters();
	assert.deepEqual([temperature, maxTokens], [3, 0.5]);
});

test("a malformed price or prompt costs only itself", () => {
	const price = { input: 1, output: 2 };
	givenSettings({
		"switchboard.chat.prices": { a: price, b: { input: -1, output: 2 }, c: "x" },
		"switchboard.chat.prompts": { review: "Review", number: 3 },
	});
	assert.deepEqual(setting("switchboard.chat.prices"), { a: { currency: "USD", ...price } });
	assert.deepEqual(savedPrompts(), [{ name: "review", text: "Review" }]);
	for (const other of [null, [], "x", 1]) {
		givenSettings({ "switchboard.chat.prices": other, "switchboard.chat.prompts": other });
		assert.deepEqual([setting("switchboard.chat.prices"), savedPrompts()], [{}, []]);
	}
});

test("a setting that another window has written asks for a reload", async () => {
	for (const [said, shown] of [
		[
			"Unable to write into user settings because the content of the file is newer.",
			/Reload this window and try again/,
		],
		["Unable to write into user settings because the file has unsaved changes.", /has unsaved changes/],
	] as const) {
		const update = () => Promise.reject(new Error(said));
		fakeVscode({ workspace: { getConfiguration: () => ({ update }) }, ConfigurationTarget: { Global: 1 } });
		await assert.rejects(setForUser("switchboard.connections", []), { message: shown });
	}
});
