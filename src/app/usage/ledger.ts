import type { Clock } from "#base/clock.ts";
import { ResourceOwner } from "#base/disposables.ts";
import { Emitter } from "#base/emitter.ts";
import { convert, flag, type Infer, number, object, optional, parsedJson, text } from "#base/schema.ts";
import { taskQueue } from "#base/task-queue.ts";
import { journalChunk, LineReader } from "../chat/journal.ts";
import { DiskErrorReporter, type JournalFiles } from "../chat/journal-files.ts";

const COUNT = number({ min: 0 });

const NAMES = new Map<string, string>();

/** Text that lines repeat, of which the memory has one. */
const NAME = convert(text(), (name) => NAMES.get(name) ?? (NAMES.set(name, name) && name));

const USAGE_LINE = object({
	id: text(),
	/** Time of the request, in milliseconds since 1970. */
	at: number(),
	/** Id of the connection. */
	connection: NAME,
	/** Label of the connection at that time. */
	label: optional(NAME),
	model: NAME,
	/** Part of the product, or other extension, that asked, in words. */
	caller: NAME,
	/** Input tokens, those of the service's cache included. */
	input: COUNT,
	output: COUNT,
	cached: optional(COUNT),
	/** Absent where the model had no price. */
	cost: optional(COUNT),
	currency: optional(NAME),
	/** True as long as the service has not reported all of it: for good where the window has ended meanwhile. */
	estimated: optional(flag()),
});

/** Beginning of a line of this version; others are skipped. */
const VERSION = '{"v":1,';

/** Usage of one reply, or its estimate while it is under way. */
export type UsageLine = Infer<typeof USAGE_LINE>;

type LedgerFiles = Pick<JournalFiles, "append" | "pieces" | "size" | "watch">;

/** Lines of a month by their id, in the order of the file, of which each window reads the new end. */
interface Month {
	readonly reader: LineReader;
	readonly lines: Map<string, UsageLine>;
}

/** Usage of all replies in a file a month, to which all windows append. A later line of an id replaces its earlier one. */
export class Ledger extends ResourceOwner {
	readonly #files: LedgerFiles;
	readonly #clock: Clock;
	readonly #changed = this.held.add(new Emitter<void>());
	readonly #errors = new DiskErrorReporter(
		(reason) => `Usage cannot be recorded: ${reason}. Until it can, limits count this window alone.`,
	);
	readonly #months = new Map<string, Month>();
	/** Runs tasks one after the other, so that each byte is read once. */
	readonly #inTurn = taskQueue();

	constructor(files: LedgerFiles, clock: Clock) {
		super();
		this.#files = files;
		this.#clock = clock;
		const hear = (name: string) => this.#months.has(name) && void this.#inTurn(() => this.#read(name));
		this.held.add(files.watch(hear));
	}

	/** Fires when a line was added, in any window. */
	readonly onDidChange = this.#changed.event;

	/** Fires once with a sentence when the ledger cannot be written or read. */
	readonly onDidFail = this.#errors.onDidBegin;

	/** Reads the replies of the last months, oldest first; 1 is the current month. Never rejects. */
	async read(months: number): Promise<readonly UsageLine[]> {
		const all: UsageLine[] = [];
		for (let ago = months - 1; ago >= 0; ago--) {
			const { lines } = await this.#inTurn(() => this.#read(fileOf(this.#clock.now(), ago)));
			// A request that was not sent has been taken back.
			for (const line of lines.values()) if (line.input + line.output > 0) all.push(line);
		}
		return all;
	}

	/** Known replies of a month, 0 for the current one, without a wait: the rest is read, and {@link onDidChange} fires. */
	known(ago = 0): Iterable<UsageLine> {
		const name = fileOf(this.#clock.now(), ago);
		const month = this.#months.get(name);
		if (month === undefined) void this.#inTurn(() => this.#read(name));
		return month?.lines.values() ?? [];
	}

	/**
	 * Writes a line in place of the former one of its id, and takes it back if `refusalOf` refuses it. That gets the lines of
	 * the month in the order of the file, the same in all windows: those after this one make room for it. Never rejects.
	 */
	record<T>(line: UsageLine, refusalOf?: (lines: Iterable<UsageLine>) => T | undefined): Promise<T | undefined> {
		return this.#inTurn(async () => {
			const { lines } = await this.#append(line);
			const refusal = refusalOf?.(lines.values());
			if (refusal !== undefined) await this.#append({ ...line, input: 0, output: 0, cost: 0 });
			return refusal;
		});
	}

	async #append(line: UsageLine): Promise<Month> {
		const name = fileOf(line.at);
		try {
			const stored = journalChunk(`${VERSION}${JSON.stringify(line).slice(1)}\n`);
			const { wrote, size } = await this.#files.append(name, stored);
			this.#errors.over(name);
			const { read = 0 } = this.#months.get(name)?.reader ?? {};
			// The file was removed, and begins anew.
			if (size < read + wrote) this.#months.delete(name);
		} catch (error) {
			this.#errors.failed(name, error);
		}
		const month = await this.#read(name);
		// Also where it could not be written.
		month.lines.set(line.id, line);
		return month;
	}

	/** Reads what is new in a file, or all of one that was removed since. */
	async #read(name: string): Promise<Month> {
		const isRemoved = (await this.#files.size(name)) < (this.#months.get(name)?.reader.read ?? 0);
		if (isRemoved) this.#months.delete(name);
		const month: Month = this.#months.get(name) ?? { reader: new LineReader(), lines: new Map() };
		this.#months.set(name, month);
		const { reader, lines } = month;
		const before = reader.read;
		try {
			for await (const piece of this.#files.pieces(name, before)) {
				for (const stored of reader.take(piece)) {
					const line = stored.startsWith(VERSION) ? parsedJson(USAGE_LINE, stored) : undefined;
					if (line !== undefined) lines.set(line.id, line);
				}
			}
		} catch (error) {
			this.#errors.failed(name, error);
		}
		if (isRemoved || reader.read > before) this.#changed.fire();
		return month;
	}
}

/** Local date of a time, as in `2026-11-28`. */
export function localDate(at: number): string {
	const date = new Date(at);
	const parts = [date.getFullYear(), date.getMonth() + 1, date.getDate()];
	return parts.map((part) => `${part}`.padStart(2, "0")).join("-");
}

/** File of a time's month, or of an earlier one, by local time. */
function fileOf(at: number, ago = 0): string {
	return `${localDate(new Date(at).setMonth(new Date(at).getMonth() - ago, 1)).slice(0, "2026-11".length)}.jsonl`;
}
