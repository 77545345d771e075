import { REQUEST_SCHEME } from "#app/contributions.ts";
import { type LoggedRequest, pathOf, type RequestLog } from "#app/requests/request-log.ts";
import type { Disposable } from "#base/disposables.ts";
import { plainBody, plainLine } from "../kit/text.ts";
import { requestFacts } from "./request-look.ts";

/** Part of the URI of a request's document that names the request. */
export interface RequestAddress {
	readonly path: string;
}

const GONE = "This request is no longer in the log.\n";

/**
 * Gives the text of requests that are open as documents. A request never changes, and stays for who reads it when newer
 * ones have taken its place in the log. But all can be forgotten, and a secret can become known that one holds: then the
 * documents are given anew.
 */
export class RequestDocuments<U extends RequestAddress> implements Disposable {
	readonly #log: RequestLog;
	readonly #labelOf: (connection: string | null) => string;
	readonly #changed: { fire(uri: U): void };
	readonly #listening: Disposable;
	readonly #shown = new Map<string, { uri: U; text: string; request: LoggedRequest | undefined }>();

	/** `labelOf` gives the label of a connection, empty for none; `changed` hears of documents whose text has become another. */
	constructor(log: RequestLog, labelOf: (connection: string | null) => string, changed: { fire(uri: U): void }) {
		this.#log = log;
		this.#labelOf = labelOf;
		this.#changed = changed;
		this.#listening = log.onDidChange(() => this.#compare());
	}

	/** The text of a request's document, or why there is none. Once given, it is kept true until {@link forget}. */
	text(uri: U): string {
		const request = this.#requestOf(uri);
		const text = this.#textOf(request);
		this.#shown.set(uri.path, { uri, text, request });
		return text;
	}

	/** A document was closed. */
	forget(uri: U): void {
		this.#shown.delete(uri.path);
	}

	dispose(): void {
		this.#listening.dispose();
	}

	#requestOf({ path }: U): LoggedRequest | undefined {
		const kept = this.#shown.get(path)?.request;
		return this.#log.get(/(r\d+)\.txt$/.exec(path)?.[1] ?? "") ?? (kept && this.#log.renewed(kept));
	}

	#textOf(request: LoggedRequest | undefined): string {
		return request === undefined ? GONE : requestDocument(request, this.#labelOf(request.connection));
	}

	#compare(): void {
		const isCleared = this.#log.list().length === 0;
		for (const [path, { uri, text, request }] of [...this.#shown]) {
			if (isCleared && request !== undefined) this.#shown.set(path, { uri, text, request: undefined });
			if (this.#textOf(this.#requestOf(uri)) !== text) this.#changed.fire(uri);
		}
	}
}

/** The parts of the URI of a request's document. Its name says nothing that the log could still learn to hide. */
export function requestAddress({ id, method }: LoggedRequest): RequestAddress & { readonly scheme: string } {
	return { scheme: REQUEST_SCHEME, path: `/${method} ${id}.txt` };
}

/** Text with all facts of a request; `connection` is the label of its connection. */
export function requestDocument(request: LoggedRequest, connection: string): string {
	const { method, url, headers, body, sentBytes } = request;
	const facts = requestFacts(request, connection).filter(([, value]) => value !== "");
	const named = (pairs: readonly (readonly [string, string])[]) =>
		pairs.map(([name, value]) => `${plainLine(name)}: ${plainLine(value)}`);
	const parts = [
		[plainLine(`${method} ${pathOf(url)}`)],
		named(facts),
		["Headers that were sent", ...named(Object.entries(headers))],
		...(body === null && sentBytes === 0 ? [] : [["Body that was sent", bodyOf(body)]]),
	];
	return `${parts.map((lines) => lines.join("\n")).join("\n\n")}\n`;
}

function bodyOf(body: string | null): string {
	return body === null ? "Not kept: not text, or too long for the log." : plainBody(body);
}
