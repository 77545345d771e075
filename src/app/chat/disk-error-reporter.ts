import { Emitter } from "#base/emitter.ts";

/** Reasons of the system in words. */
const REASONS = new Map<unknown, string>([
	["ENOSPC", "the disk is full"],
	["EDQUOT", "the disk is full"],
	["EROFS", "the disk is read-only"],
	["EACCES", "their folder may not be written to"],
	["EPERM", "their folder may not be written to"],
]);

/** Reports once that conversations cannot be written, and again only after a write has succeeded. */
export class DiskErrorReporter {
	/** Files whose last write failed. */
	readonly #failing = new Set<string>();
	readonly #begun = new Emitter<string>();

	/** Fires with a sentence for the person, which says why and what to do. */
	readonly onDidBegin = this.#begun.event;

	/** Records that a file could not be written. */
	failed(file: string, error: unknown): void {
		const isFirst = this.#failing.size === 0;
		this.#failing.add(file);
		if (!isFirst) return;
		const code = error instanceof Error && "code" in error ? error.code : undefined;
		const reason = REASONS.get(code) ?? (error instanceof Error ? error.message : String(error));
		this.#begun.fire(
			`Conversations cannot be saved just now: ${reason}. Export what you need before you close the window.`,
		);
	}

	/** Records that a file was written, or is not to be written any more. */
	over(file: string): void {
		this.#failing.delete(file);
	}
}
