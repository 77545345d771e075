import { strict as assert } from "node:assert";
import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createSecureServer } from "node:https";
import {
	type AddressInfo,
	connect,
	createServer as createSocketServer,
	type Server as NetServer,
	type Socket,
} from "node:net";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { exchange } from "#api/http/exchange.ts";
import { createTransport, type TransportOptions } from "#api/http/undici-transport.ts";
import { systemClock } from "#base/clock.ts";
import { selfSigned } from "../../../support/certificate.ts";

async function listen(
	server: NetServer,
): Promise<AsyncDisposable & { readonly port: number; readonly origin: string }> {
	const sockets = new Set<Socket>();
	server.on("connection", (socket: Socket) => sockets.add(socket.on("error", () => undefined)));
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const { port } = server.address() as AddressInfo;
	return {
		port,
		origin: `http://127.0.0.1:${port}`,
		async [Symbol.asyncDispose]() {
			for (const socket of sockets) socket.destroy();
			await new Promise<void>((resolve) => server.close(() => resolve()));
		},
	};
}

/** A proxy that answers every CONNECT with these bytes, and every other request by the listener. */
function proxyThat(
	head: string,
	listener: RequestListener = (_, response) => response.end(),
): Promise<AsyncDisposable & { readonly port: number; readonly origin: string }> {
	return listen(createServer(listener).on("connect", (_, client: Socket) => client.end(head)));
}

/** Result of a write at a service that nothing but a proxy can reach. */
async function written(
	{ silenceLimitMs = 20_000, ...options }: TransportOptions & { readonly silenceLimitMs?: number },
	url = "https://service.invalid/",
	signal?: AbortSignal,
) {
	const transport = createTransport(options);
	const request = { method: "PUT", url: new URL(url), headers: {}, body: "pet", alone: true } as const;
	const how = { service: "petstore", transport, clock: systemClock, silenceLimitMs, redact: String } as const;
	const result = await exchange(signal === undefined ? request : { ...request, signal }, how);
	await transport.close();
	if (result.ok) return { text: result.reply.body };
	const { error, passing, unsent } = result;
	return { code: error.code, status: error.status, message: error.message, passing, unsent };
}

for (const [status, passing, told] of [
	[407, false, /the proxy requires a sign-in \(407\)/],
	[403, false, /the proxy refused the connection \(403\)/],
	[404, false, /the proxy refused the connection \(404\)/],
	[501, false, /the proxy refused the connection \(501\)/],
	[502, true, /the proxy refused the connection \(502\)/],
	[504, true, /the proxy refused the connection \(504\)/],
] as const) {
	test(`a proxy that refuses a tunnel with ${status} is told, and nothing was sent`, async () => {
		await using proxy = await proxyThat(
			`HTTP/1.1 ${status} No\r\nproxy-authenticate: NTLM\r\ncontent-length: 0\r\n\r\n`,
		);
		const { message, ...told_ } = await written({ proxy: proxy.origin });
		assert.match(message ?? "", told);
		assert.deepEqual(told_, { code: "proxy", status, passing, unsent: true });
	});
}

test("a proxy that wants a sign-in for plain http is told, and nothing was sent", async () => {
	await using proxy = await proxyThat("", (_, response) => response.writeHead(407).end("<html>Sign in</html>"));
	const { message, ...told } = await written({ proxy: proxy.origin }, "http://service.invalid/");
	assert.match(message ?? "", /requires a sign-in \(407\)/);
	assert.deepEqual(told, { code: "proxy", status: 407, passing: false, unsent: true });
});

test("a proxy that hangs up, is gone or cannot be used is named without its password", async () => {
	await using closing = await listen(createSocketServer((socket) => socket.destroy()));
	const gone = await listen(createServer());
	await gone[Symbol.asyncDispose]();
	for (const [proxy, told, passing] of [
		[closing.origin, /the proxy http:\/\/127\.0\.0\.1:\d+ could not be reached: the connection was closed/, true],
		[
			`http://me:hunter22@127.0.0.1:${gone.port}`,
			/the proxy http:\/\/127\.0\.0\.1:\d+ could not be reached: .*refused/,
			true,
		],
		[`socks5://me:hunter22@127.0.0.1:${gone.port}`, /the proxy socks5:\/\/127\.0\.0\.1:\d+ could not be reached/, true],
		["socks4://me:hunter22@proxy.test:1080", /the proxy socks4:\/\/proxy\.test:1080 cannot be used/, false],
		["http://me:hunter%ss@proxy.test", /the proxy http:\/\/proxy\.test cannot be used/, false],
		["http://", /the proxy cannot be used/, false],
	] as const) {
		const { message = "", ...result } = await written({ proxy });
		assert.match(message, told);
		assert.ok(!message.includes("hunter"), message);
		assert.deepEqual(result, { code: "proxy", status: undefined, passing, unsent: true });
	}
});

