import assert from "node:assert/strict";
import { test } from "node:test";
import { type RemoteText, remoteText } from "#app/petstore/remote-text.ts";
import { invalid } from "#base/errors.ts";
import { FakeClock } from "../../../support/fake-clock.ts";

/** Text that a person may lay out in another way. */
interface Value {
	readonly said: string;
}

/** A thing whose text is in lower case whatever is written, and a text of it in an editor. */
function remote() {
	const clock = new FakeClock();
	const service = {
		text: "one",
		reads: 0,
		parses: 0,
		prints: 0,
		writes: [] as string[],
		fails: false,
		strips: false,
	};
	let changes = 0;
	const text = remoteText<Value>(
		{
			async read() {
				service.reads += 1;
				if (service.fails) throw new Error("no answer");
				return { said: service.text };
			},
			parse(shown) {
				service.parses += 1;
				if (shown.includes("!")) throw invalid("petstore", "text", "must not shout");
				return { said: shown.toLowerCase().replaceAll("?", "e") };
			},
			print({ said }) {
				service.prints += 1;
				return said;
			},
			isSame: (one, other) => one.said.trim() === other.said.trim(),
			async write({ said }, before) {
				if (service.fails) throw new Error("no answer");
				service.writes.push(`${before.said} -> ${said}`);
				service.text = said.replaceAll(service.strips ? "x" : "", "");
				return { said: service.text };
			},
		},
		clock,
		() => {
			changes += 1;
		},
	);
	return { text, service, clock, changes: () => changes };
}

/** Whether an editor that was told of the first takes a file of the second for changed. */
type TextFacts = Awaited<ReturnType<RemoteText<Value>["facts"]>>;
const isChanged = (known: TextFacts, now: TextFacts) => now.mtime > known.mtime && now.size !== known.size;

test("a change made elsewhere is detected even if the length is the same", async () => {
	const { text, service, clock } = remote();
	const opened = await text.facts();
	assert.equal(await text.text(), "one");
	clock.advance(60_000);
	assert.deepEqual(await text.facts(), opened);
	service.text = "two";
	assert.ok(isChanged(opened, await text.facts()));
});

test("a text equal after normalizing looks unchanged and is not written", async () => {
	const { text, service, clock, changes } = remote();
	const opened = await text.facts();
	service.text = " one ";
	clock.advance(60_000);
	assert.deepEqual(await text.facts(), opened);
	await text.write("  One");
	assert.deepEqual(service.writes, []);
	clock.advance(60_000);
	await text.write("Two");
	const saved = await text.facts();
	service.text = "two ";
	clock.advance(60_000);
	assert.deepEqual(await text.facts(), saved);
	assert.equal(changes(), 0);
});

test("a change is noticed though the clock stands still or goes back", async () => {
	const { text, service } = remote();
	const opened = await text.facts();
	service.text = "two";
	const second = await text.facts();
	service.text = "six";
	assert.ok(isChanged(opened, second));
	assert.ok(isChanged(second, await text.facts()));
});

test("a change made elsewhere and reverted is no change", async () => {
	const { text, service } = remote();
	const opened = await text.facts();
	service.text = "two";
	await text.facts();
	service.text = "one";
	assert.ok(!isChanged(opened, await text.facts()));
});

test("facts are always read anew, and the text that follows them is not", async () => {
	const { text, service } = remote();
	await Promise.all([text.facts(), text.text()]);
	assert.equal(service.reads, 1);
	await text.facts();
	assert.equal(service.reads, 2);
});

test("a text that was just read is opened without asking once more", async () => {
	const { text, service, clock } = remote();
	text.begin({ said: "one" });
	const opened = await text.facts();
	assert.equal(await text.text(), "one");
	assert.equal(service.reads, 0);
	service.text = "two";
	clock.advance(3000);
	assert.ok(isChanged(opened, await text.facts()));
});

test("a saved text keeps the person's layout while the service has the same", async () => {
	const { text, service } = remote();
	const opened = await text.facts();
	await text.write("ONE two");
	const saved = await text.facts();
	assert.deepEqual(service.writes, ["one -> one two"]);
	assert.ok(isChanged(opened, saved));
	assert.equal(await text.text(), "ONE two");
	assert.deepEqual(await text.facts(), saved);
});

test("a saved text that the service has normalized reaches the editor after the save", async () => {
	const { text, service, clock, changes } = remote();
	service.strips = true;
	await text.facts();
	await text.write("Fox");
	const saved = await text.facts();
	assert.equal(changes(), 0);
	clock.advance(1000);
	assert.equal(changes(), 1);
	assert.ok(isChanged(saved, await text.facts()));
	assert.equal(await text.text(), "fo");
});

test("a text that breaks a rule is not written, and nothing is asked for it", async () => {
	const { text, service } = remote();
	await assert.rejects(text.write("One!"), { code: "invalid", field: "text" });
	assert.deepEqual([service.writes, service.reads], [[], 0]);
});

test("a text that the editor has just compared is overwritten", async () => {
	const { text, service } = remote();
	await text.facts();
	service.text = "two";
	await text.facts();
	await text.write("three");
	assert.deepEqual(service.writes, ["two -> three"]);
});

test("a text not compared by the editor is read first, and refused if changed", async () => {
	const { text, service, clock } = remote();
	const opened = await text.facts();
	clock.advance(60_000);
	service.text = "two";
	await assert.rejects(text.write("three"), { code: "invalid", field: "document" });
	assert.deepEqual(service.writes, []);
	assert.ok(isChanged(opened, await text.facts()));
	await text.write("three");
	assert.deepEqual(service.writes, ["two -> three"]);
});

test("a save that failed changes nothing of what is known", async () => {
	const { text, service } = remote();
	const opened = await text.facts();
	service.fails = true;
	await assert.rejects(text.write("two"), /no answer/);
	service.fails = false;
	assert.deepEqual(await text.facts(), opened);
	assert.equal(await text.text(), "one");
});

test("a text learned in another way counts as a change only if it differs", async () => {
	const { text } = remote();
	const opened = await text.facts();
	assert.equal(text.learn({ said: "one" }), false);
	assert.equal(text.learn({ said: "two" }), true);
	assert.notEqual((await text.facts()).mtime, opened.mtime);
});

test("a save parses once, and what came of it is printed when the editor asks", async () => {
	const { text, service } = remote();
	await text.text();
	assert.deepEqual([service.parses, service.prints], [0, 1]);
	await text.write("Two");
	text.learn({ said: "six" });
	assert.deepEqual([service.parses, service.prints], [1, 1]);
	assert.equal(await text.text(), "two");
});
