import { setTimeout as delay } from "node:timers/promises";
import type { Locator } from "playwright-core";
import { CHUNK_ROWS } from "#editor/kit/rows.ts";
import { type Sandbox, startSandbox } from "#sandbox/sandbox.ts";
import { type Driver, openDriver } from "../panel/driver.ts";
import { requestsTo } from "../support/sandbox-requests.ts";
import { type TreeView, treeView } from "../support/tree-view.ts";
import { endFrames, firstPaint, watchFirst, watchFrames } from "./issues/frame-watch.ts";
import { PLAIN, RICH, writePlainTrees } from "./issues/plain-tree.ts";
import { atMost, type BenchRow, beside, median } from "./row.ts";

/** Ten thousand open issues. */
const REPOSITORY = "exchange/archive";
/** Stands first and opened, so that the other one waits to be opened. */
const FIRST = "exchange/empty";
const ISSUES = 10_000;
const PAGE = 100;
const ROUND_TRIP_MS = 200;
const OPENINGS = 5;
/** So often the list is paged through: what the browser does at times of its own, such as to collect garbage, is in one. */
const PASSES = 3;
const GOAL_MS = 50;

/**
 * Shows ten thousand issues of the sandbox in the real editor: opens their repository several times, with a reply of the
 * service taking 200 ms, then pages to the end by Load More, with no such wait. The same is done in trees of
 * another extension that have nothing to ask or to work out, which shows what the editor's own tree costs.
 */
export async function measure(): Promise<BenchRow[]> {
	const sandbox = await startSandbox();
	const settings = { "switchboard.codeHost.refreshMinutes": 0 };
	const driver = await openDriver({ settings, beside: writePlainTrees, width: 1280, height: 800 });
	try {
		const shelf = await prepare(driver, sandbox);
		const openings = await open(driver, shelf);
		const issues = treeView(driver.workbench.page, "Issues");
		const ours: Paged[][] = [];
		for (let pass = 0; pass < PASSES; pass++) {
			if (pass > 0) {
				await shelf.addAnew();
				await shelf.group.click();
			}
			ours.push(await page(driver, { tree: issues, more: "Load more issues", sign: signInGroups }));
		}
		const others: Paged[][] = [];
		for (const { name, focus } of [PLAIN, RICH]) {
			await driver.execute(focus);
			others.push(
				await page(driver, { tree: treeView(driver.workbench.page, name), more: "Load More", sign: signOfSize }),
			);
		}
		const [plain = [], rich = []] = others;
		return [...rowsOfOpening(openings), ...rowsOfPaging({ ours, plain, rich })];
	} finally {
		await driver.dispose();
		await sandbox.close();
	}
}

interface Opening {
	readonly paintedMs: number;
	/** Of issues, until the first page was painted. */
	readonly requests: number;
}

/** The repository in the view, closed. */
interface Shelf {
	readonly sandbox: Sandbox;
	readonly group: Locator;
	/** Takes it off the list and adds it again, so that nothing of it is known. */
	readonly addAnew: () => Promise<void>;
}

async function prepare(driver: Driver, sandbox: Sandbox): Promise<Shelf> {
	const added = await driver.execute("switchboard.addConnection", {
		service: "codehost",
		label: "Bench",
		baseUrl: sandbox.baseUrls.codehost,
		profile: "sandbox",
		token: sandbox.keys.codehost.fineGrained,
	});
	const { id: connection } = added as { id: string };
	const repository = (name: string) => ({ connection, repository: name });
	await driver.execute("switchboard.codehost.addRepository", repository(FIRST));
	await driver.execute("switchboard.issues.focus");
	const group = treeView(driver.workbench.page, "Issues").row(`Issues of ${REPOSITORY}`);
	const addAnew = async () => {
		if (await group.isVisible()) {
			await driver.execute("switchboard.codehost.removeRepository", repository(REPOSITORY));
		}
		await group.waitFor({ state: "detached" });
		await driver.execute("switchboard.codehost.addRepository", repository(REPOSITORY));
		await group.waitFor();
		// The window is still busy with the new row.
		await delay(500);
	};
	return { sandbox, group, addAnew };
}

async function open(driver: Driver, { sandbox, group, addAnew }: Shelf): Promise<Opening[]> {
	const { page } = driver.workbench;
	const asked = () => requestsTo(sandbox, "issues").length;
	const openings: Opening[] = [];
	for (let round = 0; round < OPENINGS; round++) {
		sandbox.codehost.behave({ on: ["issues"], headersAfterMs: ROUND_TRIP_MS });
		await addAnew();
		const before = asked();
		await watchFirst(page, "Open issue");
		await group.click();
		openings.push({ paintedMs: await firstPaint(page), requests: asked() - before });
		sandbox.codehost.behave({});
	}
	return openings;
}

/** Cost of one page. */
interface Paged {
	readonly ms: number;
	/** The longest gap between two frames. */
	readonly longestMs: number;
	/** Gaps above the goal. */
	readonly over: number;
}

