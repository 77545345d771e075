import assert from "node:assert/strict";
import { once } from "node:events";
import { type IncomingMessage, request as send } from "node:http";
import { after, before, test } from "node:test";
import type { BrowserContext } from "playwright-core";
import { type Sandbox, startSandbox } from "#sandbox/sandbox.ts";
import { quickInput } from "../support/quick-input.ts";
import { treeView } from "../support/tree-view.ts";
import { type Driver, openDriver } from "./driver.ts";

let driver: Driver;
let sandbox: Sandbox;

before(async () => {
	sandbox = await startSandbox();
	driver = await openDriver({ width: 1200, height: 800 });
});

after(async () => {
	await driver.dispose();
	await sandbox.close();
});

const asked = () => quickInput(driver.workbench.page);
const connections = () => treeView(driver.workbench.page, "Connections");
const host = () => new URL(sandbox.baseUrls.petstore).host;

/** Stands for the proxy of a server of editors, which the bare server lacks: `/proxy/PORT/...` leads to the port. */
async function handOnPorts(context: BrowserContext): Promise<void> {
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

test("a person adds a pet store step by step; a refused key comes back to its own question", async () => {
	await driver.execute("switchboard.connections.focus");
	await driver.workbench.runCommand("Switchboard: Add Pet Store");
	await asked().choose("Custom");
	await asked().fill("https://api.example.com", sandbox.baseUrls.petstore);
	await asked().choose("XML");
	await asked().fill("API key", "not-the-key");
	await asked().fill("Access token", "");
	await asked().message.filter({ hasText: "refused the credential (401)" }).waitFor();
	await asked().fill("API key", sandbox.keys.petstore.apiKey);
	await asked().fill("Access token", "");
	const row = connections().row(host());
	await row.waitFor();
	await row.click();
	await connections().row("Credential").filter({ hasText: "API key" }).waitFor();
	await connections().row("Format").filter({ hasText: "XML" }).waitFor();
	await driver.workbench.screenshot("petstore-connection");
});

test("a person signs in on the store's own page in the browser, and comes back signed in", async () => {
	const { page } = driver.workbench;
	await handOnPorts(page.context());
	const opened = page.context().waitForEvent("page", { timeout: 20_000 });
	await driver.workbench.runCommand("Switchboard: Sign In to Pet Store");
	await asked().asked("Sign In to");
	const store = await opened;
	await store.getByRole("button", { name: "Approve" }).click();
	await store.getByRole("status").filter({ hasText: "The editor has the answer." }).waitFor();
	assert.doesNotMatch(store.url(), /access_token/);
	await store.close();
	await connections().row("Credential").filter({ hasText: "access token (read:pets write:pets, ends in" }).waitFor();
	await driver.workbench.screenshot("petstore-signed-in");
});
