import { strict as assert } from "node:assert";
import { test } from "node:test";
import type { IssuePage } from "#api/codehost/model.ts";
import { clientAt, contractProfile, errorOf, fullProfile, noDelay } from "../../../support/codehost-client.ts";
import { FakeClock } from "../../../support/fake-clock.ts";
import { type CannedReply, type RecordedRequest, serve } from "../../../support/recording-server.ts";
import { until } from "../../../support/until.ts";

/** A page of issues, numbered on from those of the pages before it. */
function issuesOf(page: number, size: number, count = size) {
	return Array.from({ length: count }, (_, index) => {
		const number = (page - 1) * size + index + 1;
		return { number, title: `Issue ${number}` };
	});
}

interface Pages {
	readonly total: number;
	readonly size: number;
	/** Whether the links name the last page. */
	readonly last?: boolean;
	readonly delayMs?: number;
	/** Whether pages have ETags. */
	readonly etags?: boolean;
	/** Whether the last page leads back to the first. */
	readonly circle?: boolean;
	/** Whether the links name the first page. */
	readonly first?: boolean;
}

/** A listing of so many issues in pages, with links as code hosts send them. */
function pagesOf({ total, size, last = true, delayMs, etags = false, circle = false, first = true }: Pages) {
	return ({ path, headers }: RecordedRequest): CannedReply => {
		const url = new URL(path, "http://x");
		const page = Number(url.searchParams.get("page") ?? 1);
		const pages = Math.ceil(total / size);
		const at = (number: number, rel: string) => `<${url.pathname}?page=${number}>; rel="${rel}"`;
		const end = [...(first ? [at(1, "first")] : []), ...(circle ? [at(1, "next")] : [])];
		const links = page >= pages ? end : [at(page + 1, "next"), ...(last ? [at(pages, "last")] : [])];
		const etag = `"${page}"`;
		const slow = delayMs === undefined ? {} : { delayMs };
		if (etags && headers["if-none-match"] === etag) return { status: 304, ...slow };
		const count = Math.min(size, total - (page - 1) * size);
		return {
			headers: { link: links.join(", "), ...(etags ? { etag } : {}) },
			body: issuesOf(page, size, count),
			...slow,
		};
	};
}

const numbersOf = (issues: readonly { readonly number: number }[]) => issues.map(({ number }) => number);
const upTo = (count: number, from = 1) => Array.from({ length: count }, (_, index) => from + index);

test("250 issues come as pages of 100, 100 and 50, in order", async (context) => {
	const server = await serve(context, pagesOf({ total: 250, size: 100 }));
	const pages: IssuePage[] = [];
	const listing = await clientAt(server.origin).listIssues("acme", "app", { onPage: (page) => pages.push(page) });
	assert.deepEqual(
		pages.map(({ issues }) => issues.length),
		[100, 100, 50],
	);
	assert.deepEqual(numbersOf(listing.issues), upTo(250));
	const { issues: _, ...rest } = listing;
	assert.deepEqual(rest, { pages: 3, requests: 3, complete: true, ignored: [] });
});

test("the first page is handed out before any other is asked for", async (context) => {
	const server = await serve(context, pagesOf({ total: 30, size: 10 }));
	const asked: number[] = [];
	const onPage = () => asked.push(server.requests.length);
	await clientAt(server.origin).listIssues("acme", "app", { onPage });
	assert.equal(asked[0], 1);
});

test("if the links number the pages, the next ones are requested four at a time", async (context) => {
	const server = await serve(context, pagesOf({ total: 120, size: 10, delayMs: 150 }));
	const listing = await clientAt(server.origin).listIssues("acme", "app");
	assert.equal(server.mostAtOnce, 4);
	assert.deepEqual(numbersOf(listing.issues), upTo(120));
	assert.equal(listing.requests, 12);
});

test("if the links do not number the pages, one page is requested after the other", async (context) => {
	const server = await serve(context, pagesOf({ total: 60, size: 10, last: false, delayMs: 5 }));
	const listing = await clientAt(server.origin).listIssues("acme", "app");
	assert.equal(server.mostAtOnce, 1);
	assert.deepEqual(numbersOf(listing.issues), upTo(60));
});

