import { strict as assert } from "node:assert";
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { test } from "node:test";
import { circles, layerProblems, resolve } from "../support/house/layers.ts";
import { type SourceFile, sourceFile } from "../support/house/source-file.ts";
import { codeProblems, productProblems } from "../support/house/style.ts";
import { machinePathProblems, mirrorProblems, topLevelProblems } from "../support/house/tree.ts";

const root = join(import.meta.dirname, "../..");

/** Everything that belongs to the repository. */
const paths = listed().filter((path) => path !== "" && existsSync(join(root, path)));
const read = (path: string) => readFileSync(join(root, path), "utf8");
const sources = paths.filter((path) => path.endsWith(".ts")).map((path) => sourceFile(path, read(path)));
const product = sources.filter(({ path }) => path.startsWith("src/"));

/** What git tracks, and what is new and not ignored; in a copy without git, what is not made by the tools. */
function listed(): string[] {
	if (existsSync(join(root, ".git"))) {
		const list = ["ls-files", "--cached", "--others", "--exclude-standard", "-z"];
		return execFileSync("git", list, { cwd: root }).toString().split("\0");
	}
	const made = /^(?:node_modules|dist|\.vscode-test)\/|\.vsix$/;
	return readdirSync(root, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join("/"))
		.filter((path) => !made.test(path));
}

function holds(problems: readonly string[]): void {
	assert.deepEqual(problems, []);
}

test("the repository was read: there is a product and there are tests", () => {
	assert.ok(product.length > 20 && sources.length > product.length);
});

test("a layer imports only what its row of the table allows", () => holds(product.flatMap(layerProblems)));

test("no import leads in a circle, not even one of types", () => holds(circles(sources)));

test("every import inside the repository names a file that is there", () => {
	const known = new Set(paths);
	const dangling = sources.flatMap(({ path, imports }) =>
		imports
			.map(({ specifier }) => resolve(specifier, path))
			.filter((target) => target !== undefined && !known.has(target) && !target.endsWith(".json"))
			.map((target) => `${path} imports ${target}`),
	);
	holds(dangling);
});

test("no file says any, asserts with !, silences the compiler, exports a default or a star, or leaves work for later", () =>
	holds(sources.flatMap(codeProblems)));

test("a product file has one job: documented exports of its own, at most 400 lines, no barrel", () =>
	holds(product.flatMap(productProblems)));

test("no page that is shown takes another base or sends a form", () => {
	const pages = product.filter(({ text }) => text.includes('http-equiv="Content-Security-Policy"'));
	assert.ok(pages.length >= 2);
	for (const { text, path } of pages) {
		for (const rule of ["base-uri 'none'", "form-action 'none'"]) assert.ok(text.includes(rule), `${path}: ${rule}`);
	}
});

test("the top level holds only what the design and the tools need", () => holds(topLevelProblems(paths)));

test("each unit test mirrors the path of what it tests", () => holds(mirrorProblems(paths)));

test("no file names a path of somebody's machine", () =>
	holds(
		paths
			.filter((path) => !/\.(?:png|ttf|woff2?)$/.test(path))
			.flatMap((path) => machinePathProblems(path, read(path))),
	));

/** The problems of one source text by one rule. */
function problemsOf(rule: (file: SourceFile) => string[], path: string, text: string): string[] {
	return rule(sourceFile(path, text));
}

