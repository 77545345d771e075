import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { openWindow } from "../../support/codehost-window.ts";
import { listening } from "../../support/loopback.ts";

/** Message of Gitea to a token that lacks a scope. */
const SCOPED = {
	message: "token does not have at least one of required scope(s), required=[read:user], token scope=read:repository",
};

/** A window and a Gitea with 60 issues in `acme/app`, which refuses these paths. */
async function giteaWindow(t: TestContext, refused: readonly string[] = []) {
	const asked: string[] = [];
	const origin = await listening(t, ({ url = "", headers }, response) => {
		const { pathname, search, searchParams } = new URL(url, origin);
		asked.push(`${pathname}${search}`);
		const path = pathname.replace("/api/v1", "");
		const reply = (status: number, body: unknown) => {
			response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
		};
		if (headers.authorization !== "Bearer a-token")
			return reply(401, { message: "invalid username, password or token" });
		if (refused.includes(path)) return reply(403, SCOPED);
		if (path === "/user") return reply(200, { id: 1, login: "ada", full_name: "" });
		if (path === "/repos/search") return reply(200, { ok: true, data: [] });
		if (path !== "/repos/acme/app/issues") return reply(404, { message: "Not Found" });
		const [page, limit] = [Number(searchParams.get("page") ?? 1), Number(searchParams.get("limit") ?? 30)];
		const first = (page - 1) * limit;
		const numbers = Array.from({ length: Math.min(limit, 60 - first) }, (_, index) => 60 - first - index);
		const link = (rel: string, to: number) => {
			searchParams.set("page", String(to));
			return `<${origin}${pathname}?${searchParams}>; rel="${rel}"`;
		};
		response.setHeader("x-total-count", "60");
		response.setHeader(
			"link",
			page === 1 ? `${link("next", 2)},${link("last", 2)}` : `${link("first", 1)},${link("prev", 1)}`,
		);
		const issue = (number: number) => ({
			id: number,
			number,
			title: `Issue ${number}`,
			state: "open",
			user: { login: "ada" },
			pull_request: null,
			html_url: `${origin}/acme/app/issues/${number}`,
		});
		reply(200, numbers.map(issue));
	});
	const window = await openWindow(t);
	const draft = { service: "codehost", label: "Gitea", baseUrl: `${origin}/api/v1`, profile: "gitea" } as const;
	const add = (token = "a-token") => window.registry.add({ ...draft, credential: { kind: "pat" } }, token);
	return { ...window, asked, add };
}

test("issues of a Gitea are listed page by page, without its pull requests", async (t) => {
	const { asked, add, clients } = await giteaWindow(t);
	const { id, credential } = await add();
	assert.equal(credential.kind === "pat" && credential.login, "ada");
	const { client } = await clients.open(id);
	const query = { state: "open", labels: ["bug"], sort: "created" };
	const { issues, complete, ignored } = await client.listIssues("acme", "app", { query });
	assert.deepEqual([issues.length, complete, ignored], [60, true, ["sort"]]);
	const listed = "/api/v1/repos/acme/app/issues?type=issues&limit=50&state=open&labels=bug";
	assert.deepEqual(asked.slice(1), [listed, `${listed}&page=2`]);
});

test("a number of a Gitea is looked for among its pull requests too", async (t) => {
	const { asked, add, lists } = await giteaWindow(t);
	const { issue } = await lists.find({ connection: (await add()).id, repository: "acme/app" }, 59);
	assert.equal(issue?.number, 59);
	assert.equal(asked[1], "/api/v1/repos/acme/app/issues?type=all&limit=50&state=all");
});

test("parameters go by the names that a Gitea has for them", async (t) => {
	const { asked, add, clients } = await giteaWindow(t);
	const { client } = await clients.open((await add()).id);
	const query = { assignee: "ada", creator: "lin", mentioned: "ada", created_by: "ada" };
	const { ignored } = await client.listIssues("acme", "app", { query, limit: 1 });
	assert.deepEqual(ignored, []);
	const sent = "assigned_by=ada&created_by=ada&mentioned_by=ada";
	assert.equal(asked.at(-1), `/api/v1/repos/acme/app/issues?type=issues&limit=50&${sent}`);
});

test("a token that may not tell its owner is added where it may read", async (t) => {
	const { asked, add, registry, clients } = await giteaWindow(t, ["/user"]);
	const { id, credential } = await add();
	assert.deepEqual(credential, { kind: "pat", patKind: "unknown" });
	assert.deepEqual(asked, ["/api/v1/user", "/api/v1/repos/search?limit=1"]);
	assert.equal((await registry.test(id)).error, undefined);
	assert.equal((await (await clients.open(id)).client.listIssues("acme", "app")).issues.length, 60);
	await assert.rejects(add("another-token"), { code: "unauthorized" });
});

test("a token that may read nothing is not added", async (t) => {
	const { add, registry } = await giteaWindow(t, ["/user", "/repos/search"]);
	await assert.rejects(add(), { code: "forbidden" });
	assert.deepEqual(registry.list(), []);
});
