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

/** Lines of a reply that are in sight. */
function lines(panel: OpenPanel): readonly string[] {
	const shown = [...panel.find(".blocks").children].filter((element) => !(element as HTMLElement).hidden);
	return shown.map(
		(line) => (line.querySelector(".call-title") ?? line.querySelector("summary, p"))?.textContent ?? "",
	);
}

/** Opens or closes a line. */
function toggle(panel: OpenPanel, selector: string, open = true): void {
	const details = panel.find<HTMLDetailsElement>(selector);
	details.open = open;
	details.dispatchEvent(new Event("toggle"));
}

test("more than three calls in a row stand behind one line, fewer do not", () => {
	const calls = [1, 2, 3, 4].map((index) => call("done", index));
	assert.deepEqual(lines(showing(calls.slice(1))), ["Call 2", "Call 3", "Call 4"]);
	assert.deepEqual(lines(showing([...calls, words(5), call("done", 6)])), ["Used 4 tools", "Words", "Call 6"]);
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
	assert.deepEqual(lines(panel), [line, "Call 4", "Call 5", "Call 6"]);
	assert.equal(panel.find(".calls .codicon-warning").hidden, false);
	panel.tell(changed(call("done", 5), call("stopped", 6, 10), call("stopped", 7)));
	assert.deepEqual(lines(panel), ["Used 8 tools, 2 failed", "Call 4", "Call 6"]);
});

test("the line opens to its calls, and one that a person has opened stays where it is", () => {
	const panel = showing([1, 2, 3].map((index) => call("done", index)));
	toggle(panel, "[data-key='2'] details");
	panel.tell(changed(call("done", 4)));
	assert.deepEqual(lines(panel), ["Used 4 tools", "Call 2"]);
	toggle(panel, ".calls");
	assert.deepEqual(lines(panel), ["Used 4 tools", "Call 1", "Call 2", "Call 3", "Call 4"]);
	panel.tell(changed(call("running", 5)));
	toggle(panel, "[data-key='2'] details", false);
	toggle(panel, ".calls", false);
	assert.deepEqual(lines(panel), ["Using 5 tools", "Call 5"]);
});

test("blocks that come late part the calls again, or take the line along", () => {
	const panel = showing([2, 3, 5, 6].map((index) => call("done", index)));
	panel.tell(changed(call("done", 1)));
	assert.deepEqual(lines(panel), ["Used 5 tools"]);
	panel.tell(changed(words(4)));
	assert.deepEqual(lines(panel), ["Call 1", "Call 2", "Call 3", "", "Call 5", "Call 6"]);
});

test("thinking of under two seconds has no line once it has ended, and parts no calls", () => {
	const blocks = [call("done", 1), thought(2, 1_999), call("done", 3), call("done", 4), call("done", 5)];
	const panel = showing(blocks);
	assert.deepEqual(lines(panel), ["Used 4 tools"]);
	assert.deepEqual(lines(showing([thought(1, 2_000), words(2)])), ["Thought for 2 s", "Words"]);
	assert.deepEqual(lines(showing([thought(1), words(2)])), ["Thought", "Words"]);
	assert.deepEqual(lines(showing([{ ...thought(1, 500), open: true }, words(2)])), ["Thinking", "Words"]);
	assert.deepEqual(lines(showing([thought(1, 500)])), ["Thought for 1 s"], "nothing else came");
});

test("a find in calls behind a line, or in brief thinking, brings them into sight", () => {
	const panel = showing([thought(0, 500), ...[1, 2, 3, 4].map((index) => call("done", index))]);
	panel.tell({ type: "find", text: "Call 3" });
	assert.deepEqual(lines(panel), ["Used 4 tools", "Call 3"]);
	panel.tell({ type: "find", text: "hm" });
	assert.equal(lines(panel)[0], "Thought for 1 s");
});