test("pages asked for ahead do not go beyond the limit, which is kept exactly", async (context) => {
	const server = await serve(context, pagesOf({ total: 120, size: 10, delayMs: 5 }));
	const client = clientAt(server.origin);
	const listing = await client.listIssues("acme", "app", { limit: 25 });
	assert.deepEqual(numbersOf(listing.issues), upTo(25));
	assert.deepEqual([listing.complete, listing.pages, listing.requests], [false, 3, 3]);
});

test("loading more goes on where the limit was, without gap or repetition", async (context) => {
	const server = await serve(context, pagesOf({ total: 47, size: 10, etags: true }));
	const client = clientAt(server.origin);
	const numbers: number[] = [];
	let listing = await client.listIssues("acme", "app", { limit: 15 });
	numbers.push(...numbersOf(listing.issues));
	while (listing.continuation !== undefined) {
		const continuation = JSON.parse(JSON.stringify(listing.continuation));
		listing = await client.listIssues("acme", "app", { limit: 15, continuation });
		numbers.push(...numbersOf(listing.issues));
	}
	assert.deepEqual(numbers, upTo(47));
	assert.equal(listing.complete, true);
});

test("a limit at the end of a page continues with the next page, if there is one", async (context) => {
	const server = await serve(context, pagesOf({ total: 20, size: 10 }));
	const client = clientAt(server.origin);
	const first = await client.listIssues("acme", "app", { limit: 10 });
	assert.deepEqual([first.complete, first.continuation?.skip, server.requests.length], [false, 0, 1]);
	const all = await client.listIssues("acme", "app", { limit: 20 });
	assert.deepEqual([all.complete, all.continuation], [true, undefined]);
});

test("a refresh revalidates each page, four at a time, and gives the same objects", async (context) => {
	const server = await serve(context, pagesOf({ total: 80, size: 10, etags: true, delayMs: 150 }));
	const client = clientAt(server.origin);
	const first = await client.listIssues("acme", "app");
	const before = server.requests.length;
	const again = await client.listIssues("acme", "app");
	assert.deepEqual([again.complete, again.requests], [true, 8]);
	for (const [index, issue] of again.issues.entries()) assert.equal(issue, first.issues[index]);
	for (const { headers } of server.requests.slice(before)) assert.ok(headers["if-none-match"]);
	assert.equal(server.mostAtOnce, 4);
});

test("two silent repositories hold up no other one of the same host", async (context) => {
	const healthy = pagesOf({ total: 80, size: 10, etags: true });
	const server = await serve(context, healthy);
	const client = clientAt(server.origin);
	for (const repo of ["one", "two", "app"]) await client.listIssues("acme", repo);
	const isSilent = ({ path }: RecordedRequest) => path.includes("page=") && !path.includes("/app/");
	server.respond = (request) => (isSilent(request) ? { delayMs: 60_000 } : healthy(request));
	const over = new AbortController();
	const silent = ["one", "two"].map((repo) => errorOf(client.listIssues("acme", repo, { signal: over.signal })));
	await until(() => server.requests.length >= 3 * 8 + 2 + 4, "both are asked, and pages ahead");
	const signal = AbortSignal.timeout(20_000);
	const { pages } = await client.listIssues("acme", "app", { signal });
	assert.equal(pages, 8);
	over.abort();
	for (const each of silent) assert.equal((await each).code, "aborted");
});

test("pages asked for ahead that are not linked any more are not handed out", async (context) => {
	const server = await serve(context, pagesOf({ total: 50, size: 10, etags: true }));
	const client = clientAt(server.origin);
	await client.listIssues("acme", "app");
	server.respond = pagesOf({ total: 20, size: 10 });
	const listing = await client.listIssues("acme", "app");
	assert.deepEqual(numbersOf(listing.issues), upTo(20));
	assert.deepEqual([listing.complete, listing.pages], [true, 2]);
});

