import { ASKS } from "./call-block.ts";
import { el, icon, isTaken } from "./dom.ts";

/** Distance from the end, in pixels, within which a downward scroll resumes following. */
const AT_END_PX = 4;
const FAR_PX = 1e9;
const UP_KEYS: ReadonlySet<string> = new Set(["ArrowUp", "PageUp", "Home"]);

/** Keeps the end of a growing transcript in view until the reader moves up: a zone that "catches" the view fights trackpads. */
export class Follow {
	readonly #scroller: HTMLElement;
	readonly #rested: () => void;
	readonly #jumped: () => void;
	readonly #jumpWords = el("span");
	readonly jump = el("button", {
		class: "text-button secondary",
		attributes: { id: "jump" },
		children: [icon("arrow-down"), this.#jumpWords],
		click: () => {
			this.toEnd();
			this.#jumped();
		},
	});
	isFollowing = true;
	#pointerHeld = false;
	#onScrollbar = false;
	#lastTop = 0;
	/** Approval that stays in view at the end, however much follows it. */
	#approval: Element | undefined;

	/** `rested` is called when the reader stops scrolling or follows the end again, `jumped` on the jump button. */
	constructor(scroller: HTMLElement, rested: () => void, jumped: () => void) {
		this.#scroller = scroller;
		this.#rested = rested;
		this.#jumped = jumped;
		this.jump.hidden = true;
		this.#listen();
	}

	/** Shows a reader who is elsewhere that there is new text. */
	announceNewText(): void {
		if (!this.isFollowing) this.#say("New text below");
	}

	toEnd(): void {
		this.isFollowing = true;
		this.#scroller.classList.remove("held");
		this.jump.hidden = true;
		this.#rested();
		this.#showEnd();
	}

	/** Stops following: the reader has gone elsewhere. */
	release(): void {
		if (!this.isFollowing) return;
		this.isFollowing = false;
		this.#scroller.classList.add("held");
		this.#lastTop = this.#scroller.scrollTop;
		this.#say("Jump to latest");
	}

	#showEnd(): void {
		// Beyond the end, to avoid a measurement.
		if (!this.isFollowing || this.#pointerHeld) return;
		this.#scroller.scrollTop = FAR_PX;
		if (!this.#approval?.isConnected) return;
		// Its call as a whole where there is room, but the buttons in any case.
		for (const part of [this.#approval.parentElement, this.#approval]) part?.scrollIntoView({ block: "nearest" });
	}

	#say(words: string): void {
		if (this.#jumpWords.textContent !== words) this.#jumpWords.textContent = words;
		this.jump.hidden = false;
	}

	#distance(): number {
		return this.#scroller.scrollHeight - this.#scroller.clientHeight - this.#scroller.scrollTop;
	}

	/** True if an element is in view while the end is, so that its focus is no reason to leave the end. */
	#inSightAtEnd(element: Element): boolean {
		const { scrollHeight, clientHeight, scrollTop } = this.#scroller;
		const top = element.getBoundingClientRect().top - this.#scroller.getBoundingClientRect().top + scrollTop;
		return top >= scrollHeight - clientHeight;
	}

	#listen(): void {
		const scroller = this.#scroller;
		const passive = { passive: true };
		const canMoveUp = () => scroller.scrollTop > 0;
		scroller.addEventListener(
			"wheel",
			(event) => {
				if (event.deltaY < 0 && !event.ctrlKey && canMoveUp()) this.release();
			},
			passive,
		);
		scroller.addEventListener("keydown", (event) => {
			const up = UP_KEYS.has(event.key) || (event.key === " " && event.shiftKey);
			if (up && !isTaken(event) && canMoveUp()) this.release();
		});
		scroller.addEventListener(ASKS, ({ target }) => {
			if (target instanceof Element) this.#approval = target;
			this.#showEnd();
		});
		scroller.addEventListener("focusin", (event) => {
			const { target } = event;
			if (!(target instanceof Element) || target === scroller || !target.matches(":focus-visible")) return;
			if (!this.#inSightAtEnd(target)) this.release();
		});
		scroller.addEventListener("pointerdown", (event) => {
			this.#pointerHeld = true;
			this.#onScrollbar = event.target === scroller && event.offsetX >= scroller.clientWidth;
		});
		for (const type of ["pointerup", "pointercancel"] as const) {
			window.addEventListener(type, () => this.#pointerReleased());
		}
		scroller.addEventListener("scroll", () => this.#scrolled(), passive);
		scroller.addEventListener("scrollend", () => {
			if (!this.isFollowing) this.#rested();
		});
		// The children too: a message that comes near gets its true height in the frame that shows it.
		const sizes = new ResizeObserver(() => this.#resized());
		for (const element of [scroller, ...scroller.children]) sizes.observe(element);
	}

	/** Follows the end, or resumes following if a collapsed message brought the end into view. */
	#resized(): void {
		if (this.isFollowing) this.#showEnd();
		else if (this.#distance() <= AT_END_PX) this.toEnd();
	}

	#pointerReleased(): void {
		if (!this.#pointerHeld) return;
		this.#pointerHeld = false;
		this.#onScrollbar = false;
		const selection = document.getSelection();
		if (selection !== null && !selection.isCollapsed && this.#scroller.contains(selection.anchorNode)) this.release();
		this.#showEnd();
	}

	#scrolled(): void {
		if (this.isFollowing) {
			// Our own scrolling ends up here too; only the scrollbar means the reader.
			if (this.#onScrollbar && this.#distance() > AT_END_PX) this.release();
			return;
		}
		const top = this.#scroller.scrollTop;
		const movedDown = top > this.#lastTop;
		this.#lastTop = top;
		if (movedDown && this.#distance() <= AT_END_PX) this.toEnd();
	}
}
