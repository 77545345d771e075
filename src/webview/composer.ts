import { sizeOf } from "#base/tokens.ts";
import type { AttachmentView } from "#protocol/context.ts";
import type { ComposerView, PanelAction } from "#protocol/panel.ts";
import { chipList } from "./chips.ts";
import { ComposerMentions } from "./composer-mentions.ts";
import { ContextMeter } from "./context-meter.ts";
import { el, icon, iconButton, isTaken, setName, textButton, wordButton } from "./dom.ts";
import { TurnHistory } from "./history.ts";
import { GivenImages, imagesIn } from "./images.ts";
import type { MessageRooms } from "./message-actions.ts";
import { replaceText } from "./replace-text.ts";
import type { ReplyHead } from "./reply-article.ts";

const MODIFIER = /\bMac/.test(navigator.userAgent) ? "Cmd" : "Ctrl";

/** Keys of a message that is typed while a reply arrives. */
const BUSY_KEYS = `Enter queues, ${MODIFIER}+Enter stops and sends`;

/** Number of characters above which the box has its full height: measuring them at each key would take seconds. */
const LONG_TEXT = 20_000;

/** Makes a button try what is not known of a model. */
function offer(button: HTMLElement, words: HTMLElement, label: string, model = "the model"): void {
	words.textContent = label;
	setName(button, `${label}: not known for ${model}.`);
}

interface ComposerRooms extends Pick<MessageRooms, "post" | "announce" | "images"> {
	/** Sends a trimmed turn, which is empty only with attachments; `now` stops a reply under way. */
	send(text: string, now: boolean): void;
	/** Edits the last turn, on Up in the empty box; false if that is not possible. */
	editLast(): boolean;
}

