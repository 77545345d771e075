import assert from "node:assert/strict";
import dns from "node:dns";
import { test } from "node:test";
import { createTransport } from "#api/http/undici-transport.ts";
import { listening } from "../../../support/loopback.ts";

/** Addresses of `localhost` in the order in which macOS and Windows give them, and in the other one. */
const ORDERS = [
	[
		{ address: "::1", family: 6 },
		{ address: "127.0.0.1", family: 4 },
	],
	[
		{ address: "127.0.0.1", family: 4 },
		{ address: "::1", family: 6 },
	],
];

test("localhost reaches a service that listens on IPv4 only, whichever comes first", async (context) => {
	const origin = await listening(context, (_request, response) => response.end("here"));
	const transport = createTransport();
	context.after(() => transport.close());
	for (const order of ORDERS) {
		const lookup = context.mock.method(
			dns,
			"lookup",
			(_host: string, _options: object, done: (...answer: unknown[]) => void) => done(null, order),
		);
		const url = new URL(origin.replace("127.0.0.1", "localhost"));
		const { status } = await transport.send({ method: "GET", url, headers: {}, alone: true });
		assert.equal(status, 200);
		assert.equal(lookup.mock.callCount(), 1);
		lookup.mock.restore();
	}
});
