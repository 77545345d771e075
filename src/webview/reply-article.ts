import { oneLine } from "#base/one-line.ts";
import { isEndedByService } from "#base/reply.ts";
import type { BlockChange, CardAction, ErrorCard, Phase, ReplyView } from "#protocol/panel.ts";
import { BlockElement } from "./block-element.ts";
import { APPROVAL } from "./call-block.ts";
import { type CallFold, foldCalls } from "./call-fold.ts";
import { el, icon, textButton } from "./dom.ts";
import type { MarkdownView } from "./markdown/view.ts";
import { type ActedMessage, ActionRow, type MessageArticle, type MessageRooms } from "./message-actions.ts";
import { PhaseLine } from "./phase-line.ts";
import { versionSwitcher } from "./version-switcher.ts";
import { ACTION_LABELS, durationWords, outcomeWords, rateWords, timeOfDay, usageWords } from "./words.ts";

/** Reply without its blocks. */
export type ReplyHead = Omit<ReplyView, "blocks">;

/** Time to the first text below which it is not shown, in ms. */
const QUICK_TEXT_MS = 100;

const PREVIEW_CHARS = 120;

/** Fills the article of a reply: header, blocks by index, and footer. */
export class ReplyArticle implements ActedMessage {
	readonly role = "assistant";
	readonly slot: MessageArticle;
	readonly #rooms: MessageRooms;
	readonly #blocks = new Map<string, BlockElement>();
	readonly #model = el("span", { class: "reply-model one-line" });
	readonly #connection = el("span", { class: "reply-connection one-line small-print" });
	readonly #preview = el("span", { class: "reply-preview one-line" });
	readonly #toggle: HTMLButtonElement;
	readonly #folds: CallFold[] = [];
	readonly #body = el("div", { class: "blocks" });
	readonly #note = el("p", { class: "reply-note small-print" });
	readonly #phaseLine: PhaseLine;
	readonly #foot = el("div", { class: "facts small-print" });
	readonly #actions: ActionRow;
	phase: Phase;
	#card: HTMLElement | undefined;

