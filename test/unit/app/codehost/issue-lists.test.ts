import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { DEFAULT_VIEW } from "#app/codehost/issue-list.ts";
import { IssueLists, refreshInBackground } from "#app/codehost/issue-lists.ts";
import { appSecret } from "#app/connections/codehost-secret.ts";
import { ADA, codehostWindow, refreshesUnderWay } from "../../../support/codehost-window.ts";
import { MemoryStore } from "../../../support/memory-editor.ts";
import { requestsLeft } from "../../../support/misbehavior.ts";
import { requestsTo } from "../../../support/sandbox-requests.ts";
import { until } from "../../../support/until.ts";

test("the order and grouping of issues outlive the window, and the filter does not", async (context) => {
	const parts = await codehostWindow(context);
	const store = new MemoryStore();
	const open = () => {
		const lists = new IssueLists(parts.repositories, store);
		context.after(() => lists.dispose());
		return lists;
	};
	await open().show({ ...DEFAULT_VIEW, text: "bell", state: "closed", sort: "newest", group: "label" });
	await new Promise(setImmediate);
	assert.deepEqual(open().view, { ...DEFAULT_VIEW, sort: "newest", group: "label" });
	for (const unknown of ["random", "toString", 7, null]) {
		await store.set("switchboard.issues.sort", unknown);
		await store.set("switchboard.issues.group", unknown);
		assert.deepEqual(open().view, DEFAULT_VIEW);
	}
});

const interval = 60_000;
const spread = 1.2;

/** A window with one loaded list, which is refreshed each minute while it has the focus. */
async function refreshed(context: TestContext, { focused = true, asApp = false } = {}) {
	const parts = await codehostWindow(context);
	const { clock, sandbox, clients, registry, repositories, lists } = parts;
	const window = { focused };
	const connection = asApp ? "app" : ADA;
	if (asApp) {
		const { appId, installationId, privateKeyPem } = sandbox.keys.codehost.app;
		const credential = { kind: "app", appId: `${appId}`, installationId } as const;
		const secret = appSecret({ privateKey: await privateKeyPem() });
		registry.addPassing({ ...registry.require(ADA, "codehost"), id: connection, label: "App", credential }, secret);
	}
	const repository = await repositories.add({ connection, repository: "exchange/switchboard" });
	await lists.of(repository).load();
	const refresher = refreshInBackground(lists, repositories, parts.statuses, {
		clock,
		focused: () => window.focused,
		intervalMs: () => interval,
	});
	context.after(() => refresher.dispose());
	const requests = () => requestsTo(sandbox, "issues").length;
	const underWay = refreshesUnderWay(lists);
	/** Lets time pass, and what is due by then happen to its end. */
	const pass = async (ms: number) => {
		clock.advance(ms);
		await pause(5);
		await until(() => underWay() === 0, "the end of the round");
	};
	/** Something that a person asks for, after which the gauge is known anew. */
	const call = async () => {
		const { client } = await clients.open(connection);
		await client.getRepository("exchange", "switchboard");
		await pass(100);
	};
	const urls: string[] = [];
	clients.onRequest(({ url }) => urls.push(url));
	/** How often the issues of a repository were asked for. */
	const asked = (name: string) => urls.filter((url) => url.includes(`/${name}/issues`)).length;
	return { ...parts, connection, refresher, window, requests, pass, call, repository, asked };
}

/** Time after which the next round is over, with random numbers as the clock gives them. Milliseconds. */
const turn = interval * 1.1;

test("loaded lists are refreshed each interval, one round after the other", async (context) => {
	const { requests, pass, call, clock } = await refreshed(context);
	await pass(interval - 1);
	assert.equal(requests(), 1);
	clock.advance(interval);
	clock.advance(10 * interval);
	await until(() => requests() === 2, "the refresh");
	await pass(0);
	for (let calls = 0; calls < 8; calls++) {
		await pass(interval / 5);
		await call();
	}
	assert.equal(requests(), 3);
});

