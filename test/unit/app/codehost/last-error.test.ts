import assert from "node:assert/strict";
import { test } from "node:test";
import { LastError } from "#app/codehost/last-error.ts";
import { ClientError, type ErrorCode } from "#base/errors.ts";

const USER = "/user";
const LEDGER = "/repos/acme/ledger";

type Said = readonly [path: string, status: number, code?: ErrorCode];

/** The code that is known after such answers. */
function after(answers: readonly Said[], last = new LastError()): ErrorCode | null {
	for (const [path, status, code] of answers) {
		const error = code === undefined ? {} : { error: new ClientError("codehost", code, "No.") };
		last.note({ url: `https://code.example${path}`, status, ...error });
	}
	return last.value?.code ?? null;
}

test("a 401 of one repository changes nothing until it is explained", () => {
	assert.equal(after([[`${LEDGER}/issues`, 401, "unauthorized"]]), null);
	const refusals: readonly Said[] = [
		[USER, 401, "unauthorized"],
		[LEDGER, 401, "unauthorized"],
	];
	const last = new LastError();
	assert.equal(after(refusals, last), "unauthorized");
	last.explain(new ClientError("codehost", "unauthorized", "No.", { reason: "repository-refused" }));
	assert.equal(after([], last), null);
	last.explain(new ClientError("codehost", "unauthorized", "No."));
	assert.equal(after([], last), "unauthorized");
});

test("an address that leads on to another neither takes a credential nor forgets what has failed", () => {
	assert.equal(after([[USER, 301]]), null);
	const refused = [USER, 401, "unauthorized"] as const;
	assert.equal(after([refused, [LEDGER, 307]]), "unauthorized");
	assert.equal(after([refused, [LEDGER, 304]]), null);
});

test("what is no refusal is told as it is, and forgotten with the next answer", () => {
	assert.equal(after([[LEDGER, 500, "server"]]), "server");
	assert.equal(
		after([
			[LEDGER, 500, "server"],
			[USER, 200],
		]),
		null,
	);
});
