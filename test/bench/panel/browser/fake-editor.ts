import type { PageView } from "#protocol/page.ts";
import type { ToHost, ToPanel } from "#protocol/panel.ts";

/**
 * What the editor gives a webview, standing in for it in a plain browser page: messages of the panel are collected in
 * `posted`, and `tell` delivers one of the host's.
 */
export interface FakeEditor {
	readonly posted: ToHost[];
	tell(message: ToPanel | PageView): void;
}

declare global {
	interface Window {
		editor: FakeEditor;
		acquireVsCodeApi(): unknown;
	}
}

const STATE = "panel-state";
const posted: ToHost[] = [];

window.editor = {
	posted,
	tell: (message) => window.dispatchEvent(new MessageEvent("message", { data: message })),
};

window.acquireVsCodeApi = () => ({
	postMessage: (message: ToHost) => posted.push(message),
	getState: () => JSON.parse(sessionStorage.getItem(STATE) ?? "null"),
	setState: (state: unknown) => sessionStorage.setItem(STATE, JSON.stringify(state)),
});
