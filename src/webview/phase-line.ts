import type { Clock } from "#base/clock.ts";
import type { Disposable } from "#base/disposables.ts";
import type { Phase } from "#protocol/panel.ts";
import { el } from "./dom.ts";
import { clockWords } from "./words.ts";

/** Time after which the clock is shown: earlier, it makes a quick reply feel slow. */
const SHOW_ELAPSED_MS = 5000;
const TICK_MS = 250;
const WAITING = "Waiting";

/** Line under a reply under way. It counts on from the duration that the host reported. */
export class PhaseLine {
	readonly element: HTMLElement;
	readonly #words = el("span", { class: "phase-words" });
	readonly #cancel: HTMLButtonElement;
	readonly #clock: Clock;
	#timer: Disposable | undefined;

	/** `cancel` is called by its button Stop or Cancel. */
	constructor(clock: Clock, cancel: () => void) {
		this.#clock = clock;
		this.#cancel = el("button", { text: "Cancel", click: cancel });
		this.element = el("div", {
			class: "phase small-print",
			children: [el("span", { class: "pulse", attributes: { "aria-hidden": "true" } }), this.#words, this.#cancel],
		});
	}

	update(phase: Phase): void {
		this.#cancel.textContent = phase.name === "retrying" ? "Cancel" : "Stop";
		this.#timer?.dispose();
		this.#tick(phase, this.#clock.monotonic());
	}

	#tick(phase: Phase, since: number): void {
		const words = phaseWords(phase, this.#clock.monotonic() - since);
		this.element.hidden = words === undefined;
		this.#cancel.hidden = phase.name === "streaming" || words === WAITING;
		this.#words.textContent = words ?? "";
		if (phase.name === "ended" || !this.element.isConnected) return;
		this.#timer = this.#clock.after(TICK_MS, () => this.#tick(phase, since));
	}
}

/** Describes a phase `sinceMs` after it was reported; undefined if there is nothing to show. */
export function phaseWords(phase: Phase, sinceMs: number): string | undefined {
	if (phase.name === "ended") return undefined;
	if (phase.name === "retrying") {
		const left = Math.max(0, Math.ceil((phase.inMs - sinceMs) / 1000));
		return left === 0 ? `Retrying now (${phase.reason})` : `Retrying in ${left} s (${phase.reason})`;
	}
	const elapsed = phase.elapsedMs + sinceMs;
	if (phase.name === "waiting") {
		if (elapsed < SHOW_ELAPSED_MS) return WAITING;
		return `${phase.isLocal ? "Loading the model" : "Waiting for the service"}... ${clockWords(elapsed)}`;
	}
	if (phase.silentMs !== undefined) return `No data for ${clockWords(phase.silentMs + sinceMs)}`;
	return elapsed < SHOW_ELAPSED_MS ? undefined : clockWords(elapsed);
}
