import { oneLine } from "#base/one-line.ts";
import { visibleJson } from "#base/unprintable.ts";
import type { CALL_ANSWERS, CallView, ToHost } from "#protocol/panel.ts";
import { el, icon, iconButton, isTaken, textButton } from "./dom.ts";
import { type IconName, iconNamed } from "./icons.ts";
import { menuOf } from "./menu.ts";
import type { MessageRooms } from "./message-actions.ts";
import { staticText } from "./plain-text.ts";
import { durationWords } from "./words.ts";

type CallPlace = Pick<Extract<ToHost, { type: "answer-call" }>, "message" | "key">;

type CallAnswer = (typeof CALL_ANSWERS)[number];

/** Class of an approval. */
export const APPROVAL = "approval";

/** Type of the event of a new approval, from its element. */
export const ASKS = "asks";

const STATES: Readonly<Record<CallView["state"], readonly [icon: IconName, words: string]>> = {
	waiting: ["ellipsis", "Waiting"],
	asking: ["question", "Needs your approval"],
	running: ["loading", "Running"],
	done: ["check", "Done"],
	failed: ["warning", "Failed"],
	denied: ["circle-slash", "Denied"],
	stopped: ["debug-stop", "Stopped"],
	interrupted: ["question", "Interrupted"],
	refused: ["circle-slash", "Not run"],
};

/** States that show the beginning of the result under the call. */
export const WITH_REASON: ReadonlySet<CallView["state"]> = new Set(["failed", "refused"]);
const UNKNOWN_END = "Not confirmed. Check the result before you try again.";

/** True for a call that was cut off while it ran: it may have had its effect. */
export function hasUnknownEnd(state: CallView["state"], ms: number | undefined): boolean {
	return state === "interrupted" || (state === "stopped" && ms !== undefined);
}

/** Tool call: a line that opens to input and result, and an approval while it asks. Closed, it keeps neither in the DOM. */
export class CallBlock {
	readonly element = el("div", { class: "call raw" });
	readonly #place: CallPlace;
	readonly #rooms: Pick<MessageRooms, "post" | "announce" | "images">;
	readonly #icon = icon("tools");
	readonly #title = el("span", { class: "call-title" });
	readonly #state = el("span", { class: "call-state small-print" });
	readonly #summary = el("summary", { children: [icon("chevron-right"), this.#icon, this.#title, this.#state] });
	readonly #body = el("div", { class: "call-body" });
	readonly #details = el("details", { class: "fold", children: [this.#summary, this.#body] });
	readonly #reason = el("p", { class: "call-reason small-print" });
	#approval: HTMLElement | undefined;
	#input = "";
	#view: Pick<CallView, "result" | "images"> = {};

