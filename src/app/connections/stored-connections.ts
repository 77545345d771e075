import { ResourceOwner } from "#base/disposables.ts";
import { Emitter } from "#base/emitter.ts";
import { ClientError, invalid } from "#base/errors.ts";
import { object, oneOf, type SchemaPlace, trimmed } from "#base/schema.ts";
import { taskQueue } from "#base/task-queue.ts";
import type { ConnectionSettings, Log } from "../ports.ts";
import type { Connection, ConnectionDraft, ConnectionService } from "./connection.ts";
import { SERVICE_IDS, SERVICES } from "./services.ts";

/** Connections in the person's settings, decoded once per change. */
export class StoredConnections extends ResourceOwner {
	readonly #settings: ConnectionSettings;
	readonly #log: Log;
	readonly #changed = this.held.add(new Emitter<void>());
	readonly #problemsFound = this.held.add(new Emitter<readonly string[]>());
	#decoded: readonly Connection[] | undefined;
	#reported = "";
	readonly #inTurn = taskQueue();

	constructor(settings: ConnectionSettings, log: Log) {
		super();
		this.#settings = settings;
		this.#log = log;
		this.held.add(settings.onDidChange(() => this.#tell()));
	}

	/** The list, or what a connection is made of, has changed. */
	readonly onDidChange = this.#changed.event;

	/** Fires with a sentence for each entry that cannot be used, whenever these have changed. */
	readonly onDidFindProblems = this.#problemsFound.event;

	/** Reads all valid entries. Invalid ones are reported once. */
	read(): readonly Connection[] {
		if (this.#decoded !== undefined) return this.#decoded;
		const { connections, problems } = decodeConnections(this.#settings.read());
		this.#decoded = connections;
		// A problem that only moved to another index is not new.
		const report = problems.map((problem) => problem.replace(/\[\d+\]/, "")).join("\n");
		if (report !== this.#reported) {
			this.#reported = report;
			for (const problem of problems) this.#log.warn(problem);
			if (problems.length > 0) this.#problemsFound.fire(problems);
		}
		return connections;
	}

	/** Writes a changed list, one write after the other. Entries that cannot be read stay as they are. */
	save(change: (stored: readonly Connection[]) => readonly Connection[]): Promise<void> {
		return this.#inTurn(async () => {
			const raw = this.#settings.read();
			const entries: readonly unknown[] = Array.isArray(raw) ? raw : [];
			const unreadable = entries.filter((entry) => decodeConnections([entry]).connections.length === 0);
			const stored = decodeConnections(raw).connections;
			const changed = change(stored);
			// Settings with a mistake in them cannot be written.
			if (changed !== stored) await this.#settings.write([...changed, ...unreadable]);
			this.#tell();
		});
	}

	/** Replaces the entry of that id. Rejects with ClientError `invalid` for `connection` if it was removed meanwhile. */
	async replace(connection: Connection): Promise<void> {
		await this.save((stored) => {
			const before = stored.find(({ id }) => id === connection.id);
			if (before === undefined) throw invalid(connection.service, "connection", "was removed meanwhile");
			const isNews = JSON.stringify(connection) !== JSON.stringify(before);
			return isNews ? stored.map((each) => (each === before ? connection : each)) : stored;
		});
	}

	#tell(): void {
		this.#decoded = undefined;
		this.#changed.fire();
	}
}

/** Valid entries of the raw setting, and a sentence for each other one, naming the field. */
export function decodeConnections(raw: unknown): { connections: readonly Connection[]; problems: readonly string[] } {
	if (raw === undefined || raw === null) return { connections: [], problems: [] };
	if (!Array.isArray(raw)) return { connections: [], problems: ["switchboard.connections must be a list"] };
	const connections: Connection[] = [];
	const problems: string[] = [];
	for (const [position, entry] of raw.entries()) {
		const field = `switchboard.connections[${position}]`;
		try {
			const { id, service } = object({ id: trimmed(), service: oneOf(...SERVICE_IDS) }).read(entry, {
				service: "messages",
				field,
			});
			const connection = { ...readDraft(Object(entry), { service, field }), id };
			if (connections.some((each) => each.id === id)) throw invalid(service, `${field}.id`, `repeats "${id}"`);
			connections.push(connection);
		} catch (error) {
			if (!(error instanceof ClientError)) throw error;
			problems.push(error.message);
		}
	}
	return { connections, problems };
}

/** Decodes a connection from an argument; errors name the field. Throws `invalid`. */
export function decodeDraft(
	draft: Partial<Readonly<Record<"model" | "models", unknown>>> & { readonly service: ConnectionService },
): ConnectionDraft {
	return readDraft(draft, { service: draft.service, field: "argument", isRoot: true });
}

/** Drops unknown fields, which may belong to a later version. */
function readDraft(entry: { readonly model?: unknown }, place: SchemaPlace): ConnectionDraft {
	const { model, ...others } = entry;
	// Empty text removes the model.
	return SERVICES[place.service].schema.read(model === "" ? others : entry, place);
}