/** Way of paging through a tree. */
interface Pager {
	readonly tree: TreeView;
	/** The name of a row of the first page; where absent, of the newest. */
	readonly first?: RegExp;
	/** The spoken name of its row that loads more begins so. */
	readonly more: string;
	/** A selector of a row that is there only when so many issues are. */
	readonly sign: (loaded: number) => string;
}

async function page(driver: Driver, { tree, first = /#?10,?000/, more, sign }: Pager): Promise<Paged[]> {
	const { page } = driver.workbench;
	const pages: Paged[] = [];
	await tree.row(first).waitFor();
	for (let loaded = PAGE; loaded < ISSUES; loaded += PAGE) {
		await tree.press("End");
		const last = tree.row(more);
		await last.waitFor();
		await watchFrames(page);
		const start = performance.now();
		await page.keyboard.press("Enter");
		await awaitRow(driver, sign(loaded + PAGE));
		const ms = performance.now() - start;
		// What the new page makes the window do may come a moment after it is there.
		await delay(100);
		const gaps = await endFrames(page);
		pages.push({ ms, longestMs: Math.max(...gaps), over: gaps.filter((gap) => gap > GOAL_MS).length });
	}
	return pages;
}

/** A row that says that it is one of all, with the one that loads more. */
function signOfSize(loaded: number): string {
	return `[aria-setsize="${loaded === ISSUES ? loaded : loaded + 1}"]`;
}

/** The same where rows stand in groups: of a new one the head is seen, which says what is in it. */
function signInGroups(loaded: number): string {
	const from = groupOf(loaded);
	if (from > 0 && loaded - from === PAGE) return signOfGroup(loaded);
	return `[aria-setsize="${loaded - from + (loaded === ISSUES ? 0 : 1)}"]`;
}

/** The head of the last group. */
function signOfGroup(loaded: number): string {
	const figures = (count: number) => count.toLocaleString("en");
	return `[aria-label="Issues ${figures(groupOf(loaded) + 1)} to ${figures(loaded)}"]`;
}

/** Where the last group begins; 0 where all stand outside of groups. */
function groupOf(loaded: number): number {
	return Math.floor((loaded - 1) / CHUNK_ROWS) * CHUNK_ROWS;
}

/** Waits, inside the window, for a row. */
async function awaitRow(driver: Driver, sign: string): Promise<void> {
	await driver.workbench.page.waitForFunction(
		`document.querySelector('.part.sidebar [role=treeitem]${sign}') !== null`,
		undefined,
		{ polling: "raf" },
	);
}

function rowsOfOpening(openings: readonly Opening[]): BenchRow[] {
	const painted = openings.map(({ paintedMs }) => paintedMs);
	const requests = openings.map((each) => each.requests);
	return [
		atMost(1, {
			name: "requests until the first page is painted",
			value: Math.max(...requests),
			unit: "",
			note: `most of ${openings.length} openings`,
		}),
		beside({
			name: "opening a repository to the first page painted",
			value: median(painted),
			unit: "ms",
			note: `one round trip takes ${ROUND_TRIP_MS} ms; ${Math.round(Math.min(...painted))} to ${Math.round(Math.max(...painted))}`,
		}),
	];
}

function rowsOfPaging({
	ours,
	plain,
	rich,
}: {
	readonly ours: readonly (readonly Paged[])[];
} & Readonly<Record<"plain" | "rich", readonly Paged[]>>): BenchRow[] {
	const longest = (pages: readonly Paged[]) => pages.map(({ longestMs }) => longestMs);
	const over = (pages: readonly Paged[]) => pages.filter((each) => each.over > 0).length;
	const part = (pages: readonly Paged[], from: number, to: number) => median(longest(pages.slice(from, to))).toFixed(0);
	const note = (pages: readonly Paged[]) =>
		`median ${median(longest(pages)).toFixed(0)}; pages 2-11 ${part(pages, 0, 10)}, last ten ${part(pages, -10, pages.length)}; over ${GOAL_MS} ms on ${over(pages)} of ${pages.length} pages`;
	const all = ours.flat();
	const usual = (ours[0] ?? []).map((_, at) => median(ours.flatMap((pass) => pass[at]?.longestMs ?? [])));
	return [
		atMost(GOAL_MS, {
			name: "paging through 10,000 issues: longest frame of a page, the median of its passes",
			value: Math.max(...usual),
			unit: "ms",
			note: `${ours.length} passes`,
		}),
		beside({ name: "longest frame of all passes", value: Math.max(...longest(all)), unit: "ms", note: note(all) }),
		...[
			{ of: "a tree with bare rows and no service", pages: plain },
			{ of: "a tree with rows like ours and no service", pages: rich },
		].map(({ of, pages }) =>
			beside({ name: `the same in ${of}`, value: Math.max(...longest(pages)), unit: "ms", note: note(pages) }),
		),
		beside({ name: "a page, Load More to shown", value: median(all.map(({ ms }) => ms)), unit: "ms" }),
		beside({ name: "the same, bare rows", value: median(plain.map(({ ms }) => ms)), unit: "ms" }),
		beside({ name: "the same, rows like ours", value: median(rich.map(({ ms }) => ms)), unit: "ms" }),
	];
}

if (import.meta.main) console.table(await measure());
