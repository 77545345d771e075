import assert from "node:assert/strict";
import { test } from "node:test";
import type { MarkdownString } from "vscode";
import type { FailureWords } from "#editor/kit/error-words.ts";
import { CHUNK_ROWS, chunked, errorLook, looksOf, type Row, type RowParts, Rows } from "#editor/kit/rows.ts";

const look = (label: string) => ({ label, spoken: label, context: "" });
const labels = (rows: readonly Row[]) => rows.map(({ parts }) => parts.look.label);
const leaf = (label: string): RowParts => ({ key: label, look: look(label) });

/** Asks for all rows, as an editor does in which everything is open. */
function drawAll(rows: Rows, row = rows.root): readonly Row[] {
	return rows.below(row).flatMap((each) => [each, ...drawAll(rows, each)]);
}

/** A long list of numbers, drawn. */
function longList(length: number) {
	const numbers = Array.from({ length }, (_, index) => index);
	const row = (number: number) => leaf(String(number));
	const rows = new Rows(() => chunked({ noun: "Issues", items: numbers, row, last: leaf("last") }));
	drawAll(rows);
	const draw = (stale: readonly Row[]) => stale.flatMap((each) => [each, ...drawAll(rows, each)]);
	return { numbers, rows, update: () => draw(rows.update()) };
}

test("only rows that look otherwise are drawn again, and each keeps its object", () => {
	const state = { a: "a", b: "b" };
	const rows = new Rows(() => [
		{ key: "group", look: look("group"), children: () => [leaf(state.a), { key: "b", look: look(state.b) }] },
	]);
	assert.deepEqual(rows.update(), [], "nobody has asked for them yet");
	const before = drawAll(rows);
	assert.deepEqual(rows.update(), []);
	state.b = "other";
	assert.deepEqual(rows.update(), [before[2]]);
	assert.equal(before[2]?.parts.look.label, "other");
	state.a = "c";
	assert.deepEqual(labels(rows.update()), ["group"]);
	assert.deepEqual(
		drawAll(rows).map((row) => before.includes(row)),
		[true, false, true],
	);
	assert.deepEqual(rows.update(), []);
});

test("the children of a collapsed row are not requested before it is expanded again", () => {
	let label = "a";
	let asked = 0;
	const children = () => {
		asked += 1;
		return [leaf(label)];
	};
	const rows = new Rows(() => [{ key: "group", look: look("group"), children }]);
	const [group] = drawAll(rows);
	Object.assign(group ?? {}, { isClosed: true });
	label = "b";
	assert.deepEqual([rows.update(), asked], [[], 1]);
	Object.assign(group ?? {}, { isClosed: false });
	assert.deepEqual(rows.update(), [group]);
});

test("a list of which many rows change is redrawn as a whole", () => {
	let said = "";
	const all = Array.from({ length: 100 }, (_, key) => String(key));
	const rows = new Rows(() => [
		{ key: "list", look: look("list"), children: () => all.map((key) => ({ key, look: look(key + said) })) },
	]);
	drawAll(rows);
	said = "!";
	assert.deepEqual(labels(rows.update()), ["list"]);
});

test("a row whose card was shown is drawn again when the card says something else", () => {
	let text = "one";
	const card = () => ({ value: text }) as MarkdownString;
	const rows = new Rows(() => [{ ...leaf("a"), card }]);
	const [row] = drawAll(rows);
	text = "two";
	assert.deepEqual(rows.update(), [], "nobody has seen it");
	Object.assign(row ?? {}, { card: "two" });
	assert.deepEqual(rows.update(), []);
	text = "three";
	assert.deepEqual(rows.update(), [row]);
	assert.deepEqual(rows.update(), []);
});

test("a list that is not long has no groups", () => {
	assert.deepEqual(longList(CHUNK_ROWS).rows.root.below?.length, CHUNK_ROWS + 1);
	assert.deepEqual(labels(longList(0).rows.root.below ?? []), ["last"]);
});

