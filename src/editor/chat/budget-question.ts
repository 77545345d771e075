import * as vscode from "vscode";
import type { Entry } from "#app/chat/conversation.ts";
import { tokensOf } from "#app/chat/request.ts";
import type { ChatSession } from "#app/chat/session.ts";
import { chatParameters, contextBudget } from "../settings.ts";

/**
 * True if a request that carries these entries may be sent: it is within the budget, or the person wants it all the same.
 */
export async function mayBeSent(entries: readonly Entry[], system?: string): Promise<boolean> {
	const excess = overBudget(entries, system);
	if (excess === undefined) return true;
	const answer = await vscode.window.showWarningMessage(
		`This request is ${excess}.`,
		{ modal: true, detail: "The service may refuse it, or charge for all of it." },
		"Send Anyway",
	);
	return answer !== undefined;
}

/** True if a reply may be asked for again, or continued, within the budget or with the person's consent. */
export async function mayBeAsked(
	session: ChatSession,
	reply: string,
	how: "again" | "further" = "again",
): Promise<boolean> {
	const way = session.tree.lineage(reply);
	return mayBeSent(how === "again" ? way.slice(0, -1) : way, session.facts.parameters?.system);
}

/** In words, how large a request is that is beyond the person's budget; undefined for any other. */
export function overBudget(entries: readonly Entry[], system = chatParameters().system): string | undefined {
	const tokens = tokensOf(entries, system);
	const budget = contextBudget();
	const count = (number: number) => number.toLocaleString("en");
	return tokens <= budget ? undefined : `about ${count(tokens)} tokens; your budget is ${count(budget)}`;
}