test("below a tenth of the limit nothing is refreshed, also within a round", async (context) => {
	const { requests, pass, call, sandbox, repositories, lists } = await refreshed(context);
	const other = await repositories.add({ connection: ADA, repository: "exchange/archive" });
	await lists.of(other).load();
	const before = requests();
	sandbox.codehost.behave({}, requestsLeft(10));
	await pass(20 * interval);
	assert.equal(requests(), before + 1, "the reply for the first repository says so");
	sandbox.codehost.behave({});
	await call();
	await pass(interval * spread);
	assert.equal(requests(), before + 3);
});

for (const [what, asApp, fail] of [
	["a token is refused", false, { status: 401 }],
	["an installation is suspended", true, { status: 403, message: "This installation has been suspended" }],
] as const) {
	test(`once ${what} nothing is refreshed until a call of a person succeeds`, async (context) => {
		const { connection, requests, pass, call, sandbox, clients } = await refreshed(context, { asApp });
		// That it was just taken for the same repository would say that only its issues are refused.
		for (let minutes = 0; minutes < 12; minutes++) await pass(interval);
		sandbox.codehost.behave({ fail, on: ["issues", "user"] });
		const before = requests();
		await pass(interval * spread);
		await until(() => clients.peek(connection)?.lastError !== null, "the refusal");
		await pass(20 * interval);
		assert.equal(requests(), before + 1);
		sandbox.codehost.behave({});
		await call();
		await pass(interval * spread);
		assert.equal(requests(), before + 2);
	});
}

test("a connection without a secret is not tried, and a silent one delays no other", async (context) => {
	const { registry, repositories, sandbox, lists, clients, pass, asked, clock } = await refreshed(context);
	const { id: _, ...draft } = registry.require(ADA, "codehost");
	const { id } = await registry.add(draft, sandbox.keys.codehost.fineGrained);
	const list = lists.of(await repositories.add({ connection: id, repository: "ada/garden" }));
	await list.load();
	await registry.signOut(id);
	await until(() => clients.stateOf(id) === "signed-out", "the sign-out");
	await pass(turn);
	assert.equal(asked("ada/garden"), 1);
	await registry.replaceSecret(id, sandbox.keys.codehost.fineGrained);
	await list.load();
	sandbox.codehost.behave({ neverAnswer: true });
	clock.advance(turn);
	await until(() => asked("switchboard") + requestsTo(sandbox, "issues").length > 0, "the round");
	await until(() => requestsTo(sandbox, "issues").length === 6, "the other list");
});

test("a load that a person has canceled is not repeated in the background", async (context) => {
	const { repositories, lists, sandbox, pass } = await refreshed(context);
	const list = lists.of(await repositories.add({ connection: ADA, repository: "ada/garden" }));
	sandbox.codehost.behave({ neverAnswer: true });
	const loading = list.load();
	list.cancel();
	await loading;
	sandbox.codehost.behave({});
	await pass(2 * turn);
	assert.deepEqual([list.isStopped, list.loaded], [true, 0]);
});

test("without focus nothing refreshes, and with it an overdue round begins at once", async (context) => {
	const { requests, pass, call, refresher, window } = await refreshed(context, { focused: false });
	await pass(10 * interval);
	await call();
	assert.equal(requests(), 1);
	window.focused = true;
	refresher.plan();
	await pass(0);
	assert.equal(requests(), 2);
	window.focused = false;
	refresher.plan();
	await pass(10 * interval);
	assert.equal(requests(), 2);
});

test("without a repository, and after the end, no timer is left", async (context) => {
	const { requests, pass, clock, refresher, repositories, repository } = await refreshed(context);
	await pass(1_000);
	assert.equal(clock.waiting, 1);
	await repositories.remove(repository);
	assert.equal(clock.waiting, 0);
	await repositories.add(repository);
	await pass(1_000);
	assert.equal(clock.waiting, 1);
	refresher.dispose();
	await pass(10 * interval);
	assert.deepEqual([requests(), clock.waiting], [1, 0]);
});
