import * as vscode from "vscode";
import { isAbsent } from "#api/http/fault.ts";
import type { PetToSend } from "#api/petstore/model.ts";
import { CONTEXT, PET_SCHEME, STORE_SCHEME } from "#app/contributions.ts";
import {
	documentKey,
	StoreDocuments,
	type StoreSubject,
	type StoreValue,
	subjectAddress,
	subjectOf,
} from "#app/petstore/documents.ts";
import type { PetService } from "#app/petstore/pet-service.ts";
import { type KnownPet, petText } from "#app/petstore/pet-text.ts";
import type { Pets } from "#app/petstore/pets.ts";
import { type RemoteText, remoteText } from "#app/petstore/remote-text.ts";
import { hasPassword } from "#app/petstore/user-text.ts";
import type { Users } from "#app/petstore/users.ts";
import { ResourceOwner } from "#base/disposables.ts";
import { ClientError } from "#base/errors.ts";
import { leaving } from "../kit/leaving.ts";
import { sayQuietly } from "../kit/prompts.ts";
import type { Row } from "../kit/rows.ts";
import { plainLine } from "../kit/text.ts";
import { syntheticRow } from "../kit/tree.ts";
import { describeRefusal, showError } from "../words/show-error.ts";

/** Timeout for the editor to release a closed document. Milliseconds. */
const CLOSING_MS = 3_000;

/** UTF-8 mark, if the settings would make the editor read a text in another encoding. It shows in the status bar. */
function byteOrderMark(uri: vscode.Uri): string {
	const files = vscode.workspace.getConfiguration("files", { uri, languageId: "json" });
	return files.get("encoding") === "utf8" && files.get("autoGuessEncoding") !== true ? "" : "\uFEFF";
}

const UNASKED = "Auto Save does not apply here. Save the file yourself to send the change.";

/** True for the address of something in a store. */
function isOurs({ scheme }: vscode.Uri): boolean {
	return scheme === PET_SCHEME || scheme === STORE_SCHEME;
}

/** Sentence for what cannot be read, since its connection was removed. */
export const NOT_CONNECTED = "The store is no longer connected. Add the store again, then reopen this.";

/** Subject of an address of ours. */
export function subjectAt(uri: vscode.Uri): StoreSubject | undefined {
	return isOurs(uri) ? subjectOf(uri) : undefined;
}

/** True for an address of the subject, whatever names are in it. */
function isAbout(uri: vscode.Uri, subject: StoreSubject): boolean {
	const own = subjectAt(uri);
	return own !== undefined && documentKey(own) === documentKey(subject);
}

/** Address that a tab shows, of a comparison that on the right. */
function uriIn({ input }: vscode.Tab): vscode.Uri | undefined {
	if (input instanceof vscode.TabInputTextDiff) return input.modified;
	return input instanceof vscode.TabInputText || input instanceof vscode.TabInputCustom ? input.uri : undefined;
}

/** Row for a command about the pet in the active tab, if it shows one. */
export function activePetRow(): Row | undefined {
	const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
	return petRow(tab && uriIn(tab));
}

/** Addresses of ours in tabs. */
function urisInTabs(): readonly vscode.Uri[] {
	return vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs.flatMap((tab) => uriIn(tab) ?? [])).filter(isOurs);
}

/** Row for a command in the editor of a pet, if it is one. */
export function petRow(given: unknown): Row | undefined {
	const subject = given instanceof vscode.Uri ? subjectAt(given) : undefined;
	if (subject?.kind === "pet") return syntheticRow({ connection: subject.connection, pet: subject.id });
	return subject?.kind === "new pet" ? syntheticRow({ connection: subject.connection }) : undefined;
}

/** Name of a pet in a sentence. */
export function nameOfPet({ id, name }: KnownPet): string {
	return plainLine(name, `Pet ${id}`);
}

/** Pets, users and orders as files of the editor, kept up to date; an added pet takes the place of the new pet's document. */
export class DocumentEditors extends ResourceOwner {
	readonly #service: PetService;
	readonly #documents: StoreDocuments;
	readonly #pets: Pets;
	readonly #filesChanged: vscode.EventEmitter<vscode.FileChangeEvent[]>;
	readonly #texts = new Map<string, RemoteText<StoreValue>>();
	/** Reasons of the saves under way, by address. */
	readonly #reasons = new Map<string, vscode.TextDocumentSaveReason>();

