import assert from "node:assert/strict";
import type { RequestListener } from "node:http";
import { type TestContext, test } from "node:test";
import type { RequestNotice } from "#api/http/notice.ts";
import type { TransportRequest } from "#api/http/transport.ts";
import { createTransport } from "#api/http/undici-transport.ts";
import { fetchPhoto, type Photo, photoAddresses } from "#api/petstore/photo.ts";
import { uploadPhoto } from "#app/petstore/pet-service.ts";
import { ClientError, type ErrorCode } from "#base/errors.ts";
import { int64Of } from "#base/int64.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { listening } from "../../support/loopback.ts";
import { requestsTo } from "../../support/sandbox-requests.ts";
import { until } from "../../support/until.ts";
import { petsIn } from "./pet-service-window.ts";
import { openPetstoreWindow } from "./petstore-window.ts";

const PIXEL = Buffer.from(
	"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
	"base64",
);

function failsWith(code: ErrorCode, words: RegExp) {
	return (error: unknown) => error instanceof ClientError && error.code === code && words.test(error.message);
}

async function uploader(context: TestContext) {
	const window = await openPetstoreWindow(context);
	const { id: connection } = await window.add();
	const at = (id: number) => ({ connection, id: int64Of(id) ?? assert.fail() });
	return { ...window, ...petsIn(context, window), at };
}

test("an uploaded photo is the pet's, and everybody hears of it", async (t) => {
	const { at, service, sandbox, told } = await uploader(t);
	const file = { name: "łódź.exe", bytes: PIXEL, metadata: "from the test" };
	const result = await uploadPhoto(service, at(9001), file);
	assert.deepEqual([result.pet, result.bytes], ["9001", PIXEL.length]);
	assert.match(result.message, /additionalMetadata: from the test/);
	const [address] = sandbox.petstore.store.pets.get(9001n)?.photoUrls ?? [];
	assert.match(address ?? "", /upload-9001-1\.png$/);
	assert.deepEqual(
		told.map(({ id, after }) => [id, after?.photoUrls]),
		[["9001", [address]]],
	);
});

test("an upload whose answer was lost is not confirmed, and returns the pet's photos", async (t) => {
	const { at, service, sandbox } = await uploader(t);
	const upload = () => uploadPhoto(service, at(1), { name: "a.png", bytes: PIXEL });
	const photos = () => sandbox.petstore.store.pets.get(1n)?.photoUrls;
	for (const faults of [{ cutAfterBytes: 1 }, { drop: 1 }]) {
		sandbox.petstore.behave({ on: ["uploadFile"], ...faults });
		const { confirmed, now } = await upload();
		assert.deepEqual([confirmed, now], [false, photos()]);
	}
});

test("a file that is no picture, or is too large, is not sent", async (t) => {
	const { at, service, sandbox } = await uploader(t);
	const requests = requestsTo(sandbox, "petstore").length;
	const send = (bytes: Uint8Array) => uploadPhoto(service, at(1), { name: "a.png", bytes });
	await assert.rejects(send(Buffer.from("<svg/>")), failsWith("invalid", /not a PNG/));
	await assert.rejects(send(new Uint8Array(32 * 1024 * 1024 + 1)), failsWith("invalid", /larger than 32 MB/));
	assert.equal(requestsTo(sandbox, "petstore").length, requests);
});

async function photoServer(context: TestContext, listener: RequestListener) {
	const origin = await listening(context, listener);
	const transport = createTransport();
	context.after(() => transport.close());
	const clock = new FakeClock();
	const notices: RequestNotice[] = [];
	const parts = { transport, clock, onRequest: (notice: RequestNotice) => notices.push(notice) };
	return { at: (path: string) => origin + path, parts, clock, notices };
}

/** A photo that no redirect leads away from. */
async function fetched(...asked: Parameters<typeof fetchPhoto>): Promise<Photo> {
	const found = await fetchPhoto(...asked);
	return "bytes" in found ? found : assert.fail(`It leads to ${found.elsewhere}.`);
}

test("a redirect of a photo is followed on its host and to the store, else returned", async (t) => {
	const other = await photoServer(t, (_, response) => response.writeHead(200).end(PIXEL));
	const { at, parts, notices } = await photoServer(t, (request, response) => {
		const to = request.url === "/same" ? "/b.png" : other.at("/c.png?x=1#y");
		if (request.url === "/b.png") response.writeHead(200).end(PIXEL);
		else response.writeHead(302, { location: to }).end();
	});
	assert.deepEqual(await fetchPhoto(at("/away"), parts), { elsewhere: other.at("/c.png?x=1#y") });
	assert.equal(notices.length, 1);
	assert.equal((await fetched(at("/same"), parts)).type, "image/png");
	const { host } = new URL(other.at("/"));
	assert.equal((await fetched(at("/away"), { ...parts, storeHost: host })).type, "image/png");
});

test("a redirect of a photo from https to http is returned, and one to https followed", async () => {
	const redirect = async function* () {};
	const transport = {
		send: async ({ url: { pathname: location } }: TransportRequest) => ({
			status: 302,
			headers: { location: decodeURIComponent(location.slice(1)) },
			body: redirect(),
		}),
		close: async () => undefined,
	};
	const asked = (from: string, to: string) =>
		fetchPhoto(`${from}//pets.example/${encodeURIComponent(`${to}//pets.example/a.png`)}`, {
			transport,
			clock: new FakeClock(),
		});
	assert.deepEqual(await asked("https:", "http:"), { elsewhere: "http://pets.example/a.png" });
	await assert.rejects(asked("http:", "https:"), failsWith("malformed", /in a circle/));
});