test("a last page that has become one of many leads on", async (context) => {
	const small = pagesOf({ total: 30, size: 10 });
	const grown = pagesOf({ total: 50, size: 10 });
	const server = await serve(context, (request, count) => (count === 0 ? small : grown)(request));
	const listing = await clientAt(server.origin).listIssues("acme", "app");
	assert.deepEqual(numbersOf(listing.issues), upTo(50));
});

test("links that lead back end the listing, which is then not called complete", async (context) => {
	const loops: Readonly<Record<string, string>> = { "": "?c=a", "?c=a": "?c=b", "?c=b": "?c=a" };
	const server = await serve(context, ({ path }) => {
		const next = loops[path.replace("/repos/acme/app/issues", "")] ?? "";
		return { headers: { link: `<${next}>; rel="next"` }, body: issuesOf(1, 1) };
	});
	const listing = await clientAt(server.origin).listIssues("acme", "app");
	assert.deepEqual([listing.halted, listing.complete, listing.continuation], ["cycle", false, undefined]);
	assert.equal(server.requests.length, 3);
});

test("if the links name the first page, a link back to it is not followed", async (context) => {
	const server = await serve(context, pagesOf({ total: 25, size: 10, circle: true, etags: true }));
	const client = clientAt(server.origin);
	const listing = await client.listIssues("acme", "app");
	assert.deepEqual([listing.pages, listing.halted, server.requests.length], [3, "cycle", 3]);
	const before = server.requests.length;
	await client.listIssues("acme", "app");
	assert.equal(server.requests.length - before, 3, "nor asked for ahead");
});

test("when a later page fails, the pages before it stay and can be continued", async (context) => {
	const clock = new FakeClock();
	const whole = pagesOf({ total: 40, size: 10 });
	const server = await serve(context, (request) =>
		request.path.endsWith("page=3") ? { status: 500 } : whole(request),
	);
	const { observer } = noDelay(clock);
	const client = clientAt(server.origin, { clock, observer });
	const pages: IssuePage[] = [];
	const error = await errorOf(client.listIssues("acme", "app", { onPage: (page) => pages.push(page) }));
	assert.equal(error.code, "server");
	assert.deepEqual(numbersOf(pages.flatMap(({ issues }) => issues)), upTo(20));
	server.respond = whole;
	const continuation = pages.at(-1)?.continuation;
	const rest = await client.listIssues("acme", "app", { continuation });
	assert.deepEqual(numbersOf(rest.issues), upTo(20, 21));
});

test("an abort ends the listing and what was asked for ahead", async (context) => {
	const whole = pagesOf({ total: 400, size: 10, delayMs: 20 });
	const server = await serve(context, whole);
	const cut = new AbortController();
	let pages = 0;
	const onPage = () => {
		pages += 1;
		if (pages === 2) cut.abort();
	};
	const error = await errorOf(clientAt(server.origin).listIssues("acme", "app", { signal: cut.signal, onPage }));
	assert.equal(error.code, "aborted");
	const pause = () => new Promise((resolve) => setTimeout(resolve, 60));
	// What was on its way arrives.
	await pause();
	const asked = server.requests.length;
	await pause();
	assert.equal(server.requests.length, asked);
});

test("only what the service knows is asked for, and the rest is named in the result", async (context) => {
	const server = await serve(context, () => ({ body: [] }));
	const query = { state: "open", color: "red" };
	const known = await clientAt(server.origin, { profile: fullProfile }).listIssues("acme", "app", { query });
	const unknown = await clientAt(server.origin, { profile: contractProfile }).listIssues("acme", "app", { query });
	assert.deepEqual([known.ignored, unknown.ignored], [["color"], ["state", "color"]]);
	assert.deepEqual(server.lines, ["GET /repos/acme/app/issues?state=open&per_page=100", "GET /repos/acme/app/issues"]);
});