test("a write that waits for a silent proxy, or is stopped there, was not sent", async () => {
	await using silent = await listen(createSocketServer());
	const { code, unsent } = await written({ proxy: silent.origin, silenceLimitMs: 500 });
	assert.deepEqual([code, unsent], ["timeout", true]);
	const stopped = await written({ proxy: silent.origin }, undefined, AbortSignal.timeout(100));
	assert.deepEqual([stopped.code, stopped.unsent], ["aborted", true]);
});

for (const [refusal, head] of [
	["a proxy that wants a sign-in", "HTTP/1.1 407 No\r\nproxy-authenticate: Negotiate\r\n\r\n"],
	["a proxy that cannot be used", undefined],
] as const) {
	test(`${refusal} is left to the editor's fetch, which is asked first from then on`, async () => {
		let connects = 0;
		await using server = await listen(createServer((_, response) => response.end("signed in")));
		await using proxy = await proxyThat(head ?? "");
		const own = createTransport({
			proxy: head === undefined ? "socks4://proxy.test:1080" : proxy.origin,
			fallbackFetch: (_, init) => {
				connects++;
				return fetch(server.origin, init);
			},
		});
		for (let count = 1; count <= 2; count++) {
			const { body } = await own.send({
				method: "POST",
				url: new URL("https://service.invalid/"),
				headers: {},
				body: "?",
			});
			assert.equal(await text(body), "signed in");
			assert.deepEqual([connects, own.isProxied?.(new URL("https://service.invalid/"))], [count, true]);
		}
		await own.close();
	});
}

test("a refusal that the editor's fetch meets at a proxy of its own is told", async () => {
	const refusal = new Error("Proxy response (407) ?.== 200 when HTTP Tunneling");
	const fallbackFetch = () => Promise.reject(new TypeError("fetch failed", { cause: refusal }));
	const { code, status, unsent } = await written({ fallbackFetch });
	assert.deepEqual([code, status, unsent], ["proxy", 407, true]);
});

test("a proxy that the editor's fetch cannot use either is told, and nothing was sent", async () => {
	const fallbackFetch = () =>
		Promise.reject(new TypeError("fetch failed", { cause: new Error("Invalid URL protocol") }));
	const { code, message, unsent } = await written({ proxy: "socks4://proxy.test:1080", fallbackFetch });
	assert.deepEqual([code, unsent], ["proxy", true]);
	assert.match(message ?? "", /the proxy socks4:\/\/proxy\.test:1080 cannot be used/);
});

test("a write that the editor's fetch has sent and lost is not told as unsent", async () => {
	await using server = await listen(createServer((request) => request.socket.resetAndDestroy()));
	const { code, unsent } = await written({ fallbackFetch: (_, init) => fetch(server.origin, init) });
	assert.deepEqual([code, unsent], ["network", false]);
});

/** A SOCKS5 proxy that leads everywhere to one port, with a user and a password if it has any; and where it was asked to. */
async function socksTo(port: number, login?: string) {
	const asked: string[] = [];
	const server = createSocketServer(async (client) => {
		const next = async (): Promise<Buffer> => (await once(client, "data"))[0];
		await next();
		client.write(Buffer.from([5, login === undefined ? 0 : 2]));
		if (login !== undefined) {
			const said = await next();
			const user = said.subarray(2, 2 + (said[1] ?? 0)).toString();
			const isRight = `${user}:${said.subarray(3 + user.length).toString()}` === login;
			client.write(Buffer.from([1, isRight ? 0 : 1]));
			if (!isRight) return;
		}
		const to = await next();
		asked.push(`${to.subarray(5, -2).toString()}:${to.readUInt16BE(to.length - 2)}`);
		client.write(Buffer.from([5, 0, 0, 1, 127, 0, 0, 1, 0, 0]));
		const target = connect(port, "127.0.0.1").on("error", () => client.destroy());
		target.pipe(client).pipe(target);
	});
	return { ...(await listen(server)), asked };
}

