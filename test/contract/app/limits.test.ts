import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { ClientError } from "#base/errors.ts";
import { openWindow } from "../../support/codehost-window.ts";
import { type CannedReply, serve } from "../../support/recording-server.ts";
import { until } from "../../support/until.ts";

const RESET_S = 3_000;

/** A code host with the tokens `ada-1`, `ada-2` and `lin-1`, and a window with two connections there, both ada's. */
async function twoOfAda(context: TestContext) {
	const window = await openWindow(context);
	const { clock, registry, clients } = window;
	const left: Record<string, number> = { ada: 4_990, lin: 4_000 };
	const limitOf = (login: string, limit = 5_000) => ({
		"x-ratelimit-limit": `${limit}`,
		"x-ratelimit-remaining": `${left[login] ?? 0}`,
		"x-ratelimit-reset": `${Math.floor(clock.now() / 1_000) + RESET_S}`,
	});
	const answer = { of: (_path: string, _token: string): CannedReply | undefined => undefined };
	const server = await serve(context, ({ path, headers }) => {
		const token = (headers.authorization ?? "").replace("Bearer ", "");
		const [login = ""] = token.split("-");
		const body = path === "/user" ? { login } : { full_name: path.replace("/repos/", "") };
		return answer.of(path, token) ?? { headers: limitOf(login), body };
	});
	const add = (token: string, credential: { login?: string } = {}) =>
		registry.add(
			{
				service: "codehost",
				label: token,
				baseUrl: server.origin,
				profile: "github-enterprise",
				credential: { kind: "pat", ...credential },
			},
			token,
		);
	const read = async (id: string, name = "app") => (await clients.open(id)).client.getRepository("acme", name);
	const rate = (id: string) => clients.peek(id)?.client.rate;
	const remaining = (id: string) => rate(id)?.gauge?.remaining;
	const [a, b] = [await add("ada-1"), await add("ada-2")];
	for (const { id } of [a, b]) await read(id);
	return { ...window, server, answer, left, limitOf, add, read, rate, remaining, a, b };
}

test("a token that was replaced counts against its new user's limit alone", async (t) => {
	const { a, b, left, read, registry, remaining } = await twoOfAda(t);
	left["lin"] = 0;
	await registry.replaceSecret(b.id, "lin-1");
	await read(a.id);
	assert.equal(remaining(a.id), 4_990);
	await read(b.id);
	await assert.rejects(read(b.id), { code: "rate-limited", retryAfterMs: RESET_S * 1_000 });
});

test("a token that was replaced is read with, though its old user's limit is used up", async (t) => {
	const { a, b, left, read, registry, remaining } = await twoOfAda(t);
	left["ada"] = 0;
	await read(a.id);
	await registry.replaceSecret(b.id, "lin-1");
	await read(b.id);
	assert.equal(remaining(b.id), 4_000);
	await assert.rejects(read(a.id), { code: "rate-limited" });
});

test("the owner of a new token comes from its service, not from the connection", async (t) => {
	const { a, add, left, read } = await twoOfAda(t);
	left["ada"] = 0;
	await read(a.id);
	const { credential } = await add("lin-1", { login: "ada" });
	assert.deepEqual(credential, { kind: "pat", login: "lin", patKind: "unknown" });
});

test("a limit in the refusal of a revoked token does not count for its user", async (t) => {
	const { a, b, answer, clients, limitOf, rate, read } = await twoOfAda(t);
	const before = rate(a.id);
	answer.of = (_, token) =>
		token === "ada-2"
			? { status: 401, headers: limitOf("nobody", 60), body: { message: "Bad credentials" } }
			: undefined;
	const isNoLimit = (error: ClientError) => error.code === "unauthorized" && error.retryAfterMs === undefined;
	await assert.rejects(read(b.id, "other"), isNoLimit);
	await assert.rejects((await clients.open(b.id)).client.getUser(), { code: "unauthorized" });
	assert.deepEqual([rate(a.id), rate(b.id)], [before, before]);
	await read(a.id);
});

test("a limit that prevents asking whose a token is leaves no doubt behind", async (t) => {
	const { a, b, answer, clock, read, requests, statuses } = await twoOfAda(t);
	clock.advance(60_000);
	requests.length = 0;
	const [refused, limited] = [
		{ status: 401, delayMs: 50 },
		{ status: 429, headers: { "retry-after": "600" } },
	];
	answer.of = (_, token) => (token === "ada-2" ? refused : limited);
	await Promise.all([
		assert.rejects(read(b.id), { code: "unauthorized" }),
		assert.rejects(read(a.id), { code: "rate-limited" }),
	]);
	assert.equal(statuses.of(b.id).error, null);
	clock.advance(600_000);
	await assert.rejects(read(b.id), { code: "unauthorized" });
	await until(async () => statuses.of(b.id).error?.code === "unauthorized", "the host to be asked whose the token is");
	assert.equal(requests.filter(({ url }) => url.endsWith("/user")).length, 1);
});
