import type { ToHost, ToPanel } from "#protocol/panel.ts";

/** State that the panel keeps across hide, show and reload of its page. */
export interface Saved {
	/** Reading position; absent while the end is followed. */
	readonly place?: Place | undefined;
	readonly collapsed?: readonly string[];
}

/** Address of a message. The conversation is part of it, since a fork has the same messages. */
export interface MessagePlace {
	readonly conversation: string;
	readonly message: string;
}

/** Key of a message in the saved state. */
export function keyOf({ conversation, message }: MessagePlace): string {
	return JSON.stringify([conversation, message]);
}

/** Reading position that is stable while heights change: the first block in view, and its pixels above the view. */
export interface Place extends MessagePlace {
	/** Number of the block in a reply; absent in the state of an earlier version. */
	readonly block?: number;
	readonly offset: number;
}

/** Panel's side of the channel. */
export type Host = ReturnType<typeof connectHost>;

declare function acquireVsCodeApi(): {
	postMessage(message: unknown): void;
	getState(): unknown;
	setState(state: unknown): void;
};

/** Connects to the editor, once a page: the editor provides its API a single time. */
export function connectHost() {
	const api = acquireVsCodeApi();
	return {
		post: (message: ToHost) => api.postMessage(message),
		load: (): Saved => Object(api.getState()),
		save: (saved: Saved) => api.setState(saved),
		listen(listener: (message: ToPanel) => void) {
			// The shape of the host's messages is trusted: host and panel are one build.
			window.addEventListener("message", ({ data }: MessageEvent<ToPanel | null | undefined>) => {
				if (data?.type !== undefined) listener(data);
			});
		},
	};
}

/** State of the panel, saved on each change. */
export class SavedState {
	readonly #host: Host;
	#saved: Saved;

	constructor(host: Host) {
		this.#host = host;
		this.#saved = host.load();
	}

	/** Reading position; undefined while the end is followed. */
	get place(): Place | undefined {
		return this.#saved.place;
	}

	moved(place: Place | undefined): void {
		this.#save({ ...this.#saved, place });
	}

	/** True if only the first line of a message is shown. */
	isCollapsed(place: MessagePlace): boolean {
		return this.#saved.collapsed?.includes(keyOf(place)) ?? false;
	}

	/** Saves that a message is collapsed or not. Keeps the last 200, since all are written with each position. */
	collapse(place: MessagePlace, isCollapsed: boolean): void {
		const others = (this.#saved.collapsed ?? []).filter((key) => key !== keyOf(place));
		this.#save({ ...this.#saved, collapsed: isCollapsed ? [...others, keyOf(place)].slice(-200) : others });
	}

	#save(saved: Saved): void {
		this.#saved = saved;
		this.#host.save(saved);
	}
}
