import { bundle } from "../../support/page-server.ts";
import { PEERS_FOLDER } from "../peers.ts";

/** The peers' way to show a growing reply, by name. */
const RENDER = {
	streamdown: 'import { Streamdown } from "streamdown"; const render = (text) => h(Streamdown, null, text);',
	"react-markdown":
		'import Markdown from "react-markdown"; import gfm from "remark-gfm"; ' +
		"const plugins = [gfm]; const render = (text) => h(Markdown, { remarkPlugins: plugins }, text);",
} as const;

/** A peer of the bench. */
export type Peer = keyof typeof RENDER;

/** The peers' names. */
export const PEER_NAMES: readonly Peer[] = ["streamdown", "react-markdown"];

/** The script of a peer's page: it renders the whole text so far at each piece, as its documentation shows. */
export function peerScript(peer: Peer): Promise<string> {
	const text = `
import { createElement as h } from "react";
import { createRoot } from "react-dom/client";
${RENDER[peer]}
const scroller = document.createElement("div");
scroller.id = "transcript";
const column = document.createElement("div");
column.className = "column markdown";
scroller.append(column);
document.getElementById("app").append(scroller);
const root = createRoot(column);
let text = "";
let scheduled = false;
window.contender = {
	append(piece) {
		text += piece;
		root.render(render(text));
		if (scheduled) return;
		scheduled = true;
		requestAnimationFrame(() => {
			scheduled = false;
			scroller.scrollTop = scroller.scrollHeight;
		});
	},
	end() {},
};`;
	return bundle({ text, folder: PEERS_FOLDER });
}
