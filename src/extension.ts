import { authentication, commands, EventEmitter, type ExtensionContext, type Uri, window, workspace } from "vscode";
import { AUTHENTICATION, CHAT_EDITOR, COMMANDS, ISSUE_SCHEME, TREES, type TreeId, VIEWS } from "#app/contributions.ts";
import { DisposableStore } from "#base/disposables.ts";
import type { AccountsChange, Product, Shells } from "./product.ts";

/** Gives the product, which is loaded when it is first asked for. */
type Load = () => Promise<Product>;

let running: Promise<Product> | undefined;

/**
 * Registers every command, and the views one turn later. What they need is loaded when the first of them is used, so
 * that a window that activates the extension waits for nothing but this. Commands cannot wait: the editor runs the one
 * that it activates for as soon as this returns. Views, accounts and documents can: the editor waits for their
 * providers by itself.
 */
export function activate(context: ExtensionContext): void {
	const held = new DisposableStore();
	context.subscriptions.push(held);
	let shells: Shells | undefined;
	running = undefined;
	const register = () => {
		shells ??= registerProviders(held, product);
		return shells;
	};
	const product: Load = () => {
		const registered = register();
		running ??= import("./product.ts").then(({ startProduct }) => held.add(startProduct(context, registered)));
		return running;
	};
	for (const id of Object.values(COMMANDS)) {
		held.add(commands.registerCommand(id, async (argument: unknown) => (await product()).run(id, argument)));
	}
	const turn = setImmediate(register);
	held.add({ dispose: () => clearImmediate(turn) });
}

/** The editor waits for this, a few seconds at most, before it ends the window. */
export async function deactivate(): Promise<void> {
	await (await running)?.flush();
}

function registerProviders(held: DisposableStore, product: Load): Shells {
	const accountsChanged = held.add(new EventEmitter<AccountsChange>());
	const issuesChanged = held.add(new EventEmitter<Uri>());
	let loaded: Product | undefined;
	const tree = (id: TreeId) => {
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
		return { changed, view: held.add(window.createTreeView(id, { treeDataProvider, showCollapseAll })) };
	};
	const shells = {
		accountsChanged,
		issuesChanged,
		trees: {
			[VIEWS.repositories]: tree(TREES[0]),
			[VIEWS.issues]: tree(TREES[1]),
			[VIEWS.connections]: tree(TREES[2]),
			[VIEWS.requests]: tree(TREES[3]),
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
