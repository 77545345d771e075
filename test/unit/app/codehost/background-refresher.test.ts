import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { BackgroundRefresher } from "#app/codehost/background-refresher.ts";
import { appSecret } from "#app/codehost/secret.ts";
import { ADA, codehostWindow, until } from "../../../support/codehost-window.ts";

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
	const refresher = new BackgroundRefresher({ ...parts, focused: () => window.focused, intervalMs: () => interval });
	context.after(() => refresher.dispose());
	const requests = () => sandbox.status().codehost.endpoints.issues;
	let underWay = 0;
	const refresh = lists.refreshQuietly.bind(lists);
	lists.refreshQuietly = async (...asked) => {
		underWay++;
		try {
			return await refresh(...asked);
		} finally {
			underWay--;
		}
	};
	/** Lets time pass, and what is due by then happen to its end. */
	const pass = async (ms: number) => {
		clock.advance(ms);
		await pause(5);
		await until(() => underWay === 0);
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

/** With random numbers as the clock gives them, a refresh comes after so long. Milliseconds. */
const turn = interval * 1.1;

test("what is loaded is refreshed each interval, and one refresh does not begin before the last has ended", async (context) => {
	const { requests, pass, clock } = await refreshed(context);
	assert.equal(requests(), 1);
	await pass(interval - 1);
	assert.equal(requests(), 1);
	clock.advance(interval);
	clock.advance(10 * interval);
	await until(() => requests() === 2);
	await pass(0);
	assert.equal(requests(), 2);
	await pass(interval * spread);
	assert.equal(requests(), 3);
});

test("below a tenth of the limit it stops at once, and goes on as soon as the limit is back", async (context) => {
	const { requests, pass, call, sandbox } = await refreshed(context);
	sandbox.codehost.behave({ remaining: 10 });
	await call();
	await pass(20 * interval);
	assert.equal(requests(), 1);
	sandbox.codehost.behave({});
	await call();
	await until(() => requests() === 2);
	await pass(0);
	await pass(interval * spread);
	assert.equal(requests(), 3);
});

test("where the host says when the limit is back, it goes on then without anybody's call", async (context) => {
	const { requests, pass, call, sandbox } = await refreshed(context);
	sandbox.codehost.behave({ remaining: 10, resetHeader: "seconds" });
	await call();
	await pass(59 * interval);
	assert.equal(requests(), 1);
	await pass(14 * interval);
	assert.equal(requests(), 2);
});

for (const [what, asApp, fail] of [
	["a token is refused", false, { status: 401 }],
	["an installation is suspended", true, { status: 403, message: "This installation has been suspended" }],
] as const) {
	test(`once ${what} it stops, and goes on after a call of a person that went well`, async (context) => {
		const { connection, requests, pass, call, sandbox, clients } = await refreshed(context, { asApp });
		// That it was just taken for the same repository would say that only its issues are refused.
		for (let minutes = 0; minutes < 12; minutes++) await pass(interval);
		sandbox.codehost.behave({ fail, on: ["issues", "user"] });
		const before = requests();
		await pass(interval * spread);
		assert.equal(requests(), before + 1);
		// Whose the token is may still be asked.
		await until(() => clients.peek(connection)?.lastError !== null);
		await pass(20 * interval);
		assert.equal(requests(), before + 1);
		sandbox.codehost.behave({});
		await call();
		await until(() => requests() === before + 2);
		await pass(0);
	});
}

test("a limit that becomes low in the middle of a round ends it before the next request", async (context) => {
	const { requests, pass, sandbox, repositories, lists, repository } = await refreshed(context);
	const other = await repositories.add({ connection: ADA, repository: "exchange/archive" });
	const archive = lists.of(other);
	await archive.load();
	while (archive.loaded < 3_000) await archive.loadMore();
	const [page] = [...archive.issues];
	let before = requests();
	// The first repository's reply tells it: the second is not asked for at all.
	sandbox.codehost.behave({ remaining: 10 });
	await pass(interval * spread);
	assert.equal(requests(), before + 1);
	// In the middle of many pages it ends with those that were under way.
	sandbox.codehost.behave({});
	await repositories.remove(repository);
	await archive.refresh();
	before = requests();
	sandbox.codehost.behave({ remaining: 10 });
	await pass(interval * spread);
	assert.ok(requests() - before < 10, `${requests() - before} of 30 pages`);
	assert.deepEqual([archive.loaded, archive.issues[0], archive.state.name], [3_000, page, "loaded"]);
	// A person may still ask.
	before = requests();
	assert.equal(await archive.refresh(), true);
	assert.equal(requests(), before + 30);
});

test("what fails is asked for ever more rarely, until it goes well again", async (context) => {
	const { requests, pass, sandbox } = await refreshed(context);
	sandbox.codehost.behave({ fail: { status: 404 }, on: ["issues"] });
	for (const [failures, times] of [1, 2, 4].entries()) {
		await pass(times * interval - 1);
		assert.equal(requests(), 1 + failures);
		if (times === 4) sandbox.codehost.behave({});
		await pass(times * interval * (spread - 1) + 1);
		assert.equal(requests(), 2 + failures);
	}
	await pass(interval * spread);
	assert.equal(requests(), 5);
});

for (const [status, dead, may] of [
	[404, "lin/diary", {}],
	[401, "exchange/vault", { private: false }],
] as const) {
	for (const isFirst of [true, false]) {
		const place = isFirst ? "before" : "after";
		test(`a repository that answers ${status} ${place} others is asked ever more rarely, and they as often as ever`, async (context) => {
			const { registry, repositories, sandbox, lists, statuses, pass, asked } = await refreshed(context);
			const secret = sandbox.codehost.mintPat({ kind: "classic", ...may });
			const connection = { ...registry.require(ADA), id: "own", label: "Own" };
			registry.addPassing(connection, secret);
			const names = isFirst ? [dead, "ada/garden"] : ["ada/garden", dead];
			const added = names.map((repository) => ({ connection: "own", repository }));
			repositories.addPassing(added);
			for (const each of added) await lists.of(each).load();
			for (let turns = 1; turns <= 8; turns++) {
				await pass(turn);
				// What is due in the middle of another's turn comes after it.
				await pass(100);
				assert.equal(asked("ada/garden"), 1 + turns);
				assert.equal(statuses.of("own").error?.code === "unauthorized", false, "the credential works elsewhere");
			}
			// Its first time, and after 1, 2 and 4 turns more.
			assert.equal(asked(dead), 4);
		});
	}
}

test("a connection that fails is asked ever more rarely as a whole, until anything is read through it", async (context) => {
	const { repositories, sandbox, lists, pass, call, asked } = await refreshed(context);
	await lists.of(await repositories.add({ connection: ADA, repository: "ada/garden" })).load();
	const both = () => [asked("exchange/switchboard"), asked("ada/garden")];
	sandbox.codehost.behave({ fail: { status: 501 }, on: ["issues"] });
	for (const [failures, turns] of [1, 2].entries()) {
		await pass(turns * turn);
		assert.deepEqual(both(), [1 + failures, 2 + failures]);
	}
	sandbox.codehost.behave({});
	await call();
	await pass(turn - 100);
	assert.deepEqual(both(), [3, 4]);
	await pass(turn);
	assert.deepEqual(both(), [4, 5]);
});

test("a repository that a person has read again is refreshed as often as ever", async (context) => {
	const { sandbox, lists, repository, requests, pass } = await refreshed(context);
	sandbox.codehost.behave({ fail: { status: 404 }, on: ["issues"] });
	for (const turns of [1, 2, 4]) await pass(turns * turn);
	sandbox.codehost.behave({});
	assert.equal(await lists.of(repository).refresh(), true);
	const before = requests();
	await pass(turn);
	assert.equal(requests(), before + 1);
});

test("a repository before which a round was cut short is none that could be read again", async (context) => {
	const { repositories, sandbox, lists, pass, call, asked } = await refreshed(context);
	const dead = { connection: ADA, repository: "lin/diary" };
	repositories.addPassing([dead]);
	await lists.of(dead).load();
	for (let turns = 1; turns <= 6; turns++) await pass(turn);
	assert.equal(asked("lin/diary"), 3);
	// In the seventh turn it would be asked for again, after another that tells that the limit is low.
	sandbox.codehost.behave({ remaining: 10 });
	await pass(turn);
	assert.deepEqual([asked("lin/diary"), asked("exchange/switchboard")], [3, 7]);
	sandbox.codehost.behave({});
	await call();
	await pass(turn);
	assert.deepEqual([asked("lin/diary"), asked("exchange/switchboard")], [3, 8]);
});

test("a limit whose end nobody knows is tried again by itself once a whole window has passed", async (context) => {
	const { clock, clients, sandbox, statuses, refresher, window, requests, pass } = await refreshed(context, {
		focused: false,
	});
	sandbox.codehost.behave({ fail: { status: 403, message: "API rate limit exceeded" } });
	const { client } = await clients.open(ADA);
	while (!client.rate.stopped) {
		let isOver = false;
		const over = client.getRepository("exchange", "switchboard").catch(() => {
			isOver = true;
		});
		await until(() => {
			clock.advance(10_000);
			return isOver;
		});
		await over;
	}
	await pass(100);
	assert.equal(statuses.of(ADA).rate?.stopped, true);
	sandbox.codehost.behave({});
	window.focused = true;
	refresher.plan();
	const before = requests();
	await pass(50 * interval);
	assert.equal(requests(), before);
	await pass(22 * interval);
	assert.equal(requests(), before + 1);
});

test("a connection without a secret is not tried, and goes on once it has one", async (context) => {
	const { clock, registry, repositories, repository, sandbox, lists, clients, pass } = await refreshed(context);
	await repositories.remove(repository);
	const { id: _, ...draft } = registry.require(ADA, "codehost");
	const secret = sandbox.keys.codehost.fineGrained;
	const { id } = await registry.add(draft, secret);
	const list = lists.of(await repositories.add({ connection: id, repository: "ada/garden" }));
	await list.load();
	await pass(1_000);
	assert.equal(clock.waiting, 1);
	await registry.signOut(id);
	await until(() => clients.stateOf(id) === "signed-out");
	await list.load();
	await pass(1_000);
	assert.deepEqual([list.state.name, clock.waiting], ["error", 0]);
	await registry.replaceSecret(id, secret);
	await until(() => clients.stateOf(id) !== "signed-out");
	await pass(1_000);
	assert.equal(clock.waiting, 1);
});

test("what somebody has stopped is not loaded by itself", async (context) => {
	const { repositories, lists, sandbox, pass, asked } = await refreshed(context);
	const list = lists.of(await repositories.add({ connection: ADA, repository: "ada/garden" }));
	sandbox.codehost.behave({ neverAnswer: true });
	const loading = list.load();
	list.cancel();
	await loading;
	sandbox.codehost.behave({});
	await pass(2 * turn);
	assert.deepEqual([list.state.name, list.loaded, asked("exchange/switchboard")], ["stopped", 0, 1]);
});

test("calls in the meantime do not put the next refresh off", async (context) => {
	const { requests, call, pass } = await refreshed(context);
	for (let calls = 0; calls < 8; calls++) {
		await pass(interval / 5);
		await call();
	}
	assert.equal(requests(), 2);
});

test("without the focus there is none, whatever changes; with it, one that is overdue comes at once", async (context) => {
	const { requests, pass, call, refresher, window } = await refreshed(context, { focused: false });
	await pass(10 * interval);
	await call();
	await pass(interval);
	assert.equal(requests(), 1);
	window.focused = true;
	refresher.plan();
	await pass(0);
	assert.equal(requests(), 2);
	window.focused = false;
	refresher.plan();
	await call();
	await pass(10 * interval);
	assert.equal(requests(), 2);
});

test("what is no longer there, and what is disposed, is not refreshed and leaves no timer", async (context) => {
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
