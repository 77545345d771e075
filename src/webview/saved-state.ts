import type { Host, MessagePlace, Place, Saved } from "./host.ts";

/** Collapsed messages that are kept at most: those that are gone for good leave theirs behind. */
const MOST_COLLAPSED = 200;

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
		const { place: _before, ...others } = this.#saved;
		this.#save(place === undefined ? others : { ...others, place });
	}

	/** True if only the first line of a message is shown. */
	isCollapsed({ conversation, message }: MessagePlace): boolean {
		const { collapsed = [] } = this.#saved;
		return collapsed.some((each) => each.message === message && each.conversation === conversation);
	}

	/** A message was collapsed, or is no more. */
	collapse(place: MessagePlace, isCollapsed: boolean): void {
		const others = this.#saved.collapsed?.filter(
			({ conversation, message }) => message !== place.message || conversation !== place.conversation,
		);
		const collapsed = [...(others ?? []), ...(isCollapsed ? [place] : [])].slice(-MOST_COLLAPSED);
		this.#save({ ...this.#saved, collapsed });
	}

	#save(saved: Saved): void {
		this.#saved = saved;
		this.#host.save(saved);
	}
}