	constructor(place: CallPlace, rooms: Pick<MessageRooms, "post" | "announce" | "images">) {
		this.#place = place;
		this.#rooms = rooms;
		this.#details.addEventListener("toggle", () => this.#fill());
		this.element.addEventListener("keydown", (event) => this.#onKey(event));
		this.element.append(this.#details, this.#reason);
	}

	/** Shows the call with its input so far, as JSON. */
	update(view: CallView, input: string): void {
		const { title, icon: name, state, result, ms } = view;
		// An approval is for the input that it shows.
		if (state !== "asking" || input !== this.#input) this.#leave();
		this.#input = input;
		this.#view = view;
		const [stateIcon, words] = STATES[state];
		this.#icon.className = `codicon codicon-${iconNamed(name)}`;
		this.#title.textContent = title;
		this.#state.replaceChildren(
			icon(stateIcon),
			el("span", { class: "call-state-words", text: words }),
			el("span", { text: durationWords(ms ?? 0) }),
		);
		this.#state.firstElementChild?.classList.toggle("spin", state === "running");
		const reason = WITH_REASON.has(state) ? oneLine(result ?? "") : "";
		this.#reason.textContent = hasUnknownEnd(state, ms) ? UNKNOWN_END : reason;
		this.element.dataset["state"] = state;
		if (state === "asking") this.#ask(view);
		this.#fill();
	}

	#fill(): void {
		this.#body.replaceChildren();
		if (!this.#details.open) return;
		const { result, images = [] } = this.#view;
		this.#body.append(textBox("Input", inputWords(this.#input)));
		if (result !== undefined) this.#body.append(textBox("Result", result));
		for (const { hash } of images) this.#body.append(this.#rooms.images.thumbnail(hash, "Image of the result"));
	}

	/** Asks for an approval, and again when the title says more. */
	#ask({ title, saysAll = false, scope = "" }: CallView): void {
		this.#approval ??= this.#makeApproval(scope);
		const words = `Approval needed: ${title}`;
		if (this.#approval.getAttribute("aria-label") === words) return;
		this.#approval.setAttribute("aria-label", words);
		if (!saysAll) this.#details.open = true;
		this.#rooms.announce(`${words}. Press Alt+Enter to go to it.`);
		this.#approval.dispatchEvent(new Event(ASKS, { bubbles: true }));
	}

	#makeApproval(scope: string): HTMLElement {
		const on = (answer: CallAnswer) => (event: MouseEvent) => {
			// The second click of two may land on the next approval, which nobody has read yet.
			if (event.detail < 2) this.#answer(answer);
		};
		const more = iconButton("chevron-down", "More Ways to Allow");
		more.className = "text-button primary";
		const menu = menuOf(more, () => [
			{ name: "conversation", label: "Allow in This Conversation", run: on("conversation") },
			{ name: "always", label: "Always Allow", detail: scope, run: on("always") },
		]);
		const once = textButton("Allow Once", "primary", on("once"));
		const split = el("div", { class: "split-button", children: [once, more, menu] });
		split.addEventListener("keydown", (event) => {
			if (event.key !== "ArrowDown" || menu.contains(document.activeElement)) return;
			event.preventDefault();
			event.stopPropagation();
			more.click();
		});
		const deny = textButton("Deny", "secondary", () => this.#askReason());
		once.dataset["answer"] = "once";
		deny.dataset["answer"] = "deny";
		const attributes = { role: "group", tabindex: "-1" };
		const approval = el("div", { class: `${APPROVAL} card-actions`, attributes, children: [split, deny] });
		this.element.append(approval);
		return approval;
	}

	/** Asks for the reason of a denial in place of the buttons: Escape gives none. */
	#askReason(): void {
		const label = "Reason (optional)";
		const why = el("input", { attributes: { type: "text", "aria-label": label, placeholder: label } });
		const deny = () => this.#answer("deny", why.value.trim());
		why.addEventListener("keydown", (event) => {
			if ((event.key !== "Enter" && event.key !== "Escape") || event.altKey || isTaken(event)) return;
			event.preventDefault();
			event.stopPropagation();
			if (event.key === "Enter") deny();
			else this.#answer("deny");
		});
		this.#approval?.replaceChildren(why, textButton("Send", "primary", deny));
		why.focus();
	}

	#answer(answer: CallAnswer, word = ""): void {
		this.#leave();
		this.#state.textContent = "Answered";
		this.#rooms.post({ type: "answer-call", ...this.#place, answer, ...(word === "" ? {} : { word }) });
	}

	/** Handles Alt+Enter, which allows once, and Alt+Backspace, which denies; neither in the reason of a denial. */
	#onKey(event: KeyboardEvent): void {
		const { key, altKey, ctrlKey, metaKey, shiftKey, target } = event;
		const isDenied = key === "Backspace";
		const isAnswer = altKey && !(ctrlKey || metaKey || shiftKey) && (key === "Enter" || isDenied);
		if (this.#approval === undefined || !isAnswer || target instanceof HTMLInputElement || isTaken(event)) return;
		event.preventDefault();
		event.stopPropagation();
		// A held key has only brought the focus here.
		if (!event.repeat) this.#answer(isDenied ? "deny" : "once");
	}

	/** Removes the approval; its focus goes to the line of the call. */
	#leave(): void {
		const hadFocus = this.#approval?.contains(document.activeElement) ?? false;
		if (this.#approval !== undefined) this.#details.open = false;
		this.#approval?.remove();
		this.#approval = undefined;
		if (hadFocus) this.#summary.focus({ preventScroll: true });
	}
}

function textBox(label: string, text: string): HTMLElement {
	const box = staticText(text);
	box.setAttribute("role", "group");
	box.setAttribute("aria-label", label);
	box.tabIndex = 0;
	return el("div", { class: "call-part", children: [el("div", { class: "small-print", text: label }), box] });
}

/** Formats an input, short fields first, with invisible characters as escapes. Incomplete JSON stays as it is. */
function inputWords(text: string): string {
	try {
		return visibleJson(JSON.stringify(JSON.parse(text), shortFirst, 2));
	} catch {
		return visibleJson(text);
	}
}

function shortFirst(_: string, value: unknown): unknown {
	if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
	const size = ([, field]: readonly [string, unknown]) => JSON.stringify(field).length;
	return Object.fromEntries(Object.entries(value).sort((one, other) => size(one) - size(other)));
}
