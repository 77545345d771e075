import { commands, type ExtensionContext, window } from "vscode";
import { CHAT_EDITOR, COMMANDS, VIEWS } from "#app/contributions.ts";
import { DisposableStore } from "#base/disposables.ts";
import type { Product } from "./product.ts";

/**
 * Registers every command and view. What they need is loaded when the first of them is used, so that a window that
 * activates the extension waits for nothing but this.
 */
export function activate(context: ExtensionContext): void {
	const held = new DisposableStore();
	context.subscriptions.push(held);
	let loading: Promise<Product> | undefined;
	const product = () => {
		loading ??= import("./product.ts").then(({ startProduct }) => held.add(startProduct(context)));
		return loading;
	};
	for (const id of Object.values(COMMANDS)) {
		held.add(commands.registerCommand(id, async (argument: unknown) => (await product()).run(id, argument)));
	}
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
}
