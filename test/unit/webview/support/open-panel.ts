import type { DraftView } from "#protocol/context.ts";
import type { ComposerView, ConversationView, MessageView, ReplyView, ToHost, ToPanel } from "#protocol/panel.ts";
import type { Saved } from "#webview/host.ts";
import { Panel } from "#webview/panel.ts";
import { FakeClock } from "../../../support/fake-clock.ts";
import { newPage } from "./dom.ts";

/** A panel in the test's document, with the editor's side of the channel in the test's hands. */
export interface OpenPanel {
	readonly root: HTMLElement;
	/** What it was told, but for what is typed. */
	readonly posted: ToHost[];
	/** What it was told of what is typed. */
	readonly drafts: Extract<ToHost, { type: "draft" }>[];
	/** What it was told of that last. */
	readonly typed: string | undefined;
	/** What it was told of what is typed in place of turns. */
	readonly edits: Extract<ToHost, { type: "edit" }>[];
	/** What was last kept, as the editor would hand it to the next page. */
	saved: Saved;
	/** Gives the panel a message without a frame after it. */
	hand(message: ToPanel): void;
	/** Lets a frame begin. */
	frame(): void;
	/** Gives the panel a message and lets a frame begin. */
	tell(message: ToPanel): void;
	/** The element of a selector; throws where there is none. */
	find<T extends HTMLElement = HTMLElement>(selector: string): T;
	/** Moves the panel's clock and runs what is due. */
	pass(ms: number): void;
}

/** Opens a panel. The one before, and its page, are gone. */
export function openPanel(saved: Saved = {}): OpenPanel {
	newPage();
	const root = document.createElement("div");
	document.body.append(root);
	const clock = new FakeClock();
	let due: FrameRequestCallback[] = [];
	globalThis.requestAnimationFrame = (callback) => due.push(callback);
	let listener: (message: ToPanel) => void = () => {};
	const panel: OpenPanel = {
		root,
		posted: [],
		drafts: [],
		edits: [],
		get typed() {
			return panel.drafts.at(-1)?.text;
		},
		saved,
		hand: (message) => listener(message),
		frame() {
			const now = due;
			due = [];
			for (const callback of now) callback(0);
		},
		tell(message) {
			panel.hand(message);
			panel.frame();
		},
		find<T extends HTMLElement>(selector: string) {
			const found = root.querySelector<T>(selector);
			if (found === null) throw new Error(`nothing matches ${selector}`);
			return found;
		},
		pass: (ms) => clock.advance(ms),
	};
	const host = {
		post(message: ToHost) {
			if (message.type === "draft") panel.drafts.push(message);
			else if (message.type === "edit") panel.edits.push(message);
			// Where the keyboard is depends on the tests before.
			else if (message.type !== "focus") panel.posted.push(message);
		},
		load: () => saved,
		save: (kept: Saved) => {
			panel.saved = kept;
		},
		listen: (other: (message: ToPanel) => void) => {
			listener = other;
		},
	};
	new Panel(root, host, clock).start();
	return panel;
}

/** A conversation for the panel. */
export function conversation(
	messages: readonly MessageView[],
	composer: Partial<ComposerView> = {},
	{ id = "c1", draft }: { readonly id?: string; readonly draft?: DraftView } = {},
): ToPanel {
	const view: ConversationView = {
		id,
		...(draft === undefined ? {} : { draft }),
		messages,
		composer: { connection: "Test", model: "model-1", busy: false, ...composer },
	};
	return { type: "conversation", conversation: view };
}

/** A reply under way, without blocks. */
export const REPLY: ReplyView = {
	role: "assistant",
	id: "r1",
	model: "model-1",
	connection: "Test",
	blocks: [],
	phase: { name: "streaming", elapsedMs: 0 },
	usage: { inputTokens: null, outputTokens: null },
};

/** The phase of a reply that is complete. */
export const ENDED = { name: "ended", outcome: "complete", durationMs: 2000 } as const;

/** The box of the composer. */
export function composer(panel: OpenPanel): HTMLTextAreaElement {
	return panel.find<HTMLTextAreaElement>("textarea#composer");
}

/** Types a text into a box in place of what is there, the caret behind it. */
export function type(input: HTMLTextAreaElement | HTMLInputElement, text: string): void {
	input.value = text;
	input.setSelectionRange(text.length, text.length);
	input.dispatchEvent(new Event("input", { bubbles: true }));
}

/** Presses a key where the keyboard is. */
export function press(target: Element, key: string, init: KeyboardEventInit = {}): KeyboardEvent {
	const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...init });
	target.dispatchEvent(event);
	return event;
}
