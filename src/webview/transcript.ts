import type { BlockChange, ConversationView, MessageView } from "#protocol/panel.ts";
import { el } from "./dom.ts";
import type { Place } from "./host.ts";
import { CODE_COLORED } from "./markdown/highlight-later.ts";
import type { MessageRooms } from "./message-actions.ts";
import { MessageSlot } from "./message-slot.ts";

/** Characters built before the first paint, from the end backwards: more than a screen. */
const AT_ONCE_CHARS = 12_000;
/** Time limit for building before the first paint, in ms. */
const AT_ONCE_MS = 30;
/** Cost of a message besides its text, in characters. */
const MESSAGE_CHARS = 400;
/** Time limit for building in one task, in ms. */
const SLICE_MS = 8;
/** Margin of the viewport in which messages are built. */
const AHEAD = "1500px 0px";
/** Virtual distances of messages that are built for a search: with the words, and without. Pixels. */
const FIRST_PX = 1e6;
const LAST_PX = 1e9;
/** Estimated sizes of a line and a letter of a message that was never laid out. Pixels. */
const LINE_PX = 20;
const LETTER_PX = 7;

/** Articles of one conversation, in order. Content is built for those near the view; the others hold their text. */
export class Transcript {
	readonly element = el("div", { class: "column" });
	readonly #rooms: MessageRooms;
	readonly #slots = new Map<string, MessageSlot>();
	/** Messages to be built, with their distance from the view. */
	readonly #wanted = new Map<MessageSlot, number>();
	readonly #changed: () => void;
	#near: IntersectionObserver | undefined;
	#building = false;
	conversation = "";

	/** `changed` is called after content was built. */
	constructor(rooms: MessageRooms, changed: () => void) {
		this.#rooms = rooms;
		this.#changed = changed;
		this.element.addEventListener(CODE_COLORED, ({ target }) => {
			const article = target instanceof Element ? target.closest<HTMLElement>("article") : null;
			const slot = this.slot(article?.dataset["id"]);
			if (slot === undefined) return;
			slot.version += 1;
			this.#changed();
		});
	}

	get empty(): boolean {
		return this.#slots.size === 0;
	}

	get slots(): Iterable<MessageSlot> {
		return this.#slots.values();
	}

	slot(id: string | undefined): MessageSlot | undefined {
		return this.#slots.get(id ?? "");
	}