	constructor(head: ReplyHead, slot: MessageArticle, rooms: MessageRooms) {
		this.slot = slot;
		this.phase = head.phase;
		this.#rooms = rooms;
		this.#phaseLine = new PhaseLine(rooms.clock, () => rooms.post({ type: "stop" }));
		this.#toggle = el("button", {
			class: "reply-toggle",
			attributes: { "aria-expanded": "true" },
			children: [
				this.#model,
				el("span", { class: "reply-by", children: [this.#connection, icon("chevron-down")] }),
				this.#preview,
			],
			click: () => slot.toggle(),
		});
		this.#actions = new ActionRow(this, rooms);
		slot.article.append(
			el("header", {
				class: "reply-head",
				children: [this.#toggle, ...(head.at === undefined ? [] : [timeOfDay(head.at)])],
			}),
			el("div", { class: "message-body", children: [this.#note, this.#body, this.#phaseLine.element] }),
			el("footer", {
				class: "message-foot",
				children: [this.#foot, ...versionSwitcher(head, rooms.post), this.#actions.element],
			}),
		);
		this.update(head);
	}

	/** True once all text so far is built. */
	get built(): boolean {
		return this.#unbuilt === undefined;
	}

	get #unbuilt(): MarkdownView | undefined {
		return this.#inOrder().findLast(({ markdown }) => markdown?.built === false)?.markdown;
	}

	/** Builds a step of the rest, backwards from the end, but first the part with this block. */
	build(block?: number): void {
		this.#unbuilt?.build(block);
		if (this.built) this.folded();
	}

	/** Rendered answer, without thinking. */
	shown(): string {
		while (!this.built) this.build();
		return this.#answer((block) => shownText(block.element));
	}

	/** Markdown of the answer, without thinking. */
	source(): string {
		return this.#answer((block) => block.answer);
	}

	update(head: ReplyHead): void {
		this.phase = head.phase;
		this.#model.textContent = head.model;
		this.#connection.textContent = head.connection;
		this.#connection.title = head.connection;
		this.#note.textContent = head.note ?? "";
		this.slot.article.setAttribute("aria-label", `Reply from ${head.model}`);
		this.slot.article.dataset["phase"] = head.phase.name;
		this.#phaseLine.update(head.phase);
		this.#card?.remove();
		this.#card = undefined;
		this.#foot.hidden = head.phase.name !== "ended";
		if (head.phase.name === "ended") this.#end(head, head.phase);
		else delete this.slot.article.dataset["outcome"];
		this.folded();
	}

	change(changes: readonly BlockChange[]): void {
		for (const change of changes) (this.#blocks.get(change.key) ?? this.#begin(change)).change(change);
		this.#fold();
		if (!changes.some(({ call }) => call !== undefined)) return;
		// The line of a call hides the line under the reply.
		this.#body.classList.toggle(
			"calling",
			this.#inOrder().some(({ isCalling }) => isCalling),
		);
		// An approval is never hidden.
		if (this.slot.collapsed && this.#body.querySelector(`.${APPROVAL}`) !== null) this.slot.toggle();
	}

	/** Updates it after it was collapsed or expanded. */
	folded(): void {
		const { collapsed } = this.slot;
		this.#toggle.setAttribute("aria-expanded", String(!collapsed));
		const begins = ({ element }: BlockElement) => shownText(element.querySelector(".section, .unbuilt") ?? element);
		this.#preview.textContent = collapsed ? oneLine(this.#answer(begins), PREVIEW_CHARS) : "";
		this.#actions.update();
	}

	/** Folds many calls in a row, and leaves out brief thinking unless there is nothing else. */
	#fold(): void {
		const blocks = this.#inOrder();
		const isBare = blocks.every(({ isBrief }) => isBrief);
		for (const { element, isBrief, call } of blocks) if (call === undefined) element.hidden = isBrief && !isBare;
		foldCalls(blocks, this.#folds);
	}

	/** Inserts a block in the order of indices, and of arrival for equal ones. */
	#begin(change: BlockChange): BlockElement {
		const block = new BlockElement(change, this.slot.place.message, this.#rooms);
		const after = this.#inOrder().find(({ index }) => index > block.index);
		this.#blocks.set(change.key, block);
		this.#body.insertBefore(block.element, after?.element ?? null);
		return block;
	}

	#inOrder(): BlockElement[] {
		return [...this.#blocks.values()].sort((a, b) => a.index - b.index);
	}

	#answer(textOf: (block: BlockElement) => string): string {
		return this.#inOrder()
			.filter((block) => block.answer !== "")
			.map(textOf)
			.filter((text) => text !== "")
			.join("\n\n");
	}

	#end(head: ReplyHead, phase: Extract<Phase, { name: "ended" }>): void {
		for (const block of this.#blocks.values()) block.close();
		this.#fold();
		this.slot.article.dataset["outcome"] = phase.outcome;
		if (head.firstTextMs !== undefined) this.slot.article.dataset["firstTextMs"] = String(head.firstTextMs);
		const facts: Node[] = [];
		const fact = (text: string | undefined, className = "fact") => {
			if (text) facts.push(el("span", { class: className, text }));
		};
		if (phase.outcome !== "complete") fact(outcomeWords(phase, head.usage.outputTokens), "fact outcome");
		else if (this.#blocks.size === 0) fact("Empty reply", "fact outcome");
		fact(usageWords(head.usage));
		const [first, all] = [head.firstTextMs ?? 0, phase.durationMs].map(durationWords);
		if ((head.firstTextMs ?? 0) >= QUICK_TEXT_MS && first !== all) fact(`first text in ${first}`);
		fact(all);
		// With tool calls, the duration includes their runs.
		const tokens =
			isEndedByService(phase.outcome) && !this.#body.querySelector(".call") ? head.usage.outputTokens : null;
		fact(rateWords(tokens, this.#writingMs(head, phase.durationMs)));
		this.#foot.replaceChildren(...facts);
		if (phase.error !== undefined) {
			this.#card = errorCard(phase.error, (action) => this.#rooms.post({ type: "action", action, message: head.id }));
			this.#phaseLine.element.after(this.#card);
		}
	}

	/** Time from the first token, thinking included, to the end; 0 if unknown. */
	#writingMs({ firstTextMs }: ReplyHead, durationMs: number): number {
		if (firstTextMs === undefined) return 0;
		const thinking = [...this.#blocks.values()].reduce((all, { thoughtMs }) => all + thoughtMs, 0);
		return Math.min(durationMs, durationMs - firstTextMs + thinking);
	}
}

function errorCard(card: ErrorCard, onAction: (action: CardAction) => void): HTMLElement {
	const buttons = card.actions.map((action, i) => {
		const button = textButton(ACTION_LABELS[action], i === 0 ? "primary" : "secondary", () => onAction(action));
		button.dataset["action"] = action;
		return button;
	});
	return el("div", {
		class: "card",
		attributes: { "data-code": card.code, role: "group", "aria-label": card.title },
		children: [
			icon(card.code === "truncated" ? "warning" : "error"),
			el("div", {
				class: "card-body",
				children: [
					el("p", { class: "card-title", text: card.title }),
					el("p", { class: "card-advice", text: card.advice }),
					el("div", { class: "card-actions", children: buttons }),
				],
			}),
		],
	});
}

const APART: ReadonlySet<string> = new Set("p h1 h2 h3 h4 h5 h6 blockquote table hr".split(" "));

/** Converts rendered markdown to plain text, with bullets and numbers, tabs between cells, and code without its bar. */
export function shownText(root: Element): string {
	return textOf(root)
		.replaceAll(/[ \t]+\n/g, "\n")
		.replaceAll(/\n{3,}/g, "\n\n")
		.trim();
}

function textOf(parent: Element): string {
	let text = "";
	for (const node of parent.childNodes) {
		if (node instanceof Text) text += node.data.replaceAll(/\s+/g, " ");
		else if (node instanceof HTMLElement) text += partOf(node);
	}
	return text;
}

function partOf(element: HTMLElement): string {
	const tag = element.localName;
	if (tag === "br") return "\n";
	if (tag === "code") return element.textContent;
	if (tag === "pre") return `\n\n${element.textContent}\n\n`;
	if (tag === "ul" || tag === "ol") return listText(element);
	if (tag === "tr")
		return `\n${[...element.children].map((cell) => textOf(cell).trim().replaceAll("\n", " ")).join("\t")}`;
	if (element.classList.contains("code-bar")) return "";
	return APART.has(tag) ? `\n\n${textOf(element)}\n\n` : textOf(element);
}

const TASKS: Readonly<Record<string, string>> = { task: "[ ] ", "task-done": "[x] " };

function listText(list: HTMLElement): string {
	const ordered = list.localName === "ol";
	const tight = list.classList.contains("tight");
	let number = Number(list.getAttribute("start") ?? 1);
	const items = [...list.querySelectorAll(":scope > li, :scope > .section > .part > li")].map((item) => {
		const text = tight ? shownText(item).replaceAll("\n\n", "\n") : shownText(item);
		const box = TASKS[item.className] ?? "";
		return `${ordered ? `${number++}.` : "-"} ${box}${text.replaceAll("\n", "\n  ")}`;
	});
	const apart = tight ? "\n" : "\n\n";
	return `\n\n${items.join(apart)}\n\n`;
}