	/** `files` informs the editor of changes that are not its own. */
	constructor(service: PetService, users: Users, pets: Pets, files: vscode.EventEmitter<vscode.FileChangeEvent[]>) {
		super();
		const { workspace } = vscode;
		const { undoable } = service;
		this.#service = service;
		this.#documents = new StoreDocuments(service, users);
		this.#pets = pets;
		this.#filesChanged = files;
		const subscriptions = [
			service.onDidChange(({ after, ...pet }) => {
				for (const uri of [...urisInTabs(), ...workspace.textDocuments.map(({ uri }) => uri)]) {
					if (isAbout(uri, { kind: "pet", ...pet })) this.#tell(uri, after);
				}
			}),
			workspace.onWillSaveTextDocument(({ document: { uri }, reason }) => {
				if (isOurs(uri)) this.#reasons.set(String(uri), reason);
			}),
			workspace.onDidSaveTextDocument((document) => {
				const subject = subjectAt(document.uri);
				if (subject?.kind === "new pet") void this.#replace(document.uri, subject);
				if (subject?.kind === "user" && hasPassword(document.getText())) void this.#openAnew(document);
			}),
			workspace.onDidCloseTextDocument(({ uri }) => isOurs(uri) && this.#texts.delete(String(uri))),
			vscode.window.tabGroups.onDidChangeTabs(() => undoable.steps.length > 0 && this.#tellChanged()),
			undoable.onDidChange(() => this.#tellChanged()),
		];
		for (const each of subscriptions) this.held.add(each);
	}

	async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
		// The editor looks for the folder of what it cannot find.
		if (!uri.path.endsWith(".json")) return { type: vscode.FileType.Directory, ctime: 0, mtime: 0, size: 0 };
		const stat = { type: vscode.FileType.File, ...(await this.#do(uri, (text) => text.facts())) };
		return subjectAt(uri)?.kind === "order" ? { ...stat, permissions: vscode.FilePermission.Readonly } : stat;
	}

	async readFile(uri: vscode.Uri): Promise<Uint8Array> {
		return new TextEncoder().encode(byteOrderMark(uri) + (await this.#do(uri, (text) => text.text())));
	}

	/** Saves a text, except by Auto Save: a pause in typing must not change a service. An error keeps it unsaved. */
	async writeFile(uri: vscode.Uri, content: Uint8Array): Promise<void> {
		const reason = this.#reasons.get(String(uri)) ?? vscode.TextDocumentSaveReason.Manual;
		this.#reasons.delete(String(uri));
		if (reason !== vscode.TextDocumentSaveReason.Manual) throw withoutName(UNASKED);
		let shown: string;
		try {
			shown = new TextDecoder("utf-8", { fatal: true }).decode(content);
		} catch {
			throw withoutName("The service takes UTF-8 only. Choose Save with Encoding, then UTF-8.");
		}
		await this.#do(uri, (text) => text.write(shown), true);
	}

	/** Address of a subject: that of its tab, so that a renamed one stays the same document, or else with its name. */
	uriOf(subject: StoreSubject, value: StoreValue): vscode.Uri {
		const isPet = subject.kind === "pet" || subject.kind === "new pet";
		const list = this.#pets.of(subject.connection);
		const named = "petId" in value ? list.get(value.petId ?? "") : value;
		const name = (named && "name" in named && named.name) || "";
		const isNamesake = subject.kind === "pet" && list.isNamesake({ name });
		const label = this.#service.clients.parts.registry.labelOf(subject.connection);
		const address = subjectAddress(subject, leaving(label), leaving(isNamesake ? `${name} (${subject.id})` : name));
		const made = vscode.Uri.from({ scheme: isPet ? PET_SCHEME : STORE_SCHEME, ...address });
		return urisInTabs().find((uri) => isAbout(uri, subject)) ?? made;
	}

	/** Shows the document of a subject that was read just now. */
	async show(
		subject: StoreSubject,
		value: StoreValue,
		options: vscode.TextDocumentShowOptions = {},
	): Promise<vscode.Uri> {
		const uri = this.uriOf(subject, value);
		if (this.#texts.has(String(uri))) this.#tell(uri, value);
		else this.#text(uri).begin(value);
		// A document opened by an extension would be kept for minutes after its tab was closed.
		await vscode.commands.executeCommand("vscode.openWith", uri, "default", { preview: true, ...options });
		return uri;
	}

	/** Opens a document for a new pet with this content, and selects its name. */
	async showNew(connection: string, content: PetToSend): Promise<vscode.Uri> {
		const taken = (subject: StoreSubject) => vscode.workspace.textDocuments.some(({ uri }) => isAbout(uri, subject));
		const uri = this.uriOf(this.#documents.newPet(connection, content, taken), content);
		const document = await vscode.workspace.openTextDocument(uri);
		const editor = await vscode.window.showTextDocument(document, { preview: false });
		const text = petText(content);
		const all = new vscode.Range(0, 0, document.lineCount, 0);
		if (text !== document.getText()) await editor.edit((edit) => edit.replace(all, text));
		// That of the pet itself: a category before it has a name too.
		const opening = '\n  "name": "';
		const at = document.getText().indexOf(opening) + opening.length;
		const [from, to] = [at, at + JSON.stringify(content.name).length - 2].map((place) => document.positionAt(place));
		if (from && to) editor.selection = new vscode.Selection(from, to);
		return uri;
	}

	/** Shows the added pet in place of the document that it was added from. */
	async #replace(uri: vscode.Uri, subject: StoreSubject): Promise<void> {
		const pet = this.#documents.addedFrom(subject);
		if (pet === undefined) return;
		const { tabs, places } = shownAs(uri);
		for (const place of places) {
			await this.show({ kind: "pet", connection: subject.connection, id: pet.id }, pet, { ...place, preview: false });
		}
		await vscode.window.tabGroups.close(tabs, true);
		sayQuietly(`Added ${nameOfPet(pet)} with the id ${pet.id}.`);
	}

	/** Reopens a document that was saved with a password: only closing its last tab drops its undo history. */
	async #openAnew(document: vscode.TextDocument): Promise<void> {
		const { uri } = document;
		const { tabs, places } = shownAs(uri);
		if (document.isDirty || tabs.length === 0) return;
		const isClosed = closing(document);
		await vscode.window.tabGroups.close(tabs, true);
		if (!(await isClosed)) {
			sayQuietly("The document was closed, so that the password cannot be brought back by Undo.");
			return;
		}
		for (const place of places) await vscode.commands.executeCommand("vscode.open", uri, place);
	}

	/** Tells the menus which tabs show a pet whose last change can be undone. */
	#tellChanged(): void {
		const { steps } = this.#service.undoable;
		const isChanged = (uri: vscode.Uri) => steps.some((step) => isAbout(uri, { kind: "pet", ...step }));
		const value = steps.length === 0 ? undefined : urisInTabs().filter(isChanged).map(String);
		void vscode.commands.executeCommand("setContext", CONTEXT.changedPets, value);
	}

	/** Tells the editor of the new value of a file; undefined if it is gone. */
	#tell(uri: vscode.Uri, told: StoreValue | undefined): void {
		const { Changed, Created, Deleted } = vscode.FileChangeType;
		const known = this.#texts.get(String(uri));
		if (told === undefined) {
			this.#texts.delete(String(uri));
			this.#filesChanged.fire([{ type: Deleted, uri }]);
		} else if (!known?.isKnown) {
			// The file may be shown as deleted and have come back.
			known?.learn(told);
			this.#filesChanged.fire([{ type: Created, uri }]);
		} else if (known.learn(told)) {
			this.#filesChanged.fire([{ type: Changed, uri }]);
		}
	}

	async #do<T>(uri: vscode.Uri, use: (text: RemoteText<StoreValue>) => Promise<T>, isSave = false): Promise<T> {
		try {
			return await use(this.#text(uri));
		} catch (error) {
			if (error instanceof vscode.FileSystemError) throw error;
			const connection = this.#service.clients.parts.registry.get(subjectAt(uri)?.connection ?? "");
			const { label = "" } = connection ?? {};
			const words = connection === undefined ? NOT_CONNECTED : describeRefusal(error, label);
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
		let text = this.#texts.get(String(uri));
		if (text === undefined) {
			const subject = subjectAt(uri);
			if (subject === undefined) throw vscode.FileSystemError.FileNotFound(uri);
			const fire = () => this.#filesChanged.fire([{ type: vscode.FileChangeType.Changed, uri }]);
			text = remoteText(this.#documents.open(subject), this.#service.clients.parts.clock, fire);
			this.#texts.set(String(uri), text);
		}
		return text;
	}
}

/** Tabs of a document, and the places of those that show nothing else. */
function shownAs(uri: vscode.Uri) {
	const isShown = (tab: vscode.Tab) => String(uriIn(tab)) === String(uri);
	const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs.filter(isShown));
	const places = tabs
		.filter(({ input }) => input instanceof vscode.TabInputText)
		.map(({ group: { viewColumn, isActive: isIn }, isActive, isPreview }) => {
			return { viewColumn, preview: isPreview, preserveFocus: !(isIn && isActive) };
		});
	return { tabs, places };
}

/** Resolves to true if the editor releases a document soon. */
function closing(document: vscode.TextDocument): Promise<boolean> {
	const { promise, resolve } = Promise.withResolvers<boolean>();
	const listener = vscode.workspace.onDidCloseTextDocument((each) => each === document && resolve(true));
	const timer = setTimeout(resolve, CLOSING_MS, false);
	return promise.finally(() => {
		clearTimeout(timer);
		listener.dispose();
	});
}

/** File error shown by its words alone: the editor would put `Unavailable (FileSystemError)` before them. */
export function withoutName(words: string): vscode.FileSystemError {
	const failure = vscode.FileSystemError.Unavailable(words);
	failure.name = "";
	return failure;
}
