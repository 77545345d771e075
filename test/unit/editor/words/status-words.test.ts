import assert from "node:assert/strict";
import { test } from "node:test";
import { ClientError } from "#base/errors.ts";
import { describeStatus } from "#editor/words/status-words.ts";

const arrives = (title: string) => ({ id: title, title, asks: false });

const expires = { connection: "c", label: "Work", kind: "expires", until: 3 * 24 * 60 * 60 * 1_000 } as const;

test("when all is well and nothing arrives off screen there is nothing to say", () => {
	assert.equal(describeStatus([], [], 0), null);
});

test("urgent states and hidden replies share one item, which opens the first", () => {
	const both = describeStatus([expires], [arrives("Bells"), arrives("Kites")], 0);
	assert.equal(both?.text, "$(key) Work: token expires in 3 days  $(sync~spin) 2 replies arriving");
	assert.match(both?.spoken ?? "", /^Work: token expires in 3 days\. .* 2 replies arriving in hidden conversations\.$/);
	assert.deepEqual(
		both?.parts.map(({ title }) => title),
		["Work", "2 replies arriving"],
	);
	assert.equal(both?.parts[1]?.text, "Bells, Kites");
	assert.deepEqual(both?.command, { id: "switchboard.showConnection", argument: { connection: "c" } });
	const replies = describeStatus([], [arrives("Bells")], 0);
	assert.deepEqual([replies?.text, replies?.grave], ["$(sync~spin) 1 reply arriving", false]);
	const several = describeStatus([], [arrives("Bells"), arrives("Kites")], 0);
	const opened = { id: "switchboard.chat.showConversation", argument: { conversation: "Bells" } };
	assert.deepEqual([replies?.command, several?.command], [opened, opened]);
	assert.equal(describeStatus([expires], [], 0)?.text, "$(key) Work: token expires in 3 days");
});

test("a hidden call that asks is told apart from arriving replies, and opened", () => {
	const both = describeStatus([], [arrives("Kites"), { ...arrives("Bells"), asks: true }], 0);
	assert.equal(both?.text, "$(bell) 1 call waits for your approval  $(sync~spin) 1 reply arriving");
	assert.deepEqual(
		both?.parts.map(({ text }) => text),
		["Bells", "Kites"],
	);
	assert.match(both?.spoken ?? "", /^1 call waits for your approval in a hidden conversation\. /);
	assert.deepEqual(both?.command.argument, { conversation: "Bells" });
});

test("less urgent states follow on lines, and the spoken name has only their number", () => {
	const limit = { connection: "d", label: "Home", kind: "limit", until: 720_000 } as const;
	const soon = { ...expires, connection: "e", label: "$(flame) Lab" };
	const all = describeStatus([limit, expires, soon], [arrives("Bells")], 0);
	assert.equal(all?.text, "$(watch) Home: limit resets in 12 min  $(sync~spin) 1 reply arriving");
	assert.deepEqual(all?.parts, [
		{ title: "Home", text: "No requests are left for this credential." },
		{ title: "2 more", text: "Work: token expires in 3 days\n$(flame) Lab: token expires in 3 days" },
		{ title: "1 reply arriving", text: "Bells" },
	]);
	assert.equal(
		all?.spoken,
		"Home: limit resets in 12 min. No requests are left for this credential. 2 more. 1 reply arriving in a hidden conversation.",
	);
	assert.deepEqual(all?.command, { id: "switchboard.showConnection", argument: { connection: "d" } });
});

test("no icon is made of what a connection is called", () => {
	const label = "$(flame) Work";
	assert.equal(describeStatus([{ ...expires, label }], [], 0)?.text, "$(key) \\$(flame) Work: token expires in 3 days");
});

test("the spoken text never names an icon", () => {
	const error = new ClientError("codehost", "forbidden", "No.", { reason: "suspended" });
	const suspended = describeStatus([{ connection: "c", label: "Work", kind: "refused", error }], [], 0);
	assert.match(suspended?.text ?? "", /^\$\(circle-slash\) /);
	assert.match(suspended?.spoken ?? "", /^Work: installation suspended\. The app's installation that Work uses/);
});
