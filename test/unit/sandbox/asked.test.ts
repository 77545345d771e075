import { strict as assert } from "node:assert";
import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { test } from "node:test";
import { askedOf } from "#sandbox/asked.ts";
import { flag, shape } from "#sandbox/strict.ts";

const read = shape<object, { slow: boolean }>({}, { slow: flag });

function requestWith(header: string | undefined): IncomingMessage {
	const request = new IncomingMessage(new Socket());
	if (header !== undefined) request.headers["x-sandbox"] = header;
	return request;
}

test("a behaviour comes with the text that asked for it, and nothing is asked without the header", () => {
	assert.deepEqual(askedOf(requestWith('{"slow":true}'), read), {
		header: '{"slow":true}',
		behaviour: { slow: true },
	});
	assert.deepEqual(askedOf(requestWith(undefined), read), { header: undefined, behaviour: {} });
});

test("a header that is not JSON, or not a behaviour, is refused by its name", () => {
	assert.throws(() => askedOf(requestWith("{"), read), /^Violation: x-sandbox must be JSON/);
	assert.throws(() => askedOf(requestWith('{"fast":1}'), read), /^Violation: x-sandbox\.fast is not a known field/);
});
