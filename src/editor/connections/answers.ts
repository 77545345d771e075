import { headerText } from "#api/petstore/credential.ts";
import { pastedSecret } from "#app/connections/pasted-secret.ts";
import { ClientError } from "#base/errors.ts";
import { type Answer, BACK } from "../prompts.ts";

/** What is said at the last question when the person has stopped what was asked of the service. */
export const STOPPED = "Stopped.";

/** How a question ended whose answer was not taken: the person has left, or only stopped what was asked of the service. */
export function endOf(error: unknown): "left" | "stopped" | "refused" {
	if (!(error instanceof ClientError && error.code === "aborted")) return "refused";
	return error.reason === "stopped" ? "stopped" : "left";
}

/** Keeps an answer that is one, and passes on what was answered. */
export function kept<T>(answer: Answer<T>, keep: (value: T) => void): Answer<T> {
	if (answer !== undefined && answer !== BACK) keep(answer);
	return answer;
}

/** What is wrong with a text that is read so, as a sentence; undefined when nothing is. */
export function mistakeIn(decode: () => unknown): string | undefined {
	try {
		decode();
		return undefined;
	} catch (error) {
		return error instanceof Error ? `${error.message}.` : String(error);
	}
}

/** What is wrong with a typed key or token that a header is to carry, as a sentence that names it; nothing typed is fine. */
export function mistakeInSecret(text: string, name: "The API key" | "The access token"): string | undefined {
	const secret = pastedSecret(text);
	return secret === "" ? undefined : mistakeIn(() => headerText(name, secret));
}
