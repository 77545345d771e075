/// <reference types="node" />
import assert from "node:assert/strict";
import { test } from "node:test";
import type { BlockChange, BlockView, CallView, ToPanel } from "#protocol/panel.ts";
import { conversation, type OpenPanel, openPanel, REPLY } from "./support/open-panel.ts";

type State = CallView["state"];

const call = (state: State, index: number, ms?: number): BlockView => {
	const view = { title: `Call ${index}`, icon: "tools", state, ...(ms === undefined ? {} : { ms }) };
	return { key: `${index}`, index, type: "tool_use", text: "{}", open: false, call: view };
};

const thought = (index: number, thoughtMs?: number): BlockView => {
	const time = thoughtMs === undefined ? {} : { thoughtMs };
	return { key: `${index}`, index, type: "thinking", text: "hm", open: false, ...time };
};

const words = (index: number): BlockView => ({ key: `${index}`, index, type: "text", text: "Words", open: false });

function showing(blocks: readonly BlockView[]): OpenPanel {
	const panel = openPanel();
	panel.tell(conversation([{ ...REPLY, blocks }]));
	return panel;
}

function changed(...views: readonly BlockView[]): ToPanel {
	const changes = views.map((view): BlockChange => ({ ...view, text: "", mode: "append" }));
	return { type: "blocks", conversation: "c1", batch: 1, message: "r1", changes };
}

/** Lines of a reply, those behind another one after it in brackets. */
function lines(panel: OpenPanel): readonly string[] {
	const line = (element: Element): readonly string[] => {
		if (element instanceof HTMLElement && element.hidden) return [];
		if (!element.matches(".calls"))
			return [(element.querySelector(".call-title") ?? element.querySelector("summary, p"))?.textContent ?? ""];
		const behind = [...element.children].slice(1).flatMap(line);
		return [`${element.querySelector("summary")?.textContent} [${behind.join(", ")}]`];
	};
	return [...panel.find(".blocks").children].flatMap(line);
}

test("more than three calls in a row stand behind one line, fewer do not", () => {
	const calls = [1, 2, 3, 4].map((index) => call("done", index));
	assert.deepEqual(lines(showing(calls.slice(1))), ["Call 2", "Call 3", "Call 4"]);
	const folded = "Used 4 tools [Call 1, Call 2, Call 3, Call 4]";
	assert.deepEqual(lines(showing([...calls, words(5), call("done", 6)])), [folded, "Words", "Call 6"]);
	const apart = [call("done", 1), call("done", 2), words(3), call("done", 4), call("done", 5)];
	assert.deepEqual(lines(showing(apart)), ["Call 1", "Call 2", "Words", "Call 4", "Call 5"]);
});

test("what runs, asks or may have had an effect stays in sight; a failure is marked", () => {
	const states: readonly State[] = [
		"done",
		"failed",
		"refused",
		"denied",
		"interrupted",
		"asking",
		"running",
		"waiting",
	];
	const panel = showing(states.map((state, index) => call(state, index)));
	const line = "Using 8 tools, 2 failed";
	assert.deepEqual(lines(panel), [`${line} [Call 0, Call 1, Call 2, Call 3, Call 7]`, "Call 4", "Call 5", "Call 6"]);
	assert.equal(panel.find(".calls .codicon-warning").hidden, false);
	panel.tell(changed(call("done", 5), call("stopped", 6, 10), call("stopped", 7)));
	assert.deepEqual(lines(panel), [
		"Used 8 tools, 2 failed [Call 0, Call 1, Call 2, Call 3, Call 5, Call 7]",
		"Call 4",
		"Call 6",
	]);
});

test("a call that a person has opened stays where it is", () => {
	const panel = showing([1, 2, 3].map((index) => call("done", index)));
	panel.find<HTMLDetailsElement>("[data-key='2'] details").open = true;
	panel.tell(changed(call("done", 4)));
	assert.deepEqual(lines(panel), ["Used 4 tools [Call 1, Call 3, Call 4]", "Call 2"]);
	panel.find<HTMLDetailsElement>(".calls").open = true;
	panel.find<HTMLDetailsElement>("[data-key='3'] details").open = true;
	panel.tell(changed(call("done", 5)));
	assert.deepEqual(lines(panel), ["Used 5 tools [Call 1, Call 3, Call 4, Call 5]", "Call 2"]);
});

test("a text that comes late parts the calls again, and is in sight", () => {
	const panel = showing([1, 2, 4, 5].map((index) => call("done", index)));
	panel.tell(changed({ ...words(3), text: "" }));
	assert.deepEqual(lines(panel).length, 5);
	assert.equal(panel.find("[data-key='3']").parentElement, panel.find(".blocks"));
});

test("thinking of under two seconds has no line once it has ended, and parts no calls", () => {
	const blocks = [call("done", 1), thought(2, 1_999), call("done", 3), call("done", 4), call("done", 5)];
	const panel = showing(blocks);
	assert.deepEqual(lines(panel), ["Used 4 tools [Call 1, Call 3, Call 4, Call 5]"]);
	assert.deepEqual(lines(showing([thought(1, 2_000), words(2)])), ["Thought for 2 s", "Words"]);
	assert.deepEqual(lines(showing([thought(1), words(2)])), ["Thought", "Words"]);
	assert.deepEqual(lines(showing([{ ...thought(1, 500), open: true }, words(2)])), ["Thinking", "Words"]);
	assert.deepEqual(lines(showing([thought(1, 500)])), ["Thought for 1 s"], "nothing else came");
});

test("a find in calls behind a line, or in brief thinking, brings them into sight", () => {
	const panel = showing([thought(0, 500), ...[1, 2, 3, 4].map((index) => call("done", index))]);
	panel.tell({ type: "find", text: "Call 3" });
	assert.equal(panel.find<HTMLDetailsElement>(".calls").open, true);
	panel.tell({ type: "find", text: "hm" });
	assert.equal(lines(panel)[0], "Thought for 1 s");
});