test("a photo is fetched without credentials, redirects included, and is in the log", async (t) => {
	const seen: (readonly [string, string | undefined, readonly string[]])[] = [];
	const { at, parts, notices } = await photoServer(t, (request, response) => {
		seen.push([request.method ?? "", request.url, Object.keys(request.headers)]);
		if (request.url === "/a") response.writeHead(302, { location: "/b.jpg" }).end();
		else response.writeHead(200, { "content-type": "text/html" }).end(PIXEL);
	});
	const { bytes, type, suffix } = await fetched(at("/a"), parts);
	assert.deepEqual([Buffer.from(bytes), type, suffix], [PIXEL, "image/png", "png"]);
	assert.deepEqual(
		seen.map(([method, url]) => [method, url]),
		[
			["GET", "/a"],
			["GET", "/b.jpg"],
		],
	);
	for (const [, , headers] of seen) assert.ok(!headers.some((name) => /auth|cookie|key|referer|origin/.test(name)));
	assert.deepEqual(
		notices.map(({ url, status, receivedBytes }) => [url, status, receivedBytes]),
		[
			[at("/a"), 302, 0],
			[at("/b.jpg"), 200, PIXEL.length],
		],
	);
});

test("only a finite picture on the web is a photo, not a missing file or a loop", async (t) => {
	const { at, parts, notices } = await photoServer(t, (request, response) => {
		if (request.url === "/endless") {
			response.writeHead(200);
			const piece = Buffer.alloc(1024 * 1024, PIXEL);
			const pump = () => {
				while (!response.destroyed && response.write(piece));
				response.once("drain", pump);
			};
			pump();
		} else if (request.url === "/round") response.writeHead(302, { location: "/round" }).end();
		else if (request.url === "/file") response.writeHead(302, { location: "file:///etc/passwd" }).end();
		else if (request.url === "/gone") response.writeHead(404).end(PIXEL);
		else response.writeHead(200, { "content-type": "image/svg+xml" }).end("<svg onload='alert(1)'/>");
	});
	await assert.rejects(fetchPhoto(at("/svg"), parts), failsWith("malformed", /not a picture/));
	await assert.rejects(fetchPhoto(at("/gone"), parts), failsWith("not-found", /no photo/));
	await assert.rejects(fetchPhoto(at("/endless"), parts), failsWith("malformed", /larger than 16 MB/));
	assert.ok((notices.at(-1)?.receivedBytes ?? 0) < 18 * 1024 * 1024);
	await assert.rejects(fetchPhoto(at("/round"), parts), failsWith("malformed", /circle/));
	await assert.rejects(fetchPhoto(at("/file"), parts), failsWith("invalid", /not of the web/));
	await assert.rejects(fetchPhoto("data:image/png;base64,AA", parts), failsWith("invalid", /not of the web/));
	await assert.rejects(fetchPhoto("http://127.0.0.1:1/", parts), failsWith("network", /127\.0\.0\.1:1/));
});

test("a photo that cannot be shown fails in the log, and a redirect does not", async (t) => {
	const { at, parts, notices } = await photoServer(t, (request, response) => {
		if (request.url === "/moved") response.writeHead(302, { location: "/gone" }).end();
		else response.writeHead(request.url === "/gone" ? 404 : 200).end("<svg/>");
	});
	for (const address of [at("/moved"), at("/svg"), "http://127.0.0.1:1/"]) {
		const error = await fetchPhoto(address, parts).catch((thrown: unknown) => thrown);
		assert.equal(notices.at(-1)?.error, error);
	}
	assert.deepEqual(
		notices.map(({ status, error }) => [status, error?.code]),
		[
			[302, undefined],
			[404, "not-found"],
			[200, "malformed"],
			[null, "network"],
		],
	);
});

test("a photo that a proxy or a failing server withholds is not said to be missing", async (t) => {
	const { at, parts } = await photoServer(t, ({ url = "" }, response) =>
		response.writeHead(Number(url.slice(1))).end(),
	);
	await assert.rejects(fetchPhoto(at("/404"), parts), failsWith("not-found", /no photo/));
	await assert.rejects(fetchPhoto(at("/407"), parts), failsWith("proxy", /the proxy requires a sign-in/));
	await assert.rejects(fetchPhoto(at("/503"), parts), failsWith("overloaded", /answered with status 503/));
});

test("a photo times out after 45 s, and one that is canceled ends at once", async (t) => {
	let asked = 0;
	const { at, parts, clock } = await photoServer(t, () => {
		asked += 1;
	});
	const late = fetchPhoto(at("/late"), parts);
	await until(async () => asked === 1, "the request");
	clock.advance(45_000);
	await assert.rejects(late, failsWith("timeout", /in time/));
	const stop = new AbortController();
	const stopped = fetchPhoto(at("/late"), parts, stop.signal);
	await until(async () => asked === 2, "the request");
	stop.abort();
	await assert.rejects(stopped, failsWith("aborted", /stopped/));
});

test("only addresses of the web, without a name or a password in them, are photos", () => {
	const urls = ["https://a.example/1.png", " http://b.example/2 ", "ftp://c.example/", "javascript:1", "", "d.png"];
	assert.deepEqual(photoAddresses([...urls, "https://u:p@e.example/", "https://u@f.example/"]), [
		"https://a.example/1.png",
		"http://b.example/2",
	]);
	assert.deepEqual(photoAddresses(undefined), []);
});
