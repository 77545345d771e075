/// <reference types="node" />
import assert from "node:assert/strict";
import { test } from "node:test";
import { conversation, openPanel } from "./support/open-panel.ts";

const FILE = { id: "a1", kind: "file", label: "<b>a.ts", bytes: 1_234, source: "file:///x/a%20b.ts#L1-L2" };

test("attachments above the composer show their size and can be opened and removed", () => {
	const panel = openPanel();
	panel.tell(conversation([], {}, { draft: { text: "", attachments: [FILE] } }));
	panel.posted.length = 0;
	const chip = panel.find(".composer .chip");
	assert.equal(chip.textContent, "<b>a.ts1.2 KB");
	const open = panel.find(".composer .chip-open");
	assert.equal(open.title, "<b>a.ts, 1.2 KB\n/x/a b.ts");
	open.click();
	panel.find(".composer .chip .icon-button").click();
	assert.deepEqual(panel.posted, [
		{ type: "open-attachment", id: "a1" },
		{ type: "detach", id: "a1" },
	]);
	panel.tell({ type: "attachments", conversation: "c0", attachments: [] });
	assert.equal(panel.root.querySelectorAll(".composer .chip").length, 1);
	panel.tell({ type: "attachments", conversation: "c1", attachments: [] });
	assert.equal(panel.root.querySelectorAll(".composer .chips").length, 0);
});

test("a turn that was sent shows what was attached to it, for good", () => {
	const panel = openPanel();
	panel.tell(conversation([{ role: "user", id: "u1", text: "Why?", attachments: [FILE] }]));
	panel.posted.length = 0;
	assert.equal(panel.find("article .chip-label").textContent, "<b>a.ts");
	assert.equal(panel.root.querySelectorAll("article .chip .icon-button").length, 0);
	panel.find("article .chip-open").click();
	assert.deepEqual(panel.posted, [{ type: "open-attachment", id: "a1" }]);
});

test("an image is fetched once, and its blob is revoked when nothing shows it", (t) => {
	const revoked: string[] = [];
	t.mock.method(URL, "revokeObjectURL", (url: string) => revoked.push(url));
	const image = { id: "a2", kind: "image", label: "A pet", bytes: 9, image: { hash: "h1", width: 40, height: 30 } };
	const panel = openPanel();
	const draft = { text: "", attachments: [image] };
	panel.tell(conversation([{ role: "user", id: "u1", text: "Look", attachments: [image] }], {}, { draft }));
	assert.deepEqual(panel.posted.slice(1), [{ type: "want-image", hash: "h1" }]);
	panel.tell({ type: "image", hash: "h1", mediaType: "image/svg+xml", data: "AAAA" });
	assert.equal(panel.find("article img").getAttribute("src"), null);
	panel.tell({ type: "image", hash: "h1", mediaType: "image/png", data: "AAAA" });
	const url = panel.find("article img").getAttribute("src");
	assert.match(url ?? "", /^blob:/);
	assert.equal(panel.find(".composer img").getAttribute("src"), url);
	panel.find(".composer .chip-open").click();
	assert.deepEqual(panel.posted.at(-1), { type: "open-attachment", id: "a2" });
	panel.tell({ type: "attachments", conversation: "c1", attachments: [] });
	assert.deepEqual(revoked, []);
	panel.tell(conversation([], {}, { id: "c2" }));
	assert.deepEqual(revoked, [url]);
});
