import type { PetstoreConnection } from "#app/connections/connection.ts";
import type { ConnectionRegistry } from "#app/connections/registry.ts";
import type { Confirmation } from "#app/petstore/write.ts";
import { connectionOf } from "../connections/manage-connections.ts";
import { type Call, givenIn } from "../kit/command.ts";
import { sentence } from "../kit/error-words.ts";
import { type Answer, askText, BACK, confirmed, notify, type TextPrompt } from "../kit/prompts.ts";
import type { WizardStep } from "../kit/wizard.ts";
import { withProgress } from "../progress.ts";
import { notConfirmedWords } from "../words/petstore-words.ts";

/** Pet store of a call: named, of the row, or picked by the person. */
export function storeOf(call: Call, { registry }: { readonly registry: ConnectionRegistry }, title: string) {
	return connectionOf(call, registry, { title, service: "petstore" });
}

/** Pet store that a call names or was made on, or else all of them. */
export function storesOf(call: Call<{ readonly connection?: string }>, registry: ConnectionRegistry) {
	const named = givenIn(call)?.connection;
	return named === undefined ? registry.list("petstore") : [registry.require(named, "petstore")];
}

/** Deletes something for good once the person confirms. Resolves to its key if gone; undefined if the person left. */
export async function deleteOf<N>(
	call: Call,
	{ label }: PetstoreConnection,
	{ key, name, detail }: { readonly key: string; readonly name: string; readonly detail: string },
	remove: (signal: AbortSignal) => Promise<Confirmation<N>>,
): Promise<({ readonly deleted: string | null } & Confirmation<N>) | undefined> {
	const isAsked = call.argument === undefined;
	if (isAsked && !(await confirmed(`Delete ${name} from ${label}?`, "Delete", detail))) return undefined;
	const removed = await withProgress(`Deleting ${name}...`, remove);
	const isGone = removed.now === null;
	if (isAsked && !removed.confirmed) {
		tellNotConfirmed(label, removed.now === undefined ? undefined : `${name} is ${isGone ? "gone" : "still there"}`);
	}
	return { deleted: removed.confirmed || isGone ? key : null, ...removed };
}

/** Reports a lost answer, and the state `seen` since; undefined if it could not be read. */
export function tellNotConfirmed(label: string | undefined, seen: string | undefined): void {
	void notify("Warning", notConfirmedWords(label, seen && sentence(seen)));
}

/** Wizard step for one line of text, which is kept in `answers` by its name. */
export function lineStep<Name extends string>(
	name: Name,
	answers: Record<NoInfer<Name>, string>,
	prompt: Omit<TextPrompt, "title" | "value" | "problem">,
): WizardStep {
	return {
		name,
		async ask(frame): Promise<Answer<string>> {
			const answer = await askText({ ...frame, ...prompt, value: answers[name] });
			if (answer !== undefined && answer !== BACK) answers[name] = answer;
			return answer;
		},
	};
}