	/** Shows a conversation, with replies under way. */
	show(conversation: ConversationView): void {
		this.#slots.clear();
		this.#wanted.clear();
		this.#near?.disconnect();
		this.#near = new IntersectionObserver((entries) => this.#moved(entries), {
			root: this.element.parentElement,
			rootMargin: AHEAD,
		});
		this.conversation = conversation.id;
		// Shown before it is filled: without a layout there are no sizes to measure.
		this.element.hidden = conversation.messages.length === 0;
		const letters = Math.max(20, this.element.clientWidth / LETTER_PX);
		const slots = conversation.messages.map((message) => this.#make(message));
		this.element.replaceChildren(...slots.map(({ article }) => article));
		for (const slot of slots) {
			slot.settle();
			reserve(slot, letters);
		}
		let left = AT_ONCE_CHARS;
		const until = this.#rooms.clock.monotonic() + AT_ONCE_MS;
		for (const slot of slots.toReversed()) {
			if (left <= 0) break;
			slot.build();
			this.#goOn(slot, until);
			slot.settle(false);
			left -= slot.source.length + MESSAGE_CHARS;
		}
		for (const slot of slots) {
			if (slot.live) slot.build();
			this.#near.observe(slot.article);
		}
	}

	/** Adds a message, or replaces the one with its id. */
	put(message: MessageView): void {
		const old = this.#slots.get(message.id);
		const slot = this.#make(message);
		if (old === undefined) this.element.append(slot.article);
		else old.article.replaceWith(slot.article);
		slot.build();
		this.#near?.observe(slot.article);
	}

	change(message: string, changes: readonly BlockChange[]): void {
		const slot = this.slot(message);
		slot?.change(changes);
		if (slot?.built === false) this.#want(slot, 0);
	}

	/** Builds all messages in the background, those of `first` before the others. */
	buildAll(first: (slot: MessageSlot) => boolean): void {
		for (const slot of this.#slots.values()) if (!slot.built) this.#want(slot, first(slot) ? FIRST_PX : LAST_PX);
	}

	/** Position of the first block in view. */
	get place(): Place | undefined {
		const top = this.element.parentElement?.getBoundingClientRect().top ?? 0;
		const isBelow = (element: Element) => element.getBoundingClientRect().bottom > top;
		const slot = [...this.slots].find(({ article }) => isBelow(article));
		if (slot === undefined) return undefined;
		const groups = blockGroups(slot.article);
		const found = groups.find(({ group }) => isBelow(group)) ?? groups.at(-1);
		const { group = slot.article, blocks = [], from = 0 } = found ?? {};
		const first = blocks.find(isBelow) ?? blocks.at(-1);
		const block = from + (first === undefined ? 0 : blocks.indexOf(first));
		return { ...slot.place, block, offset: top - (first ?? group).getBoundingClientRect().top };
	}

	restore({ message, block = 0, offset }: Place): void {
		const scroller = this.element.parentElement;
		const slot = this.#slots.get(message);
		if (scroller === null || slot === undefined) return;
		const find = () => {
			const group = blockGroups(slot.article).find(({ from, blocks }) => block < from + blocks.length);
			return group?.blocks[block - group.from];
		};
		do slot.build(block);
		while (!slot.built && find() === undefined);
		// The text below it is in view as well.
		slot.build(block);
		// Where it is left out, it has a supposed height, and what stands beyond that stays out of view.
		slot.settle(false);
		find()?.closest(".settled")?.classList.remove("settled");
		const top = (find() ?? slot.article).getBoundingClientRect().top - scroller.getBoundingClientRect().top;
		scroller.scrollTop += top + offset;
	}

	#make(message: MessageView): MessageSlot {
		const slot = new MessageSlot(message, this.conversation, this.#rooms);
		this.#slots.set(message.id, slot);
		return slot;
	}

	#moved(entries: readonly IntersectionObserverEntry[]): void {
		for (const { target, isIntersecting, boundingClientRect: box, rootBounds } of entries) {
			const slot = this.#slots.get(target.getAttribute("data-id") ?? "");
			if (slot === undefined || !target.isConnected) continue;
			const middle = rootBounds === null ? 0 : (rootBounds.top + rootBounds.bottom) / 2;
			if (!isIntersecting) {
				slot.settle();
				if ((this.#wanted.get(slot) ?? LAST_PX) < FIRST_PX) this.#wanted.delete(slot);
			} else if (!slot.built) this.#want(slot, Math.max(0, box.top - middle, middle - box.bottom));
		}
	}

	#want(slot: MessageSlot, distance: number): void {
		this.#wanted.set(slot, distance);
		if (this.#building) return;
		this.#building = true;
		this.#rooms.clock.after(0, () => this.#build());
	}

	/** Builds one slice, the nearest messages first, and continues after the next frame. */
	#build(): void {
		this.#building = false;
		const until = this.#rooms.clock.monotonic() + SLICE_MS;
		for (const [slot, distance] of [...this.#wanted].sort(([, a], [, b]) => a - b)) {
			if (this.#rooms.clock.monotonic() >= until) {
				this.#want(slot, distance);
				break;
			}
			this.#goOn(slot, until);
			if (slot.built) this.#wanted.delete(slot);
			else this.#want(slot, distance);
		}
		this.#changed();
	}

	#goOn(slot: MessageSlot, until: number): void {
		while (!slot.built && this.#rooms.clock.monotonic() < until) slot.build();
	}
}

/** Groups of a reply's blocks, with the number of blocks before each. A group that is not built has no blocks yet. */
function blockGroups(article: HTMLElement) {
	let before = 0;
	return [...article.querySelectorAll<HTMLElement>(".markdown > *")].map((group) => {
		const blocks = [...group.children].flatMap((part) => [...part.children]);
		const from = before;
		before += Number(group.dataset["blocks"] ?? blocks.length);
		return { group, blocks, from };
	});
}

/** Sets the estimated height of a message, for a stable scrollbar. */
function reserve({ article, source }: MessageSlot, lettersInLine: number): void {
	const lines = 3 + source.length / lettersInLine + 0.6 * (source.split("\n").length - 1);
	article.style.containIntrinsicBlockSize = `auto ${Math.round(lines * LINE_PX)}px`;
}
