import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import { openPetstoreWindow } from "./petstore-window.ts";

/** Ways to lose an answer: the connection is closed, nothing is said, or a gateway gives up. */
export const LOSSES = ["close", "silence", 502, 503, 504, 520, 522, 524] as const;

/** What is answered to a change in the place of the store's own answer. */
export interface OtherReply {
	/** JSON. */
	readonly say?: string;
	/** The answer is lost in this way. */
	readonly lose?: (typeof LOSSES)[number];
	/** Whether the store hears nothing of the change. */
	readonly swallow?: boolean;
	/** Whether reads fail from then on, or how many. */
	readonly thenBlind?: boolean | number;
	/** Whether reads that fail are not answered in time. */
	readonly slow?: boolean;
}

/** A window with a connection to a store whose answers to changes are other ones than the sandbox gives. */
export async function openWithReplies(context: TestContext) {
	const window = await openPetstoreWindow(context);
	let reply: OtherReply | undefined;
	let blind = 0;
	let wasBlind = false;
	let held: { readonly path: string; readonly reached: () => void; readonly released: Promise<void> } | undefined;
	const server = createServer(async (request, response) => {
		const parts: Buffer[] = [];
		for await (const part of request) parts.push(part);
		const { method = "GET", url = "", headers } = request;
		const isRead = method === "GET";
		const other = isRead ? undefined : reply;
		if (isRead && blind > 0) {
			blind -= 1;
			if (reply?.slow) {
				window.clock.advance(60_000);
				return;
			}
			response.writeHead(503).end();
			return;
		}
		const passed = new Headers();
		for (const name of ["content-type", "accept", "api_key", "authorization"]) {
			const value = headers[name];
			if (typeof value === "string") passed.set(name, value);
		}
		const { origin } = new URL(window.baseUrl);
		const answer = other?.swallow
			? undefined
			: await fetch(origin + url, { method, headers: passed, ...(isRead ? {} : { body: Buffer.concat(parts) }) });
		const own = await answer?.text();
		if (other?.thenBlind && !wasBlind) {
			wasBlind = true;
			blind = other.thenBlind === true ? Number.POSITIVE_INFINITY : other.thenBlind;
		}
		if (held !== undefined && url.endsWith(held.path)) {
			const { reached, released } = held;
			held = undefined;
			reached();
			await released;
		}
		if (other?.lose === "close") request.socket.destroy();
		if (other?.lose === "silence") window.clock.advance(60_000);
		if (typeof other?.lose === "string") return;
		response.writeHead(other?.lose ?? answer?.status ?? 200, { "content-type": "application/json" });
		response.end(other?.say ?? own);
	}).listen(0, "127.0.0.1");
	await new Promise((resolve) => server.once("listening", resolve));
	const stop = () => {
		server.closeAllConnections();
		server.close();
	};
	context.after(stop);
	const { port } = server.address() as AddressInfo;
	const baseUrl = `http://127.0.0.1:${port}${new URL(window.baseUrl).pathname}`;
	const { id: connection } = await window.registry.add(
		{ service: "petstore", label: "Store", baseUrl, profile: "sandbox", format: "json" },
		window.secretOf(window.keys),
	);
	window.requests.length = 0;
	const answer = (next?: OtherReply) => {
		reply = next;
		blind = 0;
		wasBlind = false;
	};
	/** Keeps the next answer for a path back, once the store has given it, until `release` is called. */
	const hold = (path: string) => {
		const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
		held = { path, reached: reached.resolve, released: released.promise };
		return { reached: reached.promise, release: released.resolve };
	};
	return { ...window, connection, answer, hold, stop };
}
