import * as vscode from "vscode";
import { REQUEST_SCHEME } from "#app/contributions.ts";
import type { LoggedRequest, RequestLog } from "#app/requests/request-log.ts";
import type { DisposableStore } from "#base/disposables.ts";
import type { Redactor } from "#base/redaction.ts";
import { renewOpen } from "../shown-texts.ts";
import { requestDocument } from "./request-look.ts";

const GONE = "This request is no longer in the log.\n";

/** Provides the text of request documents. `changed` fires if the log is cleared or a secret in one becomes known. */
export function requestDocuments(
	log: RequestLog,
	redactor: Redactor,
	labelOf: (connection: string | null) => string,
	changed: vscode.EventEmitter<vscode.Uri>,
	held: DisposableStore,
): (uri: vscode.Uri) => string {
	const textOf = ({ path }: vscode.Uri) => {
		const request = log.get(/(r\d+)\.txt$/.exec(path)?.[1] ?? "");
		if (request !== undefined) return requestDocument(request, labelOf(request.connection));
		if (log.list().length === 0) return GONE;
		// A request that left the log stays readable while it is open.
		const isIt = ({ uri }: vscode.TextDocument) => uri.scheme === REQUEST_SCHEME && uri.path === path;
		return redactor.redact(vscode.workspace.textDocuments.find(isIt)?.getText() ?? GONE);
	};
	held.add(log.onDidChange(() => renewOpen(REQUEST_SCHEME, textOf, changed)));
	return textOf;
}

/** Address of a request's document, free of what may turn out to be secret. */
export function requestAddress({ id, method }: LoggedRequest): vscode.Uri {
	return vscode.Uri.from({ scheme: REQUEST_SCHEME, path: `/${method} ${id}.txt` });
}
