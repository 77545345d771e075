import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import { openPetstoreWindow } from "./petstore-window.ts";

/** What is answered to a change in the place of the store's own answer. */
export interface OtherReply {
	/** JSON. */
	readonly say: string;
	/** Whether the store hears nothing of the change. */
	readonly swallow?: boolean;
	/** Whether reads fail from then on. */
	readonly thenBlind?: boolean;
}

/** A window with a connection to a store whose answers to changes are other ones than the sandbox gives. */
export async function openWithReplies(context: TestContext) {
	const window = await openPetstoreWindow(context);
	let reply: OtherReply | undefined;
	let isBlind = false;
	const server = createServer(async (request, response) => {
		const parts: Buffer[] = [];
		for await (const part of request) parts.push(part);
		const { method = "GET", url = "", headers } = request;
		const isRead = method === "GET";
		const other = isRead ? undefined : reply;
		if (isRead && isBlind) {
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
		isBlind ||= other?.thenBlind === true;
		response.writeHead(answer?.status ?? 200, { "content-type": "application/json" });
		response.end(other?.say ?? own);
	}).listen(0, "127.0.0.1");
	await new Promise((resolve) => server.once("listening", resolve));
	context.after(() => {
		server.closeAllConnections();
		server.close();
	});
	const { port } = server.address() as AddressInfo;
	const baseUrl = `http://127.0.0.1:${port}${new URL(window.baseUrl).pathname}`;
	const { id: connection } = await window.registry.add(
		{ service: "petstore", label: "Store", baseUrl, profile: "sandbox", format: "json" },
		window.secretOf(window.keys),
	);
	window.requests.length = 0;
	const answer = (next?: OtherReply) => {
		reply = next;
		isBlind = false;
	};
	return { ...window, connection, answer };
}
