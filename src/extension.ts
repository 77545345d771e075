import {
	authentication,
	chat,
	commands,
	DataTransferItem,
	EventEmitter,
	type ExtensionContext,
	type FileChangeEvent,
	FileSystemError,
	type FileSystemProvider,
	lm,
	type TreeDragAndDropController,
	type TreeViewOptions,
	type Uri,
	window,
	workspace,
} from "vscode";
import {
	AUTHENTICATION,
	CHAT_EDITOR,
	CHAT_SCHEME,
	type CommandId,
	HELP_SCHEME,
	ISSUE_SCHEME,
	MODEL_VENDOR,
	PARTICIPANT,
	PET_SCHEME,
	PHOTO_SCHEME,
	REQUEST_SCHEME,
	ROWS_TYPE,
	STORE_SCHEME,
	TEXT_SCHEME,
	type TreeId,
	VIEWS,
} from "#app/contributions.ts";
import { DisposableStore } from "#base/disposables.ts";
import { sharedStart } from "#base/shared-start.ts";
import type { AccountsChange, Product, Shells } from "./product.ts";

/** Gives the product, which is loaded when it is first asked for. */
type Load = () => Promise<Product>;

/** What of the manifest is used; a test holds its commands and tools to those that the product runs. */
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
	const modelsChanged = held.add(new EventEmitter<void>());
	running = undefined;
	const product: Load = sharedStart(async () => {
		const own = held.add(new DisposableStore());
		try {
			const { startProduct } = await import("./product.ts");
			running = startProduct(context, { ...shells, modelsChanged }, own);
			return running;
		} catch (error) {
			own.dispose();
			throw error;
		}
	});
	const shells = registerProviders(held, product);
	// The editor has read them already, and a list of our own would only have to be read once more.
	const { contributes }: Manifest = context.extension.packageJSON;
	for (const { command } of contributes.commands) {
		held.add(
			commands.registerCommand(command, async (argument: unknown, selected: unknown) =>
				(await product()).run(command, argument, selected),
			),
		);
	}
	held.add(
		lm.registerLanguageModelChatProvider(MODEL_VENDOR, {
			onDidChangeLanguageModelChatInformation: modelsChanged.event,
			provideLanguageModelChatInformation: async (options) =>
				(await product()).models.provider.provideLanguageModelChatInformation(options),
			provideLanguageModelChatResponse: async (model, messages, options, progress, token) =>
				(await product()).models.provider.provideLanguageModelChatResponse(model, messages, options, progress, token),
			provideTokenCount: async (model, text) => (await product()).models.provider.provideTokenCount(model, text),
		}),
	);
	for (const { name } of contributes.languageModelTools) {
		held.add(
			lm.registerTool<object>(name, {
				prepareInvocation: async (options, token) =>
					(await product()).models.tool(name).prepareInvocation(options, token),
				invoke: async (options, token) => (await product()).models.tool(name).invoke(options, token),
			}),
		);
	}
	held.add(
		chat.createChatParticipant(PARTICIPANT, async (request, context, response, token) =>
			(await product()).models.answer(request, context, response, token),
		),
	);
}

/** The editor waits for this, a few seconds at most, before it ends the window. */
export async function deactivate(): Promise<void> {
	await running?.flush();
}

/** What the editor asks of documents. */
interface Files extends Pick<FileSystemProvider, "stat" | "readFile"> {
	writeFile?(uri: Uri, content: Uint8Array): Promise<void>;
}

/** The documents of one scheme: how the editor hears of changes, and what stands behind them. */
interface FileShell {
	/** Absent where nothing changes, and nothing may be saved. */
	readonly changed?: EventEmitter<FileChangeEvent[]>;
	readonly of: (product: Product) => Files;
}

