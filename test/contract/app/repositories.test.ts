import assert from "node:assert/strict";
import { test } from "node:test";
import { Repositories } from "#app/codehost/repositories.ts";
import type { CodehostConnection } from "#app/connections/connection.ts";
import { openWindow } from "../../support/codehost-window.ts";
import { lean, withField } from "../../support/misbehavior.ts";
import { requestsTo } from "../../support/sandbox-requests.ts";
import { until } from "../../support/until.ts";

test("a repository is stored as the service spells it, once it has been read", async (t) => {
	const { addPat, repositories, store, clients } = await openWindow(t);
	const { id } = await addPat();
	await repositories.add({ connection: id, repository: " Exchange/SWITCHBOARD " });
	assert.deepEqual(repositories.list(), [{ repository: "exchange/switchboard", connection: id }]);
	const reloaded = new Repositories(store, clients);
	assert.deepEqual(reloaded.list(), repositories.list());
});

test("one that the connection cannot read is not added", async (t) => {
	const { addPat, keys, repositories, store } = await openWindow(t);
	const { id } = await addPat(keys.otherUser);
	await assert.rejects(repositories.add({ connection: id, repository: "ada/notes" }), { code: "not-found" });
	await assert.rejects(repositories.add({ connection: id, repository: "ada" }), { field: "repository" });
	await assert.rejects(repositories.add({ connection: "nope", repository: "ada/garden" }), { field: "connection" });
	assert.equal(store.entries.size, 0);
});

test("a repository that was renamed is added under its present name", async (t) => {
	const { addPat, repositories } = await openWindow(t);
	const { id } = await addPat();
	const { repository } = await repositories.add({ connection: id, repository: "exchange/telephone" });
	assert.equal(repository, "exchange/switchboard");
});

test("a name that is not fit to be stored stays as the person wrote it", async (t) => {
	const { addPat, repositories, sandbox } = await openWindow(t);
	const { id } = await addPat();
	for (const name of ["ada/gar\u202eden", "ada/gar\u0007den", `ada/${"x".repeat(2_000_000)}`]) {
		sandbox.codehost.behave({}, withField("full_name", name));
		const { repository } = await repositories.add({ connection: id, repository: "ada/garden" });
		assert.equal(repository, "ada/garden");
	}
	assert.equal(repositories.list().length, 1);
});

test("one that moved later is not read under its old name, and is followed on request", async (t) => {
	const { addPat, repositories, store, lists } = await openWindow(t);
	const { id } = await addPat();
	const old = { repository: "exchange/telephone", connection: id };
	await store.set("switchboard.repositories", [old]);
	const list = lists.of(old);
	assert.equal(await list.load(), false);
	assert.deepEqual([list.loaded, list.state.error?.reason], [0, "moved"]);
	assert.match(list.state.error?.message ?? "", /exchange\/telephone has moved to exchange\/switchboard/);
	assert.deepEqual(await repositories.bind(old, id), { repository: "exchange/switchboard", connection: id });
	assert.deepEqual(
		repositories.list().map(({ repository }) => repository),
		["exchange/switchboard"],
	);
});

test("a repository keeps its place when it is bound to another connection", async (t) => {
	const { addPat, addApp, repositories } = await openWindow(t);
	const [pat, app] = [await addPat(), await addApp()];
	const first = await repositories.add({ connection: pat.id, repository: "exchange/switchboard" });
	const garden = await repositories.add({ connection: pat.id, repository: "ada/garden" });
	await repositories.bind(first, app.id);
	assert.deepEqual(repositories.list()[0], { repository: "exchange/switchboard", connection: app.id });
	await assert.rejects(repositories.bind(garden, "nope"), { field: "connection" });
	assert.deepEqual(repositories.list()[1], garden);
	await repositories.remove(garden);
	assert.equal(repositories.list().length, 1);
});

test("the page of a repository is the service's own address, if that is a web address", async (t) => {
	const { addPat, repositories, sandbox, baseUrl } = await openWindow(t);
	const { id } = await addPat();
	const added = await repositories.add({ connection: id, repository: "exchange/switchboard" });
	const usual = `${baseUrl}/web/exchange/switchboard`;
	const told = async (value: unknown) => {
		sandbox.codehost.behave({}, withField("html_url", value));
		return repositories.page(added);
	};
	assert.equal(await told("https://pages.example/x?y"), "https://pages.example/x?y");
	for (const other of ["command:workbench.action.quit", "file:///etc/passwd", "javascript:alert(1)", "x", 7]) {
		assert.equal(await told(other), usual);
	}
	sandbox.codehost.behave({}, lean);
	assert.equal(await repositories.page(added), usual);
});