test("a SOCKS proxy resolves names itself, and takes the user and password of its URL", async () => {
	const identity = selfSigned("service.test");
	await using plain = await listen(createServer((_, response) => response.end("plain")));
	await using secure = await listen(createSecureServer(identity, (_, response) => response.end("secure")));
	await using first = await socksTo(plain.port);
	await using second = await socksTo(secure.port, "me:p@ss");
	const ca = [identity.cert];
	const proxyAuthorization = "Basic abc";
	assert.deepEqual(
		[
			await written({ proxy: `socks5://127.0.0.1:${first.port}`, proxyAuthorization, ca }, "http://service.test/"),
			await written({ proxy: `socks5h://me:p%40ss@127.0.0.1:${second.port}`, ca }, "https://service.test/"),
		],
		[{ text: "plain" }, { text: "secure" }],
	);
	assert.deepEqual([first.asked, second.asked], [["service.test:80"], ["service.test:443"]]);
	const { code, message } = await written({ proxy: `socks5://me:no@127.0.0.1:${second.port}`, ca });
	assert.deepEqual([code, message], ["proxy", "The service could not be reached: the proxy refused the connection."]);
});

test("an https proxy is reached by TLS with the credentials of its URL", async () => {
	const identity = selfSigned("localhost", "service.test");
	const asked: string[] = [];
	await using target = await listen(createSecureServer(identity, (_, response) => response.end("tunnelled")));
	const server: Server = createSecureServer(identity);
	server.on("connect", (request, client: Socket) => {
		asked.push(`${request.url} ${request.headers["proxy-authorization"]}`);
		const to = connect(target.port, "127.0.0.1", () => client.write("HTTP/1.1 200 OK\r\n\r\n"));
		for (const socket of [to, client]) socket.on("error", () => socket.destroy());
		to.pipe(client).pipe(to);
	});
	await using proxy = await listen(server);
	const ca = [identity.cert];
	assert.deepEqual(await written({ proxy: `https://me:p%40ss@localhost:${proxy.port}`, ca }, "https://service.test/"), {
		text: "tunnelled",
	});
	assert.deepEqual(asked, [`service.test:443 Basic ${Buffer.from("me:p@ss").toString("base64")}`]);
	const { code, message } = await written({ proxy: `https://127.0.0.1:${proxy.port}`, ca }, "https://service.test/");
	assert.equal(code, "proxy");
	assert.match(message ?? "", /: the proxy https:\S+ could not be reached: its certificate is for another name/);
});

test("a proxy that fails before its tunnel stands is named, and nothing was sent", async () => {
	await using plain = await proxyThat("");
	await using babbling = await proxyThat("SSH-2.0-x\r\n");
	await using closing = await listen(createSocketServer((socket) => socket.once("data", () => socket.destroy())));
	await using untrusted = await listen(createSecureServer(selfSigned("localhost")));
	for (const url of ["https://service.invalid/", "http://service.invalid/"]) {
		for (const [proxy, why] of [
			[`https://localhost:${plain.port}`, /no secure connection could be agreed on/],
			[`https://localhost:${closing.port}`, /the connection was closed/],
			[`https://localhost:${untrusted.port}`, /its certificate is from an issuer that is not trusted here/],
			[babbling.origin, /the answer is not HTTP/],
		] as const) {
			// Only a tunnel is asked for with nothing sent yet.
			if (proxy === babbling.origin && url.startsWith("http:")) continue;
			const { code, message = "", unsent } = await written({ proxy }, url);
			assert.deepEqual([code, unsent], ["proxy", true], message);
			assert.match(message, why);
			assert.ok(message.includes(`the proxy ${proxy} could not be reached`), message);
		}
	}
});

test("a service's certificate that is not trusted is not blamed on the proxy", async () => {
	await using secure = await listen(createSecureServer(selfSigned("service.test")));
	await using proxy = await listen(
		createServer().on("connect", (_, client: Socket) => {
			const to = connect(secure.port, "127.0.0.1", () => client.write("HTTP/1.1 200 OK\r\n\r\n"));
			for (const socket of [to, client]) socket.on("error", () => socket.destroy());
			to.pipe(client).pipe(to);
		}),
	);
	const { code, message } = await written({ proxy: proxy.origin }, "https://service.test/");
	assert.equal(code, "network");
	assert.match(message ?? "", /reached: its certificate is from an issuer that is not trusted here/);
});
