import type { Clock } from "#base/clock.ts";
import type { Phase, ToHost } from "#protocol/panel.ts";
import { el, icon, iconButton, setName } from "./dom.ts";
import type { MessagePlace, SavedState } from "./host.ts";
import type { IconName } from "./icons.ts";
import type { Images } from "./images.ts";
import { type MenuRow, menuOf } from "./menu.ts";
import type { TurnEdits } from "./turn-editor.ts";

/** Dependencies of messages. */
export interface MessageRooms {
	readonly clock: Clock;
	isBusy(): boolean;
	post(message: ToHost): void;
	readonly edits: TurnEdits;
	readonly saved: SavedState;
	readonly images: Images;
	/** Announces a text to screen readers without moving the focus. */
	announce(text: string): void;
}

/** Article of a message. */
export interface MessageArticle {
	readonly place: MessagePlace;
	readonly article: HTMLElement;
	/** True while only its first line is shown. */
	readonly collapsed: boolean;
	toggle(): void;
}

/** Message as its buttons see it. */
export interface ActedMessage {
	readonly slot: MessageArticle;
	readonly role: "user" | "assistant";
	readonly phase?: Phase;
	shown(): string;
	source(): string;
	/** Puts an editor in place of a turn's text. */
	edit?(): void;
}

interface MessageAction {
	/** Unique; the button carries it as `data-message-action`. */
	readonly name: string;
	readonly icon: IconName;
	readonly label: string;
	readonly isShown: (message: ActedMessage) => boolean;
	readonly run: (message: ActedMessage, post: MessageRooms["post"]) => void;
}

const isTurn = ({ role }: ActedMessage) => role === "user";
const isEnded = ({ phase }: ActedMessage) => phase?.name === "ended";
const isWaiting = ({ phase }: ActedMessage) => phase?.name === "waiting" || phase?.name === "retrying";

/** Makes a button that posts the request of its name. */
function asking(
	name: "open-reply" | "continue" | "regenerate" | "regenerate-with" | "fork",
	icon: IconName,
	label: string,
	isShown = isEnded,
): MessageAction {
	return { name, icon, label, isShown, run: ({ slot }, post) => post({ type: name, message: slot.place.message }) };
}

/** The first four that are shown have an icon under the message, the others stand in the menu behind them. */
const MESSAGE_ACTIONS: readonly MessageAction[] = [
	{
		name: "copy",
		icon: "copy",
		label: "Copy",
		isShown: (message) => !isWaiting(message),
		run: (message, post) => post({ type: "copy", text: message.shown() }),
	},
	{
		name: "edit",
		icon: "edit",
		label: "Edit and Resend",
		isShown: isTurn,
		run: (message) => message.edit?.(),
	},
	asking("continue", "debug-continue", "Continue", isCutOff),
	asking("regenerate", "refresh", "Regenerate"),
	asking("fork", "repo-forked", "Fork from Here", (message) => isTurn(message) || isEnded(message)),
	asking("open-reply", "open-preview", "Open as Markdown"),
	asking("regenerate-with", "settings", "Regenerate With..."),
	{
		name: "copy-markdown",
		icon: "markdown",
		label: "Copy as Markdown",
		isShown: (message) => !isTurn(message) && !isWaiting(message),
		run: (message, post) => post({ type: "copy", text: message.source() }),
	},
	{ name: "collapse", icon: "fold", label: "Collapse", isShown: isTurn, run: ({ slot }) => slot.toggle() },
];

const MOST_ICONS = 4;

const CUT_OFF: ReadonlySet<string> = new Set(["truncated", "other", "stopped", "interrupted", "stalled", "failed"]);

function isCutOff(message: ActedMessage): boolean {
	const { phase } = message;
	return phase?.name === "ended" && CUT_OFF.has(phase.outcome) && message.source().trim() !== "";
}

/** Row of buttons under a message, visible on hover and focus, and always under the last. */
export class ActionRow {
	readonly element = el("div", { class: "message-actions" });
	readonly #message: ActedMessage;
	readonly #rooms: Pick<MessageRooms, "post" | "isBusy">;
	readonly #buttons: readonly (readonly [MessageAction, HTMLButtonElement])[];
	readonly #more = iconButton("ellipsis", "More Actions");

	constructor(message: ActedMessage, rooms: Pick<MessageRooms, "post" | "isBusy">) {
		this.#message = message;
		this.#rooms = rooms;
		this.#buttons = MESSAGE_ACTIONS.map((action) => {
			const button = iconButton(action.icon, action.label, (event) => this.#run(action, event));
			button.dataset["messageAction"] = action.name;
			return [action, button];
		});
		this.element.append(
			...this.#buttons.map(([, button]) => button),
			this.#more,
			menuOf(this.#more, () => this.#rest()),
		);
		this.update();
	}

	update(): void {
		const icons = this.#shown().slice(0, MOST_ICONS);
		for (const [action, button] of this.#buttons) {
			button.hidden = !icons.includes(action);
			if (action.name !== "collapse") continue;
			const { collapsed } = this.#message.slot;
			setName(button, collapsed ? "Expand" : action.label);
			button.replaceChildren(icon(collapsed ? "unfold" : "fold"));
		}
		this.#more.hidden = icons.length === this.#shown().length;
	}

	#shown(): readonly MessageAction[] {
		return MESSAGE_ACTIONS.filter(({ isShown }) => isShown(this.#message));
	}

	/** Rows of the menu. */
	#rest(): readonly MenuRow[] {
		const rest = this.#shown().slice(MOST_ICONS);
		const usable = rest.filter(({ name }) => name !== "regenerate-with" || !this.#rooms.isBusy());
		return usable.map((action) => ({ ...action, run: (event) => this.#run(action, event) }));
	}

	#run(action: MessageAction, { detail }: MouseEvent): void {
		// The second click of two lands in the fork that the first has made.
		if (action.name !== "fork" || detail < 2) action.run(this.#message, this.#rooms.post);
	}
}