test("a service that fails, or is silent, leaves a repository its usual page", async (t) => {
	const { addPat, repositories, sandbox, baseUrl, clock } = await openWindow(t);
	const { id } = await addPat();
	const added = await repositories.add({ connection: id, repository: "ada/garden" });
	const usual = `${baseUrl}/web/ada/garden`;
	sandbox.codehost.behave({ on: ["repository"], fail: { status: 404 } });
	assert.equal(await repositories.page(added), usual);
	sandbox.codehost.behave({ on: ["repository"], headersAfterMs: 60_000 });
	const asked = requestsTo(sandbox, "codehost").length;
	const page = repositories.page(added);
	await until(async () => requestsTo(sandbox, "codehost").length > asked, "the request");
	clock.advance(30_000);
	assert.equal(await page, usual);
	await assert.rejects(repositories.page({ ...added, connection: "nope" }), { field: "connection" });
});

test("repositories added at the same time do not lose each other", async (t) => {
	const { addPat, repositories } = await openWindow(t);
	const { id } = await addPat();
	const names = ["exchange/switchboard", "exchange/archive", "ada/garden", "ada/garden"];
	await Promise.all(names.map((repository) => repositories.add({ connection: id, repository })));
	assert.equal(repositories.list().length, 3);
});

test("the sandbox's repositories go with its connection and are never stored", async (t) => {
	const { registry, repositories, store, keys, baseUrl } = await openWindow(t);
	const connection: CodehostConnection = {
		id: "sandbox",
		service: "codehost",
		label: "Sandbox",
		baseUrl,
		profile: "sandbox",
		credential: { kind: "pat", login: "ada" },
	};
	const passing = registry.addPassing(connection, keys.fineGrained);
	repositories.addPassing([{ repository: "exchange/switchboard", connection: "sandbox" }]);
	await repositories.add({ connection: "sandbox", repository: "ada/garden" });
	assert.equal(repositories.list().length, 2);
	await repositories.remove({ repository: "exchange/switchboard", connection: "sandbox" });
	assert.equal(repositories.list().length, 1);
	passing.dispose();
	assert.deepEqual(repositories.list(), []);
	assert.equal(store.entries.size, 0);
});

test("remotes propose repositories by the exact host only", async (t) => {
	const { addPat, repositories, sandbox } = await openWindow(t);
	const { id } = await addPat();
	await repositories.add({ connection: id, repository: "ada/garden" });
	const proposals = repositories.proposals([
		"git@127.0.0.1:exchange/switchboard.git",
		"ssh://git@127.0.0.1/exchange/switchboard",
		"git@127.0.0.1:ada/garden.git",
		"git@sub.127.0.0.1:lin/kites.git",
		"git@127.0.0.1.evil.example:lin/kites.git",
		"../kites",
		"not an address",
	]);
	const names = ["exchange/switchboard", "exchange/switchboard", "ada/garden"];
	assert.deepEqual(
		proposals,
		names.map((repository) => ({ repository, connections: [id] })),
	);
	assert.equal(repositories.addedAt(["../kites", "git@127.0.0.1:ADA/garden.git"])?.repository, "ada/garden");
	assert.ok(
		!repositories.addedAt(["git@127.0.0.1:exchange/switchboard.git", "git@127.0.0.1.evil.example:ada/garden.git"]),
	);
	assert.deepEqual(repositories.connectionsFor("any/thing"), [id]);
	for (const [written, message] of [
		["https://other.example/any/thing", /^repository must be .* where a connection leads; it is at other\.example$/],
		[`${new URL(sandbox.baseUrls.codehost).origin}/any/thing`, /it is at 127\.0\.0\.1:\d+$/],
		["../..", /^repository must be owner\/repo, or the address of a repository$/],
	] as const) {
		assert.throws(() => repositories.connectionsFor(written), { code: "invalid", field: "repository", message });
	}
});

test("an unreadable value that another version has stored is skipped", async (t) => {
	const { repositories, store } = await openWindow(t);
	const good = { repository: "a/b", connection: "c" };
	await store.set("switchboard.repositories", [7, null, { repository: "ab", connection: "c" }, good]);
	assert.deepEqual(repositories.list(), [good]);
});
