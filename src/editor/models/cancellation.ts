import type * as vscode from "vscode";
import type { Disposable } from "#base/disposables.ts";

/** A signal that aborts when a token is cancelled; to be disposed when nobody listens to it any more. */
export function signalOf(token: vscode.CancellationToken): Disposable & { readonly signal: AbortSignal } {
	const abort = new AbortController();
	if (token.isCancellationRequested) abort.abort();
	const subscription = token.onCancellationRequested(() => abort.abort());
	return { signal: abort.signal, dispose: () => subscription.dispose() };
}
