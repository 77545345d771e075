import { strict as assert } from "node:assert";
import { test } from "node:test";
import type { IssuePage } from "#api/codehost/model.ts";
import type { CodehostBehaviour } from "#sandbox/codehost/behaviour.ts";
import {
	appClient,
	failureOf,
	type Host,
	hostForEachTest,
	installationClient,
	patClient,
	profile,
} from "../../support/codehost-host.ts";

const host = hostForEachTest();

test("the user, a repository and its issues are read with a token of either kind, and with an installation's", async () => {
	const { fineGrained, classic } = host.sandbox.keys.codehost;
	for (const token of [fineGrained, classic]) {
		const client = patClient(host, token);
		assert.deepEqual(pick((await client.getUser()).value, "login", "name"), { login: "ada", name: "Ada Quill" });
		assert.equal((await client.getRepository("exchange", "vault")).value.fullName, "exchange/vault");
		assert.equal((await client.listIssues("exchange", "vault")).issues.length, 12);
	}
	const { client } = await installationClient(host);
	assert.equal((await client.getRepository("exchange", "vault")).value.isPrivate, true);
	assert.equal((await client.listIssues("exchange", "vault")).issues.length, 12);
});

function pick(from: object, ...names: readonly string[]): object {
	return Object.fromEntries(Object.entries(from).filter(([name]) => names.includes(name)));
}

test("a user without a name has none", async () => {
	const { value } = await patClient(host, host.sandbox.keys.codehost.otherUser).getUser();
	assert.deepEqual([value.login, value.name], ["lin", null]);
});

test("the app's installations are listed over all their pages, the suspended one marked", async () => {
	const { client } = await appClient(host);
	const { value } = await client.listInstallations();
	const { app } = host.sandbox.keys.codehost;
	assert.deepEqual(
		value.map(({ id, account, suspended }) => [id, account, suspended]),
		[
			[app.installationId, "exchange", false],
			[app.selectedInstallationId, "ada", false],
			[app.suspendedInstallationId, "party-line", true],
			[app.installationIdWithoutIssues, "lin", false],
		],
	);
});

for (const linkLoop of ["cycle", "self"] as const) {
	test(`the app's installations are listed once each where the links make a ${linkLoop}, and the list ends`, async () => {
		const { client } = await appClient(host);
		const { value: whole } = await client.listInstallations();
		host.sandbox.codehost.behave({ linkLoop });
		const sent = host.sent.length;
		const { value } = await client.listInstallations();
		assert.deepEqual(value, whole);
		assert.ok(host.sent.length - sent <= 2);
	});
}

test("the exchange succeeds with 201 and tells the token and its end", async () => {
	const { client } = await appClient(host);
	const { token, expiresAt } = await client.createInstallationToken(host.sandbox.keys.codehost.app.installationId);
	assert.match(token, /^svi_/);
	assert.ok(expiresAt !== null && Math.abs(expiresAt - host.clock.now() - 3_600_000) <= 1000);
	assert.deepEqual(
		host.notices.map(({ method, status }) => [method, status]),
		[["POST", 201]],
	);
});

test("every request carries the bearer, Accept and the version; a profile without a version sends none", async () => {
	const { client } = await installationClient(host);
	await client.listIssues("exchange", "empty");
	await patClient(host).getUser();
	await (await appClient(host)).client.listInstallations();
	assert.equal(host.sent.length, 4);
	for (const { headers, method, body } of host.sent) {
		assert.equal(body, undefined, "no endpoint has a body");
		assert.match(headers["authorization"] ?? "", /^Bearer \S+$/);
		assert.equal(headers["accept"], profile.accept);
		const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
		assert.equal(lower["x-service-api-version"], "2022-11-28");
		assert.ok(method === "GET" || method === "POST");
	}
	const { versionHeader: _, version: __, ...plain } = profile;
	await patClient(host, undefined, { profile: plain }).getUser();
	const names = Object.keys(host.sent.at(-1)?.headers ?? {}).map((name) => name.toLowerCase());
	assert.ok(!names.includes("x-service-api-version"));
});

test("a wrong version and an unacceptable Accept are invalid, and tried once", async () => {
	for (const wrong of [{ version: "2021-01-01" }, { accept: "text/html" }]) {
		const error = await failureOf(patClient(host, undefined, { profile: { ...profile, ...wrong } }).getUser());
		assert.ok(error.status === 400 || error.status === 406);
		assert.equal(error.code, "invalid");
	}
	assert.equal(host.sent.length, 2);
});

test("a host that wants plain JSON beside the vendor's type gets it", async () => {
	host.sandbox.codehost.behave({ refuseVendorType: true });
	assert.equal((await patClient(host).getUser()).value.login, "ada");
});

