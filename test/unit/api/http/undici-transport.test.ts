import { strict as assert } from "node:assert";
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { type AddressInfo, connect, type Socket } from "node:net";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { createGzip } from "node:zlib";
import { causeOf, failureOfError } from "#api/http/failure.ts";
import type { TransportReply, TransportRequest } from "#api/http/transport.ts";
import { createTransport, type TransportOptions } from "#api/http/undici-transport.ts";
import { selfSigned, selfSignedUntil } from "../../../support/certificate.ts";
import { ROOT } from "../../../support/paths.ts";
import { runProcess } from "../../../support/run-process.ts";

interface Running extends AsyncDisposable {
	readonly port: number;
	readonly origin: string;
	readonly server: Server;
}

async function listen(server: Server): Promise<Running> {
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const { port } = server.address() as AddressInfo;
	return {
		port,
		origin: `http://127.0.0.1:${port}`,
		server,
		async [Symbol.asyncDispose]() {
			server.closeAllConnections();
			await new Promise<void>((resolve) => server.close(() => resolve()));
		},
	};
}

const serve = (listener: RequestListener) => listen(createServer(listener));

function transportOf(options?: TransportOptions) {
	const transport = createTransport(options);
	return { transport, [Symbol.asyncDispose]: () => transport.close() };
}

function post(url: string, more: Partial<TransportRequest> = {}): TransportRequest {
	return { method: "POST", url: new URL(url), headers: { "x-own": "1" }, body: "question", ...more };
}

async function textOf({ body }: TransportReply): Promise<string> {
	const chunks: Uint8Array[] = [];
	for await (const chunk of body) chunks.push(chunk);
	return Buffer.concat(chunks).toString();
}

async function bodyOf(request: IncomingMessage): Promise<string> {
	const chunks: Buffer[] = [];
	for await (const chunk of request) chunks.push(chunk);
	return Buffer.concat(chunks).toString();
}

/** In a process of its own, for any other test here has loaded it by then. */
const FIRST_REQUEST = `
	import { createRequire } from "node:module";
	import { createTransport } from "#api/http/undici-transport.ts";
	const isLoaded = () => Object.keys(createRequire(import.meta.url).cache).some((path) => /undici[/.]/.test(path));
	const transport = createTransport();
	const before = isLoaded();
	await transport.send({ method: "GET", url: new URL(process.env.ORIGIN), headers: {} });
	console.log(JSON.stringify({ before, after: isLoaded() }));
	await transport.close();
`;

test("undici is loaded with the first request, not before", async () => {
	await using server = await serve((_request, response) => response.end());
	const env = { ORIGIN: server.origin };
	const args = ["--input-type=module", "--eval", FIRST_REQUEST];
	const { output } = await runProcess(process.execPath, args, { cwd: ROOT, env });
	assert.deepEqual(JSON.parse(output), { before: false, after: true });
});

test("a request arrives as it was built, and nothing is added that names us", async () => {
	const seen = Promise.withResolvers<{ request: IncomingMessage; body: string }>();
	await using server = await serve(async (request, response) => {
		seen.resolve({ request, body: await bodyOf(request) });
		response.writeHead(201, { "x-twice": ["a", "b"], "X-Upper": "c" }).end("answer");
	});
	await using own = transportOf();
	const reply = await own.transport.send(post(`${server.origin}/a/b?c=d`));
	assert.equal(reply.status, 201);
	assert.equal(reply.headers["x-twice"], "a, b");
	assert.equal(reply.headers["x-upper"], "c");
	assert.equal(await textOf(reply), "answer");
	const { request, body } = await seen.promise;
	assert.deepEqual([request.method, request.url, body], ["POST", "/a/b?c=d", "question"]);
	assert.deepEqual(Object.keys(request.headers).sort(), ["connection", "content-length", "host", "x-own"]);
});

test("a redirect comes back as it is", async () => {
	let requests = 0;
	await using server = await serve((_request, response) => {
		requests++;
		response.writeHead(307, { location: "/elsewhere" }).end();
	});
	await using own = transportOf();
	const reply = await own.transport.send(post(server.origin));
	assert.deepEqual([reply.status, reply.headers["location"], requests], [307, "/elsewhere", 1]);
});

