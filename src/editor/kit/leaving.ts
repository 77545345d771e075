import { Redactor } from "#base/redaction.ts";

/** Redactor of the window, shared by all exits. */
let redactor = new Redactor();

/** Sets the redactor for everything that is shown from now on. */
export function redactExits(known: Redactor): void {
	redactor = known;
}

/** Redacts text or plain JSON before it is shown: {@link Redactor.leaving}. */
export function leaving<T>(value: T): T {
	return redactor.leaving(value);
}
