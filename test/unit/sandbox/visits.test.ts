import { strict as assert } from "node:assert";
import { createServer, type ServerResponse } from "node:http";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { Visits } from "#sandbox/visits.ts";

/** Begins a visit that lasts until its signal ends it; `reason` is why. */
async function visit(
	visits: Visits,
	leave: (client: AbortController) => void,
): Promise<{ reason: unknown; failure: unknown }> {
	const begun = Promise.withResolvers<void>();
	const ended = Promise.withResolvers<void>();
	let reason: unknown;
	const server = createServer((_, response: ServerResponse) => {
		const work = visits.during(response, async (signal) => {
			begun.resolve();
			await pause(60_000, undefined, { signal }).finally(() => {
				reason = signal.reason;
			});
		});
		work.then(ended.resolve, ended.reject);
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const address = server.address();
	const port = typeof address === "object" && address !== null ? address.port : 0;
	const client = new AbortController();
	const answer = fetch(`http://127.0.0.1:${port}`, { signal: client.signal }).then(
		() => undefined,
		(error: unknown) => error,
	);
	await begun.promise;
	assert.equal(visits.size, 1);
	leave(client);
	await ended.promise;
	const failure = await answer;
	server.close();
	server.closeAllConnections();
	return { reason, failure };
}

test("a visit ends with the client, and its work is told why", async () => {
	const visits = new Visits();
	const { reason } = await visit(visits, (client) => client.abort());
	assert.match(String(reason), /The client went away/);
	assert.equal(visits.size, 0);
});

test("closing ends every visit, and the client gets no answer", async () => {
	const visits = new Visits();
	const { reason, failure } = await visit(visits, () => visits.close());
	assert.match(String(reason), /The sandbox was closed/);
	assert.ok(failure instanceof Error);
	assert.equal(visits.size, 0);
});

test("an error of the work itself is passed on, and the visit is over", async () => {
	const visits = new Visits();
	const server = createServer();
	const work = new Promise<void>((resolve, reject) => {
		server.once("request", (_, response: ServerResponse) => {
			visits
				.during(response, () => Promise.reject(new Error("mine")))
				.finally(() => response.end())
				.then(resolve, reject);
		});
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const address = server.address();
	const answer = fetch(`http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`);
	await assert.rejects(work, /mine/);
	await answer;
	assert.equal(visits.size, 0);
	server.close();
	server.closeAllConnections();
});
