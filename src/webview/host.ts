import type { ToHost, ToPanel } from "#protocol/panel.ts";

/** State that the panel keeps across hide, show and reload of its page. */
export interface Saved {
	/** Place the reader has moved to; absent while the transcript follows its end. */
	readonly place?: Place | undefined;
	/** Keys of the messages that are collapsed; absent where none is. */
	readonly collapsed?: readonly string[];
}

/** A message; by its conversation as well, for a fork has the same messages. */
export interface MessagePlace {
	readonly conversation: string;
	readonly message: string;
}

/** Key of a message in the saved state. */
export function keyOf({ conversation, message }: MessagePlace): string {
	return JSON.stringify([conversation, message]);
}

/** A place that holds while heights change: the first block in view, and how many pixels of it are above the view. */
export interface Place extends MessagePlace {
	/** Number of the block in a reply; absent in what an earlier version has saved. */
	readonly block?: number;
	readonly offset: number;
}

/** The panel's side of the channel. */
export interface Host {
	post(message: ToHost): void;
	load(): Saved;
	save(saved: Saved): void;
	/** Calls back with each message of the host, in order. */
	listen(listener: (message: ToPanel) => void): void;
}

declare function acquireVsCodeApi(): {
	postMessage(message: unknown): void;
	getState(): unknown;
	setState(state: unknown): void;
};

/** Connects to the editor. May be called once per page: the editor hands its API out a single time. */
export function connectHost(): Host {
	const api = acquireVsCodeApi();
	return {
		post: (message) => api.postMessage(message),
		load: () => Object(api.getState()),
		save: (saved) => api.setState(saved),
		listen(listener) {
			window.addEventListener("message", (event: MessageEvent<unknown>) => {
				if (isToPanel(event.data)) listener(event.data);
			});
		},
	};
}

/** The host is the same build as the panel, so its messages are what the compiler checked on the other side. */
function isToPanel(value: unknown): value is ToPanel {
	return typeof value === "object" && value !== null && "type" in value;
}

/** State that the panel keeps across hide, show and reload of its page, saved whenever it changes. */
export class SavedState {
	readonly #host: Host;
	#saved: Saved;

	constructor(host: Host) {
		this.#host = host;
		this.#saved = host.load();
	}

	/** Place the reader has moved to; undefined while the transcript follows its end. */
	get place(): Place | undefined {
		return this.#saved.place;
	}

	/** The reader has come to rest there. */
	moved(place: Place | undefined): void {
		this.#save({ ...this.#saved, place });
	}

	/** True if only the first line of a message is shown. */
	isCollapsed(place: MessagePlace): boolean {
		return this.#saved.collapsed?.includes(keyOf(place)) ?? false;
	}

	/** A message was collapsed, or is no more. Only the last 200 are kept: all are written at each rest of the reader. */
	collapse(place: MessagePlace, isCollapsed: boolean): void {
		const others = (this.#saved.collapsed ?? []).filter((key) => key !== keyOf(place));
		this.#save({ ...this.#saved, collapsed: isCollapsed ? [...others, keyOf(place)].slice(-200) : others });
	}

	#save(saved: Saved): void {
		this.#saved = saved;
		this.#host.save(saved);
	}
}
