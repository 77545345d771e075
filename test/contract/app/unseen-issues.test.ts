import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { IssueLists } from "#app/codehost/issue-lists.ts";
import { unseenIssues } from "#app/codehost/unseen-issues.ts";
import { ADA, codehostWindow } from "../../support/codehost-window.ts";
import { withBody } from "../../support/misbehavior.ts";

/** Later than any update of the sandbox. */
const LATER = new Date(Date.now() + 60_000).toISOString();

/** A window with a repository, whose issues the service sends with some changes from then on. */
async function opened(context: TestContext) {
	const window = await codehostWindow(context);
	const { lists, repositories, store, sandbox } = window;
	const repository = await repositories.add({ connection: ADA, repository: "exchange/paging" });
	const list = lists.of(repository);
	/** Sends new issues with these numbers, and updates of these; `undated` leaves out all times. */
	const send = async (numbers: readonly number[], updated: readonly number[] = [], undated = false) => {
		const change = (issue: Readonly<Record<string, unknown>>) => ({
			...issue,
			...(updated.includes(Number(issue["number"])) && { updated_at: LATER }),
			...(undated && { updated_at: undefined }),
		});
		const made = numbers.map((number) => ({ number, title: "A new one", state: "open" }));
		sandbox.codehost.behave(
			{},
			withBody((body) => (Array.isArray(body) ? [...made, ...body.map(change)] : body)),
		);
		await list.refreshQuietly();
	};
	const unseen = unseenIssues(lists, repositories, store);
	/** What another window with the same workspace counts before it has loaded anything. */
	const countLater = async () => {
		await new Promise(setImmediate);
		const later = new IssueLists(repositories, store);
		context.after(() => later.dispose());
		return unseenIssues(later, repositories, store)(false);
	};
	return { ...window, repository, list, send, unseen, countLater };
}

test("new and updated issues count until the view is looked at, over a reload too", async (t) => {
	const { list, send, unseen, countLater, requests } = await opened(t);
	assert.equal(unseen(true), 0);
	await list.load();
	assert.equal(unseen(false), 0, "a first list is no news");
	await send([900, 901], [240, 250]);
	const asked = requests.length;
	assert.deepEqual([unseen(false), unseen(false), await countLater()], [4, 4, 4]);
	assert.deepEqual([unseen(true), unseen(false), await countLater()], [0, 0, 0]);
	assert.equal(requests.length, asked);
	await send([900, 901, 902], [240, 250]);
	assert.equal(unseen(false), 1);
});

test("where a service tells no times, new issues count by their numbers", async (t) => {
	const { list, send, unseen } = await opened(t);
	await send([], [], true);
	await list.load();
	unseen(true);
	await send([900], [], true);
	assert.equal(unseen(false), 1);
});

test("older pages that are loaded while the view is looked at are no news", async (t) => {
	const { list, lists, unseen } = await opened(t);
	await list.load();
	unseen(true);
	await list.loadMore();
	unseen(true);
	await lists.show({ ...lists.view, text: "#24" });
	assert.equal(unseen(false), 0);
	await lists.show({ ...lists.view, text: "" });
	assert.equal(unseen(false), 0);
});

test("a removed repository takes its count with it", async (t) => {
	const { list, send, unseen, repositories, repository } = await opened(t);
	await list.load();
	unseen(true);
	await send([900]);
	assert.equal(unseen(false), 1);
	await repositories.remove(repository);
	assert.equal(unseen(false), 0);
});
