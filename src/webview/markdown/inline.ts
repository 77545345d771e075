import type { Token } from "markdown-it";
import { el } from "../dom.ts";

/** Elements of marks; other tokens become text or nothing. */
const MARKS: Readonly<Record<string, "em" | "strong" | "s">> = { em_open: "em", strong_open: "strong", s_open: "s" };

/** Builds inline tokens. As the sanitizer, it creates only em, strong, s, code, br and a; images become links. */
export class InlineBuilder {
	#parent: Node;
	#linkDepth = 0;
	/** Pending text: neighboring text tokens become one text node. */
	#text = "";

	constructor(into: Node) {
		this.#parent = into;
	}

	build(tokens: readonly Token[]): void {
		for (const token of tokens) this.#token(token);
		this.#flush();
	}

	#token(token: Token) {
		switch (token.type) {
			case "text":
			case "text_special":
				this.#text += token.content;
				return;
			case "softbreak":
				this.#text += "\n";
				return;
			case "hardbreak":
				return this.#append(el("br"));
			case "code_inline":
				return this.#append(el("code", { text: token.content }));
			case "image":
				return this.#image(token);
			case "link_open":
				return this.#openLink(String(token.attrGet("href") ?? ""));
			case "link_close":
				this.#close();
				this.#linkDepth -= 1;
				return;
			case "em_close":
			case "strong_close":
			case "s_close":
				return this.#close();
			default: {
				const tag = MARKS[token.type];
				if (tag === undefined) this.#text += token.content;
				else this.#open(el(tag));
			}
		}
	}

	#openLink(href: string): void {
		const url = openable(href);
		this.#open(url === undefined ? el("span", { class: "refused-link" }) : link(url));
		this.#linkDepth += 1;
	}

	#image(token: Token): void {
		const url = openable(String(token.attrGet("src") ?? ""));
		const words = plainWords(token.children ?? []);
		if (url === undefined || this.#linkDepth > 0) {
			this.#text += words;
			return;
		}
		const anchor = link(url);
		anchor.textContent = words === "" ? url : words;
		this.#append(anchor);
	}

	#open(element: HTMLElement): void {
		this.#append(element);
		this.#parent = element;
	}

	#close(): void {
		this.#flush();
		this.#parent = this.#parent.parentNode ?? this.#parent;
	}

	#append(node: Node): void {
		this.#flush();
		this.#parent.appendChild(node);
	}

	#flush(): void {
		const text = this.#text;
		if (text === "") return;
		this.#text = "";
		let at = 0;
		// No link inside a link.
		for (const { 0: raw, index } of this.#linkDepth > 0 ? [] : text.matchAll(ADDRESS)) {
			const address = trimAddress(raw);
			if (openable(address) === undefined) continue;
			const anchor = link(address);
			anchor.append(address);
			if (index > at) this.#parent.appendChild(document.createTextNode(text.slice(at, index)));
			this.#parent.appendChild(anchor);
			at = index + address.length;
		}
		if (at < text.length) this.#parent.appendChild(document.createTextNode(text.slice(at)));
	}
}

function link(url: string): HTMLAnchorElement {
	return el("a", { attributes: { href: url, title: url, rel: "noreferrer" } });
}

function plainWords(tokens: readonly Token[]): string {
	let words = "";
	for (const token of tokens) {
		if (token.type === "softbreak" || token.type === "hardbreak") words += "\n";
		else if (token.children !== null) words += plainWords(token.children);
		else words += token.content;
	}
	return words;
}

const OPENABLE: ReadonlySet<string> = new Set(["http:", "https:", "mailto:"]);

/** Returns an absolute http, https or mailto address; undefined for schemes that run something, and for relative paths. */
function openable(href: string): string | undefined {
	const url = URL.parse(href);
	return url !== null && OPENABLE.has(url.protocol) ? href : undefined;
}

const ADDRESS = /\bhttps?:\/\/[^\s<>"'`|\\^{}]+/g;
/** Closing marks that belong to the sentence around an address. */
const TRAILING: ReadonlySet<string> = new Set(".,:;!?*_~]");

/** Removes closing marks of the sentence from an address, and a parenthesis that is not opened in it. */
function trimAddress(raw: string): string {
	let end = raw.length;
	let unopened = raw.split(")").length - raw.split("(").length;
	for (; end > 0; end -= 1) {
		const last = raw[end - 1] ?? "";
		if (last === ")" && unopened > 0) unopened -= 1;
		else if (!TRAILING.has(last)) break;
	}
	return raw.slice(0, end);
}
