import { strict as assert } from "node:assert";
import { ClientError } from "#base/errors.ts";

/**
 * Field that a refused argument names, with which its sentence begins; undefined if nothing is refused. Fails if the
 * error repeats `secret`.
 */
export function refusedField(run: () => unknown, secret?: string): string | undefined {
	try {
		run();
		return undefined;
	} catch (error) {
		assert.ok(error instanceof ClientError && error.code === "invalid", String(error));
		assert.ok(error.message.startsWith(error.field ?? "?"), "the sentence begins with the field");
		if (secret !== undefined) assert.ok(!`${error.message} ${error.stack}`.includes(secret));
		return error.field;
	}
}