/** Input for the next turn. It is never disabled, so that one can type during a reply. */
export class Composer {
	readonly element: HTMLElement;
	readonly history = new TurnHistory();
	readonly #rooms: ComposerRooms;
	readonly #input = el("textarea", {
		attributes: {
			id: "composer",
			rows: "1",
			placeholder: "Ask, attach (@), prompts (/)",
			spellcheck: "true",
		},
	});
	readonly #busyKeys = el("p", { class: "busy-keys small-print", text: `${BUSY_KEYS}.` });
	readonly #send = iconButton("send", "Send (Enter)", () => this.#submit());
	readonly #stop = iconButton("debug-stop", "Stop (Escape)", () => {
		this.#rooms.post({ type: "stop" });
		this.focus();
	});
	readonly #model = el("span", { class: "target-model one-line" });
	readonly #connection = el("span", { class: "target-connection one-line" });
	readonly #targetWords = el("span", { class: "target-words", children: [this.#model, this.#connection] });
	readonly #target = wordButton("target", [this.#targetWords, icon("chevron-down")], () => {
		return this.#view.connection === undefined ? this.#addConnection() : this.#act("select-connection");
	});
	readonly #toolCount = el("span");
	/** Left out in a narrow view. */
	readonly #allTools = el("span");
	readonly #tools = wordButton("tools", [icon("tools"), this.#toolCount, this.#allTools], () => {
		this.#act(this.#view.unknown?.includes("tools") ? "try-tools" : "choose-tools");
	});
	readonly #effortWords = el("span");
	readonly #effort = wordButton("effort", [icon("lightbulb"), this.#effortWords], () => this.#act("choose-effort"));
	readonly #meter: ContextMeter;
	readonly #elsewhere = el("div", {
		class: "notice",
		attributes: { id: "elsewhere" },
		children: [
			el("p", { text: "This conversation is open in another window." }),
			textButton("Continue Here", "primary", () => this.#act("continue-here")),
		],
	});
	readonly #chips = el("div", { attributes: { id: "chips" } });
	readonly #tryImages = textButton("Try Images", "secondary", () => this.#act("try-images"));
	readonly #note = el("p", { class: "composer-note", attributes: { role: "alert" } });
	readonly mentions: ComposerMentions;
	#view: ComposerView = { busy: false };
	/** Conversation on screen; empty before the host's first message. */
	#conversation = "";
	/** Text submitted without a connection: it is sent once one was added and its model chosen, unless it was changed. */
	#held = "";
	#isTaking = false;
	#hasImages = false;
	readonly #given: GivenImages;
	/** True if the key for the next paste was pressed with Shift, so that long text stays text. */
	#pastesPlain = false;

	constructor(rooms: ComposerRooms) {
		const { post } = rooms;
		this.#rooms = rooms;
		this.#given = new GivenImages(post, (why) => {
			this.#note.textContent = why;
		});
		this.mentions = new ComposerMentions(this.#input, rooms, () => this.#changed());
		this.#send.id = "send";
		this.#stop.id = "stop";
		const attach = iconButton("attach", "Attach", () => this.#act("attach"));
		attach.id = "attach";
		this.#tryImages.id = "try-images";
		this.#meter = new ContextMeter(post);
		const others = [attach, this.#tools, this.#effort, ...this.#meter.elements, this.#send, this.#stop];
		const bar = [this.#target, el("div", { class: "composer-buttons", children: others })];
		this.element = el("footer", {
			class: "composer",
			children: [
				this.#busyKeys,
				el("div", {
					class: "composer-box",
					children: [
						...this.mentions.elements,
						this.#elsewhere,
						this.#chips,
						this.#tryImages,
						this.#note,
						this.#input,
						el("div", { class: "composer-bar", children: bar }),
					],
				}),
			],
		});
		this.#input.addEventListener("keydown", (event) => this.#onKey(event));
		this.#input.addEventListener("input", () => {
			if (this.#isTaking) return;
			this.history.leave();
			this.#changed();
			this.mentions.look();
		});
		this.#input.addEventListener("paste", (event) => this.#onPaste(event));
		this.element.addEventListener("mousedown", (event) => {
			if (event.target instanceof Element && event.target.closest("button, textarea") === null) {
				event.preventDefault();
				this.focus();
			}
		});
		this.update(this.#view);
	}

	update(view: ComposerView): void {
		const stopHadFocus = document.activeElement === this.#stop;
		this.#view = view;
		this.#stop.hidden = !view.busy;
		const keys = view.busy ? BUSY_KEYS : "Enter sends";
		this.#input.setAttribute("aria-label", `Message. ${keys}, Shift+Enter breaks the line.`);
		this.#elsewhere.hidden = view.isElsewhere !== true;
		if (stopHadFocus && !view.busy) this.focus();
		const { connection, model = connection, tools, effort = "", unknown = [] } = view;
		this.#model.textContent = model ?? "Add a connection";
		this.#connection.textContent = model === connection ? "" : ` ${connection ?? ""}`;
		setName(this.#target, connection === undefined ? "Add a connection" : `Select Model: ${model}, ${connection}`);
		const { on, of, off } = tools ?? { on: 0, of: 0 };
		const all = on < of ? `/${of}` : "";
		this.#tools.hidden = tools === undefined;
		this.#tools.classList.toggle("off", off !== undefined);
		this.#toolCount.textContent = off === undefined ? String(on) : "";
		this.#allTools.textContent = off === undefined && !unknown.includes("tools") ? all : "";
		setName(this.#tools, off ?? `Tools: ${on}${all} on`);
		this.#effort.hidden = effort === "" && !unknown.includes("thinking");
		this.#effortWords.textContent = effort;
		setName(this.#effort, `Thinking effort: ${effort}`);
		if (unknown.includes("tools")) offer(this.#tools, this.#toolCount, "Try Tools", model);
		if (unknown.includes("thinking")) offer(this.#effort, this.#effortWords, "Try Thinking", model);
		offer(this.#tryImages, this.#tryImages, "Try Images", model);
		this.#mark();
	}

	attached(attachments: readonly AttachmentView[]): void {
		this.#given.areOnTheWay = false;
		const events = {
			images: this.#rooms.images,
			open: (id: string) => this.#rooms.post({ type: "open-attachment", id }),
			remove: (id: string) => {
				this.#rooms.post({ type: "detach", id });
				this.focus();
			},
		};
		this.#chips.replaceChildren(...(attachments.length === 0 ? [] : [chipList(attachments, events)]));
		this.#hasImages = attachments.some(({ image }) => image !== undefined);
		this.#mark();
	}

	replied(replies: readonly ReplyHead[]): void {
		this.#meter.replied(replies);
		this.#mark();
	}

	/** Attaches dropped images, or says that there is none. */
	attachImages(files: readonly File[]): void {
		this.#note.textContent = files.length === 0 ? "Only PNG, JPEG, WebP and GIF images can be dropped here." : "";
		this.#given.take(files, this.#conversation);
	}

	#onPaste(event: ClipboardEvent): void {
		const text = event.clipboardData?.getData("text/plain") ?? "";
		// Office programs add a picture of the copied text.
		const files = text === "" ? imagesIn(event.clipboardData) : [];
		// Browsers use this name for an image without a file.
		const named = files.map((file) => (file.name === "image.png" ? new File([file], "Pasted image", file) : file));
		const limit = this.#view.pasteLimit ?? 0;
		const isLong = limit > 0 && text.length > limit && !this.#pastesPlain;
		this.#note.textContent = "";
		if (files.length === 0 && !isLong) return;
		event.preventDefault();
		this.#given.take(named, this.#conversation);
		if (!isLong) return;
		this.#rooms.post({ type: "paste-text", conversation: this.#conversation, text });
		this.#rooms.announce(`Attached as a file. Use ${MODIFIER}+Shift+V to paste into the message.`);
	}

	/** Opens a conversation with its draft, and appends text typed before the first conversation was known. */
	open(conversation: string, draft: string): void {
		const early = this.#conversation === "" ? this.#input.value : "";
		this.#conversation = conversation;
		if (early === "") {
			this.#show(() => {
				this.#input.value = draft;
			});
			return;
		}
		const gap = draft === "" || draft.endsWith("\n") ? "" : "\n";
		this.#show(() => replaceText(this.#input, draft + gap + early));
		this.#tell();
	}

	/** Applies text typed in another panel, as an edit that can be undone. */
	take(text: string): void {
		if (text !== this.#input.value) this.#show(() => replaceText(this.#input, text));
	}

	/** Applies a change by the host, which is not reported back. */
	#show(change: () => void): void {
		this.history.leave();
		this.#isTaking = true;
		change();
		this.#isTaking = false;
		this.mentions.close();
		this.#mark();
	}

	focus(): void {
		this.#input.focus({ preventScroll: true });
	}

	/** Takes the focus back from the questions of the host, and sends the text that waited for a connection. */
	resume(): void {
		this.focus();
		if (this.#held === "" || this.#view.connection === undefined) return;
		const isSame = this.#held === this.#input.value.trim();
		this.#held = "";
		if (isSame) this.#submit();
	}

	/** Replaces the text, with the caret at its end. */
	fill(text: string): void {
		this.focus();
		this.#put(text);
	}

	add(text: string, { above = false } = {}): void {
		const typed = above ? this.#input.value.trimStart() : this.#input.value.trimEnd();
		this.history.leave();
		const parts = typed === "" ? [text] : above ? [text, typed] : [typed, text];
		this.fill(parts.join("\n\n"));
		if (above) this.#input.setSelectionRange(text.length, text.length);
		else this.#input.scrollTop = this.#input.scrollHeight;
	}

	#onKey(event: KeyboardEvent): void {
		this.#pastesPlain = event.shiftKey && event.key.toLowerCase() === "v";
		if (isTaken(event) || this.mentions.take(event)) return;
		if (event.key === "Enter" && !event.shiftKey && !event.altKey) {
			event.preventDefault();
			if (!event.repeat) this.#submit(event.ctrlKey || event.metaKey);
		} else if (event.altKey) return;
		else if (event.key === "ArrowUp" && !event.shiftKey && (this.#input.value === "" || this.history.walking)) {
			const recalls = this.history.walking || event.ctrlKey || event.metaKey;
			if (!recalls && this.#rooms.editLast()) {
				event.preventDefault();
				return;
			}
			if (this.#recall(this.history.back(this.#input.value))) event.preventDefault();
		} else if (event.key === "ArrowDown" && !event.shiftKey && this.history.walking) {
			if (this.#recall(this.history.forward())) event.preventDefault();
		}
	}

	#recall(text: string | undefined): boolean {
		if (text !== undefined) this.#put(text);
		return text !== undefined;
	}

	#put(text: string): void {
		replaceText(this.#input, text);
		this.#input.setSelectionRange(text.length, text.length);
		this.mentions.close();
		this.#changed();
	}

	#submit(now = false): void {
		const text = this.#input.value.trim();
		this.focus();
		if (this.#given.areDecoding) {
			void this.#submitDecoded(now);
			return;
		}
		if (!this.#hasContent) return;
		const words = now ? "Sent now. The reply was stopped." : "Queued. It is sent when the reply has ended.";
		if (this.#view.busy) this.#rooms.announce(words);
		if (this.#view.connection === undefined) {
			this.#held = text;
			this.#addConnection();
			return;
		}
		this.history.add(text);
		this.#put("");
		this.#rooms.send(text, now);
		// Until the host reports it: a second Enter before must not send another turn.
		this.update({ ...this.#view, busy: true });
	}

	/** Submits once all images are decoded, unless one is refused or the text has changed meanwhile. */
	async #submitDecoded(now: boolean): Promise<void> {
		const [conversation, { value }] = [this.#conversation, this.#input];
		const isWhole = await this.#given.decoded();
		if (isWhole && conversation === this.#conversation && value === this.#input.value) this.#submit(now);
	}

	get #hasContent(): boolean {
		return this.#input.value.trim() !== "" || this.#chips.hasChildNodes() || this.#given.areOnTheWay;
	}

	#changed(): void {
		this.#note.textContent = "";
		this.#mark();
		this.#tell();
	}

	/** Reports the draft at once, since the page may be gone the next moment. */
	#tell(): void {
		const { value: text } = this.#input;
		if (this.#conversation !== "") this.#rooms.post({ type: "draft", conversation: this.#conversation, text });
	}

	#addConnection(): void {
		if (this.#conversation !== "") this.#act("add-connection");
	}

	#act(action: PanelAction): void {
		this.#rooms.post({ type: "action", action });
		this.focus();
	}

	#mark(): void {
		const { value } = this.#input;
		this.#input.classList.toggle("long", value.length > LONG_TEXT);
		const { busy, tokens } = this.#view;
		this.#send.hidden = busy && !this.#hasContent;
		this.#busyKeys.hidden = !busy || !this.#hasContent;
		this.#tryImages.hidden = !this.#hasImages || !this.#view.unknown?.includes("images");
		this.#send.classList.toggle("ready", this.#hasContent);
		setName(this.#send, busy ? `Queue. ${BUSY_KEYS}.` : "Send (Enter)");
		this.#meter.show(tokens === undefined ? undefined : tokens + sizeOf(value).tokens, this.#view);
	}
}
