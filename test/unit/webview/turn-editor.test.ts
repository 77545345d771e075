/// <reference types="node" />
import assert from "node:assert/strict";
import { test } from "node:test";
import { conversation, type OpenPanel, openPanel, press, type } from "./support/open-panel.ts";

function editing(): { panel: OpenPanel; input: HTMLTextAreaElement } {
	const panel = openPanel();
	panel.tell(conversation([{ role: "user", id: "u1", text: "first" }]));
	panel.posted.length = 0;
	panel.find("[data-message-action='edit']").click();
	return { panel, input: panel.find<HTMLTextAreaElement>(".turn-editor textarea") };
}

test("Enter sends the edited text once, unless it is blank", () => {
	const { panel, input } = editing();
	input.value = "  ";
	press(input, "Enter");
	assert.deepEqual(panel.posted, []);
	input.value = " better\n";
	press(input, "Enter", { shiftKey: true });
	press(input, "Enter", { isComposing: true });
	assert.deepEqual(panel.posted, []);
	press(input, "Enter");
	assert.deepEqual(panel.posted, [{ type: "edit-turn", message: "u1", text: "better" }]);
	assert.equal(panel.root.querySelector(".turn-editor"), null);
});

test("the attachments of a turn stay visible and usable while its text is edited", () => {
	const panel = openPanel();
	const attachments = [{ id: "a1", kind: "file", label: "a.ts", bytes: 5 }] as const;
	panel.tell(conversation([{ role: "user", id: "u1", text: "first", attachments }]));
	panel.find("[data-message-action='edit']").click();
	panel.find(".turn-box .turn-editor");
	panel.posted.length = 0;
	panel.find(".turn-box .chip-open").click();
	assert.deepEqual(panel.posted, [{ type: "open-attachment", id: "a1" }]);
	press(panel.find(".turn-editor textarea"), "Escape");
	assert.equal(panel.root.querySelectorAll(".turn-box .chip").length, 1);
});

test("an Enter held after a turn was sent again does not send the composer's text", () => {
	const { panel, input } = editing();
	const composer = panel.find<HTMLTextAreaElement>("#composer");
	type(composer, "half a thought");
	press(input, "Enter");
	assert.equal(document.activeElement, composer);
	press(composer, "Enter", { repeat: true });
	assert.deepEqual(
		panel.posted.map(({ type }) => type),
		["edit-turn"],
	);
	assert.equal(composer.value, "half a thought");
	press(composer, "Enter");
	assert.deepEqual(panel.posted.at(-1), { type: "send", text: "half a thought" });
});

test("a turn edited while a reply is under way stays in its editor until sent later", () => {
	const { panel, input } = editing();
	panel.tell({ type: "composer", composer: { connection: "Test", busy: true } });
	input.value = "better";
	press(input, "Enter");
	assert.deepEqual(panel.posted, []);
	assert.equal(input.value, "better");
	assert.match(panel.find(".turn-note[role=alert]").textContent, /^A reply is under way\./);
	panel.tell({ type: "composer", composer: { connection: "Test", busy: false } });
	press(input, "Enter");
	assert.deepEqual(panel.posted, [{ type: "edit-turn", message: "u1", text: "better" }]);
});

test("Escape and Cancel leave the turn as it was, and stop no reply", () => {
	const { panel, input } = editing();
	panel.tell({ type: "composer", composer: { connection: "Test", busy: true } });
	input.value = "other";
	press(input, "Escape");
	assert.equal(panel.find(".turn-text").textContent, "first");
	assert.deepEqual(panel.posted, []);
	const again = editing();
	again.panel.find(".turn-editor .secondary").click();
	assert.equal(again.panel.find(".turn-text").textContent, "first");
});

const editors = (panel: OpenPanel) =>
	[...panel.root.querySelectorAll<HTMLTextAreaElement>(".turn-editor textarea")].map(({ value }) => value);

const TURNS = ["u1", "u2"].map((id) => ({ role: "user", id, text: `said ${id}` }) as const);

test("edits of turns survive a redraw of the conversation and a new page", () => {
	const panel = openPanel();
	panel.tell(conversation(TURNS));
	for (const button of panel.root.querySelectorAll<HTMLElement>("[data-message-action='edit']")) button.click();
	const [first, second] = panel.root.querySelectorAll<HTMLTextAreaElement>(".turn-editor textarea");
	assert.ok(first !== undefined && second !== undefined);
	type(first, "half a thou");
	type(second, "another");
	panel.tell(conversation(TURNS));
	assert.deepEqual(editors(panel), ["half a thou", "another"]);
	assert.deepEqual(panel.edits.slice(-2), [
		{ type: "edit", conversation: "c1", message: "u1", text: "half a thou" },
		{ type: "edit", conversation: "c1", message: "u2", text: "another" },
	]);
	const edits = panel.edits.slice(-2).map(({ message, text }) => ({ message, text: text ?? "" }));
	const next = openPanel();
	next.tell(conversation(TURNS, {}, { draft: { text: "", attachments: [], edits } }));
	assert.deepEqual(editors(next), ["half a thou", "another"]);
	assert.equal(next.find("article").classList.contains("editing"), true);
	press(next.find(".turn-editor textarea"), "Enter");
	assert.deepEqual(next.posted.at(-1), { type: "edit-turn", message: "u1", text: "half a thou" });
	next.tell(conversation(TURNS, {}, { draft: { text: "", attachments: [], edits } }));
	assert.deepEqual(editors(next), ["another"], "what the host says late brings nothing back");
	press(next.find(".turn-editor textarea"), "Escape");
	next.tell(conversation(TURNS));
	assert.deepEqual(editors(next), []);
	assert.deepEqual(
		next.edits.map(({ message, text }) => [message, text]),
		[
			["u1", null],
			["u2", null],
		],
	);
});

test("an edit of a turn survives a visit to another conversation", () => {
	const { panel, input } = editing();
	type(input, "half a thou");
	panel.tell(conversation([{ role: "user", id: "u1", text: "first" }], {}, { id: "fork" }));
	assert.deepEqual(editors(panel), []);
	panel.tell(conversation([{ role: "user", id: "u1", text: "first" }]));
	assert.deepEqual(editors(panel), ["half a thou"]);
});

test("a redraw of the conversation keeps the focus in the editor of a turn", () => {
	const { panel, input } = editing();
	type(input, "half a thou");
	input.setSelectionRange(5, 6);
	panel.tell(conversation([{ role: "user", id: "u1", text: "first" }]));
	const again = panel.find<HTMLTextAreaElement>(".turn-editor textarea");
	assert.notEqual(again, input);
	assert.equal(document.activeElement, again);
	assert.deepEqual([again.selectionStart, again.selectionEnd], [5, 6]);
	panel.find("#composer").focus();
	panel.tell(conversation([{ role: "user", id: "u1", text: "first" }]));
	assert.equal(document.activeElement?.id, "composer");
});

test("Up does not throw away what is typed in the editor of the last turn", () => {
	const { panel, input } = editing();
	type(input, "half a thou");
	press(panel.find("#composer"), "ArrowUp");
	assert.deepEqual(editors(panel), ["half a thou"]);
});

test("the place of the reader and what is collapsed are kept side by side", () => {
	const collapsed = ['["c1","u1"]'];
	const panel = openPanel({ place: { conversation: "c1", message: "u1", offset: 40 }, collapsed });
	panel.tell(conversation(TURNS));
	assert.equal(panel.saved.place?.offset, 40);
	panel.find("#jump").click();
	assert.equal(panel.saved.place, undefined);
	assert.deepEqual(panel.saved.collapsed, collapsed);
});
