import { strict as assert } from "node:assert";
import { test } from "node:test";
import { readUploadParts } from "#sandbox/petstore/multipart.ts";

const part = (headers: string, content: string) => `--b\r\n${headers}\r\n\r\n${content}\r\n`;
const METADATA = part('Content-Disposition: form-data; name="additionalMetadata"', "a draught");
const FILE = part(
	'Content-Disposition: form-data; name="file"; filename="x.png"\r\nContent-Type: image/png',
	"\r\n--a\r\n\u0000",
);
const read = (body: string) => readUploadParts(Buffer.from(body), "b");

test("both parts are read byte by byte, in any order, and each may be missing", () => {
	const bytes = Buffer.from("\r\n--a\r\n\u0000");
	for (const body of [`${METADATA}${FILE}--b--`, `${FILE}${METADATA}--b--\r\n`]) {
		assert.deepEqual(read(body), { additionalMetadata: "a draught", file: { name: "x.png", bytes } });
	}
	assert.deepEqual(read(`preamble\r\n${METADATA}--b--\r\nepilogue`), { additionalMetadata: "a draught" });
	assert.deepEqual(read("--b--"), {});
});

for (const [why, body] of [
	["no boundary", "nothing"],
	["no end", METADATA],
	["an end that is cut off", `${METADATA}--b`],
	["a part without headers", "--b\r\nx\r\n--b--"],
	["a part of nothing", "--b\r\n--b--"],
	["a part without a disposition", `${part("Content-Type: text/plain", "x")}--b--`],
	["a part without a name", `${part("Content-Disposition: form-data; filename=x", "x")}--b--`],
	["an unknown part", `${part('Content-Disposition: form-data; name="picture"', "x")}--b--`],
	["a part twice", `${METADATA}${METADATA}--b--`],
	["a file without a filename", `${part("Content-Disposition: form-data; name=file", "x")}--b--`],
] as const) {
	test(`a body with ${why} is refused`, () => {
		assert.throws(() => read(body), /^Violation: The multipart body /);
	});
}
