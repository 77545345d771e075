import assert from "node:assert/strict";
import { test } from "node:test";
import { webAddress } from "#app/codehost/web-address.ts";

test("only addresses of web pages are opened", () => {
	assert.equal(webAddress("https://code.example/1"), "https://code.example/1");
	for (const address of [null, "command:workbench.action.quit", "javascript:alert(1)", "file:///etc/passwd", "x"]) {
		assert.equal(webAddress(address), undefined);
	}
});
