import * as vscode from "vscode";
import type { Answer } from "#app/chat/ask-once.ts";
import { describeEnding } from "../reply-words.ts";

/** Words for a reply that is not complete: what happened and the next step. Undefined for a complete one. */
export function endingWords(answer: Answer, connection: string): string | undefined {
	const { outcome, error, model } = answer;
	if (outcome === "refused") return `${connection || "The service"} refused to go on. Ask for it in another way.`;
	const card = describeEnding({ outcome, ...(error === undefined ? {} : { error }) }, { connection, model });
	return card && `${card.title} ${card.advice}`;
}

/**
 * The error by which another extension hears of a reply that is no whole one, also after text of it: `NoPermissions` where
 * the key is at fault, `NotFound` for what is not there, `Blocked` for limits and quota. The `cause` of every other has
 * the outcome or the code of the error as its `code`.
 */
export function errorOfAnswer(answer: Answer, connection: string): Error | undefined {
	const { outcome, error } = answer;
	if (outcome === "stopped") return new vscode.CancellationError();
	const words = endingWords(answer, connection);
	if (words === undefined) return undefined;
	const { LanguageModelError } = vscode;
	if (error?.code === "rate-limited" || error?.status === 402) return LanguageModelError.Blocked(words);
	if (error?.code === "unauthorized" || error?.code === "forbidden") return LanguageModelError.NoPermissions(words);
	if (error?.code === "not-found" || error?.field === "connection") return LanguageModelError.NotFound(words);
	const cause = Object.assign(new Error(words), { code: outcome === "failed" ? error?.code : outcome });
	// The editor fills in neither for what is made with the constructor.
	return Object.assign(new LanguageModelError(words), { code: "Unknown", cause });
}
