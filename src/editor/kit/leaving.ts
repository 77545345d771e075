import { Redactor } from "#base/redaction.ts";

/** Knows the secrets that reach no place of the editor; a window has one for all. */
let redactor = new Redactor();

/** Makes all that goes to the editor from now on leave without the secrets that this one knows. */
export function redactExits(known: Redactor): void {
	redactor = known;
}

/** A text, or plain JSON, as it may leave for a place of the editor: {@link Redactor.leaving}. */
export function leaving<T>(value: T): T {
	return redactor.leaving(value);
}
