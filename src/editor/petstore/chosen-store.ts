import type { PetstoreConnection } from "#app/connections/connection.ts";
import type { ConnectionRegistry } from "#app/connections/registry.ts";
import { fieldsOf, requiredText } from "../arguments.ts";
import { pickConnection } from "../connections/manage-connections.ts";
import type { Call } from "../kit/call.ts";
import type { Step } from "../kit/wizard.ts";
import { type Answer, askText, BACK, type TextPrompt } from "../prompts.ts";

/** The pet store that a call is about: named, of the row, or chosen by the person. */
export async function storeOf(
	{ argument, row }: Call,
	registry: ConnectionRegistry,
	title: string,
): Promise<PetstoreConnection | undefined> {
	const fields = row?.fields ?? fieldsOf(argument);
	if (fields !== undefined) return registry.require(requiredText(fields, "connection"), "petstore");
	const picked = await pickConnection(registry.list("petstore"), { registry, title });
	return picked?.service === "petstore" ? picked : undefined;
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
