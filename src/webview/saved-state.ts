import type { Host, MessagePlace, Place, Saved } from "./host.ts";
import { PerMessage } from "./per-message.ts";

const MOST_COLLAPSED = 200;

/** State that the panel keeps across hide, show and reload of its page, saved whenever it changes. */
export class SavedState {
	/** The messages of which only the first line is shown. */
	readonly collapsed: PerMessage<MessagePlace>;
	readonly #host: Pick<Host, "save">;
	#saved: Saved;

	constructor(host: Pick<Host, "load" | "save">) {
		this.#host = host;
		this.#saved = host.load();
		const { collapsed = [] } = this.#saved;
		this.collapsed = new PerMessage(collapsed, {
			most: MOST_COLLAPSED,
			changed: (all) => this.#save({ collapsed: all }),
		});
	}

	/** Place the reader has moved to; undefined while the transcript follows its end. */
	get place(): Place | undefined {
		return this.#saved.place;
	}

	/** The reader has come to rest there. */
	moved(place: Place | undefined): void {
		const { place: _before, ...others } = this.#saved;
		this.#saved = others;
		this.#save(place === undefined ? {} : { place });
	}

	#save(change: Partial<Saved>): void {
		this.#saved = { ...this.#saved, ...change };
		this.#host.save(this.#saved);
	}
}
