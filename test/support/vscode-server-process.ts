import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { flushCompileCache } from "node:module";
import type { AddressInfo, Socket } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/**
 * The process of a VS Code server; `vscode-server.ts` starts it with {@link ServerProcessOptions} as JSON and an IPC
 * channel, hears `{ port }` once it listens, and ends it by closing the channel. So nothing outlives a test run,
 * however that run ends.
 */
export interface ServerProcessOptions {
	/** The folder with `out/server-main.js`. */
	readonly server: string;
	readonly userDataDir: string;
	readonly extensionsDir: string;
	/** The folder of VS Code's own extensions. */
	readonly ownExtensionsDir: string;
	/** True if the person has to trust a folder. */
	readonly workspaceTrust: boolean;
}

/** The part of the server's module that is used here. */
interface ServerModule {
	loadCodeWithNls(): Promise<{
		createServer(address: null, args: Readonly<Record<string, unknown>>): Promise<CodeServer>;
	}>;
}

interface CodeServer {
	handleRequest(request: IncomingMessage, response: ServerResponse): void;
	handleUpgrade(request: IncomingMessage, socket: Socket): void;
}

const options: ServerProcessOptions = JSON.parse(process.argv[2] ?? "{}");
process.on("disconnect", endAll);
// Without this the module below starts a listener of its own as soon as it is imported.
process.env["CODE_SERVER_PARENT_PID"] = String(process.pid);

const module: ServerModule = await import(pathToFileURL(join(options.server, "out", "server-main.js")).href);
const code = await (await module.loadCodeWithNls()).createServer(null, {
	"server-data-dir": options.userDataDir,
	"user-data-dir": options.userDataDir,
	"extensions-dir": options.extensionsDir,
	"builtin-extensions-dir": options.ownExtensionsDir,
	"accept-server-license-terms": true,
	"without-connection-token": true,
	"enable-smoke-test-driver": true,
	"disable-workspace-trust": !options.workspaceTrust,
	"telemetry-level": "off",
	// It would start a login shell for each window, to learn of variables that are here already.
	"force-disable-user-env": true,
	compatibility: "1.64",
});
const mintKey = keptMintKey();
const http = createServer((request, response) => {
	if (!isOwn(request)) response.writeHead(403).end();
	else if (request.method === "POST" && request.url?.endsWith("/mint-key")) response.end(mintKey);
	else code.handleRequest(request, response);
});
http.on("upgrade", (request, socket: Socket) => {
	if (isOwn(request)) code.handleUpgrade(request, socket);
	else socket.destroy();
});
listen();

/** A client of this server can run programs: a page of another site that happens to be open must not. */
function isOwn({ headers }: IncomingMessage): boolean {
	const { host, origin } = headers;
	return /^(127\.0\.0\.1|localhost):\d+$/.test(host ?? "") && (origin === undefined || origin === `http://${host}`);
}

/**
 * The half of the key that encrypts the secrets in the browser. As long as it and the origin stay the same, secrets
 * survive a restart.
 */
function keptMintKey(): Buffer {
	const file = join(options.userDataDir, "mint-key");
	if (!existsSync(file)) writeFileSync(file, randomBytes(32), { mode: 0o600 });
	return readFileSync(file);
}

/** Listens on the port of the last time, because browser storage belongs to an origin, else on a free one. */
function listen(): void {
	const file = join(options.userDataDir, "port");
	const last = existsSync(file) ? Number(readFileSync(file, "utf8")) : 0;
	http.once("error", () => http.listen(0, "127.0.0.1"));
	http.once("listening", () => {
		const { port } = http.address() as AddressInfo;
		writeFileSync(file, String(port));
		process.send?.({ port });
		// Where what was compiled is kept for the next server: this process is ended before it would write that itself.
		flushCompileCache();
	});
	http.listen(last, "127.0.0.1");
}

/** Ends this process and the extension hosts, watchers and terminals it started, which would otherwise linger. */
function endAll(): void {
	if (process.platform === "win32") execFileSync("taskkill", ["/pid", String(process.pid), "/T", "/F"]);
	else process.kill(-process.pid, "SIGKILL");
}
