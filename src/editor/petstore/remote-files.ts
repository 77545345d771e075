import * as vscode from "vscode";
import { isAbsent } from "#api/http/fault.ts";
import { PET_SCHEME, STORE_SCHEME } from "#app/contributions.ts";
import type { PetstoreClients } from "#app/petstore/clients.ts";
import { type StoreDocuments, type StoreValue, subjectOf } from "#app/petstore/documents.ts";
import { RemoteText } from "#app/petstore/remote-text.ts";
import { type Disposable, DisposableStore } from "#base/disposables.ts";
import { ClientError } from "#base/errors.ts";
import { describeRefusal, showError } from "../words/show-error.ts";

/** UTF-8 mark, if the settings would make the editor read a text in another encoding. It shows in the status bar. */
function byteOrderMark(uri: vscode.Uri): string {
	const files = vscode.workspace.getConfiguration("files", { uri, languageId: "json" });
	return files.get("encoding") === "utf8" && files.get("autoGuessEncoding") !== true ? "" : "\uFEFF";
}

const UNASKED = "Auto Save does not apply here. Save the file yourself to send the change.";

/** True for the address of something in a store. */
export function isOurs({ scheme }: vscode.Uri): boolean {
	return scheme === PET_SCHEME || scheme === STORE_SCHEME;
}

/** Documents of stores as files of the editor. */
export class RemoteFiles implements Disposable {
	readonly #parts: PetstoreClients["parts"];
	protected readonly documents: StoreDocuments;
	protected readonly held = new DisposableStore();
	readonly #changed: vscode.EventEmitter<vscode.FileChangeEvent[]>;
	readonly #texts = new Map<string, RemoteText<StoreValue>>();
	/** Reasons of the saves under way, by path. */
	readonly #reasons = new Map<string, vscode.TextDocumentSaveReason>();

	/** `changed` informs the editor of changes that are not its own. */
	constructor(
		{ parts }: PetstoreClients,
		documents: StoreDocuments,
		changed: vscode.EventEmitter<vscode.FileChangeEvent[]>,
	) {
		this.#parts = parts;
		this.documents = documents;
		this.#changed = changed;
		this.held.add(
			vscode.workspace.onWillSaveTextDocument(({ document: { uri }, reason }) => {
				if (isOurs(uri)) this.#reasons.set(uri.path, reason);
			}),
		);
		this.held.add(vscode.workspace.onDidCloseTextDocument(({ uri }) => isOurs(uri) && this.#texts.delete(uri.path)));
	}

	async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
		// The editor looks for the folder of what it cannot find.
		if (!uri.path.endsWith(".json")) return { type: vscode.FileType.Directory, ctime: 0, mtime: 0, size: 0 };
		const stat = { type: vscode.FileType.File, ...(await this.#do(uri, (text) => text.facts())) };
		return subjectOf(uri.path)?.kind === "order" ? { ...stat, permissions: vscode.FilePermission.Readonly } : stat;
	}

	async readFile(uri: vscode.Uri): Promise<Uint8Array> {
		return new TextEncoder().encode(byteOrderMark(uri) + (await this.#do(uri, (text) => text.text())));
	}

	/** Saves a text, except by Auto Save: a pause in typing must not change a service. An error keeps it unsaved. */
	async writeFile(uri: vscode.Uri, content: Uint8Array): Promise<void> {
		const reason = this.#reasons.get(uri.path) ?? vscode.TextDocumentSaveReason.Manual;
		this.#reasons.delete(uri.path);
		if (reason !== vscode.TextDocumentSaveReason.Manual) throw withoutName(UNASKED);
		let shown: string;
		try {
			shown = new TextDecoder("utf-8", { fatal: true }).decode(content);
		} catch {
			throw withoutName("The service takes UTF-8 only. Choose Save with Encoding, then UTF-8.");
		}
		await this.#do(uri, (text) => text.write(shown), true);
	}

	/** Takes in a value that was read just now, before its file is opened. */
	begin(uri: vscode.Uri, told: StoreValue): void {
		if (this.#texts.has(uri.path)) this.tell(uri, told);
		else this.#text(uri).begin(told);
	}

	/** Tells the editor of the new value of a file; undefined if it is gone. */
	tell(uri: vscode.Uri, told: StoreValue | undefined): void {
		const { Changed, Created, Deleted } = vscode.FileChangeType;
		const known = this.#texts.get(uri.path);
		if (told === undefined) {
			this.#texts.delete(uri.path);
			this.#changed.fire([{ type: Deleted, uri }]);
		} else if (!known?.isKnown) {
			// The file may be shown as deleted and have come back.
			known?.learn(told);
			this.#changed.fire([{ type: Created, uri }]);
		} else if (known.learn(told)) {
			this.#changed.fire([{ type: Changed, uri }]);
		}
	}

	dispose(): void {
		this.held.dispose();
	}

	async #do<T>(uri: vscode.Uri, use: (text: RemoteText<StoreValue>) => Promise<T>, isSave = false): Promise<T> {
		try {
			return await use(this.#text(uri));
		} catch (error) {
			if (error instanceof vscode.FileSystemError) throw error;
			const connection = this.#parts.registry.get(subjectOf(uri.path)?.connection ?? "");
			const { label = "" } = connection ?? {};
			const words = describeRefusal(error, label);
			// The editor's own message has no place for a button.
			if (isSave && error instanceof ClientError && error.reason === "xml-needed")
				void showError(error, { connection });
			if (!isAbsent(error)) throw withoutName(words);
			// The editor need not show these words.
			if (!isSave) throw vscode.FileSystemError.FileNotFound(words);
			// It holds the only copy.
			throw withoutName(`This was deleted from ${label} meanwhile. To keep the text, copy it into a new document.`);
		}
	}

	#text(uri: vscode.Uri): RemoteText<StoreValue> {
		let text = this.#texts.get(uri.path);
		if (text === undefined) {
			const subject = subjectOf(uri.path);
			if (subject === undefined) throw vscode.FileSystemError.FileNotFound(uri);
			const fire = () => this.#changed.fire([{ type: vscode.FileChangeType.Changed, uri }]);
			text = new RemoteText(this.documents.open(subject), this.#parts.clock, fire);
			this.#texts.set(uri.path, text);
		}
		return text;
	}
}

/** File error shown by its words alone: the editor would put `Unavailable (FileSystemError)` before them. */
export function withoutName(words: string): vscode.FileSystemError {
	const failure = vscode.FileSystemError.Unavailable(words);
	failure.name = "";
	return failure;
}