test("the head does not wait for the body, nor a chunk for the next", async () => {
	const steps: (() => void)[] = [];
	await using server = await serve((_request, response) => {
		response.flushHeaders();
		steps.push(
			() => response.write("one"),
			() => response.end("two"),
		);
	});
	await using own = transportOf();
	const { body } = await own.transport.send(post(server.origin));
	const chunks = body[Symbol.asyncIterator]();
	for (const expected of ["one", "two"]) {
		steps.shift()?.();
		assert.equal(Buffer.from((await chunks.next()).value ?? "").toString(), expected);
	}
	assert.equal((await chunks.next()).done, true);
});

test("what has arrived of a body is handed out before its failure is thrown", async () => {
	await using server = await serve((request, response) => {
		response.write("kept", () => setTimeout(() => request.socket.resetAndDestroy(), 10));
	});
	await using own = transportOf();
	const { body } = await own.transport.send(post(server.origin));
	await wait(50);
	let text = "";
	await assert.rejects(async () => {
		for await (const piece of body) text += Buffer.from(piece).toString();
	});
	assert.equal(text, "kept");
});

test("an encoded body is decoded as it comes", async () => {
	let response: ServerResponse | undefined;
	const gzip = createGzip();
	await using server = await serve((_request, answer) => {
		response = answer;
		answer.writeHead(200, { "content-encoding": "gzip" });
		gzip.pipe(answer);
		gzip.write("first");
		gzip.flush();
	});
	await using own = transportOf();
	const { body } = await own.transport.send(post(server.origin));
	const chunks = body[Symbol.asyncIterator]();
	assert.equal(Buffer.from((await chunks.next()).value ?? "").toString(), "first");
	assert.equal(response?.writableEnded, false);
	gzip.end("second");
	assert.equal(Buffer.from((await chunks.next()).value ?? "").toString(), "second");
	assert.equal((await chunks.next()).done, true);
});

for (const [law, alone, connections] of [
	["a body read to its end gives its connection back", [false, false, false], 1],
	["a request that goes alone neither takes a kept connection of its like nor leaves one", [true, true, true], 3],
	["a request that goes alone does not take a connection that another has kept", [false, true], 2],
] as const) {
	test(law, async () => {
		const sockets = new Set<Socket>();
		await using server = await serve((request, response) => {
			sockets.add(request.socket);
			response.end("answer");
		});
		await using own = transportOf();
		for (const each of alone) {
			await textOf(await own.transport.send({ ...post(server.origin), alone: each }));
			await wait(1);
		}
		assert.equal(sockets.size, connections);
	});
}

test("an upload with progress arrives whole, and every step is reported", async () => {
	const received: { length: string | undefined; bytes: number[] } = { length: undefined, bytes: [] };
	await using server = await serve(async (request, response) => {
		received.length = request.headers["content-length"];
		for await (const piece of request) received.bytes.push(...piece);
		response.end("answer");
	});
	await using own = transportOf();
	const body = new Uint8Array(150_000).map((_, at) => at);
	const steps: number[] = [];
	const onSent = (bytes: number) => steps.push(bytes);
	await textOf(await own.transport.send({ ...post(server.origin), body, onSent, alone: true }));
	assert.equal(received.length, "150000");
	assert.deepEqual(Uint8Array.from(received.bytes), body);
	assert.deepEqual(steps, [65_536, 131_072, 150_000]);
});

test("a watched upload that fails or is aborted fails only its own request", async () => {
	const arrived = Promise.withResolvers<void>();
	await using server = await serve((request) => void request.once("data", () => arrived.resolve()));
	await using own = transportOf();
	const watched = { body: new Uint8Array(64 * 1024 * 1024), onSent: () => undefined, alone: true };
	await assert.rejects(own.transport.send({ ...post("http://127.0.0.1:9"), ...watched }));
	const cut = new AbortController();
	const sending = own.transport.send({ ...post(server.origin, { signal: cut.signal }), ...watched });
	await arrived.promise;
	cut.abort(new Error("enough"));
	await assert.rejects(sending, /enough/);
});

