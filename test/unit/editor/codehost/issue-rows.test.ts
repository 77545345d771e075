import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { CHUNK_ROWS } from "#editor/chunks.ts";
import { countOf, type Group, groupLook } from "#editor/codehost/issue-list-look.ts";
import { IssueRows } from "#editor/codehost/issue-rows.ts";
import type { ReadingConnection } from "#editor/codehost/reading-connection.ts";
import type { Row, RowParts } from "#editor/tree.ts";
import { ADA, codehostWindow, until } from "../../../support/codehost-window.ts";

/** A hundred at a time, so this is what a page may have the editor draw: a group, the page, and what stands around. */
const MOST_ROWS = CHUNK_ROWS + 100 + 3;

const WELL: ReadingConnection = { name: "Ada", isGone: false, trouble: undefined };
const GROUP: Group = { repository: "exchange/switchboard", through: WELL, isTwice: false };

/** The issues of a repository of the sandbox, and what an editor that shows them with everything open draws. */
async function shown(context: TestContext, name: string, profile?: "custom") {
	const { lists, repositories, sandbox } = await codehostWindow(context, {}, profile);
	const place = { label: "Ada", isGone: false, now: 0 };
	const repository = await repositories.add({ connection: ADA, repository: name });
	const list = lists.of(repository);
	const kept = new Map<string, Row>();
	const row = (id: string, make: () => RowParts): Row => {
		const found = kept.get(id) ?? { id, parts: make(), fields: {} };
		kept.set(id, found);
		return found;
	};
	const home = row("home", () => ({
		look: () => ({ label: name, spoken: name, context: "group", opens: "open" }),
		children: () => rows.children(),
	}));
	const rows: IssueRows = new IssueRows({
		repository,
		lists,
		rows: { row, get: (id) => kept.get(id) },
		home: () => home,
		place: () => place,
		cards: { issue: () => undefined, error: () => undefined },
	});
	const isUnknown = () => list.state.name === "idle" || (list.state.name === "loading" && list.loaded === 0);
	/** What is below a row with what is open, or with all, opened, once the first page has come. */
	const below = async (parent: Row, isOpened = false): Promise<readonly Row[]> => {
		if (!isOpened && parent.parts.look().opens !== "open") return [];
		let children = parent.parts.children?.() ?? [];
		for (; parent === home && isUnknown() && !place.isGone; children = rows.children()) {
			await list.loadUntil(() => !isUnknown());
			await new Promise((resolve) => setImmediate(resolve));
		}
		return (await Promise.all(children.map(async (child) => [child, ...(await below(child, isOpened))]))).flat();
	};
	const stale = new Set<Row>();
	list.onDidChange((event) => {
		for (const each of rows.stale(event)) stale.add(each);
	});
	/** Does something and draws what is to be drawn again for it; resolves to the rows drawn. */
	const drawn = async (work: () => Promise<unknown>): Promise<readonly Row[]> => {
		stale.clear();
		await work();
		const rows = await Promise.all([...stale].map(async (each) => [each, ...(await below(each))]));
		return [...new Set(rows.flat())];
	};
	return { repository, list, lists, home, below, drawn, sandbox, place };
}

const ids = (rows: readonly Row[], prefix: string) => rows.map(({ id }) => id).filter((id) => id.startsWith(prefix));

test("a list whose links do not lead on says why: in a circle it ends, and elsewhere there may be more", async (context) => {
	for (const [behaviour, label] of [
		[{ linkLoop: "cycle" }, "The list ends here: the service's links lead in a circle"],
		[{ linkOrigin: "https://evil.example" }, "There may be more: the service's links lead to another address"],
		[{}, undefined],
	] as const) {
		const { list, home, below, sandbox } = await shown(context, "exchange/switchboard");
		sandbox.codehost.behave({ links: "next", ...behaviour });
		await below(home);
		while (list.hasMore) await list.loadMore();
		const last = (await below(home)).at(-1);
		assert.equal(last?.id.startsWith("end:") ? last.parts.look().label : undefined, label);
	}
});

