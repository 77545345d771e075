import type { Clock } from "#base/clock.ts";
import type { Disposable } from "#base/disposables.ts";
import { Emitter } from "#base/emitter.ts";
import { percentDecoded } from "#base/escaped.ts";
import { parsedJson, type Schema } from "#base/schema.ts";
import type { Log } from "../ports.ts";
import type { SecretFilter } from "./redacted-reply.ts";

/** Facts of a file without its content. */
export interface FileFacts {
	readonly name: string;
	/** Bytes. */
	readonly size: number;
	/** Time of the last write, in milliseconds since 1970. */
	readonly at: number;
}

/** Files of one folder that several windows write to at once, named without a path. */
export interface JournalFiles {
	/** All files, in no order. */
	list(): Promise<readonly FileFacts[]>;
	/** Size in bytes; 0 for a missing file. */
	size(name: string): Promise<number>;
	/** Reads a small file. */
	read(name: string): Promise<Uint8Array>;
	/** Reads a file of any size piece by piece; no piece of a missing file. A piece is valid until the next. */
	pieces(name: string, from?: number): AsyncIterable<Uint8Array>;
	/** Appends in one write, with `sync` safe from a power failure; resolves to the written bytes and the new size. */
	append(name: string, text: string, options?: { readonly sync?: boolean }): Promise<{ wrote: number; size: number }>;
	/** Replaces a file atomically. */
	write(name: string, content: string | Uint8Array): Promise<void>;
	remove(name: string): Promise<void>;
	/** Calls back with the name of each changed file, if the system sends file events. */
	watch(changed: (name: string) => void): Disposable;
	/** True if a process with that number is running. */
	isRunning(pid: number): boolean;
}

/** Storage of conversations and drafts. */
export interface ChatStorage {
	readonly files: JournalFiles;
	readonly clock: Clock;
	readonly log: Log;
	readonly secretFilter: SecretFilter;
}

/** True for the error of a missing file. */
export function isMissing(error: unknown): boolean {
	return error instanceof Error && "code" in error && error.code === "ENOENT";
}

/** Reads a small JSON file; undefined if that is not possible. */
export async function readStored<T>(files: Pick<JournalFiles, "read">, name: string, schema: Schema<T>) {
	const bytes = await files.read(name).catch(() => undefined);
	return bytes && parsedJson(schema, new TextDecoder().decode(bytes));
}

/** Name of the index, which no journal can have. */
export const INDEX = "index";

/** Endings of journals, drafts and leases. */
const ENDINGS = [".jsonl", ".draft", ".lease"] as const;

/** Id for a journal whose file name another program chose, such as a copy by a sync program. */
const NAMED_ELSEWHERE = /^file:([^/\\\0]+)$/;

/** Maximum length of a file name on all systems. */
const LONGEST_NAME = 180;

/** Names that Windows keeps for devices, whatever ending follows. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)$/i;

/** Name of a file of a conversation, by default of its journal. */
export function fileOf(id: string, ending: (typeof ENDINGS)[number] = ".jsonl"): string {
	return nameOf(id) + ending;
}

/** Splits a file name into the name of the conversation and the ending; undefined for other files. */
export function splitName(file: string) {
	const ending = ENDINGS.find((each) => file.endsWith(each));
	return ending && { name: file.slice(0, -ending.length), ending };
}

/** Encodes an id as a file name that is safe, no device, and unique on case-insensitive disks. */
function nameOf(id: string): string {
	const [, own] = NAMED_ELSEWHERE.exec(id) ?? [];
	if (own !== undefined) return own;
	const odd = DEVICE.test(id) ? /^.|[A-Z]/g : /[A-Z.*~]/g;
	const name = encodeURIComponent(id.toWellFormed()).replace(odd, (letter) => `~${letter.charCodeAt(0)}`);
	return name.length <= LONGEST_NAME ? name : `${name.slice(0, LONGEST_NAME)}~${hashOf(id)}`;
}

/** Name for the file of an export, which every system takes: letters and digits of the title, at most 60 characters. */
export function exportName(title: string): string {
	const words = title.match(/[\p{L}\p{N}]+/gu) ?? [];
	const [name = "conversation"] = /^.{1,60}/u.exec(words.join("-")) ?? [];
	return DEVICE.test(name) ? "conversation" : name;
}

/** Id of the conversation with that file name, whatever id is `written` in it. */
export function idFromName(name: string, written: string): string {
	const encoded = name.replace(/~(1\d\d|\d\d)/g, (_, code: string) => String.fromCharCode(Number(code)));
	return [written, percentDecoded(encoded) ?? name].find((id) => nameOf(id) === name) ?? `file:${name}`;
}

function hashOf(text: string): string {
	let hash = 0x811c9dc5;
	for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0;
	return hash.toString(36);
}

const REASONS = new Map<unknown, string>([
	["ENOSPC", "the disk is full"],
	["EDQUOT", "the disk is full"],
	["EROFS", "the disk is read-only"],
	["EACCES", "their folder may not be written to"],
	["EPERM", "their folder may not be written to"],
]);

/** Reports once that files cannot be written, and again after a write has succeeded. */
export class DiskErrorReporter {
	readonly #failing = new Set<string>();
	readonly #wordsOf: (reason: string) => string;
	readonly #begun = new Emitter<string>();

	/** `wordsOf` makes a sentence for the person of the reason. */
	constructor(wordsOf: (reason: string) => string) {
		this.#wordsOf = wordsOf;
	}

	/** Fires with a sentence for the person. */
	readonly onDidBegin = this.#begun.event;

	/** Records that a file could not be written. */
	failed(file: string, error: unknown): void {
		const isFirst = this.#failing.size === 0;
		this.#failing.add(file);
		if (!isFirst) return;
		const code = error instanceof Error && "code" in error ? error.code : undefined;
		const reason = REASONS.get(code) ?? (error instanceof Error ? error.message : String(error));
		this.#begun.fire(this.#wordsOf(reason));
	}

	/** Records that a file was written or closed. */
	over(file: string): void {
		this.#failing.delete(file);
	}
}
