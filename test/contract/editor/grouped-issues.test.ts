import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { IssueView } from "#app/codehost/issue-list.ts";
import { CodehostStatuses } from "#app/codehost/status.ts";
import { unseenIssues } from "#app/codehost/unseen-issues.ts";
import type { Row } from "#editor/kit/rows.ts";
import { ADA, codehostWindow } from "../../support/codehost-window.ts";
import { fakeVscode } from "../../support/fake-vscode.ts";
import { until } from "../../support/until.ts";

const { treeOfIssues } = await import("#editor/codehost/issues-tree.ts");

/** The Issues view of some repositories, all loaded, as its rows and the words beside its name. */
async function opened(context: TestContext, names: readonly string[], group: IssueView["group"]) {
	const window = await codehostWindow(context);
	const { repositories, lists, clients } = window;
	for (const repository of names) await repositories.add({ connection: ADA, repository });
	fakeVscode({
		commands: { executeCommand: async () => undefined },
		window: { withProgress: (_: unknown, task: () => unknown) => task() },
		ProgressLocation: {},
		MarkdownString: class {
			value = "";
			appendMarkdown(text: string) {
				this.value += text;
			}
		},
	});
	const never = () => ({ dispose: () => undefined });
	const events = { onDidChangeVisibility: never, onDidCollapseElement: never, onDidExpandElement: never };
	const shell = { view: { visible: true, description: "", message: "", ...events }, changed: { fire: never } };
	const statuses = new CodehostStatuses(clients);
	const started = { onDidChange: never, current: () => undefined };
	await lists.show({ ...lists.view, group });
	const unseen = unseenIssues(lists, repositories, window.store);
	const tree = Reflect.apply(treeOfIssues, undefined, [shell, repositories, lists, statuses, started, unseen]);
	context.after(() => {
		tree.dispose();
		statuses.dispose();
	});
	const below = (row?: Row): readonly Row[] => tree.getChildren(row);
	/** Label and description of the rows at the top, or below one of them. */
	const drawn = (label?: string) => {
		const row = label === undefined ? undefined : below().find(({ parts }) => parts.look.label === label);
		return below(row).map(({ parts: { look } }) => [look.label, look.description]);
	};
	const settle = () => until(() => below().length > 0 && lists.loading.length === 0, "the lists");
	await settle();
	return { ...window, tree, below, drawn, settle, view: shell.view };
}

const GARDEN = "ada/garden";
const SWITCHBOARD = "exchange/switchboard";

test("repositories share a label's group, in which a row names its repository", async (t) => {
	const { drawn, below, view, tree } = await opened(t, [SWITCHBOARD, GARDEN], "label");
	const groups = drawn().map(([label]) => label);
	assert.deepEqual(groups, [
		"bug",
		"enhancement",
		"good first issue",
		"needs: dry weather",
		"needs: wiring",
		"No label",
	]);
	const bugs = drawn("bug").map(([, description]) => description ?? "");
	assert.deepEqual(
		[...new Set(bugs.map((description) => description.split(" · ")[0]))].sort(),
		[GARDEN, SWITCHBOARD].sort(),
	);
	assert.equal(drawn()[0]?.[1], String(bugs.length));
	const ids = below().flatMap((group) => below(group).map(({ id }) => id));
	assert.equal(new Set(ids).size, ids.length, "an issue with two labels stands under both");
	tree.refresh();
	assert.match(view.description, /^grouped by label · \d+ loaded$/);
});

test("rows name their connection where two read a repository, and a count its kind", async (t) => {
	const { drawn, below, repositories, addPat, settle } = await opened(t, ["exchange/paging"], "label");
	const { id } = await addPat();
	await repositories.add({ connection: id, repository: "exchange/paging" });
	await settle();
	const ends = drawn().slice(-2);
	const names = ends.map(([, description]) => description?.replace(/ · \d.*/, "")).sort();
	assert.deepEqual(names, ["Ada · exchange/paging", "Host · exchange/paging"]);
	const group = below()[0] ?? assert.fail();
	assert.match(below(group)[0]?.parts.look.description ?? "", /^(?:Ada|Host) · exchange\/paging · /);
	assert.match(group.parts.card?.().value ?? "", /loaded/);
});

test("filter and order hold within groups, and the view counts what they leave", async (t) => {
	const { lists, drawn, view } = await opened(t, [SWITCHBOARD, GARDEN], "milestone");
	assert.deepEqual(
		drawn().map(([label]) => label),
		["Harvest supper", "Open day", "Spring planting", "Winter overhaul", "No milestone"],
	);
	await lists.show({ ...lists.view, text: "the", sort: "title" });
	const titles = drawn("No milestone").map(([label = ""]) => label.replace(/^[a-z]+#\d+ /, ""));
	assert.ok(titles.length > 1 && titles.every((title) => /the/i.test(title)));
	assert.deepEqual(titles, titles.toSorted(new Intl.Collator(undefined, { sensitivity: "base" }).compare));
	assert.match(view.description, /^"the" · by title · grouped by milestone · \d+ of \d+ loaded$/);
	await lists.show({ ...lists.view, text: "nothing has this" });
	assert.deepEqual(
		drawn(),
		[SWITCHBOARD, GARDEN].map((name) => ["No issue matches the filter", name]),
	);
});

test("a repository with more to load says so below the groups, and counts are open", async (t) => {
	const { lists, repositories, drawn, below, settle, view } = await opened(t, ["exchange/paging", GARDEN], "label");
	assert.deepEqual(drawn().at(-1), ["Load More", "exchange/paging · 100 loaded"]);
	assert.deepEqual(below().at(-1)?.fields, { connection: ADA, repository: "exchange/paging" });
	assert.ok(
		drawn()
			.slice(0, -1)
			.every(([, count]) => /^\d+\+$/.test(count ?? "")),
	);
	assert.match(view.description, /^grouped by label · \d+\+ loaded$/);
	const [paging] = repositories.list();
	assert.ok(paging !== undefined);
	while (lists.shown(paging).hasMore) await lists.shown(paging).loadMore();
	await settle();
	assert.ok(drawn().every(([, count]) => /^\d+$/.test(count ?? "")));
});

test("a repository that cannot be read is a row beside the issues of others", async (t) => {
	const { sandbox, lists, drawn, settle } = await opened(t, [GARDEN, "exchange/empty"], "none");
	const count = drawn().length;
	assert.ok(
		drawn().every(([label = "", description = ""]) => /^garden#\d+ /.test(label) && description.startsWith(GARDEN)),
	);
	sandbox.codehost.behave({ fail: { status: 404 } });
	await lists.refresh();
	await settle();
	const [first, ...others] = drawn();
	assert.match(`${first}`, /\(404\).*,ada\/garden · /);
	assert.match(`${others.at(-1)}`, /\(404\).*,exchange\/empty · /);
	assert.equal(drawn().length, count + 2);
});

test("issues of one repository do not name it", async (t) => {
	const { drawn } = await opened(t, [GARDEN], "assignee");
	assert.deepEqual(
		drawn().map(([label]) => label),
		["lin", "No assignee"],
	);
	assert.ok(drawn("lin").every(([, description = ""]) => !description.includes(GARDEN)));
});
