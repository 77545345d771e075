import { strict as assert } from "node:assert";
import { test } from "node:test";
import { ask, assertRefused, linksOf, object, objects, sandboxForFile } from "../../support/codehost-wire.ts";

const { sandbox, time } = await sandboxForFile();

const issues = (path: string, query = "") => `/repos/${path}/issues${query}`;

test("the current user has a login, and a name if there is one", async () => {
	const ada = await ask(sandbox, "/user");
	assert.equal(ada.status, 200);
	assert.match(ada.headers.get("content-type") ?? "", /^application\/json/);
	assert.equal(object(ada.json)["login"], "ada");
	assert.equal(object(ada.json)["name"], "Ada Quill");
	const lin = await ask(sandbox, "/user", { token: sandbox.keys.codehost.otherUser });
	assert.equal(object(lin.json)["login"], "lin");
	assert.ok(!("name" in object(lin.json)));
});

test("a repository has its full_name in its own spelling, whatever the path's case", async () => {
	for (const path of ["/repos/exchange/switchboard", "/repos/Exchange/SwitchBoard", "/repos/exchange/switch%62oard"]) {
		const reply = await ask(sandbox, path);
		assert.equal(reply.status, 200, path);
		assert.equal(object(reply.json)["full_name"], "exchange/switchboard");
	}
});

const badHeaders: ReadonlyArray<readonly [name: string, authorization: string | undefined]> = [
	["no Authorization", undefined],
	["another scheme", "Basic YTpi"],
	["something with dots", "Bearer a.b.c"],
	["a token nobody minted", "Bearer service_pat_000000000000000000000000"],
];
for (const [name, authorization] of badHeaders) {
	test(`${name} is refused with 401 on every endpoint`, async () => {
		for (const path of ["/user", "/repos/exchange/switchboard", issues("exchange/empty"), "/app/installations"]) {
			const headers = authorization === undefined ? {} : { authorization };
			const reply = await ask(sandbox, path, { token: "", headers });
			assertRefused(reply, 401, "Bad credentials");
			assert.equal(reply.headers.get("x-ratelimit-remaining"), null);
		}
		const exchange = "/app/installations/7001/access_tokens";
		const reply = await ask(sandbox, exchange, {
			token: "",
			method: "POST",
			headers: authorization ? { authorization } : {},
		});
		assertRefused(reply, 401, "Bad credentials");
	});
}

test("an expired token is refused with 401, and one expires while it is in use", async () => {
	assertRefused(await ask(sandbox, "/user", { token: sandbox.keys.codehost.expired }), 401, "Bad credentials");
	const token = sandbox.codehost.credentials.mintPat({ expiresInSeconds: 10 });
	time.now += 9_999;
	assert.equal((await ask(sandbox, "/user", { token })).status, 200);
	time.now += 1;
	assertRefused(await ask(sandbox, "/user", { token }), 401, "Bad credentials");
});

test("a fine-grained token lives for a year, a classic one without end", async () => {
	const { fineGrained, classic } = sandbox.keys.codehost;
	time.now += 364 * 86_400_000;
	assert.equal((await ask(sandbox, "/user", { token: fineGrained })).status, 200);
	time.now += 2 * 86_400_000;
	assertRefused(await ask(sandbox, "/user", { token: fineGrained }), 401, "Bad credentials");
	time.now += 20 * 365 * 86_400_000;
	assert.equal((await ask(sandbox, "/user", { token: classic })).status, 200);
});

test("a private repository is 404 to all but its members, like one that never was", async () => {
	const { fineGrained, otherUser } = sandbox.keys.codehost;
	for (const path of ["/repos/exchange/vault", issues("exchange/vault")]) {
		assert.equal((await ask(sandbox, path, { token: fineGrained })).status, 200);
		const hidden = await ask(sandbox, path, { token: otherUser });
		const absent = await ask(sandbox, path.replace("vault", "vanished"), { token: otherUser });
		assertRefused(hidden, 404, "Not Found");
		assertRefused(absent, 404, "Not Found");
		assert.equal(hidden.text, absent.text);
	}
});

