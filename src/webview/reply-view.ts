import type { Clock } from "#base/clock.ts";
import type { Disposable } from "#base/disposables.ts";
import type { BlockChange, CardAction, Phase, ReplyView as Reply } from "#protocol/panel.ts";
import { BlockView } from "./block-view.ts";
import { el, iconButton } from "./dom.ts";
import { errorCard } from "./error-card.ts";
import { PhaseLine } from "./phase-line.ts";
import type { MessageEvents } from "./turn-view.ts";
import { durationWords, outcomeWords, usageWords } from "./words.ts";

const ENDED_BY_SERVICE: ReadonlySet<string> = new Set(["complete", "truncated", "stop-sequence", "refused"]);

/** What a reply asks of the panel. */
export interface ReplyEvents extends MessageEvents {
	action(action: CardAction, message: string): void;
	/** Cancel of the countdown to the next try. */
	cancel(): void;
}

/** A reply without its blocks, as the host reports it. */
export type ReplyHead = Omit<Reply, "blocks">;

/** A reply that breaks off without text before this did so at once, as far as a person can tell. Milliseconds. */
const QUICK_END_MS = 1000;

/** Anything shorter would be told as 0.0 s. Milliseconds. */
const SHOWN_AS_NONE_MS = 50;

/** The article of a reply: header, blocks by index, and the line at its end. */
export class ReplyView {
	readonly element: HTMLElement;
	readonly #events: ReplyEvents;
	readonly #clock: Clock;
	readonly #blocks = new Map<string, BlockView>();
	readonly #thoughts = new Map<string, ThoughtClock>();
	readonly #model = el("span", { class: "reply-model" });
	readonly #connection = el("span", { class: "reply-connection" });
	readonly #body = el("div", { class: "blocks" });
	readonly #phase: PhaseLine;
	readonly #foot = el("div", { class: "facts" });
	#card: HTMLElement | undefined;
	#ended = false;

	constructor(head: ReplyHead, clock: Clock, events: ReplyEvents) {
		this.#events = events;
		this.#clock = clock;
		this.#phase = new PhaseLine({ clock, cancel: () => events.cancel() });
		this.#foot.hidden = true;
		this.element = el("article", {
			class: "message reply",
			attributes: { "data-id": head.id, "data-role": "assistant" },
			children: [
				el("header", { class: "reply-head", children: [this.#model, this.#connection] }),
				this.#body,
				this.#phase.element,
				this.#foot,
				el("div", {
					class: "message-actions",
					children: [iconButton("copy", "Copy reply", () => events.copy(this.#answer()))],
				}),
			],
		});
		this.update(head);
	}

	update(head: ReplyHead): void {
		this.#model.textContent = head.model;
		this.#connection.textContent = head.connection;
		this.element.setAttribute("aria-label", `Reply from ${head.model}`);
		this.element.dataset["phase"] = head.phase.name;
		this.#phase.update(head.phase);
		if (head.phase.name === "ended") this.#end(head, head.phase);
		else this.#reopen();
	}

	/** Applies what changed; only the blocks named are touched. */
	change(changes: readonly BlockChange[]): void {
		for (const change of changes) {
			const block = this.#blocks.get(change.key) ?? this.#begin(change);
			const thought = this.#thoughts.get(change.key);
			if (thought !== undefined) thought.ms = change.thoughtMs ?? thought.ms;
			block.change(change);
		}
	}

	dispose(): void {
		this.#phase.dispose();
	}

	#begin(change: BlockChange): BlockView {
		const clock = new ThoughtClock(this.#clock);
		const block = new BlockView(change, clock, change.thoughtMs !== undefined);
		this.#blocks.set(change.key, block);
		if (change.thoughtMs !== undefined) this.#thoughts.set(change.key, clock);
		this.#place(block);
		return block;
	}

	/** Blocks stand in the order of their index, whatever order they came in; equal indices in order of arrival. */
	#place(block: BlockView): void {
		let after: BlockView | undefined;
		for (const other of this.#blocks.values()) {
			if (other !== block && other.index > block.index && (after === undefined || other.index < after.index)) {
				after = other;
			}
		}
		this.#body.insertBefore(block.element, after?.element ?? null);
	}

	#answer(): string {
		const blocks = [...this.#blocks.values()].sort((a, b) => a.index - b.index);
		return blocks
			.map((block) => block.answer)
			.filter((text) => text !== "")
			.join("\n\n");
	}

	#reopen(): void {
		if (!this.#ended) return;
		this.#ended = false;
		this.#foot.hidden = true;
		this.#card?.remove();
		this.#card = undefined;
		delete this.element.dataset["outcome"];
	}

	#end(head: ReplyHead, phase: Extract<Phase, { name: "ended" }>): void {
		this.#ended = true;
		for (const block of this.#blocks.values()) block.close();
		this.element.dataset["outcome"] = phase.outcome;
		if (head.firstTextMs !== undefined) this.element.dataset["firstTextMs"] = String(head.firstTextMs);
		const facts: Node[] = [];
		const fact = (text: string, className = "fact") => facts.push(el("span", { class: className, text }));
		if (phase.outcome !== "complete") fact(outcomeWords(phase), "fact outcome");
		const usage = usageWords(head.usage, { whole: ENDED_BY_SERVICE.has(phase.outcome) });
		if (usage !== undefined) fact(usage);
		if (head.firstTextMs !== undefined) fact(`first text in ${durationWords(head.firstTextMs)}`);
		if (tellsDuration(head, phase)) fact(durationWords(phase.durationMs));
		this.#foot.replaceChildren(...facts);
		this.#foot.hidden = false;
		this.#card?.remove();
		this.#card = undefined;
		if (phase.error !== undefined) {
			this.#card = errorCard(phase.error, (action) => this.#events.action(action, head.id));
			this.#foot.before(this.#card);
		}
	}
}

/** Neither 0.0 s nor how long it took for nothing to come says anything, unless it was long. */
function tellsDuration(
	{ firstTextMs }: ReplyHead,
	{ outcome, durationMs }: Extract<Phase, { name: "ended" }>,
): boolean {
	if (durationMs < SHOWN_AS_NONE_MS) return false;
	return outcome === "complete" || firstTextMs !== undefined || durationMs >= QUICK_END_MS;
}

/** The clock of a thinking block: it goes by what the host has measured, for a page built anew has not seen the block begin. */
class ThoughtClock implements Clock {
	readonly #clock: Clock;
	ms = 0;

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	monotonic(): number {
		return this.ms;
	}

	now(): number {
		return this.#clock.now();
	}

	random(): number {
		return this.#clock.random();
	}

	after(ms: number, callback: () => void): Disposable {
		return this.#clock.after(ms, callback);
	}
}
