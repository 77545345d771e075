import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const NONCE = "panelbench";

/** Files served beside the page, by path. */
export type Served = ReadonlyMap<string, { readonly type: string; readonly body: string | Uint8Array }>;

/** A loopback server that stands in for the editor's webview: the same page, the same policy. */
export interface PageServer {
	/** The address of the panel's page; `theme` in the query names its look, `name` the bundle of another page. */
	readonly origin: string;
	close(): Promise<void>;
}

/** A script to bundle: a file, or a text whose imports are found from `folder`. */
export type Entry = string | { readonly text: string; readonly folder: string };

/** Bundles a script for the page and returns its text. */
export async function bundle(entry: Entry): Promise<string> {
	const source =
		typeof entry === "string"
			? { entryPoints: [entry] }
			: { stdin: { contents: entry.text, resolveDir: entry.folder, loader: "js" as const } };
	const result = await build({
		...source,
		bundle: true,
		minify: true,
		write: false,
		format: "iife",
		platform: "browser",
		target: "chrome138",
		absWorkingDir: ROOT,
		define: { "process.env.NODE_ENV": '"production"' },
		loader: { ".css": "empty" },
		logLevel: "error",
	});
	return result.outputFiles[0]?.text ?? "";
}

/** Starts the server with the real panel, the page of tables, their style sheets and codicons, and whatever `extra` files a bench brings. */
export async function servePanel(extra: Served = new Map()): Promise<PageServer> {
	const codicons = `${ROOT}node_modules/@vscode/codicons/dist/`;
	const files: Served = new Map([
		["/panel.js", { type: "text/javascript", body: await bundle(`${ROOT}src/webview/main.ts`) }],
		["/panel.css", { type: "text/css", body: readFileSync(`${ROOT}media/panel.css`) }],
		["/page.js", { type: "text/javascript", body: await bundle(`${ROOT}src/webview/page.ts`) }],
		["/page.css", { type: "text/css", body: readFileSync(`${ROOT}media/page.css`) }],
		["/codicon.css", { type: "text/css", body: readFileSync(`${codicons}codicon.css`) }],
		["/codicon.ttf", { type: "font/ttf", body: readFileSync(`${codicons}codicon.ttf`) }],
		...extra,
	]);
	const server = createServer((request, response) => {
		const url = new URL(request.url ?? "/", "http://panel");
		const file = files.get(url.pathname);
		if (file !== undefined) response.writeHead(200, { "content-type": file.type }).end(file.body);
		else if (url.pathname === "/") {
			// Peers bring inline styles and markup of their own, which the panel's policy would refuse.
			const own = (url.searchParams.get("contender") ?? "panel") === "panel";
			const policy = !own
				? "default-src 'self' 'unsafe-inline' data:"
				: `default-src 'none'; script-src 'nonce-${NONCE}'; style-src 'self'; font-src 'self'; img-src blob:; ` +
					"require-trusted-types-for 'script'; trusted-types 'none'";
			response
				.writeHead(200, { "content-type": "text/html; charset=utf-8", "content-security-policy": policy })
				.end(page(url.searchParams));
		} else response.writeHead(404).end();
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const { port } = server.address() as AddressInfo;
	return {
		origin: `http://127.0.0.1:${port}`,
		close: () => new Promise((resolve) => server.close(() => resolve())),
	};
}

const BODY: Readonly<Record<string, string>> = {
	dark: "vscode-dark",
	light: "vscode-light",
	hc: "vscode-high-contrast",
	hclight: "vscode-high-contrast vscode-high-contrast-light",
};

function page(query: URLSearchParams): string {
	const theme = query.get("theme") ?? "dark";
	const contender = query.get("contender");
	const name = query.get("name") ?? "panel";
	const scripts =
		contender === null
			? ["fake-editor", name]
			: contender === "panel"
				? ["fake-editor", "panel", "feed", "contender-panel"]
				: ["feed", `contender-${contender}`];
	const tags = scripts.map((name) => `<script nonce="${NONCE}" src="${name}.js"></script>`);
	return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Chat</title>
<link rel="stylesheet" href="theme-${theme}.css"><link rel="stylesheet" href="codicon.css"><link rel="stylesheet" href="${name}.css">
</head><body class="${BODY[theme] ?? ""}"><div id="app"></div>${tags.join("")}</body></html>`;
}
