import {
	authentication,
	type CustomReadonlyEditorProvider,
	commands,
	DataTransferItem,
	EventEmitter,
	type ExtensionContext,
	type FileChangeEvent,
	FileSystemError,
	lm,
	type TreeDragAndDropController,
	type Uri,
	window,
	workspace,
} from "vscode";
import {
	AUTHENTICATION,
	CHAT_EDITOR,
	type CommandId,
	DOCUMENT_SCHEMES,
	FILE_SCHEMES,
	type FileScheme,
	ISSUE_PAGE,
	KEPT,
	MODEL_VENDOR,
	PET_CARD,
	PHOTO_SCHEME,
	ROWS_TYPE,
	TREES,
	type TreeId,
	VIEWS,
} from "#app/contributions.ts";
import { DisposableStore } from "#base/disposables.ts";
import { sharedStart } from "#base/shared-start.ts";
import type { AccountsChange, Product, Shells } from "./product.ts";

/** Gives the product, which is loaded when it is first asked for. */
type Load = () => Promise<Product>;

/** Part of the manifest that is used; a test holds its commands and tools to those that the product runs. */
interface Manifest {
	readonly contributes: {
		readonly commands: readonly { readonly command: CommandId }[];
		readonly languageModelTools: readonly { readonly name: string }[];
	};
}

let running: Product | undefined;

/** Registers commands, views, documents, accounts and models. The product behind them is loaded with the first use. */
export function activate(context: ExtensionContext): void {
	const held = new DisposableStore();
	context.subscriptions.push(held);
	running = undefined;
	const product: Load = sharedStart(async () => {
		const own = held.add(new DisposableStore());
		try {
			const { startProduct } = await import("./product.ts");
			running = startProduct(context, shells, own);
			return running;
		} catch (error) {
			own.dispose();
			throw error;
		}
	});
	// The editor has read them already, and a list of our own would only have to be read once more.
	const { contributes }: Manifest = context.extension.packageJSON;
	const tools = contributes.languageModelTools.map(({ name }) => name);
	const shells: Shells = {
		trees: recordOf(TREES, (id) => registerTree(id, held, product)),
		documents: recordOf(DOCUMENT_SCHEMES, (scheme) => {
			const changed = held.add(new EventEmitter<Uri>());
			const provideTextDocumentContent = async (uri: Uri) => (await product()).documents[scheme](uri);
			const provider = { onDidChange: changed.event, provideTextDocumentContent };
			held.add(workspace.registerTextDocumentContentProvider(scheme, provider));
			return changed;
		}),
		files: held.add(new EventEmitter<FileChangeEvent[]>()),
		accounts: held.add(new EventEmitter<AccountsChange>()),
		models: registerModels(tools, held, product),
	};
	for (const scheme of FILE_SCHEMES) registerFiles(scheme, held, product, shells.files);
	for (const { command } of contributes.commands) {
		held.add(
			commands.registerCommand(command, async (argument: unknown, selected: unknown) =>
				(await product()).run(command, argument, selected),
			),
		);
	}
	const { id, label } = AUTHENTICATION;
	const accounts = {
		onDidChangeSessions: shells.accounts.event,
		...late(product, (p) => p.accounts)("getSessions", "createSession", "removeSession"),
	};
	held.add(authentication.registerAuthenticationProvider(id, label, accounts, { supportsMultipleAccounts: true }));
	held.add(
		window.registerWebviewViewProvider(VIEWS.chat, {
			async resolveWebviewView(view, _context, cancelled) {
				const { panels } = await product();
				if (!cancelled.isCancellationRequested) panels.showIn(view);
			},
		}),
	);
	for (const id of [PET_CARD, ISSUE_PAGE] as const) {
		const provider: CustomReadonlyEditorProvider = {
			openCustomDocument: (uri) => ({ uri, dispose: () => undefined }),
			resolveCustomEditor: async ({ uri }, panel) => (await product()).pages[id](uri, panel),
		};
		const options = { supportsMultipleEditorsPerDocument: true, webviewOptions: { enableFindWidget: true } };
		held.add(window.registerCustomEditorProvider(id, provider, options));
	}
	held.add(window.registerUriHandler(late(product, (p) => p)("handleUri")));
	held.add(
		window.registerWebviewPanelSerializer(CHAT_EDITOR, {
			deserializeWebviewPanel: async (panel) => (await product()).panels.adopt(panel),
		}),
	);
	// References in texts and the current issue are there before a view of ours is opened.
	const kept = [context.globalState.get(KEPT.repositories), context.workspaceState.get(KEPT.started)];
	if (kept.some((each) => Array.isArray(each) && each.length > 0)) product().catch(() => undefined);
}