test("an abort before the head closes the socket", async () => {
	const [arrived, gone] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
	await using server = await serve((request) => {
		request.socket.once("close", () => gone.resolve());
		arrived.resolve();
	});
	await using own = transportOf();
	const abort = new AbortController();
	const sending = own.transport.send(post(server.origin, { signal: abort.signal }));
	await arrived.promise;
	abort.abort(new Error("enough"));
	await assert.rejects(sending, /enough/);
	await gone.promise;
});

test("a request aborted before it is sent is not sent", async () => {
	let requests = 0;
	await using server = await serve((_request, response) => {
		requests++;
		response.end();
	});
	await using own = transportOf();
	const signal = AbortSignal.abort(new Error("enough"));
	await assert.rejects(own.transport.send(post(server.origin, { signal })), /enough/);
	const late = new AbortController();
	const sending = own.transport.send(post(server.origin, { signal: late.signal }));
	late.abort(new Error("too late"));
	await assert.rejects(sending, /too late/);
	await wait(50);
	assert.equal(requests, 0);
});

test("closing the transport cuts off what is under way, and nothing can be sent after", async () => {
	await using server = await serve((_request, response) => void response.write("some"));
	const transport = createTransport();
	const reading = textOf(await transport.send(post(server.origin)));
	await Promise.all([transport.close(), assert.rejects(reading)]);
	await assert.rejects(transport.send(post(server.origin)), /closed/);
});

test("a refused connection, unknown name and untrusted certificate are distinct", async () => {
	const { port } = await (async () => {
		await using server = await serve(() => {});
		return server;
	})();
	await using own = transportOf();
	const failure = async (url: string) =>
		own.transport.send(post(url)).then(
			() => assert.fail("sent"),
			(error: unknown) => failureOfError(error).reason,
		);
	assert.match(await failure(`http://127.0.0.1:${port}`), /refused/);
	await using secure = await listen(
		createSecureServer(selfSigned("localhost"), (_request, response) => response.end()),
	);
	assert.match(await failure(`https://localhost:${secure.port}`), /certificate is from an issuer/);
});

