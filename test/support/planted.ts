import assert from "node:assert/strict";

/** A secret of which every form is another text. */
export const PLANTED = 'planted/"key"+tulips';

const FORMS = [
	PLANTED,
	Buffer.from(PLANTED).toString("base64"),
	Buffer.from(`x:${PLANTED}`).toString("base64"),
	encodeURIComponent(PLANTED),
	JSON.stringify(PLANTED).slice(1, -1),
];

/** The secret in each form, as a service may repeat it: plain, base64, as of a Basic header, URL-encoded, JSON-escaped. */
export const REPEATED = FORMS.join(" ");

/** No piece of eight characters may be left: fewer can have been let through before it was seen that a secret begins. */
const PIECES = FORMS.flatMap((form) => [form.slice(0, 8), form.slice(8, 16), form.slice(-8)]);

/** Fails unless the secret was taken out of a text, in all its forms. */
export function assertRedacted(left: string): void {
	assert.match(left, /\[redacted/);
	for (const piece of PIECES) assert.ok(!left.includes(piece), `${piece} is in ${left}`);
}
