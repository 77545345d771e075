import assert from "node:assert/strict";
import { test } from "node:test";
import { ClientError } from "#base/errors.ts";
import { logged, notice, openLog } from "../../../support/logged-requests.ts";

test("the newest request comes first, with when it began and whose it is", () => {
	const { log, clock } = openLog();
	log.add(notice, "codehost-1");
	clock.advance(100);
	log.add({ ...notice, method: "POST", ms: 60 }, null);
	assert.deepEqual(
		log.list().map(({ id, method, connection, at }) => [id, method, connection, at - clock.now()]),
		[
			["r2", "POST", null, -60],
			["r1", "GET", "codehost-1", -141],
		],
	);
});

test("no more requests are kept than the bound says, and the oldest make room", () => {
	const { log } = openLog(3);
	for (let count = 0; count < 10; count++) log.add(notice, null);
	assert.deepEqual(
		log.list().map(({ id }) => id),
		["r10", "r9", "r8"],
	);
	assert.equal(log.get("r7"), undefined);
	assert.equal(log.get("r8")?.id, "r8");
});

test("the log keeps the code and the sentence of an error, but not its cause", () => {
	const cause = new Error("with a stack");
	const error = new ClientError("codehost", "network", "No route.", { cause });
	assert.deepEqual(logged({ status: null, error }).error, { code: "network", message: "No route." });
	assert.equal(logged().error, null);
});

test("a secret that is forgotten later does not come back", () => {
	const { log, redactor } = openLog();
	const known = redactor.register("passing-secret-1");
	log.add({ ...notice, body: "passing-secret-1" }, null);
	known.dispose();
	redactor.register("another-secret");
	assert.doesNotMatch(JSON.stringify(log.list()), /passing-secret-1/);
});

test("a request is the same object as long as nothing of it has changed", () => {
	const { log, redactor } = openLog();
	log.add(notice, null);
	const [before] = log.list();
	redactor.register("unrelated-secret");
	assert.equal(log.list()[0], before);
});

test("each request is announced once, and so is clearing the log", () => {
	const { log } = openLog();
	let told = 0;
	log.onDidChange(() => told++);
	log.add(notice, null);
	log.add(notice, null);
	assert.equal(told, 2);
	assert.equal(log.clear(), 2);
	assert.deepEqual([told, log.list().length], [3, 0]);
	log.add(notice, null);
	assert.equal(log.list()[0]?.id, "r3");
});
