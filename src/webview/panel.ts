import type { Clock } from "#base/clock.ts";
import { BlockChanges } from "#protocol/block-changes.ts";
import type { ComposerView, ConversationView, ToHost, ToPanel } from "#protocol/panel.ts";
import { Composer } from "./composer.ts";
import { el, isTaken } from "./dom.ts";
import { takeDrops } from "./drops.ts";
import { Find } from "./find.ts";
import { Follow } from "./follow.ts";
import { FrameTask } from "./frame-task.ts";
import { type Host, type Place, SavedState } from "./host.ts";
import { Images, imagesIn, scaledForHost } from "./images.ts";
import { focusPlace, isByKeyboard, MessageKeys, returnFocus } from "./message-keys.ts";
import { QueueLine } from "./queue-line.ts";
import type { ReplyHead } from "./reply-article.ts";
import { handleTextClicks } from "./text-clicks.ts";
import { Transcript } from "./transcript.ts";
import { editorCaret, goToEditor, TurnEdits } from "./turn-editor.ts";
import { Welcome } from "./welcome.ts";
import { outcomeWords } from "./words.ts";

/** The chat panel: builds its parts into `root`, and exchanges messages with the host. */
export class Panel {
	readonly #host: Host;
	readonly #status = new Status();
	readonly #transcript: Transcript;
	readonly #composer: Composer;
	readonly #title = el("h1");
	readonly #welcome: Welcome;
	readonly #follow: Follow;
	readonly #find: Find;
	readonly #keys: MessageKeys;
	readonly #queue = new QueueLine(
		(message) => this.#post(message),
		() => this.#composer.focus(),
	);
	readonly #changes = new BlockChanges();
	readonly #drawing = new FrameTask(() => this.#draw());
	#batch = 0;
	readonly #saved: SavedState;
	readonly #edits: TurnEdits;
	readonly #images: Images;
	#view: ComposerView = { busy: false };

	constructor(root: HTMLElement, host: Host, clock: Clock) {
		this.#host = host;
		this.#edits = new TurnEdits((message) => host.post(message));
		this.#saved = new SavedState(host);
		this.#images = new Images((message) => host.post(message));
		const post = (message: ToHost) => this.#post(message);
		const announce = (text: string) => this.#status.announce(text);
		const shared = { announce, images: this.#images };
		const rooms = { ...shared, clock, post, edits: this.#edits, saved: this.#saved, isBusy: () => this.#view.busy };
		this.#transcript = new Transcript(rooms, () => this.#find.changed());
		this.#composer = new Composer({
			...shared,
			post: (message) => host.post(message),
			send: (text, now) => this.#send(text, now),
			editLast: () => this.#queue.editLast() || this.#editLast(),
		});
		this.#welcome = new Welcome(
			(text) => (this.#view.busy ? this.#composer.fill(text) : this.#example(text)),
			() => this.#post({ type: "action", action: "add-connection" }),
		);
		const scroller = el("main", {
			attributes: { id: "transcript", tabindex: "0", "aria-label": "Conversation" },
			children: [this.#welcome.element, this.#transcript.element],
		});
		this.#follow = new Follow(
			scroller,
			() => this.#saved.moved(this.#place),
			() => this.#composer.focus(),
		);
		this.#find = new Find(scroller, this.#transcript, {
			went: () => this.#follow.release(),
			closed: (article) => (article === undefined ? this.#composer.focus() : article.focus({ preventScroll: true })),
			announce,
		});
		this.#keys = new MessageKeys(this.#transcript, () => this.#composer.focus());
		root.append(
			this.#find.element,
			el("header", { class: "conversation-title", children: [this.#title] }),
			scroller,
			el("div", { class: "jump-place", children: [this.#follow.jump] }),
			this.#queue.element,
			this.#composer.element,
			this.#status.element,
		);
		for (const type of ["focus", "blur"] as const) {
			window.addEventListener(type, () => host.post({ type: "focus", inside: type === "focus" }));
		}
		handleTextClicks(scroller, post);
		document.addEventListener("keydown", (event) => {
			// Escape on a message has only moved the focus to the composer.
			if (event.key !== "Escape" || event.defaultPrevented || isTaken(event) || !this.#view.busy) return;
			event.preventDefault();
			this.#post({ type: "stop" });
		});
		takeDrops(root, post, (data) => this.#composer.attachImages(imagesIn(data)));
		this.#showWelcome();
	}

	/** Requests the conversation from the host. */
	start(): void {
		this.#host.listen((message) => this.#receive(message));
		this.#host.post({ type: "ready" });
		if (document.hasFocus()) this.#host.post({ type: "focus", inside: true });
	}

	#receive(message: ToPanel) {
		const { conversation } = this.#transcript;
		// Messages about the previous conversation may still arrive.
		const isElsewhere =
			"conversation" in message && message.type !== "conversation" && message.conversation !== conversation;
		if (message.type !== "blocks") {
			this.#drawing.now();
			if (isElsewhere) return;
		}
		switch (message.type) {
			case "conversation": {
				const { id, draft } = message.conversation;
				const place = this.#placeIn(id);
				if (id !== conversation) {
					this.#find.leave();
					this.#composer.open(id, draft?.text ?? "");
				}
				this.#edits.take(id, draft?.edits ?? []);
				this.#composer.attached(draft?.attachments ?? []);
				this.#redraw(message.conversation);
				this.#images.sweep();
				this.#find.changed();
				const turns = message.conversation.messages.filter((other) => other.role === "user");
				this.#composer.history.reset(turns.map((turn) => turn.text));
				this.#queue.show(message.conversation.queue ?? []);
				this.#compose(message.conversation.composer);
				if (place === undefined) this.#follow.toEnd();
				else {
					this.#follow.release();
					this.#transcript.restore(place);
				}
				return;
			}
			case "message": {
				const place = focusPlace(this.#transcript);
				this.#transcript.put(message.message);
				if (place !== undefined) returnFocus(place, this.#transcript);
				this.#find.changed();
				this.#showWelcome();
				if (message.message.role === "user") {
					this.#composer.history.came(message.message.text);
					this.#follow.toEnd();
				} else {
					this.#announce(message.message);
					this.#follow.announceNewText();
				}
				return;
			}
			case "blocks":
				for (const change of isElsewhere ? [] : message.changes) this.#changes.add(message.message, change);
				this.#batch = message.batch;
				this.#drawing.ask();
				return;
			case "reply":
				if (this.#transcript.slot(message.reply.id)?.update(message.reply)) this.#announce(message.reply);
				this.#showUsage();
				return;
			case "queue":
				return this.#queue.show(message.queue);
			case "composer":
				return this.#compose(message.composer);
			case "attachments":
				this.#composer.attached(message.attachments);
				this.#images.sweep();
				return;
			case "image":
				return this.#images.take(message);
			case "picked-image":
				void scaledForHost(message).then((scaled) => this.#post(scaled));
				return;
			case "typed":
				return this.#composer.take(message.text);
			case "suggestions":
				return this.#composer.mentions.suggest(message);
			case "focus":
				if (message.where === undefined || !this.#keys.focusLast()) this.#composer.resume();
				return;
			case "find":
				if (message.message !== undefined) this.#goTo(message.message);
				this.#find.open(message.text);
				return;
			case "draft":
				return this.#composer.add(message.text, { above: message.above ?? false });
			default:
				message satisfies never;
		}
	}

	/** Redraws the conversation, with the focus in the editor of a turn or on a message as before. */
	#redraw(conversation: ConversationView): void {
		const isSame = conversation.id === this.#transcript.conversation;
		const caret = isSame ? editorCaret() : undefined;
		const place = focusPlace(this.#transcript);
		this.#transcript.show(conversation);
		if (place !== undefined && !isSame) this.#composer.focus();
		else if (place !== undefined && caret === undefined) {
			const label = returnFocus(place, this.#transcript);
			if (label !== undefined) this.#status.announce(label);
		}
		const slot = this.#transcript.slot(caret?.message);
		if (caret === undefined || slot === undefined) return;
		slot.build();
		goToEditor(slot.article, caret);
	}

	#goTo(message: string): void {
		const slot = this.#transcript.slot(message);
		if (slot === undefined) return;
		this.#follow.release();
		slot.build();
		slot.article.scrollIntoView({ block: "start" });
	}

	/** Applies the changes since the last frame, and acknowledges all their batches. */
	#draw(): void {
		for (const { message, changes } of this.#changes.take()) this.#transcript.change(message, changes);
		this.#find.changed();
		this.#follow.announceNewText();
		this.#host.post({ type: "ack", batch: this.#batch });
	}

	#announce({ model, phase, usage }: ReplyHead): void {
		if (phase.name !== "ended") {
			this.#status.announce(`${model} is replying`);
			return;
		}
		const words =
			phase.outcome === "complete" ? "Reply complete" : `Reply ended: ${outcomeWords(phase, usage.outputTokens)}`;
		this.#status.announce(phase.error === undefined ? words : `${words}. ${phase.error.title} ${phase.error.advice}`);
	}

	#compose(view: ComposerView): void {
		this.#view = view;
		this.#queue.update(view.busy);
		document.body.classList.toggle("busy", view.busy);
		this.#composer.update(view);
		const { title } = view;
		this.#title.textContent = title ?? "Chat";
		this.#title.title = title ?? "";
		this.#title.classList.toggle("visually-hidden", title === undefined);
		this.#welcome.update(view);
		this.#showUsage();
		this.#showWelcome();
	}

	#showUsage(): void {
		const replies = [...this.#transcript.slots].flatMap(({ message }) => (message.role === "assistant" ? message : []));
		this.#composer.replied(replies);
	}

	/** Opens the editor of the last turn; false if there is none, or none can be sent now. */
	#editLast(): boolean {
		const last = [...this.#transcript.slots].findLast(({ message }) => message.role === "user");
		if (last === undefined || this.#view.busy) return false;
		last.edit();
		return true;
	}

	#example(text: string): void {
		if (this.#view.connection !== undefined) {
			this.#composer.history.add(text);
			this.#send(text);
			this.#composer.focus();
		} else this.#composer.fill(text);
	}

	#send(text: string, now = false): void {
		this.#host.post({ type: "send", text, ...(now && { now }) });
		this.#follow.toEnd();
	}

	/** Posts the message of a button. After a click the focus goes to the composer, after a key it stays. */
	#post(message: ToHost): void {
		this.#host.post(message);
		const words = ANNOUNCED[message.type];
		if (words !== undefined) this.#status.announce(words);
		const places = [this.#transcript.element, this.#queue.element];
		const isAmongButtons = isByKeyboard() && places.some((place) => place.contains(document.activeElement));
		const isDone = message.type === "edit-turn" || message.type === "answer-call";
		if (isDone || !isAmongButtons) this.#composer.focus();
	}

	#showWelcome(): void {
		this.#welcome.element.hidden = !this.#transcript.empty;
		this.#transcript.element.hidden = this.#transcript.empty;
	}

	/** Reading position in a conversation that is redrawn, or of the page before; undefined for its end. */
	#placeIn(conversation: string): Place | undefined {
		const place = conversation === this.#transcript.conversation ? this.#place : this.#saved.place;
		return place?.conversation === conversation ? place : undefined;
	}

	/** Reading position; undefined while the end is followed. */
	get #place(): Place | undefined {
		return this.#follow.isFollowing ? undefined : this.#transcript.place;
	}
}

/** Words for the screen reader about buttons that leave no other trace. */
const ANNOUNCED: { readonly [T in ToHost["type"]]?: string } = {
	copy: "Copied",
	"send-queued": "Sent now",
	"raise-queued": "Moved up",
	unqueue: "Removed from the queue",
};

/** Live region, visually hidden, for start, end and errors of a reply. A live transcript would be read token by token. */
class Status {
	readonly element = el("div", { class: "visually-hidden", attributes: { id: "status", role: "status" } });

	announce(text: string): void {
		// Only changes are announced.
		if (this.element.textContent === text) this.element.textContent = "";
		this.element.textContent = text;
	}
}