test("every row is there once, in order, in chunks of limited size", () => {
	for (const length of [CHUNK_ROWS - 1, CHUNK_ROWS + 1, 3 * CHUNK_ROWS, 10 * CHUNK_ROWS + 7]) {
		const { rows, numbers } = longList(length);
		const all = drawAll(rows);
		assert.deepEqual(
			labels(all).filter((label) => !label.startsWith("Issues")),
			[...numbers.map(String), "last"],
		);
		assert.equal(new Set(all.map(({ id }) => id)).size, all.length);
		for (const { below } of [rows.root, ...all]) assert.ok((below?.length ?? 0) <= CHUNK_ROWS + 1);
	}
});

test("rows that are added draw no more than a chunk, and the last row stays the same", () => {
	const { numbers, rows, update } = longList(0);
	const last = rows.root.below?.at(-1);
	for (let length = 0; length < 3_000; length += 100) {
		numbers.push(...Array.from({ length: 100 }, (_, index) => length + index));
		const drawn = update();
		const own = drawn.filter(({ parts }) => /^\d+$/.test(parts.look.label));
		assert.deepEqual(labels(own).slice(-100), numbers.slice(-100).map(String));
		assert.ok(drawn.length <= CHUNK_ROWS + 100 + 3, `${drawn.length} rows for a hundred after ${length}`);
		assert.ok(drawn.includes(last ?? rows.root));
	}
});

test("a list that ends earlier than before is drawn again where it ends", () => {
	const { numbers, rows, update } = longList(2_500);
	for (const length of [2_100, 2_000, 1_001, 1_000, 10]) {
		numbers.length = length;
		assert.ok(update().length > 0);
		const all = drawAll(rows);
		assert.deepEqual(labels(all).at(-1), "last");
		assert.equal(all.filter(({ parts }) => parts.isChunk !== true).length, length + 1);
	}
});

test("a group says by people's numbers which rows are in it", () => {
	const { label, spoken } = longList(1_250).rows.root.below?.at(-1)?.parts.look ?? assert.fail("a group");
	assert.deepEqual([label, spoken], ["Issues 1,001\u20131,250", "Issues 1,001 to 1,250"]);
});

test("filter words are highlighted, and an unchanged row keeps its look", () => {
	const lookOf = looksOf(({ name }: { readonly name: string }) => look(name));
	const bell = { name: "The bell rings twice" };
	const plain = lookOf(bell, "");
	assert.equal(lookOf(bell, ""), plain);
	assert.equal(lookOf(bell, "wire"), plain, "nothing is marked");
	assert.deepEqual(lookOf(bell, "bell").highlights, [[4, 8]]);
	assert.equal(lookOf(bell, "bell"), lookOf(bell, "bell"));
});

test("an error offers another credential where that helps, and else a retry", () => {
	const retry = { id: "retry", title: "Retry" };
	const of = (remedy: FailureWords["remedy"], fix: Pick<FailureWords, "fix"> = {}) => {
		const row = errorLook({ title: "No.", advice: "Do.", remedy, ...fix }, retry);
		return [row.context, row.command?.id, row.spoken];
	};
	assert.deepEqual(of("retry"), ["error", "retry", "Error: No. Do. Retry is in its menu."]);
	const asks = "Error: No. Do. Enter asks for it. Retry is in its menu.";
	assert.deepEqual(of("replace"), ["error.credential", "switchboard.replaceKey", asks]);
	const signIn = { fix: { label: "Sign In", command: "sign-in" } };
	const page = { label: "Open", command: "vscode.open", argument: "https://host.test/sso" };
	const { command } = errorLook({ title: "No.", advice: "Do.", remedy: "retry", fix: page }, retry);
	assert.deepEqual(command, { id: "vscode.open", title: "Open", argument: page.argument });
	assert.deepEqual(of("sign-in", signIn).slice(0, 2), ["error.credential", "sign-in"]);
	assert.deepEqual(of("edit").slice(0, 2), ["error.connection", "retry"]);
});