test("a redirect to the same repository is followed, one to another names it", async (context) => {
	const whole = pagesOf({ total: 30, size: 10 });
	let to = "/repositories/7";
	let fullName = "Old/Name";
	const server = await serve(context, (request) => {
		const [, rest] = /^\/repos\/old\/name(.*)$/.exec(request.path) ?? [];
		if (rest !== undefined) return { status: 301, headers: { location: `${to}${rest}` } };
		return request.path.includes("/issues") ? whole(request) : { body: { full_name: fullName } };
	});
	const list = () => clientAt(server.origin).listIssues("old", "name");
	assert.deepEqual(numbersOf((await list()).issues), upTo(30));
	for (const [path, name] of [
		["/repositories/7", "new/name"],
		["/repos/new/name", "anything/else"],
	] as const) {
		[to, fullName] = [path, name];
		const error = await errorOf(list());
		assert.deepEqual([error.code, error.reason], ["not-found", "moved"]);
		assert.equal(error.message, "old/name has moved to new/name");
	}
});

test("a link into another repository ends the list", async (context) => {
	for (const [target, halted] of [
		["/repos/other/app/issues?page=2", "other-repository"],
		["/repos/acme/app/pulls?page=2", "other-repository"],
		["/user/issues?page=2", "other-repository"],
		["/issues?page=2", "other-repository"],
		["/repos/ACME/app/issues?page=2", undefined],
		["/repositories/7/issues?page=2", undefined],
	]) {
		const server = await serve(context, ({ path }) =>
			path.includes("page=2")
				? { body: issuesOf(2, 10) }
				: { headers: { link: `<${target}>; rel="next"` }, body: issuesOf(1, 10) },
		);
		const listing = await clientAt(server.origin).listIssues("acme", "app");
		assert.deepEqual([listing.halted, listing.issues.length], [halted, halted ? 10 : 20]);
	}
});

test("links by a repository's number lead into no other one", async (context) => {
	for (const target of ["/repos/evil/other/issues?page=3", "/repositories/10/issues?page=3"]) {
		const server = await serve(context, ({ path }) => {
			const to = path.includes("page=2") ? target : "/repositories/9/issues?page=2";
			return { headers: { link: `<${to}>; rel="next"` }, body: issuesOf(path.includes("page=2") ? 2 : 1, 10) };
		});
		const { halted, issues } = await clientAt(server.origin).listIssues("acme", "app");
		assert.deepEqual([halted, issues.length, server.requests.length], ["other-repository", 20, 2], target);
	}
});

test("a redirect to another list is no list of the repository", async (context) => {
	for (const to of ["/user/issues", "/repos/acme/app/pulls"]) {
		const server = await serve(context, ({ path }) =>
			path.endsWith("/app/issues") ? { status: 302, headers: { location: to } } : { body: issuesOf(1, 3) },
		);
		assert.equal((await errorOf(clientAt(server.origin).listIssues("acme", "app"))).reason, "moved", to);
	}
});

test("a next page elsewhere is read on the own origin if it lies below the API", async (context) => {
	for (const [target, halted] of [
		["http://internal.example:8080/api/v3/repos/acme/app/issues?page=2", undefined],
		["//user:pw@internal.example/api/v3/repositories/7/issues?page=2#x", undefined],
		["https://internal.example//evil.example/api/v3/x?page=2", "other-origin"],
		["https://internal.example/api/v33/x?page=2", "other-origin"],
		["https://internal.example/api/v3/../v4?page=2", "other-origin"],
	]) {
		const server = await serve(context, ({ path }) =>
			path.includes("page=2")
				? { body: issuesOf(2, 10) }
				: { headers: { link: `<${target}>; rel="next"` }, body: issuesOf(1, 10) },
		);
		const client = clientAt(`${server.origin}/api/v3`);
		const listing = await client.listIssues("acme", "app");
		assert.deepEqual([listing.halted, listing.issues.length], [halted, halted ? 10 : 20], target);
	}
});

