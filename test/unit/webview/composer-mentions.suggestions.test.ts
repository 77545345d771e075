/// <reference types="node" />
import assert from "node:assert/strict";
import { test } from "node:test";
import type { SuggestionView } from "#protocol/context.ts";
import { conversation, composer as input, type OpenPanel, openPanel, press, type } from "./support/open-panel.ts";

const ITEMS = [
	{ id: "selection", kind: "selection", label: "@selection" },
	{ id: "issue", kind: "issue", label: "@issue", next: "issue:" },
];

function rows(panel: OpenPanel): HTMLElement[] {
	return [...panel.root.querySelectorAll<HTMLElement>("#suggestions:not([hidden]) [role=option]")];
}

/** What is said in place of the rows; undefined while nothing is. */
function note(panel: OpenPanel): string | undefined {
	return panel.root.querySelector(".suggestions-note:not([hidden])")?.textContent;
}

/** A panel in which a text was typed, with the list that the host found for it. */
function listed(text: string, busy = false): OpenPanel {
	const panel = openPanel();
	panel.tell(conversation([], { busy }));
	type(input(panel), text);
	answer(panel, ITEMS);
	return panel;
}

/** What was found for what was typed last. */
function answer(panel: OpenPanel, items: readonly SuggestionView[], more = false): void {
	const asked = panel.posted.findLast((message) => message.type === "suggest");
	assert.ok(asked?.type === "suggest");
	panel.posted.length = 0;
	panel.tell({ type: "suggestions", request: asked.request, items, more });
}

test("a query behind @ or / is sent, and only the answer to the last one is shown", () => {
	const panel = openPanel();
	panel.tell(conversation([]));
	panel.posted.length = 0;
	type(input(panel), "look at @s");
	type(input(panel), "look at @se");
	type(input(panel), "/ex");
	assert.deepEqual(panel.posted, [
		{ type: "suggest", trigger: "@", query: "s", request: 1 },
		{ type: "suggest", trigger: "@", query: "se", request: 2 },
		{ type: "suggest", trigger: "/", query: "ex", request: 3 },
	]);
	panel.tell({ type: "suggestions", request: 2, items: ITEMS, more: false });
	assert.deepEqual(rows(panel), []);
	panel.tell({ type: "suggestions", request: 3, items: ITEMS, more: false });
	assert.equal(rows(panel).length, 2);
	type(input(panel), "/ex and");
	assert.deepEqual(rows(panel), []);
	panel.tell({ type: "suggestions", request: 3, items: ITEMS, more: false });
	assert.deepEqual(rows(panel), []);
});

test("until suggestions arrive, Enter and Tab choose nothing and send nothing", () => {
	for (const key of ["Enter", "Tab"]) {
		const panel = listed("@i");
		type(input(panel), "@is");
		panel.posted.length = 0;
		assert.equal(press(input(panel), key).defaultPrevented, true);
		assert.deepEqual([panel.posted, input(panel).value, rows(panel)], [[], "@is", []]);
		assert.deepEqual([note(panel), panel.find("[role=status]").textContent], ["Looking...", "Looking..."]);
		assert.equal(panel.root.querySelectorAll(".suggestions-note .codicon-loading.spin").length, 1);
		panel.tell({ type: "suggestions", request: 2, items: [], more: true });
		assert.equal(note(panel), "Looking...");
		panel.tell({ type: "suggestions", request: 2, items: ITEMS, more: false });
		assert.deepEqual([note(panel), rows(panel).length], [undefined, 2]);
		press(input(panel), key);
		assert.deepEqual(panel.posted, [{ type: "choose", id: "selection" }]);
		type(input(panel), "/is");
		assert.equal(press(input(panel), key).defaultPrevented, true);
		answer(panel, []);
		assert.deepEqual([panel.posted, input(panel).value, rows(panel)], [[], "/is", []]);
	}
});

test("Escape while nothing is found yet ends the search and leaves the reply alone", () => {
	const panel = openPanel();
	panel.tell(conversation([], { busy: true }));
	type(input(panel), "@issue:bell");
	answer(panel, [], true);
	assert.ok(press(input(panel), "Escape").defaultPrevented);
	assert.deepEqual([panel.posted, note(panel)], [[], undefined]);
});

test("the input points to the row that is chosen, and the arrows go round the ends", () => {
	const panel = listed("@");
	const chosen = () => {
		const [row, ...others] = rows(panel).filter((each) => each.getAttribute("aria-selected") === "true");
		assert.deepEqual(others, []);
		assert.equal(row?.id, input(panel).getAttribute("aria-activedescendant"));
		return row?.textContent;
	};
	assert.equal(input(panel).getAttribute("aria-controls"), panel.find("[role=listbox]").id);
	assert.equal(chosen(), "@selection");
	assert.equal(press(input(panel), "ArrowUp").defaultPrevented, true);
	assert.equal(chosen(), "@issue");
	press(input(panel), "ArrowDown");
	assert.equal(chosen(), "@selection");
	press(input(panel), "Escape");
	assert.equal(input(panel).getAttribute("aria-activedescendant"), null);
	assert.equal(input(panel).getAttribute("aria-controls"), null);
});

