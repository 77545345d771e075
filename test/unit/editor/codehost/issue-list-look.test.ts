import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { decodeCodehostReply, ISSUES } from "#api/codehost/model.ts";
import { DEFAULT_VIEW } from "#app/codehost/issue-list.ts";
import {
	firstLook,
	headOf,
	ISSUE_SORTS,
	isFiltered,
	issueGroupLook,
	issueLook,
	lastLook,
	repositoryLook,
	waitedFor,
} from "#editor/codehost/issue-list-look.ts";
import { type ReadingConnection, readingConnection } from "#editor/words/codehost-words.ts";
import { ADA, codehostWindow } from "../../../support/codehost-window.ts";
import { circularLinks, foreignLinks, unlinkedPages, withBody } from "../../../support/misbehavior.ts";
import { until } from "../../../support/until.ts";

const WELL: ReadingConnection = { name: "Ada", isGone: false, trouble: undefined, whoAmI: null };

async function opened(context: TestContext, name = "exchange/paging", profile?: "custom") {
	const window = await codehostWindow(context, {}, profile);
	const { lists, repositories } = window;
	const list = lists.of(await repositories.add({ connection: ADA, repository: name }));
	const group = (through = WELL, isTwice = false) => issueGroupLook(list, through, { isTwice, isOpen: true });
	const last = (through = WELL) => lastLook(list, through, 0) ?? assert.fail("no row");
	return { ...window, list, group, last };
}

test("a list whose links do not lead on says why", async (context) => {
	for (const [links, label] of [
		[circularLinks, "The list ends here: the service's links lead in a circle"],
		[foreignLinks("/elsewhere"), "There may be more: the service's links lead to another address"],
	] as const) {
		const { list, sandbox, last } = await opened(context);
		sandbox.codehost.behave({}, links);
		await list.load();
		while (list.hasMore) await list.loadMore();
		assert.equal(last().label, label);
	}
});

test("issues that could not be read, or are counted but not linked, are told of", async (context) => {
	const { list, sandbox, group, last } = await opened(context, "exchange/paging", "custom");
	sandbox.codehost.behave(
		{},
		withBody((body) => (Array.isArray(body) ? body.map((one, at) => (at < 2 ? { ...one, title: null } : one)) : body)),
	);
	await list.load();
	assert.match(group().description ?? "", new RegExp(` · ${list.listing.malformed} could not be read$`));
	sandbox.codehost.behave({}, unlinkedPages(99));
	await list.refresh();
	assert.equal(group().description?.split(" · ")[0], `${list.loaded} of 99`);
	assert.equal(last().label, "The service counts more issues, but links to no other page");
	sandbox.codehost.behave({}, (reply, { response }) => {
		response.setHeader("x-total-count", "250");
		return reply;
	});
	await list.refresh();
	assert.ok(list.hasMore);
	assert.equal(group().description?.split(" · ")[0], `${list.loaded} of 250`);
});

test("an unsupported filter or order is noted beside the issues that are shown", async (context) => {
	for (const [profile, said] of [
		[undefined, []],
		["custom", ["closed ones cannot be asked for", "sorted among those loaded"]],
	] as const) {
		const { list, group } = await opened(context, "exchange/paging", profile);
		await list.show({ ...DEFAULT_VIEW, sort: "oldest", state: "closed" });
		await list.load();
		assert.deepEqual(group().description?.split(" · ").slice(1), said);
		const none = "Closed issues are not listed: this service cannot select them";
		while (list.hasMore) await list.loadMore();
		assert.equal(lastLook(list, WELL, 0)?.label === none, profile === "custom");
	}
});

test("a repository whose connection is gone or signed out is a warning, also aloud", async (context) => {
	const { group } = await opened(context);
	const spoken = "Issues of exchange/paging";
	const gone = "a connection not known in this window";
	for (const [through, isTwice, drawn] of [
		[{}, false, ["repo", "", spoken]],
		[{}, true, ["repo", "Ada", `${spoken}, through Ada`]],
		[{ trouble: "signed out" }, true, ["warning", "Ada · signed out", `${spoken}, through Ada, signed out`]],
		[{ trouble: "signed out" }, false, ["warning", "signed out", `${spoken}, signed out`]],
		[{ name: gone, isGone: true }, false, ["warning", gone, `${spoken}, through ${gone}`]],
	] as const) {
		const { icon, description, spoken: said } = group({ ...WELL, ...through }, isTwice);
		assert.deepEqual([icon, description, said], drawn);
	}
});

test("a repository shows how many issues it has, or is marked if they cannot be read", async (context) => {
	const { list, sandbox } = await opened(context);
	const drawn = (isNamed = false) => {
		const { icon, description, opens, command } = repositoryLook(list, WELL, isNamed);
		assert.deepEqual([opens, command?.id], [undefined, "switchboard.codehost.showIssues"]);
		return [icon, description];
	};
	assert.deepEqual(drawn(), ["repo", ""]);
	sandbox.codehost.behave({ fail: { status: 403 } });
	await list.load();
	assert.deepEqual(drawn(), ["warning", "cannot be read"]);
	sandbox.codehost.behave({});
	await list.refresh();
	assert.deepEqual(drawn(), ["repo", "100+"]);
	assert.deepEqual(drawn(true), ["repo", "100+ · Ada"]);
});

