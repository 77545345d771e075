import assert from "node:assert/strict";
import { once } from "node:events";
import { type IncomingMessage, request as send } from "node:http";
import type { BrowserContext } from "playwright-core";

/** Stands for the proxy of a server of editors, which the bare server lacks: `/proxy/PORT/...` leads to the port. */
export async function handOnPorts(context: BrowserContext): Promise<void> {
	await context.route(/\/proxy\/\d+\//, async (route) => {
		const request = route.request();
		const { host, origin, pathname, search } = new URL(request.url());
		const [, port, path] = /^\/proxy\/(\d+)(\/.*)$/.exec(pathname) ?? [];
		const method = request.method();
		const headers = { ...request.headers(), host, ...(method === "POST" ? { origin } : {}) };
		const sent = send({ host: "127.0.0.1", port, path: `${path}${search}`, method, headers });
		sent.end(request.postDataBuffer() ?? undefined);
		const [reply]: IncomingMessage[] = await once(sent, "response");
		assert.ok(reply !== undefined);
		const pieces: Buffer[] = [];
		for await (const piece of reply) pieces.push(Buffer.from(piece));
		const { location } = reply.headers;
		// The browser would follow a redirect past this route.
		if (location !== undefined) {
			const body = `<script>location.replace(${JSON.stringify(location)})</script>`;
			return route.fulfill({ status: 200, contentType: "text/html", body });
		}
		const kept = ["content-type", "content-security-policy", "cache-control", "referrer-policy"];
		const told = kept.map((name) => [name, String(reply.headers[name] ?? "")]).filter(([, value]) => value !== "");
		return route.fulfill({
			status: reply.statusCode ?? 502,
			headers: Object.fromEntries(told),
			body: Buffer.concat(pieces),
		});
	});
}