test("Enter takes the row and the mention away, and sends nothing", () => {
	const panel = listed("look at @s");
	press(input(panel), "Enter");
	assert.equal(input(panel).value, "look at ");
	assert.deepEqual(panel.posted, [{ type: "choose", id: "selection" }]);
	assert.deepEqual(rows(panel), []);
});

test("a row that goes on puts its word behind the @ and asks again", () => {
	const panel = listed("look at @i");
	press(input(panel), "ArrowDown");
	press(input(panel), "Tab");
	assert.equal(input(panel).value, "look at @issue:");
	const [asked] = panel.posted;
	assert.ok(asked?.type === "suggest");
	assert.equal(asked.query, "issue:");
});

test("Escape closes the list and not the reply, and it stays closed for that mention", () => {
	const panel = listed("@s", true);
	press(input(panel), "Escape");
	assert.deepEqual(rows(panel), []);
	panel.tell({ type: "suggestions", request: 1, items: ITEMS, more: false });
	assert.deepEqual(rows(panel), []);
	type(input(panel), "@se");
	assert.deepEqual(panel.posted, []);
	press(input(panel), "Escape");
	assert.deepEqual(panel.posted, [{ type: "stop" }]);
	type(input(panel), "");
	type(input(panel), "@");
	assert.deepEqual(panel.posted.slice(1), [{ type: "suggest", trigger: "@", query: "", request: 2 }]);
});

test("a list shows every text as text", () => {
	const panel = listed("@");
	const hostile = { id: "x", kind: "issue", label: "<img src=x>", detail: "<b>" };
	type(input(panel), "@i");
	const asked = panel.posted.at(-1);
	assert.ok(asked?.type === "suggest");
	panel.tell({ type: "suggestions", request: asked.request, items: [hostile], more: true });
	assert.equal(rows(panel)[0]?.textContent, "<img src=x><b>");
	assert.equal(panel.root.querySelector("img, b"), null);
});

test("the first row is chosen, unless another was selected with the arrows", () => {
	const [two, twenty, fix] = ["2", "25", "fix"].map((id) => ({ id, kind: "issue", label: `#${id}` }));
	assert.ok(two && twenty && fix);
	const panel = listed("@issue ");
	type(input(panel), "@issue 2");
	answer(panel, [two, fix]);
	type(input(panel), "@issue 25");
	answer(panel, [twenty, two, fix]);
	press(input(panel), "Enter");
	assert.deepEqual(panel.posted, [{ type: "choose", id: "25" }]);
	const next = listed("@issue ");
	type(input(next), "@issue 2");
	answer(next, [two, fix]);
	press(input(next), "ArrowDown");
	type(input(next), "@issue 25");
	answer(next, [twenty, two, fix]);
	press(input(next), "Enter");
	assert.deepEqual(next.posted, [{ type: "choose", id: "fix" }]);
});

test("an answer to a replaced query takes, sends and shows nothing", () => {
	const others: readonly ((panel: OpenPanel) => void)[] = [
		(panel) => panel.tell({ type: "typed", conversation: "c1", text: "from there @i" }),
		(panel) => panel.tell({ type: "draft", text: "> quoted" }),
		(panel) => panel.tell(conversation([], {}, { id: "c2", draft: { text: "another", attachments: [] } })),
	];
	for (const change of others) {
		for (const items of [ITEMS, []]) {
			const panel = openPanel();
			panel.tell(conversation([]));
			type(input(panel), "look at @i");
			panel.pass(100);
			press(input(panel), "Enter");
			change(panel);
			const before = input(panel).value;
			const posted = panel.posted.filter(({ type }) => type !== "suggest").length;
			panel.tell({ type: "suggestions", request: 1, items, more: false });
			assert.equal(input(panel).value, before);
			assert.equal(panel.posted.filter(({ type }) => type !== "suggest").length, posted);
			assert.deepEqual(rows(panel), []);
		}
	}
});

test("a search without results ends with its second blank until that is removed", () => {
	const panel = openPanel();
	panel.tell(conversation([]));
	const asks = (text: string) => {
		panel.posted.length = 0;
		type(input(panel), text);
		const asked = panel.posted.find((message) => message.type === "suggest");
		if (asked?.type === "suggest") panel.tell({ type: "suggestions", request: asked.request, items: [], more: false });
		return asked?.query;
	};
	assert.equal(asks("@issue 24"), "issue 24");
	assert.equal(asks("@issue 24 "), "issue 24 ");
	assert.equal(asks("@issue 24 is"), undefined);
	press(input(panel), "Enter");
	assert.deepEqual(panel.posted.at(-1), { type: "send", text: "@issue 24 is" });
	assert.equal(asks("@issue 2"), "issue 2");
});