function registerProviders(held: DisposableStore, product: Load): Omit<Shells, "modelsChanged"> {
	const accountsChanged = held.add(new EventEmitter<AccountsChange>());
	const issuesChanged = held.add(new EventEmitter<Uri>());
	const storeFilesChanged = held.add(new EventEmitter<FileChangeEvent[]>());
	const requestsChanged = held.add(new EventEmitter<Uri>());
	const chatChanged = held.add(new EventEmitter<Uri>());
	let loaded: Product | undefined;
	const tree = (id: TreeId, options: Partial<TreeViewOptions<object>> = {}) => {
		const changed = held.add(new EventEmitter<object | undefined>());
		const treeDataProvider = {
			onDidChangeTreeData: changed.event,
			getChildren: async (row?: object) => {
				loaded = await product();
				return loaded.trees[id].getChildren(row);
			},
			// Asked for each of thousands of rows: a promise for each would cost more than the row.
			getTreeItem: (row: object) =>
				loaded?.trees[id].getTreeItem(row) ?? product().then(({ trees }) => trees[id].getTreeItem(row)),
			getParent: async (row: object) => (await product()).trees[id].getParent(row),
			resolveTreeItem: async (item: object, row: object) => (await product()).trees[id].resolveTreeItem(item, row),
		};
		// The log of requests has no rows below others.
		const showCollapseAll = id !== VIEWS.requests;
		return { changed, view: held.add(window.createTreeView(id, { treeDataProvider, showCollapseAll, ...options })) };
	};
	// What is dragged is known to the product: a page that it is dropped on is told only of what type it is.
	const dragging = (): TreeDragAndDropController<object> => ({
		dragMimeTypes: [ROWS_TYPE],
		dropMimeTypes: [],
		async handleDrag(rows, data) {
			(await product()).dragged(rows);
			data.set(ROWS_TYPE, new DataTransferItem(""));
		},
	});
	const shells = {
		chatChanged,
		accountsChanged,
		issuesChanged,
		storeFilesChanged,
		requestsChanged,
		trees: {
			[VIEWS.repositories]: tree(VIEWS.repositories, { dragAndDropController: dragging() }),
			[VIEWS.issues]: tree(VIEWS.issues, { dragAndDropController: dragging() }),
			[VIEWS.store]: tree(VIEWS.store, { dragAndDropController: dragging() }),
			[VIEWS.pets]: tree(VIEWS.pets, {
				canSelectMany: true,
				dragAndDropController: {
					...dragging(),
					dropMimeTypes: ["files", "text/uri-list"],
					handleDrop: async (row, dropped) => (await product()).dropOnPet(row, dropped),
				},
			}),
			[VIEWS.connections]: tree(VIEWS.connections),
			[VIEWS.requests]: tree(VIEWS.requests),
		},
	};
	held.add(
		authentication.registerAuthenticationProvider(
			AUTHENTICATION.id,
			AUTHENTICATION.label,
			{
				onDidChangeSessions: accountsChanged.event,
				getSessions: async (scopes, options) => (await product()).accounts.getSessions(scopes, options),
				createSession: async (scopes) => (await product()).accounts.createSession(scopes),
				removeSession: async (id) => (await product()).accounts.removeSession(id),
			},
			{ supportsMultipleAccounts: true },
		),
	);
	held.add(
		workspace.registerTextDocumentContentProvider(ISSUE_SCHEME, {
			onDidChange: issuesChanged.event,
			provideTextDocumentContent: async (uri) => (await product()).issueDocuments.text(uri),
		}),
	);
	const files = (scheme: string, { changed, of }: FileShell) => {
		const refuse = () => {
			throw FileSystemError.NoPermissions("What a pet store holds is opened and saved here, and nothing else.");
		};
		const provider: FileSystemProvider = {
			onDidChangeFile: (changed ?? held.add(new EventEmitter<FileChangeEvent[]>())).event,
			watch: () => ({ dispose: () => undefined }),
			stat: async (uri) => of(await product()).stat(uri),
			readFile: async (uri) => of(await product()).readFile(uri),
			writeFile: async (uri, content) => of(await product()).writeFile?.(uri, content),
			readDirectory: () => [],
			...{ createDirectory: refuse, delete: refuse, rename: refuse },
		};
		const isReadonly = changed === undefined;
		held.add(workspace.registerFileSystemProvider(scheme, provider, { isCaseSensitive: true, isReadonly }));
	};
	for (const scheme of [PET_SCHEME, STORE_SCHEME]) {
		files(scheme, { changed: storeFilesChanged, of: ({ storeFiles }) => storeFiles });
	}
	// A photo never changes: another one has another address.
	files(PHOTO_SCHEME, { of: ({ photos }) => photos });
	held.add(
		workspace.registerTextDocumentContentProvider(REQUEST_SCHEME, {
			onDidChange: requestsChanged.event,
			provideTextDocumentContent: async (uri) => (await product()).requestDocuments.text(uri),
		}),
	);
	held.add(
		workspace.registerTextDocumentContentProvider(CHAT_SCHEME, {
			onDidChange: chatChanged.event,
			provideTextDocumentContent: async (uri) => (await product()).chatDocuments.text(uri),
		}),
	);
	held.add(
		workspace.registerTextDocumentContentProvider(HELP_SCHEME, {
			provideTextDocumentContent: async () => (await product()).help,
		}),
	);
	held.add(
		workspace.registerTextDocumentContentProvider(TEXT_SCHEME, {
			provideTextDocumentContent: async (uri) => (await product()).texts.text(uri),
		}),
	);
	held.add(
		window.registerWebviewViewProvider(VIEWS.chat, {
			async resolveWebviewView(view, _context, cancelled) {
				const { panels } = await product();
				if (!cancelled.isCancellationRequested) panels.showIn(view);
			},
		}),
	);
	held.add(
		window.registerWebviewPanelSerializer(CHAT_EDITOR, {
			deserializeWebviewPanel: async (panel) => (await product()).panels.adopt(panel),
		}),
	);
	return shells;
}
