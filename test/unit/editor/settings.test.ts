import assert from "node:assert/strict";
import { test } from "node:test";
import { fakeVscode } from "../../support/fake-vscode.ts";

const { setForUser } = await import("#editor/settings.ts");

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
