import type { ToHost, ToPanel } from "#protocol/panel.ts";

/** What the panel keeps across hide, show and reload of its page. */
export interface Saved {
	/** What is typed but not sent. */
	readonly draft: string;
	/** Pixels from the top while the reader has moved up; absent while the transcript follows its end. */
	readonly scrollTop?: number;
}

/** The panel's side of the channel. */
export interface Host {
	post(message: ToHost): void;
	load(): Saved;
	save(saved: Saved): void;
	/** Calls back with each message of the host, in order. */
	listen(listener: (message: ToPanel) => void): void;
}

interface VsCodeApi {
	postMessage(message: unknown): void;
	getState(): unknown;
	setState(state: unknown): void;
}

declare function acquireVsCodeApi(): VsCodeApi;

const TO_PANEL: ReadonlySet<string> = new Set<ToPanel["type"]>([
	"conversation",
	"message",
	"blocks",
	"reply",
	"composer",
	"focus",
	"draft",
]);

/** Connects to the editor. May be called once per page: the editor hands its API out a single time. */
export function connectHost(): Host {
	const api = acquireVsCodeApi();
	return {
		post: (message) => api.postMessage(message),
		load: () => decodeSaved(api.getState()),
		save: (saved) => api.setState(saved),
		listen(listener) {
			window.addEventListener("message", (event: MessageEvent<unknown>) => {
				if (isToPanel(event.data)) listener(event.data);
			});
		},
	};
}

/** Reads the kept state; anything unreadable counts as nothing kept. */
function decodeSaved(value: unknown): Saved {
	if (typeof value !== "object" || value === null) return { draft: "" };
	const draft = "draft" in value && typeof value.draft === "string" ? value.draft : "";
	if ("scrollTop" in value && typeof value.scrollTop === "number") return { draft, scrollTop: value.scrollTop };
	return { draft };
}

/**
 * Tells the host's messages from other things that can arrive on the window. The host is the same build as the panel,
 * so the type alone decides; the fields behind it are what the compiler checked on the other side.
 */
function isToPanel(value: unknown): value is ToPanel {
	if (typeof value !== "object" || value === null || !("type" in value)) return false;
	return typeof value.type === "string" && TO_PANEL.has(value.type);
}
