import * as vscode from "vscode";
import { REQUEST_SCHEME } from "#app/contributions.ts";
import type { LoggedRequest, RequestLog } from "#app/requests/request-log.ts";
import type { DisposableStore } from "#base/disposables.ts";
import { requestDocument } from "./request-look.ts";

const GONE = "This request is no longer in the log.\n";

/**
 * Function that gives the text of a request's document. A request never changes, but all can be forgotten, and a secret
 * can become known that one holds: then `changed` fires for the documents that are open. `labelOf` gives the label of a
 * connection, empty for none.
 */
export function requestDocuments(
	log: RequestLog,
	labelOf: (connection: string | null) => string,
	changed: vscode.EventEmitter<vscode.Uri>,
	held: DisposableStore,
): (uri: vscode.Uri) => string {
	const textOf = ({ path }: vscode.Uri) => {
		const request = log.get(/(r\d+)\.txt$/.exec(path)?.[1] ?? "");
		return request === undefined ? GONE : requestDocument(request, labelOf(request.connection));
	};
	held.add(
		log.onDidChange(() => {
			const isCleared = log.list().length === 0;
			for (const document of vscode.workspace.textDocuments) {
				const { uri } = document;
				const text = uri.scheme === REQUEST_SCHEME ? textOf(uri) : document.getText();
				// A request that has made room for newer ones stays for who reads it.
				if (text !== document.getText() && (text !== GONE || isCleared)) changed.fire(uri);
			}
		}),
	);
	return textOf;
}

/** The address of a request's document. Its name says nothing that the log could still learn to hide. */
export function requestAddress({ id, method }: LoggedRequest): vscode.Uri {
	return vscode.Uri.from({ scheme: REQUEST_SCHEME, path: `/${method} ${id}.txt` });
}