test("a page more has the editor draw a bounded number of rows, however many are on screen", async (context) => {
	const { list, home, below, drawn } = await shown(context, "exchange/archive");
	await below(home);
	while (list.loaded < 2 * CHUNK_ROWS) {
		const before = list.issues.length;
		const rows = await drawn(() => list.loadMore());
		assert.ok(rows.length <= MOST_ROWS, `${rows.length} rows for a page after ${before}`);
		const page = list.issues.slice(before).map(({ number }) => number);
		const there = new Set(rows.map(({ id }) => Number(id.split("#")[1])));
		assert.ok(
			page.every((number) => there.has(number)),
			"each issue of the page is drawn",
		);
	}
	const all = ids(await below(home), "issue:");
	assert.equal(all.length, 2 * CHUNK_ROWS);
	assert.equal(new Set(all).size, 2 * CHUNK_ROWS);
});

test("in an order that the service is not asked for a page draws no more either, for what is behind the first thousand is folded", async (context) => {
	const { list, lists, home, below, drawn } = await shown(context, "exchange/archive");
	await lists.show({ text: "", sort: "title", state: "open" });
	await below(home);
	while (list.loaded < 3 * CHUNK_ROWS) {
		const before = list.loaded;
		const rows = await drawn(() => list.loadMore());
		assert.ok(rows.length <= MOST_ROWS, `${rows.length} rows for a page after ${before}`);
		assert.equal(ids(rows, "end:").length, 1);
	}
	const groups = (await below(home)).filter(({ id }) => id.startsWith("chunk:"));
	assert.deepEqual(
		groups.map(({ parts }) => parts.look().label),
		["Issues 1,001\u20132,000", "Issues 2,001\u20133,000"],
	);
	await lists.show({ text: "", sort: "service", state: "open" });
	assert.equal((await below(home)).filter(({ id }) => id.startsWith("issue:")).length, list.issues.length);
});

test("where a service cannot be asked for closed issues, or for an order, that is said beside what is shown", async (context) => {
	const view = { text: "", sort: "oldest", state: "closed" } as const;
	for (const [profile, said] of [
		[undefined, ""],
		["custom", "closed ones cannot be asked for · sorted among those loaded"],
	] as const) {
		const { list, lists, home, below } = await shown(context, "exchange/switchboard", profile);
		await lists.show(view);
		const rows = await below(home);
		const { description = "" } = groupLook(list, GROUP, { isOpen: true });
		assert.equal(description.split(" · ").slice(1).join(" · "), said);
		const labels = rows.map(({ parts }) => parts.look().label);
		const none = "No closed issue is listed: this service cannot be asked for closed ones";
		assert.equal(labels.includes(none), profile === "custom" && list.issues.length === 0 && !list.hasMore);
	}
});

test("a repository whose connection is gone or has no credential is a warning that says so, in its row and aloud", async (context) => {
	const { list } = await shown(context, "exchange/switchboard");
	const drawn = (through: Partial<ReadingConnection>, isTwice = false) => {
		const look = groupLook(list, { ...GROUP, isTwice, through: { ...WELL, ...through } }, { isOpen: false });
		return [look.icon, look.description, look.spoken];
	};
	const spoken = "Issues of exchange/switchboard";
	assert.deepEqual(drawn({}), ["repo", "", spoken]);
	assert.deepEqual(drawn({}, true), ["repo", "Ada", `${spoken}, through Ada`]);
	const both = ["warning", "Ada · signed out", `${spoken}, through Ada, signed out`];
	assert.deepEqual(drawn({ trouble: "signed out" }, true), both, "which one it is stands first");
	assert.deepEqual(drawn({ trouble: "signed out" }), ["warning", "signed out", `${spoken}, signed out`]);
	const gone = "a connection that is gone";
	assert.deepEqual(drawn({ name: gone, isGone: true }), ["warning", gone, `${spoken}, through ${gone}`]);
});

test("what stands after the last issue is one row, which goes along to where the next page comes", async (context) => {
	const { list, home, below } = await shown(context, "exchange/archive");
	await below(home);
	const [more] = (await below(home)).slice(-1);
	while (list.loaded <= CHUNK_ROWS) await list.loadMore();
	const rows = await below(home);
	assert.equal(rows.at(-1), more);
	assert.equal(ids(rows, "end:").length, 1);
	const [group] = rows.filter(({ id }) => id.startsWith("chunk:"));
	assert.equal(group?.parts.look().label, "Issues 1,001\u20131,100");
	assert.equal(countOf(list), "1,000+");
	assert.deepEqual(ids(group?.parts.children?.() ?? [], "issue:").length, 100);
});

