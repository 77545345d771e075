import { oneLine } from "#base/one-line.ts";
import { visibleJson } from "#base/unprintable.ts";
import type { CALL_ANSWERS, CallView, ToHost } from "#protocol/panel.ts";
import { el, icon, isTaken, textButton } from "./dom.ts";
import { type IconName, iconNamed } from "./icons.ts";
import type { MessageRooms } from "./message-actions.ts";
import { staticText } from "./plain-text.ts";
import { durationWords } from "./words.ts";

type CallPlace = Pick<Extract<ToHost, { type: "answer-call" }>, "message" | "key">;

type CallAnswer = (typeof CALL_ANSWERS)[number];

/** Class of an approval. */
export const APPROVAL = "approval";

const ANSWERS: readonly (readonly [answer: CallAnswer, label: string])[] = [
	["once", "Allow Once"],
	["conversation", "Allow in This Conversation"],
	["always", "Always Allow"],
	["deny", "Deny"],
];

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
	#result: string | undefined;
	#images: NonNullable<CallView["images"]> = [];

	constructor(place: CallPlace, rooms: Pick<MessageRooms, "post" | "announce" | "images">) {
		this.#place = place;
		this.#rooms = rooms;
		this.#details.addEventListener("toggle", () => this.#fill());
		this.element.append(this.#details, this.#reason);
	}

	/** True while the reply waits for this call. */
	get isActive(): boolean {
		const { state } = this.element.dataset;
		return state === "asking" || state === "running";
	}

	/** Shows the call with its input so far, as JSON. */
	update({ title, icon: name, state, scope, result, images = [], ms }: CallView, input: string): void {
		// An approval is for the input that it shows.
		if (state !== "asking" || input !== this.#input) this.#leave();
		this.#input = input;
		this.#result = result;
		this.#images = images;
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
		if (state === "asking" && this.#approval === undefined) this.#ask(title, scope);
		this.#fill();
	}

	#fill(): void {
		this.#body.replaceChildren();
		if (!this.#details.open) return;
		this.#body.append(textBox("Input", inputWords(this.#input)));
		if (this.#result !== undefined) this.#body.append(textBox("Result", this.#result));
		for (const { hash } of this.#images) this.#body.append(this.#rooms.images.thumbnail(hash, "Image of the result"));
	}

	#ask(title: string, scope = ""): void {
		const label = "Reason for denying (optional)";
		const why = el("input", { attributes: { type: "text", "aria-label": label, placeholder: label } });
		const answer = (given: CallAnswer) => {
			const word = given === "deny" ? why.value.trim() : "";
			this.#leave();
			this.#state.textContent = "Answered";
			this.#rooms.post({ type: "answer-call", ...this.#place, answer: given, ...(word === "" ? {} : { word }) });
		};
		why.addEventListener("keydown", (event) => {
			if (event.key !== "Enter" || isTaken(event)) return;
			event.preventDefault();
			answer("deny");
		});
		const buttons = ANSWERS.map(([given, text]) => {
			const button = textButton(text, given === "once" ? "primary" : "secondary", ({ detail }) => {
				// The second click of two may land on the next approval, which nobody has read yet.
				if (detail < 2) answer(given);
			});
			button.dataset["answer"] = given;
			return button;
		});
		const words = `Approval needed: ${title}`;
		this.#approval = el("div", {
			class: APPROVAL,
			attributes: { role: "group", tabindex: "-1", "aria-label": words },
			children: [
				textBox("Input", inputWords(this.#input)),
				el("p", { class: "small-print", text: `Always Allow holds for ${scope}.` }),
				el("div", { class: "card-actions", children: buttons }),
				why,
			],
		});
		this.element.append(this.#approval);
		this.#rooms.announce(`${words}. Press Alt+Enter to go to it.`);
	}

	/** Removes the approval; its focus goes to the line of the call. */
	#leave(): void {
		const hadFocus = this.#approval?.contains(document.activeElement) ?? false;
		this.#approval?.remove();
		this.#approval = undefined;
		if (hadFocus) this.#summary.focus({ preventScroll: true });
	}
}

/** Handles Alt+Enter, which goes to the first approval under `root` and then allows it, and Alt+Backspace, which denies it. */
export function approvalKey(event: KeyboardEvent, root: Element): boolean {
	const approval = root.querySelector<HTMLElement>(`.${APPROVAL}`);
	const answer = event.key === "Enter" ? "once" : event.key === "Backspace" ? "deny" : undefined;
	if (!event.altKey || answer === undefined || approval === null) return false;
	const isThere = event.target instanceof Element && event.target.classList.contains(APPROVAL);
	if (isThere) {
		// A held key has only brought the focus here.
		if (!event.repeat) event.target.querySelector<HTMLElement>(`[data-answer="${answer}"]`)?.click();
	} else if (answer === "deny" || approval.contains(document.activeElement)) return false;
	else approval.focus();
	return true;
}

function textBox(label: string, text: string): HTMLElement {
	const box = staticText(text);
	box.setAttribute("role", "group");
	box.setAttribute("aria-label", label);
	box.tabIndex = 0;
	return el("div", { class: "call-part", children: [el("div", { class: "small-print", text: label }), box] });
}

/** Formats an input, with invisible characters as escapes. Incomplete JSON stays as it is. */
function inputWords(text: string): string {
	try {
		return visibleJson(JSON.stringify(JSON.parse(text), null, 2));
	} catch {
		return visibleJson(text);
	}
}
