import assert from "node:assert/strict";
import { test } from "node:test";
import { LastError } from "#app/codehost/last-error.ts";
import { ClientError } from "#base/errors.ts";

const USER = "/user";
const LEDGER = "/repos/acme/ledger";

type Said = readonly [path: string, second: number, code?: "unauthorized" | "server"];

/** What is known after such answers: one that was taken is `[path, second]`, a failure `[path, second, code]`. */
function after(answers: readonly Said[], { canAsk = true } = {}) {
	const last = new LastError();
	let isToAsk = false;
	for (const [path, second, code] of answers) {
		const error = code === undefined ? {} : { error: new ClientError("codehost", code, "No.") };
		isToAsk = last.note(
			{ url: `https://code.example${path}`, status: null, ...error },
			{ now: second * 1_000, canAsk },
		);
	}
	return { code: last.value?.code ?? null, isTaken: last.isTaken, isToAsk };
}

const FINE = { code: null, isTaken: true, isToAsk: false };
const IN_DOUBT = { code: null, isTaken: false, isToAsk: true };
const REFUSED = { code: "unauthorized", isTaken: false, isToAsk: false };

test("a credential that is refused for one repository and was just taken for something else is not at fault", () => {
	assert.deepEqual(
		after([
			[USER, 0],
			[`${LEDGER}/issues`, 1, "unauthorized"],
		]),
		FINE,
	);
	assert.deepEqual(
		after([
			[LEDGER, 0],
			[`${LEDGER}/issues?page=2`, 0, "unauthorized"],
		]),
		FINE,
	);
	assert.deepEqual(
		after([
			["/repos/acme/other/issues", 0],
			[LEDGER, 9, "unauthorized"],
		]),
		FINE,
	);
});

test("where nothing shows that it was taken just now, whose it is has to be asked, once", () => {
	assert.deepEqual(after([[LEDGER, 0, "unauthorized"]]), IN_DOUBT);
	assert.deepEqual(
		after([
			[USER, 0],
			[LEDGER, 11, "unauthorized"],
		]),
		IN_DOUBT,
	);
	assert.deepEqual(
		after([
			[LEDGER, 0],
			[LEDGER, 1, "unauthorized"],
		]),
		IN_DOUBT,
		"it was taken for the same before",
	);
	const both = [
		[LEDGER, 0, "unauthorized"],
		["/repos/acme/two", 0, "unauthorized"],
	] as const;
	assert.deepEqual(after(both), { ...IN_DOUBT, isToAsk: false });
});

test("the answer to that tells whether it is at fault", () => {
	const doubted = [LEDGER, 60, "unauthorized"] as const;
	assert.deepEqual(after([doubted, [USER, 60]]), FINE);
	assert.deepEqual(after([doubted, [USER, 60, "unauthorized"]]), REFUSED);
	assert.deepEqual(after([doubted, [USER, 60, "unauthorized"], doubted]), REFUSED, "and it is not asked again");
	assert.deepEqual(after([doubted, [USER, 60], [LEDGER, 120, "unauthorized"]]), IN_DOUBT, "it may be revoked since");
	assert.equal(after([doubted, [USER, 60, "server"]]).code, "server");
});

test("what was taken before the credential itself was refused proves nothing, and nor does what is yet to come", () => {
	const other = "/repos/acme/two";
	assert.deepEqual(
		after([
			[USER, 0],
			[other, 1],
			[USER, 1, "unauthorized"],
			[LEDGER, 2, "unauthorized"],
		]),
		REFUSED,
	);
	assert.deepEqual(
		after([
			[other, 60],
			[LEDGER, 0, "unauthorized"],
		]),
		IN_DOUBT,
	);
});

test("where the question could not be put, the next refusal puts it again", () => {
	const last = new LastError();
	const error = new ClientError("codehost", "unauthorized", "No.");
	const refuse = () =>
		last.note({ url: `https://code.example${LEDGER}`, status: 401, error }, { now: 0, canAsk: true });
	assert.equal(refuse(), true);
	assert.equal(refuse(), false);
	last.leaveDoubt();
	assert.equal(refuse(), true);
});

test("a credential that nobody can be asked for is at fault when it is refused, unless it was taken just now", () => {
	const exchange = "/app/installations/7/access_tokens";
	const refusedAfter = (second: number) => [[exchange, 0] as const, [LEDGER, second, "unauthorized"] as const];
	assert.deepEqual(after(refusedAfter(1), { canAsk: false }), FINE);
	assert.deepEqual(after(refusedAfter(11), { canAsk: false }), REFUSED);
	assert.deepEqual(after([[LEDGER, 0, "unauthorized"]], { canAsk: false }), REFUSED);
});

test("an address that leads on to another neither takes a credential nor forgets what has failed", () => {
	const last = new LastError();
	const note = (path: string, status: number, code?: "unauthorized") => {
		const error = code === undefined ? {} : { error: new ClientError("codehost", code, "No.") };
		last.note({ url: `https://code.example${path}`, status, ...error }, { now: 0, canAsk: true });
		return [last.value?.code ?? null, last.isTaken];
	};
	assert.deepEqual(note(USER, 301), [null, false]);
	assert.deepEqual(note(USER, 401, "unauthorized"), ["unauthorized", false]);
	assert.deepEqual(note(LEDGER, 307), ["unauthorized", false]);
	assert.deepEqual(note(LEDGER, 304), [null, true]);
});

test("what is no refusal is told as it is, and forgotten with the next answer", () => {
	assert.equal(
		after([
			[USER, 0],
			[LEDGER, 1, "server"],
		]).code,
		"server",
	);
	assert.deepEqual(
		after([
			[USER, 0],
			[LEDGER, 1, "server"],
			[USER, 2],
		]),
		FINE,
	);
});