test("a repository is marked before it is opened once its credential was refused", async (context) => {
	const { list, sandbox, repositories, lists, registry, statuses, requests } = await opened(context);
	const other = lists.of(await repositories.add({ connection: ADA, repository: "ada/garden" }));
	const drawn = (of = other) => {
		const { icon, description } = repositoryLook(of, readingConnection(of.repository, { registry, statuses }), false);
		return [icon, description];
	};
	sandbox.codehost.behave({ fail: { status: 403 } });
	await list.load();
	assert.deepEqual(
		[drawn(list), drawn()],
		[
			["warning", "cannot be read"],
			["repo", ""],
		],
	);
	sandbox.codehost.behave({ neverAnswer: true });
	void list.retry();
	assert.deepEqual(drawn(list), ["warning", "cannot be read"], "also while it is read again");
	list.cancel();
	sandbox.codehost.behave({ fail: { status: 401 } });
	await list.refresh();
	requests.length = 0;
	assert.deepEqual([drawn(), requests.length], [["warning", "credential refused"], 0]);
	sandbox.codehost.behave({});
	await list.refresh();
	assert.deepEqual(drawn(), ["repo", ""]);
});

test("a refresh that failed is said beside the repository, and Retry leads out of it", async (context) => {
	const { list, sandbox, group, last, clock } = await opened(context);
	assert.equal(last().label, "Not loaded");
	const loading = list.load();
	assert.equal(last().spoken, "Loading issues");
	await loading;
	assert.deepEqual([group().icon, group().description, last().label], ["repo", "100+", "Load More"]);
	sandbox.codehost.behave({ fail: { status: 404 } });
	clock.advance(2 * 60 * 60_000);
	await list.refresh();
	assert.deepEqual([group().icon, group().description], ["warning", "100+ · as of 2 h ago"]);
	const look = firstLook(list, WELL, 0) ?? assert.fail("an error");
	assert.deepEqual([look.context, look.command?.id], ["error", "switchboard.codehost.retry"]);
	sandbox.codehost.behave({});
	await list.retry();
	assert.deepEqual([group().icon, group().description], ["repo", "100+"]);
});

test("issues whose connection is gone lead to another one without a try", async (context) => {
	const { last } = await opened(context);
	const { label, spoken, context: menu, command } = last({ ...WELL, isGone: true });
	assert.match(label, /connection is not known in this window/);
	assert.doesNotMatch(spoken, /Retry/);
	assert.deepEqual([menu, command?.id], ["unbound", "switchboard.codehost.bindRepository"]);
});

test("a first load that was canceled says so, and loads by its row", async (context) => {
	const { list, group, last } = await opened(context);
	const loading = list.load();
	list.cancel();
	await loading;
	const { label, command } = last();
	assert.deepEqual([label, command?.id, group().description], ["Not loaded", "switchboard.codehost.loadMore", ""]);
});

test("the head of the view shows a filter and an order, but not the defaults", () => {
	const heads = ISSUE_SORTS.map(([sort]) => headOf({ ...DEFAULT_VIEW, sort }));
	assert.deepEqual(heads.slice(0, 2), ["", "newest first"]);
	assert.equal(new Set(heads).size, ISSUE_SORTS.length);
	assert.equal(headOf({ ...DEFAULT_VIEW, text: "bell", state: "closed", sort: "title" }), '"bell" · closed · by title');
	assert.equal(headOf({ ...DEFAULT_VIEW, sort: "title", group: "label" }), "by title · grouped by label");
	assert.equal(headOf({ ...DEFAULT_VIEW, group: "none" }), "not grouped");
	const filtered = [{ sort: "title" }, { text: "bell" }, { state: "all" }] as const;
	assert.deepEqual(
		filtered.map((each) => isFiltered({ ...DEFAULT_VIEW, ...each })),
		[false, true, true],
	);
});

test("a read that waits for a limit shows its end, and a background read does not", async (context) => {
	const { clock, sandbox, clients, list, lists, statuses } = await opened(context);
	const access = await clients.open(ADA);
	const waited = () => waitedFor(lists, statuses, clock.now());
	sandbox.codehost.behave({ fail: { status: 429, retryAfterSeconds: 40, times: 1 } });
	const loading = list.load();
	await until(() => access.waits.length === 1, "the wait");
	const { label, wait } = waited() ?? assert.fail("a wait");
	assert.deepEqual([label, wait.why], ["Ada", "rate-limit"]);
	clock.advance(wait.until - clock.now() - 100);
	assert.equal(waited(), undefined, "it is as good as over");
	clock.advance(5_000);
	assert.equal(await loading, true);
	sandbox.codehost.behave({ fail: { status: 429, retryAfterSeconds: 40, times: 2 } });
	const quiet = list.refreshQuietly();
	await until(() => access.waits.length === 1, "the wait");
	assert.equal(waited(), undefined);
	clients.dispose();
	await quiet;
});

test("the accessible label of an issue says what its icon shows", () => {
	const look = (fields: object) => {
		const [issue] = decodeCodehostReply(ISSUES, [{ number: 12, title: "The bell rings twice", ...fields }]);
		return issueLook(issue ?? assert.fail("one issue"), "");
	};
	const open = look({ state: "open", user: { login: "ada" }, labels: [{ name: "bug" }] });
	assert.equal(open.spoken, "Open issue 12: The bell rings twice, by ada, bug");
	const closed = look({ state: "closed", pull_request: {} });
	assert.deepEqual(
		[closed.spoken, closed.icon],
		["Closed pull request 12: The bell rings twice", "git-pull-request-closed"],
	);
});