test("that a page is under way draws one row, and its failure only the group that it would have come to", async (context) => {
	const { list, home, below, drawn, sandbox } = await shown(context, "exchange/archive");
	await below(home);
	while (list.loaded <= CHUNK_ROWS) await list.loadMore();
	await below(home);
	sandbox.codehost.behave({ fail: { status: 404, times: 1 } });
	const rows = await drawn(() => list.loadMore());
	assert.equal(list.state.name, "error");
	assert.equal(ids(rows, "issue:").length, 100);
	assert.equal(ids(rows, "end:").length, 1);
	// The same row goes on from Load More to the error and back, so that the keyboard stays where it was.
	const end = rows.find(({ id }) => id.startsWith("end:"));
	assert.match(end?.parts.look().context ?? "", /^error/);
	await list.loadMore();
	assert.equal(end?.parts.look().context, "more");
});

test("a refresh that failed stands above the first issue and beside the repository until one goes well", async (context) => {
	const { list, home, below, drawn, sandbox } = await shown(context, "exchange/switchboard");
	const group = () => groupLook(list, GROUP, { isOpen: true });
	const labels = async () => (await below(home)).map((row) => row.parts.look().label);
	await below(home);
	assert.equal(group().icon, "repo");
	sandbox.codehost.behave({ fail: { status: 404 } });
	const rows = await drawn(() => list.refresh());
	// The repository itself is drawn too, for it may be closed.
	assert.ok(rows.includes(home));
	const head = (await below(home))[0] ?? assert.fail();
	assert.match(head.parts.look().context, /^error/);
	assert.equal(head.parts.look().command?.id, "switchboard.codehost.retry");
	assert.equal((await labels()).at(-1), "Load More");
	assert.deepEqual([group().description, group().icon], ["100+ · not up to date", "warning"]);
	assert.match(group().spoken, /not up to date/);
	// While it is tried again the row stays where it is, and nothing else is drawn for that.
	sandbox.codehost.behave({ neverAnswer: true });
	const retried = list.retry();
	assert.equal(head.parts.look().label, "Loading...");
	assert.equal((await labels())[0], "Loading...");
	list.cancel();
	await retried;
	assert.match(head.parts.look().context, /^error/);
	// More of them do not make the first ones any newer; that they fail is told where they would have come.
	sandbox.codehost.behave({});
	await list.loadMore();
	assert.deepEqual([(await below(home))[0], group().description], [head, "200+ · not up to date"]);
	sandbox.codehost.behave({ fail: { status: 404, times: 1 } });
	await list.loadMore();
	const after = await below(home);
	assert.equal(ids(after, "head:").length, 0);
	assert.match(after.at(-1)?.parts.look().context ?? "", /^error/);
	assert.equal(group().icon, "warning");
	assert.ok(ids(await drawn(() => list.refresh()), "issue:").length > 0);
	assert.deepEqual([group().description, group().icon], ["200+", "repo"]);
	assert.equal(ids(await below(home), "head:").length, 0);
});

test("a failed refresh of very many issues has only their last group drawn again", async (context) => {
	const { list, home, below, drawn, sandbox } = await shown(context, "exchange/archive");
	await below(home);
	while (list.loaded <= CHUNK_ROWS) await list.loadMore();
	await below(home);
	sandbox.codehost.behave({ fail: { status: 404, times: 1 } });
	const rows = await drawn(() => list.refresh());
	assert.equal(ids(rows, "issue:").length, 100);
	assert.match((await below(home)).at(-1)?.parts.look().context ?? "", /^error/);
	assert.ok(list.isOutdated);
});

test("the first of several pages is drawn when it has come, with a row that says that more is loading", async (context) => {
	// A service that decides itself how long its pages are.
	const { list, home, below, drawn, sandbox } = await shown(context, "exchange/switchboard", "custom");
	const whenFirstHasCome = list.onDidChange(({ type }) => {
		if (type !== "state") sandbox.codehost.behave({ neverAnswer: true });
	});
	const rows = await below(home);
	assert.equal(list.state.name, "loading");
	assert.equal(ids(rows, "issue:").length, 30);
	const end = rows.at(-1)?.parts;
	assert.deepEqual([end?.look().label, end?.look().description], ["Loading...", "30 loaded"]);
	whenFirstHasCome.dispose();
	const stopped = await drawn(async () => {
		list.cancel();
		await list.load();
	});
	assert.equal(end?.look().label, "Load More");
	assert.equal(ids(stopped, "end:").length, 1);
	sandbox.codehost.behave({});
	assert.equal(ids(await drawn(() => list.loadMore()), "issue:").length, 130);
});

