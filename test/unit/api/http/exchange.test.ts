import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { exchange } from "#api/http/exchange.ts";
import type { Transport, TransportRequest } from "#api/http/transport.ts";
import { createTransport } from "#api/http/undici-transport.ts";
import { systemClock } from "#base/clock.ts";
import { LIMITS } from "#base/limits.ts";
import { FakeClock } from "../../../support/fake-clock.ts";

const SILENCE = 30_000;

/** A request whose body of bytes is on its way to a service that has not answered yet. */
function uploading(bytes = 100) {
	const clock = new FakeClock();
	const { promise: sent, resolve } = Promise.withResolvers<TransportRequest>();
	const transport = {
		send: (request: TransportRequest) =>
			new Promise<never>((_, reject) => {
				request.signal?.addEventListener("abort", () => reject(request.signal?.reason));
				resolve(request);
			}),
		close: async () => {},
	};
	const heard: number[] = [];
	const request = {
		method: "POST",
		url: new URL("https://store.example/v2/pet/1/uploadImage"),
		headers: {},
		body: new Uint8Array(bytes),
		onSent: (bytes: number) => heard.push(bytes),
	} as const;
	const ended = exchange(request, {
		service: "petstore",
		transport,
		clock,
		silenceLimitMs: SILENCE,
		redact: (text) => text,
	});
	return { clock, sent, heard, ended };
}

test("a body that moves on is no silence, however long it takes as a whole", async () => {
	const { clock, sent, heard, ended } = uploading();
	const { signal, onSent } = await sent;
	for (let bytes = 10; bytes <= 100; bytes += 10) {
		clock.advance(SILENCE - 1);
		onSent?.(bytes);
	}
	assert.equal(signal?.aborted, false);
	assert.equal(heard.at(-1), 100);
	clock.advance(SILENCE);
	const result = await ended;
	assert.equal(result.ok ? "answered" : result.error.code, "timeout");
});

const MB = 1024 * 1024;

for (const [what, tell, extra] of [
	["that has left this process", ({ onSent }: TransportRequest) => onSent?.(2 * MB), 32_000],
	["of which 4 MB may lie in buffers", ({ onSent }: TransportRequest) => onSent?.(32 * MB), 64_000],
	["that nobody sees leave", ({ onUnwatched }: TransportRequest) => onUnwatched?.(), 128_000],
] as const) {
	test(`silence begins once a body ${what} must have arrived`, async () => {
		const { clock, sent, ended } = uploading(8 * MB);
		const request = await sent;
		tell(request);
		clock.advance(SILENCE + extra - 1);
		assert.equal(request.signal?.aborted, false);
		clock.advance(1);
		const result = await ended;
		const words = `Nothing arrived from the service for ${(SILENCE + extra) / 1_000} s.`;
		assert.equal(result.ok ? "answered" : result.error.message, words);
	});
}

/** Reads from a service that sends such pieces for ever; `onPiece` is called before each. */
async function readPieces(piece: Uint8Array, { status = 200, onPiece = () => {}, clock = new FakeClock() }) {
	const transport: Transport = {
		async send({ signal }) {
			async function* body() {
				for (;;) {
					onPiece();
					signal?.throwIfAborted();
					yield piece;
				}
			}
			return { status, headers: {}, body: body() };
		},
		async close() {},
	};
	const request = { method: "GET", url: new URL("https://host.example/"), headers: {} } as const;
	const [budget, redact] = [{ leftMs: LIMITS.readMs }, (text: string) => text];
	return exchange(request, { service: "codehost", transport, clock, silenceLimitMs: SILENCE, budget, redact });
}

test("a read whose reply never ends is given up after 45 s, and is not tried again", async () => {
	const clock = new FakeClock();
	const result = await readPieces(Buffer.from("x"), { clock, onPiece: () => clock.advance(9_000) });
	assert.deepEqual(result.ok || [result.error.code, result.passing, clock.monotonic()], ["timeout", false, 45_000]);
});