test("a fine-grained token reaches its own private repositories and all public ones", async () => {
	const token = sandbox.keys.codehost.oneRepository;
	assert.equal((await ask(sandbox, issues("exchange/vault"), { token })).status, 200);
	assert.equal((await ask(sandbox, issues("lin/kites"), { token })).status, 200);
	assertRefused(await ask(sandbox, issues("ada/notes"), { token }), 404, "Not Found");
});

test("a token without the permission or scope is refused with 401 only where needed", async () => {
	const { withoutIssues, publicOnly } = sandbox.keys.codehost;
	assert.equal((await ask(sandbox, "/repos/exchange/vault", { token: withoutIssues })).status, 200);
	for (const path of ["exchange/vault", "exchange/switchboard"]) {
		assertRefused(await ask(sandbox, issues(path), { token: withoutIssues }), 401, "Bad credentials");
	}
	assert.equal((await ask(sandbox, issues("exchange/switchboard"), { token: publicOnly })).status, 200);
	assertRefused(await ask(sandbox, "/repos/exchange/vault", { token: publicOnly }), 401, "Bad credentials");
});

test("a personal token on an endpoint of the app is refused with 401", async () => {
	assertRefused(await ask(sandbox, "/app/installations"), 401, "Bad credentials");
	assertRefused(
		await ask(sandbox, "/app/installations/7001/access_tokens", { method: "POST" }),
		401,
		"Bad credentials",
	);
});

test("a client that accepts nothing that is sent here is refused with 406", async () => {
	const { fineGrained } = sandbox.keys.codehost;
	for (const [accept, status] of [
		["application/vnd.service+json, application/json;q=0.9", 200],
		["APPLICATION/JSON; charset=utf-8", 200],
		["text/html, */*;q=0.1", 200],
		["application/vnd.github+json", 406],
	] as const) {
		assert.equal((await ask(sandbox, "/user", { token: fineGrained, headers: { accept } })).status, status, accept);
	}
	const headers = { authorization: `Bearer ${fineGrained}` };
	assert.equal((await fetch(`${sandbox.baseUrls.codehost}/user`, { headers })).status, 200);
});

test("the version header is optional, and another version is refused with 400", async () => {
	const version = (value: string) => ask(sandbox, "/user", { headers: { "x-service-api-version": value } });
	assert.equal((await version("2022-11-28")).status, 200);
	for (const other of ["2022-11-29", "latest", "2"]) {
		assertRefused(await version(other), 400, /X-Service-Api-Version/);
	}
});

