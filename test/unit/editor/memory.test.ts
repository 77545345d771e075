import assert from "node:assert/strict";
import { test } from "node:test";
import { Memory } from "#editor/memory.ts";
import { FakeClock } from "../../support/fake-clock.ts";

/** What the editor keeps for an extension, which a test can put back to any state. */
class EditorMemento {
	state: Record<string, unknown> = {};
	/** What the next write is refused with. */
	refusal: Error | undefined;

	keys(): readonly string[] {
		return Object.keys(this.state);
	}

	get<T>(key: string): T | undefined;
	get<T>(key: string, fallback: T): T;
	get(key: string, fallback?: unknown): unknown {
		return this.state[key] ?? fallback;
	}

	async update(key: string, value: unknown): Promise<void> {
		if (this.refusal !== undefined) throw this.refusal;
		this.state = { ...this.state, [key]: value };
	}
}

function opened() {
	const [memento, clock] = [new EditorMemento(), new FakeClock()];
	return { memento, clock, memory: new Memory(memento, clock) };
}

test("a window reads its own writes even if the editor restores older values", async () => {
	const { memento, clock, memory } = opened();
	await memory.set("first", 1);
	const echo = memento.state;
	await memory.set("second", [2]);
	memento.state = echo;
	assert.deepEqual(memory.get("second"), [2]);
	memento.state = { first: 1, second: [2] };
	clock.advance(2_000);
	assert.deepEqual([memory.get("first"), memory.get("second")], [1, [2]]);
});

test("a lost write is repeated once", async () => {
	const { memento, clock, memory } = opened();
	await memory.set("first", 1);
	const echo = memento.state;
	await memory.set("second", [2]);
	memento.state = echo;
	clock.advance(2_000);
	assert.deepEqual([memory.get("second"), memento.state["second"]], [[2], [2]]);
});

test("of two writes the last is repeated if the editor restores what was before both", async () => {
	const { memento, clock, memory } = opened();
	await memory.set("shown", "first");
	await memory.set("shown", "second");
	memento.state = {};
	clock.advance(2_000);
	assert.equal(memento.state["shown"], "second");
});

test("a later write of another window is read, and not overwritten", async () => {
	const { memento, clock, memory } = opened();
	await memory.set("shared", "mine");
	memento.state = { shared: "theirs" };
	clock.advance(2_000);
	assert.equal(memory.get("shared"), "theirs");
	clock.advance(10_000);
	assert.equal(memento.state["shared"], "theirs");
});

test("a failed write is not read, and is reported", async () => {
	const { memento, memory } = opened();
	memento.refusal = new Error("The disk is full.");
	await assert.rejects(memory.set("key", 1), /disk is full/);
	assert.equal(memory.get("key"), undefined);
});
