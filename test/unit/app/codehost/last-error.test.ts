import assert from "node:assert/strict";
import { test } from "node:test";
import { LastError } from "#app/codehost/last-error.ts";
import { ClientError } from "#base/errors.ts";

const MINUTE_MS = 60_000;
const USER = "/user";
const LEDGER = "/repos/acme/ledger";

/** What is known after such answers, given as `[path, minute]` for one that was taken and `[path, minute, code]` for a failure. */
function after(...answers: readonly (readonly [path: string, minute: number, code?: "unauthorized" | "server"])[]) {
	const last = new LastError();
	for (const [path, minute, code] of answers) {
		const error = code === undefined ? {} : { error: new ClientError("codehost", code, "No.") };
		last.note({ url: `https://code.example${path}`, status: null, ...error }, minute * MINUTE_MS);
	}
	return last.value?.code ?? null;
}

test("a credential that is refused for one repository and taken for something else is not at fault", () => {
	assert.equal(after([USER, 0], [`${LEDGER}/issues`, 1, "unauthorized"]), null);
	assert.equal(after([`${LEDGER}`, 0], [`${LEDGER}/issues?page=2`, 0, "unauthorized"]), null);
	assert.equal(after(["/repos/acme/other/issues", 0], [LEDGER, 9, "unauthorized"]), null);
});

test("it is at fault where nothing shows that it was taken lately", () => {
	assert.equal(after([LEDGER, 0, "unauthorized"]), "unauthorized");
	assert.equal(after([USER, 0], [LEDGER, 11, "unauthorized"]), "unauthorized");
	assert.equal(after([LEDGER, 0], [LEDGER, 1, "unauthorized"]), "unauthorized");
	assert.equal(after([USER, 0], [USER, 1, "unauthorized"]), "unauthorized");
});

test("it is at fault once a second repository refuses it before anything has taken it again", () => {
	const [first, second] = ["/repos/acme/one/issues", "/repos/acme/two/issues"];
	const refused = [
		[USER, 0],
		[first, 1, "unauthorized"],
		[second, 2, "unauthorized"],
	] as const;
	assert.equal(after(...refused), "unauthorized");
	assert.equal(after(...refused, [USER, 3], [first, 4, "unauthorized"]), null);
});

test("an address that leads on to another neither takes a credential nor forgets what has failed", () => {
	const last = new LastError();
	const note = (path: string, status: number, code?: "unauthorized") => {
		const error = code === undefined ? {} : { error: new ClientError("codehost", code, "No.") };
		last.note({ url: `https://code.example${path}`, status, ...error }, 0);
		return last.value?.code ?? null;
	};
	assert.equal(note(USER, 301), null);
	assert.equal(note(LEDGER, 401, "unauthorized"), "unauthorized");
	assert.equal(note(LEDGER, 307), "unauthorized");
	assert.equal(note(LEDGER, 304), null);
});

test("what is no refusal is told as it is, and forgotten with the next answer", () => {
	assert.equal(after([USER, 0], [LEDGER, 1, "server"]), "server");
	assert.equal(after([USER, 0], [LEDGER, 1, "server"], [USER, 2]), null);
});
