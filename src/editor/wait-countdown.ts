import type { WaitNotice } from "#api/codehost/model.ts";
import type { Clock } from "#base/clock.ts";
import type { Disposable } from "#base/disposables.ts";
import { describeWait } from "./kit/words.ts";

const TICK_MS = 1_000;

/** What a countdown works with. */
export interface WaitCountdownParts {
	/** Who is waited for. */
	readonly label: string;
	readonly clock: Clock;
	/** Shows a line in place of the one before; an empty one when nothing is waited for any more. */
	readonly say: (line: string) => void;
}

/** Counts down each second what something that a person has started waits for. */
export class WaitCountdown implements Disposable {
	readonly #parts: WaitCountdownParts;
	#wait: WaitNotice | null = null;
	#timer: Disposable | undefined;

	constructor(parts: WaitCountdownParts) {
		this.#parts = parts;
	}

	/** Counts this one down from now on; null when it is over. */
	follow(wait: WaitNotice | null): void {
		const wasWaiting = this.#wait !== null;
		this.#wait = wait;
		if (wait !== null || wasWaiting) this.#tell();
	}

	/** The line that is shown now. */
	get line(): string {
		const { label, clock } = this.#parts;
		return this.#wait === null ? "" : describeWait(this.#wait, { label, now: clock.now() });
	}

	dispose(): void {
		this.#timer?.dispose();
	}

	#tell(): void {
		this.#timer?.dispose();
		if (this.#wait !== null) this.#timer = this.#parts.clock.after(TICK_MS, () => this.#tell());
		this.#parts.say(this.line);
	}
}
