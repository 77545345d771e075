import * as vscode from "vscode";
import { TEXT_SCHEME } from "#app/contributions.ts";
import { leaving } from "./kit/leaving.ts";

/** Texts that are kept; the oldest make room. */
const MOST = 20;

/** Read-only documents for generated text, which close without a prompt. In memory only. */
export class ShownTexts {
	readonly #kept = new Map<string, string>();
	#count = 0;

	/** Shows a text without secrets; the end of its name says what language it is in. */
	async show(name: string, text: string): Promise<void> {
		await vscode.window.showTextDocument(this.keep(name, leaving(text)), { preview: false });
	}

	/** Keeps a text as it is, such as a file that the person changes with it; returns the address of its document. */
	keep(name: string, text: string): vscode.Uri {
		this.#count += 1;
		const uri = vscode.Uri.from({ scheme: TEXT_SCHEME, path: `/${this.#count}/${name}` });
		this.#kept.set(uri.path, text);
		const [oldest = ""] = this.#kept.keys();
		if (this.#kept.size > MOST) this.#kept.delete(oldest);
		return uri;
	}

	/** The text of a document, or why there is none. */
	text({ path }: vscode.Uri): string {
		return this.#kept.get(path) ?? "This text is no longer kept.\n";
	}
}

/** Fires `changed` for each open document of a scheme that differs from its text; undefined leaves one as it is. */
export function renewOpen(
	scheme: string,
	textOf: (uri: vscode.Uri) => string | undefined,
	changed: Pick<vscode.EventEmitter<vscode.Uri>, "fire">,
): void {
	for (const document of vscode.workspace.textDocuments) {
		if (document.uri.scheme !== scheme) continue;
		const text = textOf(document.uri);
		if (text !== undefined && text !== document.getText()) changed.fire(document.uri);
	}
}
