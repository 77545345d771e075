/// <reference types="node" />
import assert from "node:assert/strict";
import { test } from "node:test";
import { TurnHistory } from "#webview/history.ts";

test("the same turn twice in a row is kept once, and none without text", () => {
	const history = new TurnHistory();
	history.reset(["one", "one", "", "two"]);
	history.add("two");
	history.add("");
	assert.equal(history.back(""), "two");
	assert.equal(history.back(""), "one");
	assert.equal(history.back(""), undefined);
});

test("editing a recalled turn ends the walk", () => {
	const history = new TurnHistory();
	history.reset(["one", "two"]);
	history.back("");
	assert.equal(history.walking, true);
	history.leave();
	assert.equal(history.walking, false);
	assert.equal(history.back("two, edited"), "two");
	assert.equal(history.forward(), "two, edited");
});

test("a turn sent elsewhere is recalled once, and does not interrupt a recall", () => {
	const history = new TurnHistory();
	history.reset(["one"]);
	history.add("queued");
	history.add("queued too");
	assert.equal(history.back("draft"), "queued too");
	history.came("from elsewhere");
	history.came("queued");
	assert.equal(history.back("queued too"), "queued");
	assert.equal(history.forward(), "queued too");
	assert.equal(history.forward(), "from elsewhere");
	assert.equal(history.forward(), "draft");
});
