import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { askOnce } from "#app/chat/ask-once.ts";
import { ChatSession } from "#app/chat/session.ts";
import type { MessagesConnection } from "#app/connections/connection.ts";
import { Budget } from "#app/usage/budget.ts";
import { Ledger } from "#app/usage/ledger.ts";
import type { Price } from "#base/cost.ts";
import type { ClientError } from "#base/errors.ts";
import type { Outcome } from "#base/reply.ts";
import { ConversationFiles } from "#editor/chat/conversation-files.ts";
import { replyWords } from "#editor/words/reply-words.ts";
import { chatParts, MESSAGES } from "../../../support/chat-parts.ts";
import { storageFolder } from "../../../support/chat-window.ts";
import { MemoryStore } from "../../../support/memory-editor.ts";
import { settle, textDelta } from "../../../support/scripted-sender.ts";

/** A cent for each token out, and nothing for those in. */
const PRICE: Price = { input: 0, output: 10_000, currency: "EUR" };

async function setUp(context: TestContext, limits: MessagesConnection["limits"], given: Price | null = PRICE) {
	const all = chatParts();
	const ledger = new Ledger(new ConversationFiles(await storageFolder(context), "usage"), all.clock);
	const known = { price: given ?? undefined, late: undefined as Price | undefined, lacksPrice: false };
	const prices = {
		price: () => known.price,
		currency: () => known.price?.currency,
		soon: async () => {
			known.price = known.price ?? known.late;
		},
		lacksPrice: () => known.lacksPrice,
	};
	const told: string[] = [];
	const warn = (sentence: string) => told.push(sentence);
	const budget = new Budget({ ledger, prices, store: new MemoryStore(), clock: all.clock, warn });
	context.after(() => ledger.dispose());
	const { id } = await all.registry.add({ ...MESSAGES, limits }, undefined);
	const parts = { ...all.parts, budget };
	const until = async (holds: () => boolean) => {
		while (!holds()) await settle();
	};
	const ask = (caller = "commit message") => {
		const signal = new AbortController().signal;
		const messages = [{ role: "user", content: "hello" }];
		const question = { caller, connection: id, messages, parameters: { maxTokens: 100 } };
		return askOnce(question, parts, { signal, onText: () => undefined });
	};
	/** Ends the newest reply with these reported tokens. */
	const report = async (outputTokens: number, outcome: Outcome = "complete", inputTokens = 7) => {
		const silent = { id: null, model: null, role: null, stopReason: null, stopSequence: null };
		all.sender.last.take({ kind: "message_delta", changes: { ...silent, inputTokens, outputTokens } });
		all.sender.last.end({ outcome });
	};
	/** Asks, and has it answered. */
	const spend = async (outputTokens: number) => {
		const before = all.sender.replies.length;
		const asked = ask();
		await until(() => all.sender.replies.length > before);
		await report(outputTokens);
		await asked;
		await ledger.read(1);
	};
	const connection = () => all.registry.require(id, "messages");
	const lines = async () => (await ledger.read(1)).map(({ input, output, cost }) => [input, output, cost]);
	return { ...all, known, told, parts, budget, ledger, id, ask, report, spend, until, connection, lines };
}

test("a request under way counts by its estimate, and then as reported", async (context) => {
	const { ask, until, sender, report, lines, ledger, connection } = await setUp(context, { day: 5 });
	const asked = ask();
	await until(() => sender.replies.length > 0);
	const [[, output, cost] = []] = await lines();
	assert.deepEqual([output, cost], [100, 1]);
	await report(20);
	await asked;
	assert.deepEqual(await lines(), [[7, 20, 0.2]]);
	const [line] = await ledger.read(1);
	const { caller, currency, model, label } = line ?? assert.fail();
	assert.deepEqual([caller, currency, model, label], ["commit message", "EUR", "default", connection().label]);
});

test("of twenty requests at once only those go out that fit together", async (context) => {
	const { ask, until, sender, report, budget, connection } = await setUp(context, { day: 5 });
	const all = Array.from({ length: 20 }, () => ask());
	const settled = Promise.all(all);
	const refused = () => Promise.all(all.map((each) => Promise.race([each.then(({ error }) => error), settle()])));
	while ((await refused()).filter(Boolean).length < 15) await settle();
	assert.equal(sender.replies.length, 5);
	assert.deepEqual(budget.words(connection()), ["5.00 of 5.00 EUR today"]);
	for (const reply of sender.replies) reply.end({ outcome: "complete" });
	const errors = (await settled).flatMap(({ error }) => error ?? []);
	assert.equal(errors.length, 15);
	assert.ok(errors.every(({ code, reason }) => code === "forbidden" && reason === "over-budget"));
	// What the others have left can be used.
	const next = ask();
	await until(() => sender.replies.length === 6);
	await report(10);
	assert.equal((await next).outcome, "complete");
});

