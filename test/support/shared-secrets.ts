import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { BrowserContext } from "playwright-core";

/**
 * Gives the windows of a browser what those of a desktop have: one store of secrets, whose changes all of them hear of.
 * An editor in a browser reads that store once per window, and tells only the window that has changed it. `server` is
 * the folder of the VS Code server.
 *
 * @throws if the editor keeps its secrets in another way than it did.
 */
export async function shareSecrets(context: BrowserContext, server: string): Promise<void> {
	const source = await readFile(join(server, "out", "vs", "code", "browser", "workbench", "workbench.js"), "utf8");
	const body = withEvents(withOneStore(source));
	await context.route(/\/workbench\/workbench\.js/, (route) => route.fulfill({ contentType: "text/javascript", body }));
}

/** Reads the stored secrets each time, and ends no change before it is stored. */
function withOneStore(source: string): string {
	const start = source.indexOf('this.storageKey="secrets.provider"');
	const end = source.indexOf("async save()", start);
	const store = source.slice(start, end);
	const shared = store
		.replaceAll("await this.secretsPromise", "await this.load()")
		.replaceAll(",this.save()}", ",await this.save()}");
	if (start === -1 || end === -1 || shared.split("await this.save()").length !== 3) throw new Error(OTHERWISE);
	return source.slice(0, start) + shared + source.slice(end);
}

/** Fires the event of a change in every window. */
function withEvents(source: string): string {
	const told = source.replace(MADE, `$1,${HEAR})`);
	if (told === source) throw new Error(OTHERWISE);
	return told;
}

const OTHERWISE = "The editor keeps its secrets otherwise than this was written for.";

/** The end of what the editor's service does when it is made with a store of secrets. */
const MADE = /(this\._embedderSequencer=new [\w$]+)\)/;

const HEAR = `(() => {
	const channel = new BroadcastChannel("secrets");
	let isHeard = false;
	this.onDidChangeSecretEmitter.event((key) => isHeard || channel.postMessage(key));
	channel.onmessage = ({ data }) => {
		isHeard = true;
		this.onDidChangeSecretEmitter.fire(data);
		isHeard = false;
	};
})()`;
