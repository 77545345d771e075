import * as vscode from "vscode";
import type { PetstoreConnection } from "#app/connections/connection.ts";
import type { ConnectionRegistry } from "#app/connections/registry.ts";
import { pickConnection } from "../connections/manage-connections.ts";
import { requiredText } from "../kit/arguments.ts";
import type { Call } from "../kit/call.ts";
import { givenIn } from "../kit/command.ts";
import { type Answer, askText, BACK, type TextPrompt } from "../kit/prompts.ts";
import type { Step } from "../kit/wizard.ts";

/** The pet store that a call is about: named, of the row, or chosen by the person. */
export async function storeOf(
	call: Call,
	registry: ConnectionRegistry,
	title: string,
): Promise<PetstoreConnection | undefined> {
	const fields = givenIn(call);
	if (fields !== undefined) return registry.require(requiredText(fields, "connection"), "petstore");
	const picked = await pickConnection(registry.list("petstore"), { registry, title, call });
	return picked?.service === "petstore" ? picked : undefined;
}

/** True if the person confirms that something is deleted from a store, which cannot be undone. */
export async function confirmDeletion(what: string, { label }: PetstoreConnection, detail: string): Promise<boolean> {
	const remove = "Delete";
	const question = `Delete ${what} from ${label}?`;
	return (await vscode.window.showWarningMessage(question, { modal: true, detail }, remove)) === remove;
}

/** A question for one line of text, which is kept in `answers` under the step's name. */
export function lineStep<Name extends string>(
	name: Name,
	answers: Record<NoInfer<Name>, string>,
	prompt: Omit<TextPrompt, "title" | "value" | "problem">,
): Step<Name> {
	return {
		name,
		async ask(frame): Promise<Answer<string>> {
			const answer = await askText({ ...frame, ...prompt, value: answers[name] });
			if (answer !== undefined && answer !== BACK) answers[name] = answer;
			return answer;
		},
	};
}