test("a refusal names the sum, the limit and the next step", async (context) => {
	const { spend, ask, budget, connection } = await setUp(context, { day: 5, month: 5.5 });
	for (let i = 0; i < 4; i++) await spend(105);
	const { error, outcome } = await ask();
	assert.ok(outcome === "failed" && error !== undefined);
	const words = "Daily limit of A: 4.20 of 5.00 EUR are used, and this reply may add up to 1.00 EUR.";
	assert.equal(error.message, words);
	const { title, advice } = replyWords(error, { connection: "A", model: "" });
	assert.deepEqual([title, advice], [words, "Raise it in Edit Connection, or wait until it starts over."]);
	assert.deepEqual(budget.words(connection()), ["4.20 of 5.00 EUR today", "4.20 of 5.50 EUR this month"]);
});

test("without a price, tokens count", async (context) => {
	const { spend, ask, budget, connection } = await setUp(context, { month: 1_200 }, null);
	await spend(1_000);
	assert.deepEqual(budget.words(connection()), ["1,007 of 1,200 tokens this month"]);
	await spend(100);
	assert.match((await ask()).error?.message ?? "", /^Monthly limit of A: 1,114 of 1,200 tokens are used, /);
});

test("prices that come while a request waits count for it", async (context) => {
	const { known, ask, until, sender, lines, report } = await setUp(context, { day: 5 }, null);
	known.late = PRICE;
	const asked = ask();
	await until(() => sender.replies.length > 0);
	assert.equal((await lines())[0]?.[2], 1);
	await report(20);
	await asked;
	assert.deepEqual(await lines(), [[7, 20, 0.2]]);
});

test("a limit keeps the currency of the last priced reply until prices are known", async (context) => {
	const { known, spend, budget, connection, clock, lines } = await setUp(context, { month: 5 });
	await spend(100);
	known.price = undefined;
	assert.deepEqual(budget.words(connection()), ["1.00 of 5.00 EUR this month"]);
	// A reply without a price, counted by nothing, changes no unit.
	await spend(100);
	await spend(100);
	assert.equal((await lines()).length, 3);
	const today = new Date(clock.now());
	clock.sleep(new Date(today.getFullYear(), today.getMonth() + 1, 1).getTime() - clock.now());
	await spend(100);
	assert.deepEqual(budget.words(connection()), ["0.00 of 5.00 EUR this month"]);
});

test("models that a limit leaves out are named where the limit is in a currency", async (context) => {
	const { known, budget, connection } = await setUp(context, { day: 5, month: 9 });
	known.lacksPrice = true;
	assert.deepEqual(budget.words(connection()), [
		"0.00 of 5.00 EUR today (models without a price are not counted)",
		"0.00 of 9.00 EUR this month",
	]);
	known.price = undefined;
	assert.equal(budget.words(connection())[0], "0 of 5 tokens today");
});

test("of two limits that are passed the longer one is named, by its field", async (context) => {
	const { spend, ask, id } = await setUp(context, { day: 1.5, month: 1.5 });
	await spend(100);
	const { error } = await ask();
	assert.match(error?.message ?? "", /^Monthly limit of A: /);
	assert.equal(error?.field, `${id}.limits.month`);
});

test("usage is marked as estimated until its service has reported all of it", async (context) => {
	const { ask, until, sender, report, ledger } = await setUp(context, { day: 5 });
	const marks = async () => (await ledger.read(1)).map(({ estimated = false }) => estimated);
	const asked = ask();
	await until(() => sender.replies.length > 0);
	// As a window that ends now leaves it.
	assert.deepEqual(await marks(), [true]);
	await report(20);
	await asked;
	assert.deepEqual(await marks(), [false]);
	const stopped = ask();
	await until(() => sender.replies.length > 1);
	await report(20, "stopped");
	await stopped;
	assert.deepEqual(await marks(), [false, true]);
});

for (const [reported, expected] of [
	[
		[0, 0],
		[12, 6],
	],
	[
		[7, 0],
		[7, 6],
	],
	[
		[0, 9],
		[12, 9],
	],
] as const) {
	test(`usage reported as ${reported.join(" and ")} tokens is ${expected.join(" and ")}`, async (context) => {
		const { ask, until, sender, report, lines } = await setUp(context, undefined);
		const asked = ask();
		await until(() => sender.replies.length > 0);
		sender.last.take(textDelta("four letters per token"));
		await report(reported[1], "complete", reported[0]);
		await asked;
		assert.deepEqual((await lines())[0]?.slice(0, 2), expected);
	});
}

