import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { curlOf } from "#app/requests/curl.ts";
import { logged } from "../../../support/logged-requests.ts";
import { inShell } from "../../../support/shell.ts";

/** What one shell hands to curl for each of some commands. */
async function argumentsOf(...commands: string[]): Promise<string[][]> {
	const printed = await inShell(["curl() { printf '%s\\0' $# \"$@\"; }", ...commands].join("\n"));
	const words = printed.split("\0");
	return commands.map(() => words.splice(0, Number(words.shift())));
}

test("a request becomes the options of curl, with its own line for each", () => {
	const command = curlOf(
		logged({
			method: "POST",
			url: "https://host.example/v1/messages",
			headers: {
				accept: "text/event-stream, application/json",
				"accept-encoding": "gzip",
				"x-api-key": "{key}",
				"x-empty": "",
			},
			body: `{"text":"it's"}`,
			sentBytes: 15,
		}),
	);
	assert.deepEqual(command.split(" \\\n  "), [
		"curl --url 'https://host.example/v1/messages'",
		"--request POST",
		"--header 'accept: text/event-stream, application/json'",
		"--compressed",
		"--header 'x-api-key: {key}'",
		"--header 'x-empty;'",
		"--no-buffer",
		`--data-raw '{"text":"it'\\''s"}'`,
	]);
});

test("an address with braces or brackets is one address to curl", () => {
	assert.match(curlOf(logged({ url: "http://[::1]:8080/x?password={password}" })), /--globoff/);
	assert.doesNotMatch(curlOf(logged()), /--globoff/);
});

test("a body that the log does not hold is a file that the person names", () => {
	assert.match(curlOf(logged({ method: "POST", body: null, sentBytes: 9 })), / --data-binary '@\{body\}'$/);
	assert.doesNotMatch(curlOf(logged({ method: "POST", body: null, sentBytes: 0 })), /--data/);
});

test("nothing in a command acts upon a terminal or hides from the reader", async () => {
	const body = "a\u001b[201~\nrm -rf /\r\u009b2J\u202e!!\\'";
	const command = curlOf(logged({ method: "POST", body, sentBytes: 1 }));
	assert.doesNotMatch(command.replaceAll(" \\\n  ", " "), /[\p{Cc}\p{Cf}]/u);
	assert.equal((await argumentsOf(command))[0]?.at(-1), body);
});

test("the shell passes every body and header to curl unchanged", async () => {
	const text = fc
		.string({
			maxLength: 80,
			unit: fc.constantFrom(..."ab'\"\\$`!&|;<>(){}[]*?~#@%\n\t\r \u001b\u007f\u009b\u202eé漢🔌07"),
		})
		.filter((each) => each.isWellFormed());
	await fc.assert(
		fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 20 }), async (bodies) => {
			const requests = bodies.map((body) =>
				logged({ method: "PUT", headers: { "x-a": `v${body}` }, body, sentBytes: 1 }),
			);
			const given = await argumentsOf(...requests.map(curlOf));
			const wanted = requests.map(({ url, body }) => [
				"--url",
				url,
				"--request",
				"PUT",
				"--header",
				`x-a: v${body}`,
				"--data-raw",
				body,
			]);
			assert.deepEqual(given, wanted);
		}),
		{ numRuns: 10 },
	);
});