for (const [what, identity, reason, fix] of [
	["another name", selfSigned("intra.example"), /is for another name: intra\.example$/, /base URL/],
	["yesterday", selfSignedUntil(-3_600_000, "localhost"), /has expired/, /machine's clock/],
] as const) {
	test(`a certificate of ${what} is reported as such, with the way to fix it`, async () => {
		await using secure = await listen(createSecureServer(identity, (_request, response) => response.end()));
		await using own = transportOf({ ca: [identity.cert] });
		const error: unknown = await own.transport.send(post(`https://localhost:${secure.port}`)).then(
			() => assert.fail("sent"),
			(thrown: unknown) => thrown,
		);
		for (const each of [error, causeOf(error, (text) => text)]) {
			const told = failureOfError(each);
			assert.match(told.reason, reason);
			assert.match(told.fix ?? "", fix);
		}
	});
}

test("a certificate is accepted if it is trusted or strict checking is off", async () => {
	const identity = selfSigned("localhost");
	await using secure = await listen(createSecureServer(identity, (_request, response) => response.end("safe")));
	let asked = 0;
	const ca = () => {
		asked++;
		return [identity.cert];
	};
	await using trusting = transportOf({ ca });
	for (let count = 0; count < 2; count++) {
		assert.equal(await textOf(await trusting.transport.send(post(`https://localhost:${secure.port}`))), "safe");
	}
	assert.equal(asked, 1);
	await using lax = transportOf({ strictSsl: false });
	assert.equal(await textOf(await lax.transport.send(post(`https://localhost:${secure.port}`))), "safe");
});

/** A proxy that reaches every host at `port`, and what it was asked. */
async function proxyTo(port: number) {
	const asked: string[] = [];
	const proxy = await serve(async (request, response) => {
		asked.push(`${request.url} ${request.headers["proxy-authorization"]}`);
		response.end(`forwarded ${await bodyOf(request)}`);
	});
	proxy.server.on("connect", (request, client: Socket) => {
		asked.push(`CONNECT ${request.url} ${request.headers["proxy-authorization"]}`);
		const target = connect(port, "127.0.0.1", () => client.write("HTTP/1.1 200 OK\r\n\r\n"));
		for (const socket of [target, client]) socket.on("error", () => socket.destroy());
		target.pipe(client).pipe(target);
	});
	return { ...proxy, asked, [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose]() };
}

test("http goes through a proxy whole, https through a tunnel, both authorized", async () => {
	const identity = selfSigned("service.test");
	await using secure = await listen(createSecureServer(identity, (_request, response) => response.end("tunnelled")));
	await using proxy = await proxyTo(secure.port);
	await using own = transportOf({ proxy: proxy.origin, proxyAuthorization: "Basic abc", ca: [identity.cert] });
	assert.equal(await textOf(await own.transport.send(post("http://service.test/a"))), "forwarded question");
	assert.equal(await textOf(await own.transport.send(post("https://service.test/b"))), "tunnelled");
	assert.deepEqual(proxy.asked, ["http://service.test/a Basic abc", "CONNECT service.test:443 Basic abc"]);
});

test("a host in noProxy, and this machine, are reached directly", async () => {
	await using server = await serve((_request, response) => response.end("direct"));
	await using proxy = await proxyTo(server.port);
	await using own = transportOf({ proxy: proxy.origin });
	assert.equal(await textOf(await own.transport.send(post(server.origin))), "direct");
	assert.deepEqual(proxy.asked, []);
});

/** A fetch that reaches `origin` whatever the host, as the editor's own might. */
function editorFetch(origin: string) {
	const seen: string[] = [];
	const fallbackFetch: typeof fetch = (input, init) => {
		const url = new URL(String(input));
		seen.push(`${url.host} ${init?.redirect}`);
		return fetch(new URL(url.pathname, origin), init);
	};
	return { seen, fallbackFetch };
}

test("the editor's fetch is used, and preferred later, if no connection can be made", async () => {
	const bodies: string[] = [];
	await using server = await serve(async (request, response) => {
		bodies.push(await bodyOf(request));
		response.writeHead(302, { location: "/elsewhere" }).end("by fetch");
	});
	const { seen, fallbackFetch } = editorFetch(server.origin);
	await using own = transportOf({ fallbackFetch });
	for (let count = 0; count < 2; count++) {
		const reply = await own.transport.send(post("http://service.invalid/a"));
		assert.deepEqual([reply.status, await textOf(reply)], [302, "by fetch"]);
	}
	assert.deepEqual(seen, ["service.invalid manual", "service.invalid manual"]);
	assert.deepEqual(bodies, ["question", "question"]);
});

test("a route through fetch that fails is forgotten, and the direct failure is thrown", async () => {
	const { fallbackFetch, seen } = editorFetch("http://127.0.0.1:1");
	await using own = transportOf({ fallbackFetch });
	for (let count = 0; count < 2; count++) {
		const error = await own.transport.send(post("http://service.invalid/")).catch((caught: unknown) => caught);
		assert.match(failureOfError(error).reason, /host name/);
	}
	assert.equal(seen.length, 2);
});

test("the editor's fetch is unused for loopback, with a proxy or once bytes were sent", async () => {
	await using server = await serve((request) => request.socket.resetAndDestroy());
	const { seen, fallbackFetch } = editorFetch(server.origin);
	await using own = transportOf({ fallbackFetch });
	await assert.rejects(own.transport.send(post(server.origin)));
	await assert.rejects(own.transport.send(post("http://127.0.0.1:1/")));
	await using proxied = transportOf({ fallbackFetch, proxy: "http://127.0.0.1:1" });
	await assert.rejects(proxied.transport.send(post("http://service.invalid/")));
	assert.deepEqual(seen, []);
});

for (const route of ["undici", "fetch"] as const) {
	test(`a body that comes by ${route} closes its socket when left early or aborted`, async () => {
		for (const leave of ["break", "abort"]) {
			const gone = Promise.withResolvers<void>();
			await using server = await serve((request, response) => {
				request.socket.once("close", () => gone.resolve());
				response.write("some");
			});
			await using own = transportOf({ fallbackFetch: editorFetch(server.origin).fallbackFetch });
			const abort = new AbortController();
			const url = route === "fetch" ? "http://service.invalid/" : server.origin;
			const { body } = await own.transport.send(post(url, { signal: abort.signal }));
			const read = async () => {
				for await (const _ of body) {
					if (leave === "break") break;
					abort.abort(new Error("enough"));
				}
			};
			if (leave === "break") await read();
			else await assert.rejects(read);
			await gone.promise;
		}
	});
}
