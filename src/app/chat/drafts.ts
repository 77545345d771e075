import type { Disposable } from "#base/disposables.ts";
import { Emitter } from "#base/emitter.ts";
import { invalid } from "#base/errors.ts";
import type { TurnEdit } from "#protocol/context.ts";
import { KIND_NAMES } from "./attachments.ts";
import type { Attachment, AttachmentKind } from "./conversation.ts";

/** Something to attach that nobody has named yet. */
export type Snapshot = Omit<Attachment, "id">;

/** True if a word names a kind of attachment. */
export function isAttachmentKind(value: unknown): value is AttachmentKind {
	return typeof value === "string" && Object.hasOwn(KIND_NAMES, value);
}

/** Reads what a caller attaches. Throws `invalid` naming the place. */
export function readAttachments(value: unknown): readonly Snapshot[] {
	if (!Array.isArray(value)) throw invalid("messages", "attachments", "must be a list");
	return value.map((each: unknown, at) => {
		const field = `attachments[${at}]`;
		if (typeof each !== "object" || each === null) throw invalid("messages", field, "must be an object");
		const { label, text, kind = "file", language, ...rest } = each as Record<string, unknown>;
		const [strange] = Object.keys(rest);
		if (strange !== undefined) throw invalid("messages", `${field}.${strange}`, "is not known");
		if (typeof label !== "string" || label.trim() === "") throw invalid("messages", `${field}.label`, "is missing");
		if (typeof text !== "string") throw invalid("messages", `${field}.text`, "must be a text");
		if (!isAttachmentKind(kind)) throw invalid("messages", `${field}.kind`, "is none that there is");
		if (language !== undefined && typeof language !== "string") {
			throw invalid("messages", `${field}.language`, "must be a text");
		}
		return { kind, label, text, ...(language === undefined ? {} : { language }) };
	});
}

/** Draft of a conversation. */
export interface Draft {
	readonly text: string;
	readonly attachments: readonly Attachment[];
	/** Edits of turns that were not sent, the last one last; absent if there are none. */
	readonly edits?: readonly TurnEdit[];
}

/** Another text stands in a draft. */
export interface Written {
	readonly conversation: string;
	readonly text: string;
	/** Panel in which it was written: that one has it already. */
	readonly by: object | undefined;
}

/** Most edits that are kept of a conversation: those of turns that are gone stay behind. */
const MOST_EDITS = 20;

const NOTHING: Draft = { text: "", attachments: [] };

/** Store that keeps drafts between windows. */
interface DraftStore {
	draft(conversation: string): Draft;
	setDraft(conversation: string, draft: Draft): void;
}

/** The draft of each conversation. */
export class Drafts implements Disposable {
	readonly #store: DraftStore | undefined;
	readonly #memory = new Map<string, Draft>();
	readonly #changed = new Emitter<string>();
	readonly #written = new Emitter<Written>();

	/** Without a store drafts live as long as the window. */
	constructor(store?: DraftStore) {
		this.#store = store;
	}

	/** Fires with a conversation's id when what is attached to its draft has changed. */
	readonly onDidChange = this.#changed.event;

	/** Fires when its text has changed. */
	readonly onDidWrite = this.#written.event;

	of(conversation: string): Draft {
		return this.#store?.draft(conversation) ?? this.#memory.get(conversation) ?? NOTHING;
	}

	/** Keeps what is typed; `by` is where. */
	write(conversation: string, text: string, by?: object): void {
		const draft = this.of(conversation);
		if (draft.text === text) return;
		this.#set(conversation, { ...draft, text });
		this.#written.fire({ conversation, text, by });
	}

	/** Keeps what is typed in place of a turn; null once it was sent or left. */
	edit(conversation: string, message: string, text: string | null): void {
		const { edits: before = [], ...draft } = this.of(conversation);
		const others = before.filter((each) => each.message !== message);
		const edits = (text === null ? others : [...others, { message, text }]).slice(-MOST_EDITS);
		this.#set(conversation, edits.length === 0 ? draft : { ...draft, edits });
	}

	/** Attaches something; what came from the same place and says the same is there once. */
	attach(conversation: string, attachment: Attachment): Attachment {
		const draft = this.of(conversation);
		const { attachments } = draft;
		const same = attachments.find((each) => isSame(each, attachment));
		if (same !== undefined) return same;
		this.#put(conversation, { ...draft, attachments: [...attachments, attachment] });
		return attachment;
	}

	detach(conversation: string, id: string): void {
		const draft = this.of(conversation);
		this.#put(conversation, { ...draft, attachments: draft.attachments.filter((each) => each.id !== id) });
	}

	/** Gives what of `asked` is still attached, and leaves the rest: it is about to be sent. The text is the panels' own. */
	take(conversation: string, asked: readonly Attachment[]): Pick<Draft, "attachments"> {
		const draft = this.of(conversation);
		const { attachments } = draft;
		const isAsked = ({ id }: Attachment) => asked.some((each) => each.id === id);
		this.#put(conversation, { ...draft, attachments: attachments.filter((each) => !isAsked(each)) });
		return { attachments: attachments.filter(isAsked) };
	}

	dispose(): void {
		this.#changed.dispose();
		this.#written.dispose();
	}

	#set(conversation: string, draft: Draft): void {
		if (this.#store === undefined) this.#memory.set(conversation, draft);
		else this.#store.setDraft(conversation, draft);
	}

	#put(conversation: string, draft: Draft): void {
		const before = this.of(conversation).attachments;
		this.#set(conversation, draft);
		if (before.length + draft.attachments.length > 0) this.#changed.fire(conversation);
	}
}

function isSame(one: Attachment, other: Attachment): boolean {
	return one.kind === other.kind && one.label === other.label && one.text === other.text;
}