test("250 issues come as 100 + 100 + 50 in order, and complete", async () => {
	const pages: IssuePage[] = [];
	const listing = await patClient(host).listIssues("exchange", "switchboard", { onPage: (page) => pages.push(page) });
	assert.deepEqual(
		pages.map(({ number, issues }) => [number, issues.length]),
		[
			[1, 100],
			[2, 100],
			[3, 50],
		],
	);
	assert.deepEqual(
		listing.issues.map(({ number }) => number),
		Array.from({ length: 250 }, (_, index) => 250 - index),
	);
	assert.deepEqual(pick(listing, "pages", "requests", "complete"), { pages: 3, requests: 3, complete: true });
});

test("10,000 issues come in a hundred requests, each once", async () => {
	const { issues, requests, complete } = await patClient(host).listIssues("exchange", "archive");
	assert.equal(new Set(issues.map(({ number }) => number)).size, 10_000);
	assert.deepEqual([issues.length, requests, complete], [10_000, 100, true]);
});

test("a host whose query is not known is asked without one, and walked all the same", async () => {
	const { issueQuery: _, ...unknown } = profile;
	const client = patClient(host, undefined, { profile: unknown });
	const { issues, pages, ignored } = await client.listIssues("exchange", "switchboard", { query: { state: "all" } });
	assert.deepEqual([issues.length, pages, ignored], [250, 9, ["state"]]);
	assert.equal(host.sent[0]?.url.search, "");
});

test("query parameters reach the host", async () => {
	const query = { state: "closed", sort: "comments", direction: "asc" };
	const { issues, ignored } = await patClient(host).listIssues("ada", "garden", { query });
	assert.equal(issues.length, 13);
	assert.ok(issues.every(({ state }) => state === "closed"));
	const comments = issues.map((issue) => issue.comments ?? -1);
	assert.deepEqual(
		comments,
		comments.toSorted((a, b) => a - b),
	);
	assert.deepEqual(ignored, []);
});

for (const links of ["all", "next", "cursor"] as const) {
	test(`with links of the kind "${links}" a listing that stops at a limit goes on exactly where it stopped`, async () => {
		host.sandbox.codehost.behave({ links });
		const client = patClient(host);
		const whole = (await client.listIssues("exchange", "switchboard")).issues.map(({ number }) => number);
		assert.equal(whole.length, 250);
		const seen: number[] = [];
		let continuation: Awaited<ReturnType<typeof client.listIssues>>["continuation"];
		do {
			const part = await client.listIssues("exchange", "switchboard", { limit: 70, continuation });
			assert.ok(part.issues.length <= 70);
			seen.push(...part.issues.map(({ number }) => number));
			continuation = part.continuation;
			assert.equal(part.complete, continuation === undefined);
		} while (continuation !== undefined);
		assert.deepEqual(seen, whole);
	});
}

for (const linkLoop of ["cycle", "self"] as const) {
	test(`a ${linkLoop} of links ends: no address is asked for twice, and the listing says so`, async () => {
		host.sandbox.codehost.behave({ linkLoop, links: "next" });
		const listing = await patClient(host).listIssues("exchange", "switchboard");
		assert.deepEqual([listing.halted, listing.complete], ["cycle", false]);
		const addresses = host.sent.map(({ url }) => url.href);
		assert.equal(new Set(addresses).size, addresses.length);
	});
}

test("a host without links has one page", async () => {
	host.sandbox.codehost.behave({ links: "none" });
	const { issues, requests } = await patClient(host).listIssues("exchange", "switchboard");
	assert.deepEqual([issues.length, requests], [100, 1]);
});

test("a repository without issues has none, and that is complete", async () => {
	const { issues, complete } = await patClient(host).listIssues("exchange", "empty");
	assert.deepEqual([issues, complete], [[], true]);
});

test("pull requests that a host lists are marked", async () => {
	host.sandbox.codehost.behave({ pullRequests: true });
	const { issues } = await patClient(host).listIssues("ada", "garden", { query: { state: "all" } });
	assert.equal(issues.filter(({ isPullRequest }) => isPullRequest).length, 6);
});

test("a renamed repository is followed on its own origin", async () => {
	const client = patClient(host);
	assert.equal((await client.getRepository("exchange", "telephone")).value.fullName, "exchange/switchboard");
	assert.equal((await client.listIssues("exchange", "telephone")).issues.length, 250);
});

test("redirects in a circle end", async () => {
	host.sandbox.codehost.behave({ redirect: {} });
	const error = await failureOf(patClient(host).getUser());
	assert.match(error.message, /circle/);
	assert.ok(host.sent.length <= 10);
});

test("a lean host lacks everything optional, and nothing is made up", async () => {
	host.sandbox.codehost.behave({ lean: true });
	const client = patClient(host);
	const [issue = assert.fail()] = (await client.listIssues("exchange", "switchboard")).issues;
	assert.deepEqual(
		[issue.state, issue.body, issue.author, issue.htmlUrl, issue.createdAt],
		[null, null, null, null, null],
	);
	assert.deepEqual(issue.labels, []);
	assert.equal((await client.getUser()).value.name, null);
	assert.equal((await client.getRepository("exchange", "switchboard")).value.isPrivate, null);
	const [installation] = (await (await appClient(host)).client.listInstallations()).value;
	assert.deepEqual([installation?.account, installation?.suspended], [null, false]);
});

