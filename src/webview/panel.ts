import type { Clock } from "#base/clock.ts";
import { BlockChanges } from "#protocol/block-changes.ts";
import type { ComposerView, PanelAction, Phase, ToHost, ToPanel } from "#protocol/panel.ts";
import { Composer } from "./composer.ts";
import { el } from "./dom.ts";
import { Follow } from "./follow.ts";
import { FrameTask } from "./frame-task.ts";
import type { Host, Saved } from "./host.ts";
import { Status } from "./status.ts";
import { handleTextClicks } from "./text-clicks.ts";
import { Transcript } from "./transcript.ts";
import { Welcome } from "./welcome.ts";
import { outcomeWords } from "./words.ts";

/** The whole panel: builds its parts into `root`, obeys the host and tells it what the person wants. */
export class Panel {
	readonly #host: Host;
	readonly #status = new Status();
	readonly #transcript: Transcript;
	readonly #composer: Composer;
	readonly #welcome: Welcome;
	readonly #follow: Follow;
	readonly #changes = new BlockChanges();
	readonly #drawing = new FrameTask(() => this.#draw());
	/** The last batch that has come. */
	#batch = 0;
	#saved: Saved;
	#busy = false;
	#connected = false;
	#restored = false;

	constructor(root: HTMLElement, host: Host, clock: Clock) {
		this.#host = host;
		this.#saved = host.load();
		this.#transcript = new Transcript(clock, {
			copy: (text) => this.#post({ type: "copy", text }),
			action: (action, message) => this.#post({ type: "action", action, message }),
			cancel: () => this.#post({ type: "stop" }),
		});
		this.#composer = new Composer(this.#saved.draft, {
			send: (text) => this.#send(text),
			stop: () => host.post({ type: "stop" }),
			drafted: (draft) => this.#save({ draft }),
			selectConnection: () => this.#act("select-connection"),
			addConnection: () => this.#act("add-connection"),
			announce: (text) => this.#status.announce(text),
		});
		this.#welcome = new Welcome({
			example: (text) => (this.#busy ? this.#composer.fill(text) : this.#example(text)),
			addConnection: () => this.#act("add-connection"),
			trySandbox: () => this.#act("try-sandbox"),
		});
		const scroller = el("main", {
			attributes: { id: "transcript", tabindex: "0", "aria-label": "Conversation" },
			children: [el("h1", { class: "visually-hidden", text: "Chat" }), this.#welcome.element, this.#transcript.element],
		});
		this.#follow = new Follow(scroller, {
			rested: (scrollTop) => this.#save({ scrollTop }),
			jumped: () => this.#composer.focus(),
		});
		root.append(
			scroller,
			el("div", { class: "jump-place", children: [this.#follow.jump] }),
			this.#composer.element,
			this.#status.element,
		);
		handleTextClicks(scroller, (message) => this.#post(message));
		document.addEventListener("keydown", (event) => {
			if (event.key !== "Escape" || event.isComposing || !this.#busy) return;
			event.preventDefault();
			this.#post({ type: "stop" });
		});
		this.#showWelcome();
	}

	/** Begins: the host answers `ready` with the conversation. */
	start(): void {
		this.#host.listen((message) => this.#receive(message));
		this.#host.post({ type: "ready" });
	}

	#receive(message: ToPanel): void {
		if (message.type !== "blocks") this.#drawing.now();
		switch (message.type) {
			case "conversation": {
				this.#transcript.show(message.conversation);
				const turns = message.conversation.messages.filter((other) => other.role === "user");
				this.#composer.history.reset(turns.map((turn) => turn.text));
				this.#compose(message.conversation.composer);
				this.#place();
				return;
			}
			case "message":
				if (message.conversation !== this.#transcript.conversation) return;
				this.#transcript.put(message.message);
				this.#showWelcome();
				if (message.message.role === "user") this.#follow.toEnd();
				else {
					this.#status.announce(`${message.message.model} is replying`);
					this.#follow.changed();
				}
				return;
			case "blocks":
				if (message.conversation === this.#transcript.conversation) {
					for (const change of message.changes) this.#changes.add(message.message, change);
				}
				this.#batch = message.batch;
				this.#drawing.ask();
				return;
			case "reply":
				if (message.conversation !== this.#transcript.conversation) return;
				this.#transcript.update(message.reply);
				this.#announceEnd(message.reply.phase);
				this.#follow.changed(false);
				return;
			case "composer":
				this.#compose(message.composer);
				return;
			case "focus":
				this.#composer.focus();
				return;
			case "draft":
				this.#composer.add(message.text);
		}
	}

	/** Brings into the document what has come since the last frame. One answer counts for all batches up to its own. */
	#draw(): void {
		for (const { message, changes } of this.#changes.take()) this.#transcript.change(message, changes);
		this.#follow.changed();
		this.#host.post({ type: "ack", batch: this.#batch });
	}

	#announceEnd(phase: Phase): void {
		if (phase.name !== "ended") return;
		const words = phase.outcome === "complete" ? "Reply complete" : `Reply ended: ${outcomeWords(phase)}`;
		this.#status.announce(phase.error === undefined ? words : `${words}. ${phase.error.title} ${phase.error.advice}`);
	}

	#compose(view: ComposerView): void {
		this.#busy = view.busy;
		this.#composer.update(view);
		this.#welcome.update(view);
		this.#connected = view.connection !== undefined;
		this.#showWelcome();
	}

	#example(text: string): void {
		if (this.#connected) {
			this.#composer.history.add(text);
			this.#send(text);
			this.#composer.focus();
		} else this.#composer.fill(text);
	}

	#send(text: string): void {
		this.#host.post({ type: "send", text });
		this.#follow.toEnd();
	}

	#act(action: PanelAction): void {
		this.#post({ type: "action", action });
	}

	/** Posts what a click asked for and gives the keyboard back to the composer. */
	#post(message: ToHost): void {
		this.#host.post(message);
		this.#composer.focus();
	}

	#showWelcome(): void {
		this.#welcome.element.hidden = !this.#transcript.empty;
		this.#transcript.element.hidden = this.#transcript.empty;
	}

	/** The first conversation of a rebuilt page goes back to where the reader was; any later one shows its end. */
	#place(): void {
		const { scrollTop } = this.#saved;
		if (!this.#restored && scrollTop !== undefined) this.#follow.restore(scrollTop);
		else this.#follow.toEnd();
		this.#restored = true;
	}

	#save(change: { draft?: string; scrollTop?: number | undefined }): void {
		const draft = change.draft ?? this.#saved.draft;
		const scrollTop = "scrollTop" in change ? change.scrollTop : this.#saved.scrollTop;
		this.#saved = scrollTop === undefined ? { draft } : { draft, scrollTop };
		this.#host.save(this.#saved);
	}
}
