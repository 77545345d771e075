import { request, WebSocket } from "undici";
import { PAGES_PORT } from "./host-report.ts";

/** A row of a tree that is on screen. */
export interface ShownRow {
	/** As a screen reader says it. */
	readonly name: string;
	/** 1 for the rows at the top. */
	readonly level: number;
	/** Number of siblings, itself included, on screen or not. */
	readonly siblings: number;
}

/** The rows of a view of the sidebar that are on screen right now, read from the editor's own page. */
export async function readShownRows(view: string): Promise<readonly ShownRow[]> {
	return (await readInPages<readonly ShownRow[]>(readRows(view))).flat();
}

/** The text of all elements on screen that a selector matches, in the editor's own page and in its webviews. */
export async function readShownText(selector: string): Promise<string> {
	const texts = `[...document.querySelectorAll(${JSON.stringify(selector)})].map((each) => each.innerText).join(" ")`;
	return (await readInPages<string>(texts)).join(" ");
}

/** Runs in a document: null unless it is that of a window. */
const readRows = (view: string) => `document.querySelector(".monaco-workbench") &&
	[...document.querySelectorAll(".part.sidebar .pane")]
		.filter((pane) => pane.querySelector(".pane-header")?.ariaLabel?.startsWith(${JSON.stringify(view)}))
		.flatMap((pane) => [...pane.querySelectorAll("[role=treeitem]")])
		.map((row) => ({ name: row.ariaLabel, level: Number(row.ariaLevel), siblings: Number(row.ariaSetSize) }))`;

/**
 * What an expression comes to in each document of the editor's own pages where it comes to something. For suites inside
 * the extension host, which can see no page: it asks at the port of {@link PAGES_PORT}, by the Chrome DevTools Protocol,
 * which desktop VS Code and the browser of a VS Code server both speak.
 */
async function readInPages<T>(expression: string): Promise<readonly T[]> {
	const reply = await request(`http://127.0.0.1:${process.env[PAGES_PORT]}/json/list`);
	const targets = (await reply.body.json()) as readonly Target[];
	// A webview is part of the window's page or, where its origin is another one, a target of its own.
	const pages = targets.filter(({ type }) => type === "page" || type === "iframe");
	return (await Promise.all(pages.map((target) => readTarget<T>(target, expression)))).flat();
}

interface Target {
	readonly type: string;
	readonly webSocketDebuggerUrl: string;
}

/** The answer to one of our calls has its `id`, an event has none. */
interface Incoming<T> {
	readonly id?: number;
	readonly params?: { readonly context?: { readonly id: number; readonly auxData?: { readonly isDefault?: boolean } } };
	readonly result?: { readonly result?: { readonly value?: T | null } };
}

/** The number of the call that has every document announced; one that reads a document has the document's own. */
const ANNOUNCE = 0;

/** Asks every document of a target. One that goes away meanwhile shows nothing any more. */
function readTarget<T>({ webSocketDebuggerUrl }: Target, expression: string): Promise<readonly T[]> {
	return new Promise((resolve) => {
		const socket = new WebSocket(webSocketDebuggerUrl);
		const found: T[] = [];
		const unread = new Set<number>();
		const call = (id: number, method: string, params: object = {}) => {
			unread.add(id);
			socket.send(JSON.stringify({ id, method, params }));
		};
		socket.onopen = () => call(ANNOUNCE, "Runtime.enable");
		socket.onmessage = ({ data }) => {
			const { id, params, result }: Incoming<T> = JSON.parse(data);
			const context = params?.context;
			// Other programs that look at the page have worlds of their own in the same document.
			if (context?.auxData?.isDefault && unread.has(ANNOUNCE)) {
				call(context.id, "Runtime.evaluate", { contextId: context.id, expression, returnByValue: true });
			}
			if (result?.result?.value) found.push(result.result.value);
			if (id !== undefined) unread.delete(id);
			if (unread.size === 0) socket.close();
		};
		socket.onclose = () => resolve(found);
	});
}