test("a success of more than 16 MB is refused, and of a failure 64 KB are read", async () => {
	let pieces = 0;
	const piece = Buffer.alloc(MB, "x");
	const success = await readPieces(piece, { onPiece: () => pieces++ });
	assert.equal(success.ok ? "taken" : success.error.message, "The reply is larger than 16 MB and was not read.");
	assert.equal(pieces, 17);
	const failure = await readPieces(piece, { status: 500 });
	assert.equal(failure.ok && failure.reply.body.length, 64 * 1024);
});

test("a compressed refusal that is too long to be read lets its connection go", async (context) => {
	const gone = Promise.withResolvers<void>();
	const server = createServer((request, response) => {
		request.socket.once("close", gone.resolve);
		response.writeHead(500, { "content-encoding": "gzip" });
		response.write(gzipSync(Buffer.alloc(2 * LIMITS.failureBodyBytes)));
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const transport = createTransport();
	context.after(() => Promise.all([transport.close(), server.close()]));
	const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
	const options = { service: "petstore", transport, clock: systemClock, silenceLimitMs: SILENCE } as const;
	const result = await exchange({ method: "GET", url, headers: {} }, { ...options, redact: (text) => text });
	assert.equal(result.ok && result.reply.status, 500);
	await gone.promise;
});

test("a body is read in the encoding of its first bytes, then its type, then its XML", async () => {
	const xml = (encoding: string) => `<?xml version="1.0" encoding='${encoding}'?><name>Zo\u00eb</name>`;
	const latin = (text: string) => Buffer.from(text, "latin1");
	const wide = (text: string) => Buffer.from(text, "utf16le");
	const cases: readonly (readonly [Buffer, string | undefined])[] = [
		[latin(xml("ISO-8859-1")), undefined],
		[latin(xml("windows-1252")), "application/xml"],
		[latin(xml("unheard-of")), "text/xml; charset=ISO-8859-1"],
		[latin(xml("iso-8859-1")), "text/xml; charset=unheard-of"],
		[latin(xml("UTF-8")), "text/xml; charset=latin1"],
		[Buffer.from(xml("ISO-8859-1")), "application/xml; charset=utf-8"],
		[Buffer.from(`\ufeff${xml("ISO-8859-1")}`), "application/xml; charset=iso-8859-1"],
		[Buffer.from(xml("UTF-16")), undefined],
		[wide(xml("UTF-16")), undefined],
		[wide(`\ufeff${xml("UTF-16")}`), "application/xml; charset=iso-8859-1"],
		[wide(`\ufeff${xml("UTF-16")}`).swap16(), undefined],
		[wide(xml("UTF-16BE")).swap16(), "application/xml; charset=utf-16"],
		[wide('{"name":"Zo\u00eb"}'), "application/json"],
	];
	for (const [bytes, type] of cases) {
		const transport: Transport = {
			send: async () => ({
				status: 200,
				headers: type === undefined ? {} : { "content-type": type },
				body: (async function* () {
					yield bytes;
				})(),
			}),
			close: async () => {},
		};
		const request = { method: "GET", url: new URL("https://store.example/"), headers: {} } as const;
		const options = {
			service: "petstore",
			transport,
			clock: systemClock,
			silenceLimitMs: SILENCE,
			redact: String,
		} as const;
		const result = await exchange(request, options);
		assert.match(result.ok ? result.reply.body : "", /Zo\u00eb/, `${type}: ${bytes.toString("latin1")}`);
	}
});

test("interim replies that never end do not keep a request going", async () => {
	const server = createServer((_, response) => {
		const again = setInterval(() => response.writeProcessing(), 50);
		response.on("close", () => clearInterval(again));
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
	const transport = createTransport();
	const how = { service: "petstore", transport, clock: systemClock, silenceLimitMs: 2_000, redact: String } as const;
	const result = await exchange({ method: "PUT", url, headers: {}, body: "pet" }, how);
	assert.equal(result.ok ? "answered" : result.error.code, "timeout");
	await transport.close();
	server.closeAllConnections();
	await new Promise((resolve) => server.close(resolve));
});
