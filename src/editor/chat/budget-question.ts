import * as vscode from "vscode";
import { type Entry, inputMessages } from "#app/chat/conversation.ts";
import type { ChatSession } from "#app/chat/session.ts";
import { sizeOf } from "#base/tokens.ts";
import { chatParameters, contextBudget } from "../settings.ts";

/**
 * Whether a request that carries these entries may leave: it is within the person's budget, or they want it all the same.
 * For what is asked anew; the composer asks for itself, where the text stands.
 */
export async function mayBeSent(entries: readonly Entry[], system = chatParameters().system ?? ""): Promise<boolean> {
	const texts = [system, ...inputMessages(entries).map(({ content }) => content)];
	const tokens = texts.reduce((sum, text) => sum + sizeOf(text).tokens, 0);
	const budget = contextBudget();
	if (tokens <= budget) return true;
	const count = (number: number) => number.toLocaleString("en");
	const answer = await vscode.window.showWarningMessage(
		`This request is about ${count(tokens)} tokens; your budget is ${count(budget)}.`,
		{ modal: true, detail: "The service may refuse it, or charge for all of it." },
		"Send Anyway",
	);
	return answer !== undefined;
}

/** The same for a reply of a conversation that is asked for again, or else is to be gone on with. */
export async function mayBeAsked(
	session: ChatSession,
	reply: string,
	how: "again" | "further" = "again",
): Promise<boolean> {
	const way = session.lineage(reply);
	return mayBeSent(how === "again" ? way.slice(0, -1) : way, session.facts.parameters?.system);
}