test("what is loading is one row at once, and what came of it is drawn with the repository", async (context) => {
	for (const [name, count] of [
		["exchange/switchboard", 100],
		["exchange/empty", 0],
	] as const) {
		const { list, home, drawn } = await shown(context, name);
		const rows = await drawn(async () => {
			const looks = home.parts.children?.().map((row) => row.parts.look());
			assert.deepEqual([looks?.length, looks?.[0]?.label, looks?.[0]?.spoken], [1, "Loading...", "Loading issues"]);
			await list.load();
		});
		assert.equal(rows[0], home);
		assert.equal(ids(rows, "issue:").length, count);
		assert.notEqual(rows.at(-1)?.parts.look().icon, "loading~spin");
	}
});

test("the words of the filter and the order hold across groups", async (context) => {
	const { list, lists, home, below } = await shown(context, "exchange/archive");
	await below(home);
	while (list.loaded < 1_500) await list.loadMore();
	await lists.show({ ...lists.view, sort: "title" });
	const sorted = ids(await below(home, true), "issue:");
	assert.deepEqual(
		sorted,
		list.issues.map(({ number }) => `${sorted[0]?.split("#")[0]}#${number}`),
	);
	await lists.show({ ...lists.view, text: "#99" });
	const found = await below(home);
	assert.equal(ids(found, "chunk:").length, 0);
	assert.equal(ids(found, "issue:").length, list.issues.length);
	assert.ok(list.issues.length > 0 && list.issues.length < CHUNK_ROWS);
});

test("a first load that was stopped says so, and loads by its row and by a refresh of all, never by itself", async (context) => {
	const { repository, list, lists, home, below, drawn } = await shown(context, "exchange/switchboard");
	/** Begins something that would bring the first page, and stops it. */
	const stopped = async (begin: () => Promise<unknown>) => {
		const rows = begin();
		list.cancel();
		await rows;
	};
	await stopped(() => below(home));
	for (const again of [() => list.loadMore(), () => lists.refresh()]) {
		const rows = await below(home);
		assert.deepEqual(
			rows.map((row) => row.parts.look().label),
			["Not loaded"],
		);
		assert.equal(rows[0]?.parts.look().command?.id, "switchboard.codehost.loadMore");
		assert.equal(countOf(list), "");
		await lists.refreshQuietly(repository);
		assert.equal(list.state.name, "stopped");
		const after = await drawn(again);
		assert.equal(ids(after, "issue:").length, 100);
		list.reset();
		await stopped(() => below(home));
	}
});

test("issues that are not what the filter asks for are not all there are: what is asked was stopped", async (context) => {
	const { list, lists, home, below, sandbox } = await shown(context, "exchange/switchboard");
	await below(home);
	sandbox.codehost.behave({ neverAnswer: true });
	const filtering = lists.show({ ...lists.view, state: "all" });
	await until(() => list.state.name === "loading");
	list.cancel();
	await filtering;
	const last = async () => (await below(home)).at(-1)?.parts.look().label;
	assert.equal(await last(), "Not loaded");
	sandbox.codehost.behave({});
	await list.loadMore();
	assert.equal(list.state.name, "loaded");
	assert.equal(await last(), "Load More");
});

test("rows that are drawn while another filter takes the place of the first load show what that brings", async (context) => {
	const { lists, home, below } = await shown(context, "exchange/switchboard");
	const rows = below(home);
	const filtering = lists.show({ ...lists.view, state: "all" });
	assert.equal(ids(await rows, "issue:").length, 100);
	await filtering;
});

test("issues whose connection is gone lead to another one without a try, and are loaded once it is back", async (context) => {
	const { list, home, below, place } = await shown(context, "exchange/switchboard");
	place.isGone = true;
	const [gone, ...others] = await below(home);
	const { label, spoken, context: menu, command } = gone?.parts.look() ?? {};
	assert.match(label ?? "", /through a connection that is gone/);
	assert.doesNotMatch(spoken ?? "", /Retry/);
	assert.deepEqual([menu, command?.id, others], ["unbound", "switchboard.codehost.bindRepository", []]);
	assert.equal(list.state.name, "idle");
	place.isGone = false;
	assert.equal(ids(await below(home), "issue:").length, 100);
});