const forbiddenImports: ReadonlyArray<readonly [path: string, text: string, problem: RegExp]> = [
	["src/base/x.ts", 'import { a } from "#api/y.ts";', /must not import from #api/],
	["src/base/x.ts", 'import type { a } from "#protocol/y.ts";', /must not import from #protocol/],
	["src/base/x.ts", 'export { a } from "#api/y.ts";', /must not import from #api/],
	["src/base/x.ts", 'import "#api/y.ts";', /must not import from #api/],
	["src/base/x.ts", 'const a = import("#api/y.ts");', /must not import from #api/],
	["src/base/x.ts", 'let a: import("#api/y.ts").A;', /must not import from #api/],
	["src/base/x.ts", "import {\n\ta,\n\ttype b,\n} from '#api/y.ts';", /must not import from #api/],
	["src/base/x.ts", 'import { a } from "../api/y.ts";', /leaves its layer/],
	["src/base/x.ts", 'import { a } from "./y";', /without \.ts/],
	["src/base/x.ts", 'import { a } from "#base/y.js";', /without \.ts/],
	["src/base/x.ts", 'import { a } from "node:fs";', /must not import node:fs/],
	["src/base/x.ts", "const a = Buffer.from(b);", /uses Buffer/],
	["src/app/x.ts", "const a = process.env;", /uses process/],
	["src/protocol/x.ts", 'import { a } from "#app/y.ts";', /must not import from #app/],
	["src/api/x.ts", 'import { a } from "#app/y.ts";', /must not import from #app/],
	["src/api/http/x.ts", 'import { a } from "undici";', /only by import\(\)/],
	["src/api/messages/x.ts", 'const a = import("undici");', /must not import the package undici/],
	["src/api/http/x.ts", 'import { a } from "eventsource-parser";', /must not import the package/],
	["src/api/x.ts", 'import { a } from "fs";', /must not import the package fs/],
	["src/app/x.ts", 'import { a } from "#editor/y.ts";', /must not import from #editor/],
	["src/app/x.ts", 'import type { a } from "vscode";', /must not import the package vscode/],
	["src/sandbox/x.ts", 'import { a } from "#api/y.ts";', /only types from #api/],
	["src/sandbox/x.ts", 'import { type a } from "#api/y.ts";', /only types from #api/],
	["src/sandbox/x.ts", 'import { a } from "#app/y.ts";', /must not import from #app/],
	["src/editor/x.ts", 'import { a } from "#sandbox/y.ts";', /must not import from #sandbox/],
	["src/webview/x.ts", 'import { a } from "#app/y.ts";', /must not import from #app/],
	["src/webview/x.ts", 'import * as a from "vscode";', /must not import the package vscode/],
	["src/editor/x.ts", 'import a from "markdown-it";', /must not import the package markdown-it/],
	["src/extension.ts", 'import { a } from "#editor/y.ts";', /must not import from #editor/],
	["src/stray.ts", "", /in no layer/],
	["src/other/x.ts", "", /in no layer/],
];
for (const [path, text, problem] of forbiddenImports) {
	test(`${text.replace(/\s+/g, " ") || "a file"} in ${path} breaks the table`, () => {
		assert.match(problemsOf(layerProblems, path, text).join("\n"), problem);
	});
}

test("what the table allows is no problem", () => {
	for (const [path, text] of [
		[
			"src/base/x.ts",
			'import { a } from "#base/y.ts"; import "./z.ts"; // import "vscode"\nconst s = \'import "fs"\';',
		],
		["src/api/http/x.ts", 'import type { A } from "undici"; const b = import("undici"); import "node:tls";'],
		["src/sandbox/x.ts", 'import type { A } from "#api/y.ts"; import "node:http";'],
		["src/webview/a/x.ts", 'import a from "markdown-it"; import b from "highlight.js/lib/core"; import "../b/y.ts";'],
		["src/editor/x.ts", 'import * as vscode from "vscode"; const a = { process: 1 }.process;'],
		["src/extension.ts", 'import * as vscode from "vscode"; import "#app/a.ts"; const b = import("./product.ts");'],
		["src/product.ts", 'import * as vscode from "vscode"; import "#editor/a.ts"; import "#sandbox/b.ts";'],
	] as const) {
		assert.deepEqual(problemsOf(layerProblems, path, text), []);
	}
});

test("a circle is found across layers, by types alone, and on a file itself", () => {
	const a = sourceFile("src/api/a.ts", 'import type { b } from "#base/b.ts";');
	const b = sourceFile("src/base/b.ts", 'export { c } from "./c.ts";');
	const c = sourceFile("src/base/c.ts", 'const a = import("../api/a.ts");');
	assert.deepEqual(circles([a, b, c]), ["src/api/a.ts -> src/base/b.ts -> src/base/c.ts -> src/api/a.ts"]);
	assert.equal(circles([sourceFile("src/base/b.ts", 'import "./b.ts";')]).length, 1);
	assert.deepEqual(circles([a, b]), []);
});

const forbiddenCode = [
	"let a: any;",
	"f<any>(b);",
	"const a = b as any[];",
	"a!.b;",
	"a[0]!.b;",
	"f(a!);",
	"f(a)!.b;",
	"let a!: string;",
	"const { b } = a!;",
	"const a = b! + c;",
	"export default a;",
	"export default function a() {}",
	'export * from "./a.ts";',
	'export * as a from "./a.ts";',
	"// @ts-ignore",
	"/* @ts-nocheck */",
	`const s = \`\${a /* TODO later */}\`; // FIXME`,
	"/** TODO: write */",
];
for (const text of forbiddenCode) {
	test(`${text} is refused`, () => {
		assert.equal(problemsOf(codeProblems, "src/base/x.ts", text).length, 1);
	});
}

test("words in strings, comments and patterns, negations and members are not refused", () => {
	const innocent = [
		'const a = "any TODO export default";',
		"// any value may come! It is export * of nothing",
		"const a = /any!.b/.test(c) && d / e / any_;",
		`const a = \`any \${b ? \`any!\` : '}'} TODO\`;`,
		"if (a) !b || !c; return !d;",
		"if (a !== b || a != c) f(!a, [!b], !(c));",
		"const signal = AbortSignal.any([a, b]); Promise?.any(c);",
		"const a = () => !b;",
		"const a = { default: 1 }; a.default;",
		"export const a = typeof b === 'c' ? !d : e;",
		"if (a) {}\n!b;",
	];
	for (const text of innocent) assert.deepEqual(problemsOf(codeProblems, "src/base/x.ts", text), []);
});

test("an export without a doc comment, a re-export, a barrel and a long file are found", () => {
	const find = (text: string, path = "src/base/x.ts") => problemsOf(productProblems, path, text);
	assert.match(find("export function a() {}").join(), /exports a undocumented/);
	assert.match(find("// not a doc comment\nexport const b = 1;").join(), /exports b undocumented/);
	assert.match(find("/** A. */\nconst a = 1;\nexport interface C {}").join(), /exports C undocumented/);
	assert.match(find("/** A. */\nexport { a };").join(), /does not declare/);
	assert.match(find('/** A. */\nexport type { a } from "./b.ts";').join(), /does not declare/);
	assert.match(find("", "src/base/index.ts").join(), /barrel/);
	assert.match(find(`${"\n".repeat(400)}a`).join(), /401 lines/);
	assert.deepEqual(
		find("/** A. */\nexport async function a() {}\n/** B. */\nexport type B = { readonly export: 1 };"),
		[],
	);
	assert.deepEqual(find("/** A. */\nexport function a(): void;\nexport function a(b: 1): void;"), []);
	assert.deepEqual(find(`${"a\n".repeat(400)}`), []);
});

test("a stray entry at the top level is found", () => {
	assert.deepEqual(topLevelProblems(["src/a.ts", "README.md"]), []);
	assert.equal(topLevelProblems(["src/a.ts", "notes/a.md", "notes/b.md", "notes.txt"]).length, 2);
});

test("a unit test that mirrors nothing is found", () => {
	const there = [
		"src/base/a.ts",
		"test/unit/base/a.test.ts",
		"test/unit/base/a.speed.test.ts",
		"test/unit/house.test.ts",
	];
	assert.deepEqual(mirrorProblems(there), []);
	assert.equal(mirrorProblems([...there, "test/unit/base/b.test.ts", "test/unit/a.test.ts"]).length, 2);
});

test("a path of a machine is found, and the path of a URL is none", () => {
	const path = (...parts: string[]) => ["", ...parts].join("/");
	for (const line of [path("home", "me", "x"), `file://${path("Users", "me")}`, `"${path("root", ".cache")}"`]) {
		assert.equal(machinePathProblems("a", `x\n${line}`).length, 1, line);
	}
	assert.deepEqual(machinePathProblems("a", `https://example.com${path("home", "x")} a/b `), []);
});
