import type { Clock } from "#base/clock.ts";
import type { Phase, ToHost } from "#protocol/panel.ts";
import { el, iconButton, setName } from "./dom.ts";
import type { MessagePlace, SavedState } from "./host.ts";
import type { IconName } from "./icons.ts";
import type { Images } from "./images.ts";
import type { TurnEdits } from "./turn-editor.ts";

/** Rooms that messages work with. */
export interface MessageRooms {
	readonly clock: Clock;
	/** True while a reply is under way, so that no other can be asked for. */
	isBusy(): boolean;
	post(message: ToHost): void;
	/** Text in the editors of turns. */
	readonly edits: TurnEdits;
	/** Messages that are collapsed. */
	readonly saved: SavedState;
	readonly images: Images;
	/** Announces a text to screen readers without moving the focus. */
	announce(text: string): void;
}

/** A message's article, and the message that it is of. */
export interface MessageArticle {
	readonly place: MessagePlace;
	readonly article: HTMLElement;
}

/** A message as its buttons see it. */
export interface ActedMessage {
	readonly place: MessagePlace;
	readonly role: "user" | "assistant";
	/** Phase of a reply. */
	readonly phase?: Phase;
	/** True while only its first line is shown. */
	readonly collapsed: boolean;
	/** The text as a person reads it, without marks. */
	shown(): string;
	/** The text as it was typed or came: markdown. */
	source(): string;
	toggle(): void;
	/** Puts an editor in place of a turn's text. */
	edit?(): void;
}

/** A button that stands under messages. */
interface MessageAction {
	/** Unique; the button carries it as `data-message-action`. */
	readonly name: string;
	/** The button on this message as it is now; undefined where the message has none. */
	readonly look: (message: ActedMessage) => { readonly icon: IconName; readonly label: string } | undefined;
	readonly run: (message: ActedMessage, post: MessageRooms["post"]) => void;
}

/** All buttons of messages, in the order in which they stand. */
const MESSAGE_ACTIONS: readonly MessageAction[] = [
	{
		name: "copy",
		look: ({ phase }) => (isWaiting(phase) ? undefined : { icon: "copy", label: "Copy" }),
		run: (message, post) => post({ type: "copy", text: message.shown() }),
	},
	{
		name: "copy-markdown",
		look: ({ phase }) => (isWaiting(phase) ? undefined : { icon: "markdown", label: "Copy as Markdown" }),
		run: (message, post) => post({ type: "copy", text: message.source() }),
	},
	{
		name: "open-reply",
		look: ({ phase }) => (phase?.name === "ended" ? { icon: "open-preview", label: "Open as Markdown" } : undefined),
		run: ({ place: { message } }, post) => post({ type: "open-reply", message }),
	},
	{
		name: "edit",
		look: ({ edit }) => (edit === undefined ? undefined : { icon: "edit", label: "Edit and Resend" }),
		run: (message) => message.edit?.(),
	},
	{
		name: "continue",
		look: (message) => (isCutOff(message) ? { icon: "debug-continue", label: "Continue" } : undefined),
		run: ({ place: { message } }, post) => post({ type: "continue", message }),
	},
	{
		name: "regenerate",
		look: ({ phase }) => (phase?.name === "ended" ? { icon: "refresh", label: "Regenerate" } : undefined),
		run: ({ place: { message } }, post) => post({ type: "regenerate", message }),
	},
	{
		name: "regenerate-with",
		look: ({ phase }) => (phase?.name === "ended" ? { icon: "settings", label: "Regenerate With..." } : undefined),
		run: ({ place: { message } }, post) => post({ type: "regenerate-with", message }),
	},
	{
		name: "fork",
		look: ({ role, phase }) =>
			role === "user" || phase?.name === "ended" ? { icon: "repo-forked", label: "Fork from Here" } : undefined,
		run: ({ place: { message } }, post) => post({ type: "fork", message }),
	},
	{
		name: "collapse",
		look: ({ collapsed }) => (collapsed ? { icon: "unfold", label: "Expand" } : { icon: "fold", label: "Collapse" }),
		run: (message) => message.toggle(),
	},
];

/** True while a reply has no text that could be acted on. */
function isWaiting(phase: Phase | undefined): boolean {
	return phase?.name === "waiting" || phase?.name === "retrying";
}

const CUT_OFF: ReadonlySet<string> = new Set(["truncated", "other", "stopped", "interrupted", "stalled", "failed"]);

/** True of a reply that ended in the middle of its text. */
function isCutOff(message: ActedMessage): boolean {
	const { phase } = message;
	return phase?.name === "ended" && CUT_OFF.has(phase.outcome) && message.source().trim() !== "";
}

/** The row of buttons under a message, seen on hover and focus. */
export class ActionRow {
	readonly element: HTMLElement;
	readonly #message: ActedMessage;
	readonly #buttons: readonly { readonly action: MessageAction; readonly button: HTMLButtonElement }[];

	constructor(message: ActedMessage, post: MessageRooms["post"]) {
		this.#message = message;
		this.#buttons = MESSAGE_ACTIONS.map((action) => {
			const button = iconButton("copy", "", ({ detail }) => {
				// The second click of two lands in the fork that the first has made.
				if (action.name !== "fork" || detail < 2) action.run(message, post);
			});
			button.dataset["messageAction"] = action.name;
			return { action, button };
		});
		this.element = el("div", { class: "message-actions", children: this.#buttons.map(({ button }) => button) });
		this.update();
	}

	/** Shows the buttons that the message has now. To be called when something they look at has changed. */
	update(): void {
		for (const { action, button } of this.#buttons) {
			const look = action.look(this.#message);
			button.hidden = look === undefined;
			if (look === undefined || button.title === look.label) continue;
			setName(button, look.label);
			if (button.firstElementChild !== null) button.firstElementChild.className = `codicon codicon-${look.icon}`;
		}
	}
}
