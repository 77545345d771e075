import type { ConnectionSettings, KeyValueStore, Log, SecretStore } from "#app/ports.ts";
import { Emitter } from "#base/emitter.ts";

/** Secret storage in memory. `fail` makes it forget what it is given, as a locked keychain does. */
export class MemorySecrets implements SecretStore {
	readonly entries = new Map<string, string>();
	readonly #changed = new Emitter<{ readonly key: string }>();
	fail = false;

	readonly onDidChange = this.#changed.event;

	async get(key: string): Promise<string | undefined> {
		return this.entries.get(key);
	}

	async store(key: string, value: string): Promise<void> {
		if (this.fail) return;
		this.entries.set(key, value);
		this.#changed.fire({ key });
	}

	async delete(key: string): Promise<void> {
		this.entries.delete(key);
		this.#changed.fire({ key });
	}
}

/** The connections setting in memory. A write takes effect a moment later, as the editor's does. */
export class MemorySettings implements ConnectionSettings {
	#value: unknown;
	readonly #changed = new Emitter<void>();

	readonly onDidChange = this.#changed.event;

	get value(): unknown {
		return this.#value;
	}

	/** As a person edits the settings by hand. */
	set value(value: unknown) {
		this.#value = value;
		this.#changed.fire();
	}

	read(): unknown {
		return this.#value;
	}

	async write(connections: readonly object[]): Promise<void> {
		await new Promise((resolve) => setImmediate(resolve));
		this.value = connections;
	}
}

/** A log that keeps its lines. */
export class MemoryLog implements Log {
	readonly lines: string[] = [];

	info(message: string): void {
		this.lines.push(`info ${message}`);
	}

	warn(message: string): void {
		this.lines.push(`warn ${message}`);
	}

	error(message: string): void {
		this.lines.push(`error ${message}`);
	}
}

/** Small things in memory, as JSON: what the editor keeps is no object of ours either. */
export class MemoryStore implements KeyValueStore {
	readonly entries = new Map<string, string>();

	get(key: string): unknown {
		const stored = this.entries.get(key);
		return stored === undefined ? undefined : JSON.parse(stored);
	}

	async set(key: string, value: unknown): Promise<void> {
		await new Promise((resolve) => setImmediate(resolve));
		this.entries.set(key, JSON.stringify(value));
	}
}
