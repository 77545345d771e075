import type { Clock } from "#base/clock.ts";
import type { DraftView } from "#protocol/context.ts";
import type { ComposerView, ConversationView, MessageView, ReplyView, ToHost, ToPanel } from "#protocol/panel.ts";
import type { Saved } from "#webview/host.ts";
import { Panel } from "#webview/panel.ts";
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
	const clock = new ManualClock();
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
		pass: (ms) => clock.pass(ms),
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

class ManualClock implements Clock {
	#now = 0;
	readonly #due = new Map<object, { at: number; callback: () => void }>();

	now(): number {
		return this.#now;
	}

	monotonic(): number {
		return this.#now;
	}

	random(): number {
		return 0.5;
	}

	after(ms: number, callback: () => void): { dispose(): void } {
		const key = {};
		this.#due.set(key, { at: this.#now + ms, callback });
		return { dispose: () => void this.#due.delete(key) };
	}

	pass(ms: number): void {
		const until = this.#now + ms;
		for (;;) {
			const next = [...this.#due].filter(([, { at }]) => at <= until).sort(([, a], [, b]) => a.at - b.at)[0];
			if (next === undefined) break;
			this.#due.delete(next[0]);
			this.#now = next[1].at;
			next[1].callback();
		}
		this.#now = until;
	}
}
