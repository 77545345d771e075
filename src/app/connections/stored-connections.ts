import { type Disposable, DisposableStore } from "#base/disposables.ts";
import { Emitter } from "#base/emitter.ts";
import type { ConnectionSettings, Log } from "../ports.ts";
import { type Connection, decodeConnections } from "./connection.ts";

/** The connections in the person's settings, read afresh each time, since a person may edit them by hand. */
export class StoredConnections implements Disposable {
	readonly #settings: ConnectionSettings;
	readonly #log: Log;
	readonly #held = new DisposableStore();
	readonly #changed = this.#held.add(new Emitter<void>());
	readonly #problemsFound = this.#held.add(new Emitter<readonly string[]>());
	#reported = "";
	#lastWrite: Promise<void> = Promise.resolve();

	constructor(settings: ConnectionSettings, log: Log) {
		this.#settings = settings;
		this.#log = log;
		this.#held.add(settings.onDidChange(() => this.#changed.fire()));
	}

	/** The list, or what a connection is made of, has changed. */
	readonly onDidChange = this.#changed.event;

	/** Fires with a sentence for each entry that cannot be used, whenever these have changed. */
	readonly onDidFindProblems = this.#problemsFound.event;

	/** All that can be read. */
	read(): readonly Connection[] {
		return decodeConnections(this.#settings.read()).connections;
	}

	/** The same, and tells of what cannot be used where that is news. */
	readAndTell(): readonly Connection[] {
		const { connections, problems } = decodeConnections(this.#settings.read());
		// Saving others moves an entry; that is no news.
		const report = problems.map((problem) => problem.replace(/\[\d+\]/, "")).join("\n");
		if (report !== this.#reported) {
			this.#reported = report;
			for (const problem of problems) this.#log.warn(problem);
			if (problems.length > 0) this.#problemsFound.fire(problems);
		}
		return connections;
	}

	/**
	 * Writes the changed list, one writer after the other: two commands at once must not lose each other's work. Entries
	 * that could not be read stay in the settings as they are: a slip of the pen must not cost a connection.
	 */
	save(change: (stored: readonly Connection[]) => readonly Connection[]): Promise<void> {
		const write = this.#lastWrite.then(async () => {
			const raw = this.#settings.read();
			const entries: readonly unknown[] = Array.isArray(raw) ? raw : [];
			const unreadable = entries.filter(
				(entry): entry is object =>
					typeof entry === "object" && entry !== null && decodeConnections([entry]).connections.length === 0,
			);
			await this.#settings.write([...change(decodeConnections(raw).connections), ...unreadable]);
			this.#changed.fire();
		});
		this.#lastWrite = write.catch(() => undefined);
		return write;
	}

	/** Puts a connection in the place of the one with its id. */
	replace(after: Connection): Promise<void> {
		return this.save((stored) => stored.map((each) => (each.id === after.id ? after : each)));
	}

	dispose(): void {
		this.#held.dispose();
	}
}
