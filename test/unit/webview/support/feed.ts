import { MarkdownView } from "#webview/markdown/view.ts";

/** A finished view that was fed `text` in pieces of `size` characters. */
export function feed(text: string, size = Number.POSITIVE_INFINITY): MarkdownView {
	const view = new MarkdownView();
	if (size === Number.POSITIVE_INFINITY) view.append(text);
	else for (let at = 0; at < text.length; at += size) view.append(text.slice(at, at + size));
	view.end();
	while (!view.built) view.build();
	return view;
}