/** The editor waits for this, a few seconds at most, before it ends the window. */
export async function deactivate(): Promise<void> {
	await running?.flush();
}

/** Method that loads the product before it runs. */
type Late<M> = M extends (...args: infer A) => infer R ? (...args: A) => Promise<Awaited<R>> : never;

/** Gives some methods of an object in the product, which is loaded with the first call of one. */
function late<T extends object>(product: Load, partOf: (product: Product) => T) {
	return <N extends keyof T>(...names: readonly N[]) =>
		// Each has the type of the method that it calls.
		recordOf(names, (name) => async (...args: unknown[]) => {
			const part = partOf(await product());
			const method = part[name];
			return typeof method === "function" ? Reflect.apply(method, part, args) : undefined;
		}) as { readonly [K in N]-?: Late<NonNullable<T[K]>> };
}

/** An object with a value for each of some names. */
function recordOf<K extends PropertyKey, V>(names: readonly K[], of: (name: K) => V): Readonly<Record<K, V>> {
	// Its keys are just these names.
	return Object.fromEntries(names.map((name) => [name, of(name)])) as Record<K, V>;
}

/** The models and tools for the editor's own Chat and other extensions. */
function registerModels(tools: readonly string[], held: DisposableStore, product: Load): EventEmitter<void> {
	const changed = held.add(new EventEmitter<void>());
	held.add(
		lm.registerLanguageModelChatProvider(MODEL_VENDOR, {
			onDidChangeLanguageModelChatInformation: changed.event,
			...late(product, (p) => p.models.provider)(
				"provideLanguageModelChatInformation",
				"provideLanguageModelChatResponse",
				"provideTokenCount",
			),
		}),
	);
	for (const name of tools) {
		held.add(lm.registerTool<object>(name, late(product, (p) => p.models.tool(name))("prepareInvocation", "invoke")));
	}
	return changed;
}

/** Views whose rows can be dragged into the chat. */
const DRAGGED: readonly TreeId[] = [VIEWS.repositories, VIEWS.issues, VIEWS.pets, VIEWS.store];

function registerTree(id: TreeId, held: DisposableStore, product: Load): Shells["trees"][TreeId] {
	const changed = held.add(new EventEmitter<object | undefined>());
	let loaded: Product | undefined;
	const treeDataProvider = {
		onDidChangeTreeData: changed.event,
		getChildren: async (row?: object) => {
			loaded = await product();
			return loaded.trees[id].getChildren(row);
		},
		// Asked for each of thousands of rows: a promise for each would cost more than the row.
		getTreeItem: (row: object) =>
			loaded?.trees[id].getTreeItem(row) ?? product().then(({ trees }) => trees[id].getTreeItem(row)),
		...late(product, (p) => p.trees[id])("getParent", "resolveTreeItem"),
	};
	// The product keeps the dragged rows: the page that they are dropped on gets only their type.
	const dragAndDropController: TreeDragAndDropController<object> = {
		// As text into an editor: it would open what is in a list of URIs.
		dragMimeTypes: id === VIEWS.issues ? [ROWS_TYPE, "text/plain"] : [ROWS_TYPE],
		dropMimeTypes: id === VIEWS.pets ? [ROWS_TYPE, "files", "text/uri-list"] : [],
		async handleDrag(rows, data) {
			data.set(ROWS_TYPE, new DataTransferItem(""));
			const text = await (await product()).dragged(rows);
			if (text !== "") data.set("text/plain", new DataTransferItem(text));
		},
		handleDrop: async (row, dropped) => (await product()).dropOnPet(row, dropped),
	};
	const view = window.createTreeView(id, {
		treeDataProvider,
		canSelectMany: id === VIEWS.pets || id === VIEWS.issues,
		// The log of requests has no rows below others.
		showCollapseAll: id !== VIEWS.requests,
		...(DRAGGED.includes(id) && { dragAndDropController }),
	});
	return { changed, view: held.add(view) };
}

function registerFiles(scheme: FileScheme, held: DisposableStore, product: Load, changed: Shells["files"]): void {
	const refuse = () => {
		throw FileSystemError.NoPermissions("Only documents of pets, users and orders can be opened and saved here.");
	};
	const provider = {
		onDidChangeFile: changed.event,
		watch: () => ({ dispose: () => undefined }),
		...late(product, (p) => p.files[scheme])("stat", "readFile", "writeFile"),
		readDirectory: () => [],
		createDirectory: refuse,
		delete: refuse,
		rename: refuse,
	};
	// A photo never changes: another one has another address.
	const options = { isCaseSensitive: true, isReadonly: scheme === PHOTO_SCHEME };
	held.add(workspace.registerFileSystemProvider(scheme, provider, options));
}