test("an issue has the fields of the contract, and those that hosts add", async () => {
	const [issue = {}] = objects((await ask(sandbox, issues("ada/garden", "?state=closed"))).json);
	assert.ok(Number.isInteger(issue["number"]));
	for (const name of ["title", "state", "html_url", "created_at", "updated_at", "closed_at"]) {
		assert.equal(typeof issue[name], "string", name);
	}
	assert.equal(issue["state"], "closed");
	assert.ok("body" in issue && "user" in issue && "labels" in issue && "comments" in issue);
	assert.match(String(issue["updated_at"]), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
	assert.equal((await fetch(String(issue["html_url"]))).status, 200);
});

test("a page has 30 items by default, and at most 100", async () => {
	assert.equal(objects((await ask(sandbox, issues("exchange/paging"))).json).length, 30);
	assert.equal(objects((await ask(sandbox, issues("exchange/paging", "?per_page=1"))).json).length, 1);
	assertRefused(await ask(sandbox, issues("exchange/paging", "?per_page=101")), 400, /^per_page must be from/);
});

test("each page, and one beyond the last, links to exactly the pages there are", async () => {
	const at = async (page: number) => {
		const reply = await ask(sandbox, issues("exchange/paging", `?per_page=100&state=all&page=${page}`));
		return Object.fromEntries(
			Object.entries(linksOf(reply)).map(([rel, url]) => [rel, new URL(url).searchParams.get("page")]),
		);
	};
	assert.deepEqual(await at(1), { next: "2", last: "3" });
	assert.deepEqual(await at(2), { prev: "1", next: "3", last: "3", first: "1" });
	assert.deepEqual(await at(3), { prev: "2", first: "1" });
	assert.deepEqual(await at(4), { prev: "3", first: "1" });
	assert.deepEqual(objects((await ask(sandbox, issues("exchange/paging", "?page=99"))).json), []);
	assert.equal((await ask(sandbox, issues("exchange/empty"))).headers.get("link"), null);
});

test("links keep the origin that was asked and the other parameters", async () => {
	for (const origin of [`http://127.0.0.1:${sandbox.port}`, `http://localhost:${sandbox.port}`]) {
		const reply = await ask(
			sandbox,
			`${origin}/codehost${issues("exchange/paging", "?labels=bug&sort=updated&page=1&per_page=5")}`,
		);
		const next = new URL(linksOf(reply)["next"] ?? "");
		assert.equal(next.origin, origin);
		assert.deepEqual(Object.fromEntries(next.searchParams), {
			labels: "bug",
			sort: "updated",
			page: "2",
			per_page: "5",
		});
	}
});

test("state, labels, sort and direction choose and order the issues", async () => {
	const get = async (query: string) =>
		objects((await ask(sandbox, issues("ada/garden", `?per_page=100&${query}`))).json);
	assert.equal((await get("")).length, 12);
	assert.ok((await get("state=closed")).every(({ state, closed_at }) => state === "closed" && closed_at !== null));
	assert.equal((await get("state=closed")).length, 6);
	assert.equal((await get("state=all")).length, 18);
	const bugs = await get("labels=Bug&state=all");
	assert.ok(bugs.length > 0 && bugs.every(({ labels }) => objects(labels).some(({ name }) => name === "bug")));
	assert.deepEqual(await get("labels=bug,no+such"), []);
	const column = async (query: string, name: string) => (await get(query)).map((issue) => issue[name]);
	for (const [sort, field] of [
		["created", "created_at"],
		["updated", "updated_at"],
		["comments", "comments"],
	] as const) {
		const up = await column(`sort=${sort}&direction=asc`, field);
		assert.deepEqual(up, [...up].sort(compare), sort);
		assert.deepEqual(await column(`sort=${sort}&direction=desc`, field), up.toReversed());
	}
	assert.deepEqual(await column("", "number"), await column("sort=created&direction=desc", "number"));
});

function compare(a: unknown, b: unknown): number {
	return typeof a === "number" && typeof b === "number"
		? a - b
		: String(a) < String(b)
			? -1
			: String(a) > String(b)
				? 1
				: 0;
}

test("a query that is not right is refused with 400 and a message that names it", async () => {
	for (const [query, message] of [
		["state=opened", /^state must be one of/],
		["per_page=ten", /^per_page must be a whole number/],
		["page=0", /^page must be from/],
		["colour=red", /^colour is not known/],
	] as const) {
		assertRefused(await ask(sandbox, issues("exchange/switchboard", `?${query}`)), 400, message);
	}
});

test("every good reply to a GET has an ETag, and a known one is a 304 without a body", async () => {
	for (const path of [
		"/user",
		"/repos/exchange/switchboard",
		issues("exchange/switchboard", "?page=2"),
		issues("exchange/empty"),
	]) {
		const first = await ask(sandbox, path);
		const etag = first.headers.get("etag") ?? "";
		assert.match(etag, /^W\/"[\w-]+"$/);
		const again = await ask(sandbox, path, { headers: { "if-none-match": etag } });
		assert.deepEqual([again.status, again.text, again.headers.get("etag")], [304, "", etag]);
		assert.equal(again.headers.get("link"), first.headers.get("link"));
		assert.equal((await ask(sandbox, path, { headers: { "if-none-match": '"other"' } })).status, 200);
	}
});

test("the ETag of one user means nothing for another", async () => {
	const etag = (await ask(sandbox, issues("lin/kites"))).headers.get("etag") ?? "";
	const other = { token: sandbox.keys.codehost.otherUser, headers: { "if-none-match": etag } };
	assert.equal((await ask(sandbox, issues("lin/kites"), other)).status, 200);
	const same = { token: sandbox.keys.codehost.classic, headers: { "if-none-match": etag } };
	assert.equal((await ask(sandbox, issues("lin/kites"), same)).status, 304);
});