test("fields that the client does not read are kept", async () => {
	const { value } = await patClient(host).getRepository("exchange", "switchboard");
	assert.equal(value.raw["default_branch"], "main");
});

test("hostile text arrives as it was sent", async () => {
	const query = { state: "all", direction: "asc" };
	const { issues } = await patClient(host).listIssues("exchange", "curiosities", { query });
	assert.equal(issues[0]?.title, "<script>alert('title')</script>");
	assert.ok(issues.some(({ author, body }) => author === null && body === null));
	assert.ok(issues.some(({ labels }) => labels.some(({ name }) => name === "__proto__")));
	assert.ok(issues.some(({ body }) => (body?.length ?? 0) > 50_000));
});

const spoiled: ReadonlyArray<
	readonly [
		what: string,
		spoil: NonNullable<CodehostBehaviour["spoil"]>,
		call: (host: Host) => Promise<unknown>,
		field: string,
	]
> = [
	["login missing", { field: "login" }, (at) => patClient(at).getUser(), "login"],
	["login as a number", { field: "login", value: 5 }, (at) => patClient(at).getUser(), "login"],
	["full_name missing", { field: "full_name" }, (at) => patClient(at).getRepository("ada", "garden"), "full_name"],
	[
		"number as text",
		{ at: 7, field: "number", value: "7" },
		(at) => patClient(at).listIssues("ada", "garden"),
		"[7].number",
	],
	[
		"number as a fraction",
		{ at: 2, field: "number", value: 1.5 },
		(at) => patClient(at).listIssues("ada", "garden"),
		"[2].number",
	],
	[
		"full_name without an owner",
		{ field: "full_name", value: "garden" },
		(at) => patClient(at).getRepository("ada", "garden"),
		"full_name",
	],
	["title missing", { at: 3, field: "title" }, (at) => patClient(at).listIssues("ada", "garden"), "[3].title"],
	[
		"id as text",
		{ at: 1, field: "id", value: "x" },
		async (at) => (await appClient(at)).client.listInstallations(),
		"[1].id",
	],
	[
		"token missing",
		{ field: "token" },
		async (at) => (await appClient(at)).client.createInstallationToken(7001),
		"token",
	],
	[
		"token empty",
		{ field: "token", value: "" },
		async (at) => (await appClient(at)).client.createInstallationToken(7001),
		"token",
	],
];
for (const [what, spoil, call, field] of spoiled) {
	test(`a reply with ${what} is malformed at ${field}`, async () => {
		host.sandbox.codehost.behave({ spoil });
		const error = await failureOf(call(host));
		assert.deepEqual([error.code, error.field], ["malformed", field]);
	});
}

for (const answerWith of ["html", "empty", "not-json", "null", "wrong-shape"] as const) {
	test(`a good status with the body ${answerWith} is malformed on every endpoint`, async () => {
		host.sandbox.codehost.behave({ answerWith });
		const app = (await appClient(host)).client;
		const client = patClient(host);
		for (const call of [
			() => client.getUser(),
			() => client.getRepository("exchange", "switchboard"),
			() => client.listIssues("exchange", "switchboard"),
			() => app.listInstallations(),
			() => app.createInstallationToken(7001),
		]) {
			assert.equal((await failureOf(call())).code, "malformed");
		}
	});
}

test("what has not changed is a 304: the same object again, and nothing off the limit", async () => {
	const client = patClient(host);
	const user = await client.getUser();
	const first = await client.listIssues("exchange", "switchboard");
	assert.equal(client.rate.gauge?.remaining, 4996);
	const again = await client.listIssues("exchange", "switchboard");
	const sameUser = await client.getUser();
	assert.deepEqual([again.notModified, sameUser.notModified, first.notModified], [true, true, false]);
	assert.ok(again.issues.every((issue, at) => issue === first.issues[at]));
	assert.equal(sameUser.value, user.value);
	assert.equal(client.rate.gauge?.remaining, 4996);
	assert.equal(host.sandbox.status().codehost.statuses[304], 4);
});

test("a host without ETag is read anew each time", async () => {
	host.sandbox.codehost.behave({ omitHeaders: ["etag"] });
	const client = patClient(host);
	await client.getUser();
	assert.equal((await client.getUser()).notModified, false);
});

test("a method is not for every credential: the wrong one makes no request", async () => {
	const app = (await appClient(host)).client;
	const pat = patClient(host);
	for (const call of [
		() => app.getUser(),
		() => app.listIssues("exchange", "switchboard"),
		() => pat.listInstallations(),
		() => pat.createInstallationToken(7001),
	]) {
		assert.equal((await failureOf(call())).code, "invalid");
	}
	assert.equal(host.sent.length, 0);
});