test("a day ends at local midnight, a month with its last day", async (context) => {
	const { spend, budget, connection, clock } = await setUp(context, { day: 2, month: 5 });
	const today = new Date(clock.now());
	clock.sleep(new Date(today.getFullYear(), today.getMonth() + 1, 10, 12).getTime() - clock.now());
	await spend(100);
	clock.sleep(new Date(clock.now()).setHours(24, 0, 0, 0) - 1 - clock.now());
	assert.deepEqual(budget.words(connection()), ["1.00 of 2.00 EUR today", "1.00 of 5.00 EUR this month"]);
	clock.sleep(1);
	assert.deepEqual(budget.words(connection()), ["0.00 of 2.00 EUR today", "1.00 of 5.00 EUR this month"]);
	clock.sleep(new Date(today.getFullYear(), today.getMonth() + 2, 1).getTime() - clock.now());
	assert.deepEqual(budget.words(connection()), ["0.00 of 2.00 EUR today", "0.00 of 5.00 EUR this month"]);
});

const ENDS: readonly (readonly [string, Outcome, string, readonly (readonly [number, number])[]])[] = [
	["complete without a report", "complete", "four letters per token", [[12, 6]]],
	["stopped in the middle", "stopped", "four letters per token", [[12, 6]]],
	["failed before its first byte", "failed", "", []],
];

for (const [name, outcome, said, expected] of ENDS) {
	test(`usage of a reply: ${name}`, async (context) => {
		for (const limits of [undefined, { day: 5 }]) {
			const { ask, until, sender, lines } = await setUp(context, limits);
			const asked = ask();
			await until(() => sender.replies.length > 0);
			if (said !== "") sender.last.take(textDelta(said));
			sender.last.end({ outcome });
			await asked;
			assert.deepEqual(
				(await lines()).map(([input, output]) => [input, output]),
				expected,
			);
		}
	});
}

test("most of a limit is told once a day and connection", async (context) => {
	const { spend, told, clock } = await setUp(context, { day: 5 });
	const spendAll = async () => {
		for (let i = 0; i < 4; i++) await spend(100);
		await spend(10);
		await settle();
	};
	await spendAll();
	assert.deepEqual(told, ["A has used 4.00 of 5.00 EUR today."]);
	clock.sleep(36 * 3_600_000);
	await spendAll();
	assert.equal(told.length, 2);
});

test("a program's message over a limit fails in words, without a question", async (context) => {
	const { parts, spend, sender, report, until } = await setUp(context, { day: 1.5 });
	await spend(60);
	const mayGoOn = () => assert.fail("nobody may be there");
	const session = new ChatSession("c", { ...parts, mayGoOn });
	context.after(() => session.dispose());
	const unattended = true;
	const refused = await session.send("hello", { unattended });
	const again = [
		await session.regenerate(refused.id, { unattended }),
		await session.edit(session.entries[0]?.id ?? "", "other", { unattended }),
	];
	for (const { ended } of [refused, ...again]) assert.match(ended?.error?.message ?? "", /^Daily limit of A: 0\.60/);
	const own = { unattended, parameters: { maxTokens: 50 } };
	const first = session.send("short", own);
	await until(() => sender.replies.length > 1);
	const queued = session.enqueue("queued", { unattended });
	assert.deepEqual(Object.keys(session.state.facts.queue?.[0] ?? {}).includes("unattended"), false);
	await report(10);
	await first;
	const reply = await queued.reply;
	assert.ok(typeof reply === "object" && reply.ended?.error?.reason === "over-budget");
});

test("the panel asks at a limit, and a denied message stays", async (context) => {
	const { parts, spend, until, sender, report } = await setUp(context, { day: 1.5 });
	await spend(60);
	const asked: (ClientError | undefined)[] = [];
	const answers = [false, true];
	const mayGoOn = async (_: ChatSession, refusal?: ClientError) => {
		asked.push(refusal);
		return answers.shift() ?? false;
	};
	const session = new ChatSession("c", { ...parts, mayGoOn });
	context.after(() => session.dispose());
	const refused = await session.send("precious words");
	assert.equal(refused.ended?.error?.reason, "over-budget");
	assert.equal(sender.replies.length, 1);
	const sent = session.retry(refused.id);
	await until(() => sender.replies.length === 2);
	await report(10);
	assert.equal((await sent).ended?.outcome, "complete");
	assert.deepEqual(
		asked.map((refusal) => refusal?.reason),
		["over-budget", "over-budget"],
	);
	assert.deepEqual(
		session.entries.map(({ role }) => role),
		["user", "assistant"],
	);
});
