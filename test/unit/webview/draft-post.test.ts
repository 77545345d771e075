/// <reference types="node" />
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Conversations } from "#app/chat/conversations.ts";
import { Drafts } from "#app/chat/drafts.ts";
import { PanelFeed } from "#app/chat/feed.ts";
import type { ToPanel } from "#protocol/panel.ts";
import { DraftPost, type TypedDraft } from "#webview/draft-post.ts";
import { chatParts } from "../../support/chat-parts.ts";
import { FakeClock } from "../../support/fake-clock.ts";

/** The boxes of two panels on one conversation; what they and the host say to each other arrives when the test says so. */
function twoPanels() {
	const { parts } = chatParts();
	const conversations = new Conversations(parts);
	const kept = new Drafts();
	const sides = [0, 1].map(() => {
		const clock = new FakeClock();
		const box = {
			text: "",
			restore(text: string) {
				box.text = text;
			},
			merge(text: string) {
				box.text = text;
			},
		};
		const drafts: TypedDraft[] = [];
		const post = new DraftPost(clock, box, (draft) => drafts.push(draft));
		const told: ToPanel[] = [];
		const feed = new PanelFeed({
			...{ conversations, drafts: kept, clock: parts.clock, describe: () => undefined },
			composer: () => ({ connection: "A" }),
			post: (message) => told.push(message),
			secretFilter: { redact: (value) => value },
		});
		const tell = (message: ToPanel) => {
			if (message.type === "conversation") post.open(message.conversation.id, message.conversation.draft?.text ?? "");
			else if (message.type === "typed") post.take(message);
		};
		feed.ready();
		for (const message of told.splice(0)) tell(message);
		return {
			box,
			pass: (ms: number) => clock.advance(ms),
			type(at: number, text: string, deleted = 0) {
				box.text = box.text.slice(0, at) + text + box.text.slice(at + deleted);
				post.write(box.text);
			},
			toHost() {
				const message = drafts.shift();
				if (message !== undefined) feed.typed(message);
			},
			toPanel() {
				const message = told.shift();
				if (message !== undefined) tell(message);
			},
			get quiet() {
				return drafts.length + told.length === 0;
			},
		};
	});
	const settle = () => {
		do {
			for (const side of sides) {
				side.pass(200);
				side.toHost();
				side.toPanel();
			}
		} while (!sides.every(({ quiet }) => quiet));
	};
	return { sides, settle, kept: () => kept.of(conversations.active.id).text };
}

const sorted = (text: string) => [...text].sort().join("");

/** Of a text as long as this, not every letter is told at once. */
const LONG = "z".repeat(10_000);

for (const [name, begun] of [
	["", ""],
	[" in a long text", LONG],
] as const) {
	test(`however two panels are typed into at once${name}, both end with the same text, and with every letter once`, () =>
		typeAtOnce(begun));
}

function typeAtOnce(begun: string): void {
	const step = fc.record({
		side: fc.nat(1),
		do: fc.constantFrom("type", "type", "append", "append", "delete", "toHost", "toPanel", "pass"),
		text: fc.string({ unit: fc.constantFrom("a", "b", "c", " "), minLength: 1, maxLength: 3 }),
		at: fc.nat(20),
	});
	fc.assert(
		fc.property(fc.array(step, { maxLength: 50 }), fc.boolean(), (steps, deletes) => {
			const { sides, settle, kept } = twoPanels();
			sides[0]?.type(0, begun);
			settle();
			let typed = begun;
			for (const { side: which, do: what, text, at } of steps) {
				const side = sides[which];
				assert.ok(side !== undefined);
				const { length } = side.box.text;
				if (what === "type" || what === "append") {
					side.type(what === "append" ? length : at % (length + 1), text);
					typed += text;
				} else if (what === "delete") {
					if (deletes) side.type(at % (length + 1), "", text.length);
				} else if (what === "pass") side.pass(at * 10);
				else side[what]();
			}
			settle();
			const [one, other] = sides.map(({ box }) => box.text);
			assert.deepEqual([one, other], [kept(), kept()]);
			if (deletes) assert.ok(kept().length <= typed.length);
			else assert.equal(sorted(kept()), sorted(typed));
		}),
		{ numRuns: begun === "" ? 500 : 200 },
	);
}

test("what stands between two places that are typed into in one breath is there once, in two panels at once as well", () => {
	const { sides, settle, kept } = twoPanels();
	sides[0]?.type(0, LONG);
	settle();
	for (const [which, side] of sides.entries()) {
		for (let letter = 0; letter < 2; letter++) {
			side.type(0, "ab"[which] ?? "");
			side.type(side.box.text.length, "cd"[which] ?? "");
		}
	}
	settle();
	assert.match(kept(), /^[ab]{4}z+[cd]{4}$/);
});

test("of two panels into which somebody types without a pause, the text of each stays together", () => {
	const { sides, settle, kept } = twoPanels();
	for (let key = 0; key < 30; key++) {
		for (const [which, side] of sides.entries()) {
			side.type(side.box.text.length, which === 0 ? "a" : "b");
			side.pass(20);
			side.toHost();
			side.toPanel();
		}
	}
	settle();
	assert.match(kept(), /^(a{30}b{30}|b{30}a{30})$/);
});