test("a page that is reached by two addresses is one page", async (context) => {
	for (const target of [
		"?page=1&state=all&per_page=100",
		"?per_page=100&page=1&state=%61ll",
		"/REPOS/acme/app/issues/?state=all&per_page=100",
		"HTTP://LOCALHOST/repos/acme/app/issues?per_page=100&state=all#2",
	]) {
		const server = await serve(context, () => ({
			headers: { link: `<${target}>; rel="next"` },
			body: issuesOf(1, 10),
		}));
		const client = clientAt(server.origin, { profile: fullProfile });
		const { pages, halted } = await client.listIssues("acme", "app", { query: { state: "all" } });
		assert.deepEqual([pages, halted], [1, "cycle"], target);
	}
});

test("fewer issues than the service counts, and no link, are not all", async (context) => {
	const whole = pagesOf({ total: 99, size: 30, etags: true });
	const server = await serve(context, (request) => {
		const { headers = {}, ...reply } = whole(request);
		const { link: _, ...others } = headers;
		return { ...reply, headers: reply.status === 304 ? others : { ...others, "x-total-count": "99" } };
	});
	const client = clientAt(server.origin);
	for (let times = 0; times < 2; times++) {
		const { issues, ...listing } = await client.listIssues("acme", "app");
		assert.equal(issues.length, 30);
		const counts = { pages: 1, requests: 1, ignored: [] };
		assert.deepEqual(listing, { ...counts, complete: false, halted: "unlinked", total: 99 });
	}
	const linked = await serve(context, (request) => {
		const { headers = {}, ...reply } = whole(request);
		return { ...reply, headers: { ...headers, "x-total-count": "99" } };
	});
	assert.equal((await clientAt(linked.origin).listIssues("acme", "app")).complete, true);
	const single = await serve(context, () => ({ headers: { "x-total-count": "30" }, body: issuesOf(1, 30) }));
	assert.equal((await clientAt(single.origin).listIssues("acme", "app")).complete, true);
});

test("pages that repeat issues, or have none, are not all that the service counts", async (context) => {
	for (const second of [issuesOf(1, 30), []]) {
		for (const link of ["", '<?page=1>; rel="first"', '<?page=2>; rel="next"']) {
			const server = await serve(context, ({ path }) => {
				const isSecond = path.includes("page=2");
				const headers = { "x-total-count": "60", link: isSecond ? "" : link };
				return { headers, body: isSecond ? second : issuesOf(1, 30) };
			});
			const { complete, halted } = await clientAt(server.origin).listIssues("acme", "app");
			assert.deepEqual([complete, halted], [false, "unlinked"], link);
		}
	}
});

test("a malformed issue costs itself, and is counted", async (context) => {
	const server = await serve(context, ({ path }) =>
		path.includes("page=2")
			? { body: [{ number: 4, title: null }] }
			: { headers: { link: '<?page=2>; rel="next"' }, body: [...issuesOf(1, 2), { number: 3, title: null }] },
	);
	const shown: number[][] = [];
	const onPage = ({ issues }: IssuePage) => shown.push(numbersOf(issues));
	const { issues, malformed, complete } = await clientAt(server.origin).listIssues("acme", "app", { onPage });
	assert.deepEqual([numbersOf(issues), malformed, complete, shown], [[1, 2], 2, true, [[1, 2], []]]);
});

test("a service that links on and on behind its last issue is not followed for long", async (context) => {
	const server = await serve(context, ({ path }) => {
		const page = Number(new URL(path, "http://x").searchParams.get("page") ?? 1);
		const body = page === 1 || page === 15 ? issuesOf(page, 10) : [];
		return { headers: { link: `<?page=${page + 1}>; rel="next"` }, body };
	});
	const { issues, complete, continuation } = await clientAt(server.origin).listIssues("acme", "app", { limit: 100 });
	assert.deepEqual([issues.length, complete, server.requests.length], [20, false, 35]);
	assert.match(continuation?.url ?? "", /page=36$/);
});

test("a list whose link to the next page cannot be read is not complete, and says why", async (context) => {
	const server = await serve(context, () => ({ headers: { link: '<http://[>; rel="next"' }, body: issuesOf(1, 30) }));
	const { issues, complete, halted, continuation } = await clientAt(server.origin).listIssues("acme", "app");
	assert.deepEqual([issues.length, complete, halted, continuation], [30, false, "unreadable", undefined]);
});
