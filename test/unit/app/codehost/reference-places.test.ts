import assert from "node:assert/strict";
import { test } from "node:test";
import { referencesIn } from "#app/codehost/reference-places.ts";

/** References of a text as they are written. */
function read(text: string, language: string) {
	return referencesIn(text, language).map(({ from, to }) => text.slice(from, to));
}

test("in code only comments have references", () => {
	for (const [language, code] of [
		["typescript", 'const a = "#12"; // see #1\n/* #2 */ f(/* #3 */) /**\n * and acme/app#4'],
		["python", 'print("#12") # see #1\n# #2 and #3,\n    # acme/app#4'],
		["sql", "select '#12' -- #1, #2\n-- #3\n  -- acme/app#4"],
		["html", '<a href="#12">#12</a> <!-- #1 -->\n<!-- #2, #3 acme/app#4 -->'],
		["ini", "a = #12\n; #1 #2\n; #3 acme/app#4"],
		["clojure", "(f #12)\n;; #1 #2\n  ;;; #3 acme/app#4"],
		["css", "/* #1 #2 #3 and acme/app#4 */"],
	] as const) {
		assert.deepEqual(read(code, language), ["#1", "#2", "#3", "acme/app#4"], language);
	}
});

test("colors, preprocessor lines, strings and parts of addresses are no references", () => {
	for (const [language, code] of [
		["css", "a { color: #123; background: #123456 }\n* { color: #12345678 }\n/* was #123 and #1234 */"],
		["html", "<style>\n* { color: #123 }\n</style>"],
		["cpp", '#define A "#12"\n#if 12 // no #\n#line 12\n#error #12\nx = i-- #12'],
		["javascript", 'const url = "https://code.example/page#12";\nfetch("//cdn/#12");\nthis.#12;'],
		["markdown", "`#12` [page](page.html#12) https://code.example/#12"],
		["json", '{ "color": "#123", "a": "#12" }'],
	] as const) {
		assert.deepEqual(read(code, language), [], language);
	}
});

test("the number of a step that begins a line of a build's log is no reference", () => {
	const log = "#5 DONE 0.3s\n#12 [internal] load\n#5 0.312 fixes #7\nacme/app#8 is open\n#9  Lamp is slow\n#10";
	assert.deepEqual(read(log, "log"), ["#7", "acme/app#8", "#9", "#10"]);
	assert.deepEqual(read("#5 is done", "plaintext"), ["#5"]);
});

test("in prose a reference stands anywhere but in code", () => {
	const page = "https://code.example/acme/app/issues/3";
	for (const language of ["markdown", "plaintext", "git-commit", "scminput"]) {
		assert.deepEqual(read(`#1 fixes acme/app#2\r\n\r\n- ${page}`, language), ["#1", "acme/app#2", page]);
	}
	assert.deepEqual(read("#1\n```css\na { color: #123 }\n```\n#2 `a` #3 `b`\n~~~\n#4\n", "markdown"), [
		"#1",
		"#2",
		"#3",
	]);
	const within =
		"- a\n\n  ```\n  #1\n  ```\n1. ```\n   #2\n   ```\n> ~~~\n> #3\n\n````\n```\n#4\n````\n```a``` #5\n\n    #6\n\n#7";
	assert.deepEqual(read(within.replaceAll("\n", "\r\n"), "markdown"), ["#5", "#7"]);
	assert.deepEqual(read(`${"x".repeat(100_000)} #1\n#2`, "plaintext"), ["#2"]);
});
