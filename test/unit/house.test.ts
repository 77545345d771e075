import { strict as assert } from "node:assert";
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, posix, relative, sep } from "node:path";
import { test } from "node:test";

/** Rules of the house that Biome cannot check. Cycles, barrels, long files, `any`, `!` and default exports are in biome.json. */
const root = join(import.meta.dirname, "../..");
const read = (path: string) => readFileSync(join(root, path), "utf8");

/** Everything that belongs to the repository. */
const paths = listed().filter((path) => path !== "" && existsSync(join(root, path)));
const sources = paths.filter((path) => path.endsWith(".ts")).map((path) => ({ path, text: read(path) }));
const product = sources.filter(({ path }) => path.startsWith("src/"));

/** The files that git tracks, and new ones that it does not ignore; in a copy without git, those that no tool has made. */
function listed(): string[] {
	if (existsSync(join(root, ".git"))) {
		const list = ["ls-files", "--cached", "--others", "--exclude-standard", "-z"];
		return execFileSync("git", list, { cwd: root }).toString().split("\0");
	}
	const made = /^(?:node_modules|dist|\.vscode-test)\/|\.vsix$|^(?:sbom\.cdx\.json|third-party-notices\.txt)$/;
	return readdirSync(root, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join("/"))
		.filter((path) => !made.test(path));
}

/** The imports that a layer is allowed. */
interface Layer {
	/** Other layers; those in `typesFrom` only by `import type`. */
	readonly from: readonly string[];
	readonly typesFrom?: readonly string[];
	/** Package name -> the only folder that may import it, and true for `lazy` if only by `import()`. */
	readonly packages?: Readonly<Record<string, { readonly under: string; readonly lazy?: boolean }>>;
	/** True if it may use the modules of Node. */
	readonly node?: boolean;
}

const LAYERS: Readonly<Record<string, Layer>> = {
	base: { from: [], packages: { saxes: { under: "src/base/", lazy: true } } },
	api: {
		from: ["base"],
		node: true,
		packages: {
			undici: { under: "src/api/http/", lazy: true },
			"eventsource-parser": { under: "src/api/messages/" },
			jose: { under: "src/api/codehost/", lazy: true },
		},
	},
	protocol: { from: ["base"] },
	app: {
		from: ["base", "api", "protocol"],
		packages: {
			"markdown-it": { under: "src/app/kit/" },
			yaml: { under: "src/app/connections/", lazy: true },
		},
	},
	sandbox: {
		from: ["base"],
		typesFrom: ["api"],
		node: true,
	},
	editor: { from: ["base", "api", "app", "protocol"], node: true, packages: { vscode: { under: "src/editor/" } } },
	webview: {
		from: ["base", "protocol"],
		packages: { "markdown-it": { under: "src/webview/" }, "highlight.js": { under: "src/webview/" } },
	},
};

/** Files that stand beside the layers: the one loaded at activation, and the composition root that may touch everything. */
const BESIDE: Readonly<Record<string, Layer>> = {
	"src/extension.ts": { from: ["base", "app"], packages: { vscode: { under: "src/" } } },
	"src/product.ts": { from: Object.keys(LAYERS), node: true, packages: { vscode: { under: "src/" } } },
};

interface Source {
	readonly path: string;
	readonly text: string;
}

/** An import of another module, as the formatter writes it; `typeOnly` where nothing is left of it at run time. */
interface Import {
	readonly specifier: string;
	readonly typeOnly: boolean;
	readonly dynamic: boolean;
}

const IMPORT =
	/^(?:import|export)\s+(type\s)?[^"';]*?from\s+"([^"]+)"|^import\s+"([^"]+)"|(typeof |: )?\bimport\("([^"]+)"\)/gm;

function importsOf({ text }: Source): Import[] {
	const code = text.replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, "");
	return [...code.matchAll(IMPORT)].map(([, type, from, bare, typed, lazy]) => ({
		specifier: from ?? bare ?? lazy ?? "",
		typeOnly: type !== undefined || typed !== undefined,
		dynamic: lazy !== undefined,
	}));
}

/** The layer of a path such as `src/api/http/retry.ts`; undefined where there is none. */
const layerOf = (path: string) => /^src\/([^/]+)\//.exec(path)?.[1];

/** Problems of the imports of a file under `src`, by the table of layers. */
function layerProblems(file: Source): string[] {
	const own = layerOf(file.path);
	const layer = BESIDE[file.path] ?? LAYERS[own ?? ""];
	if (layer === undefined) return [`${file.path} is in no layer`];
	return importsOf(file).flatMap((one) => {
		const problem = importProblem(one, file.path, layer);
		return problem === undefined ? [] : [`${file.path} ${problem}`];
	});
}

function importProblem({ specifier, typeOnly, dynamic }: Import, path: string, layer: Layer): string | undefined {
	const own = layerOf(path);
	if (specifier.startsWith(".")) {
		const target = layerOf(posix.join(posix.dirname(path), specifier));
		return target === own ? undefined : `leaves its layer by the relative path ${specifier}`;
	}
	if (specifier.startsWith("#")) {
		const target = specifier.slice(1).split("/", 1)[0] ?? "";
		if (target === own || layer.from.includes(target)) return undefined;
		if (!layer.typesFrom?.includes(target)) return `must not import from #${target}`;
		return typeOnly ? undefined : `may import only types from #${target}`;
	}
	if (specifier.startsWith("node:")) return layer.node === true ? undefined : `must not import ${specifier}`;
	const name = specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
	const allowed = layer.packages?.[name];
	if (!allowed || !path.startsWith(allowed.under)) return `must not import the package ${name}`;
	return allowed.lazy && !dynamic && !typeOnly ? `may import ${name} only by import()` : undefined;
}

/** Rooms that know no service. The registry of connections stands below the rooms that use it. */
const KERNELS = ["api/http", "app/kit", "app/connections", "editor/kit"];

/** Rooms of the services in every layer. None imports another's; the chat attaches what the two others hold. */
const SERVICES: Readonly<Record<string, readonly string[]>> = {
	codehost: [],
	petstore: [],
	messages: [],
	chat: ["codehost", "petstore"],
};

/** Problems of the imports of a file between the rooms of the layers, such as `editor/kit`. */
function roomProblems({ path, text }: Source): string[] {
	const [, own = "", name = ""] = /^src\/(\w+\/([\w-]+))\//.exec(path) ?? [];
	const allowed = KERNELS.includes(own) ? [] : SERVICES[name];
	if (allowed === undefined) return [];
	return importsOf({ path, text }).flatMap(({ specifier }) => {
		const target = targetOf(specifier, path);
		const [, room = ""] = /^\w+\/([\w-]+)\//.exec(target) ?? [];
		const isOther = Object.hasOwn(SERVICES, room) && room !== name && !allowed.includes(room);
		// What a conversation asks is sent by the client of the messages API; what a connection holds is checked by that of
		// its service.
		const isBelow =
			name === "chat" ? target.startsWith("api/messages/") : own === "app/connections" && target.startsWith("api/");
		return isOther && !isBelow ? [`${path} must not import ${target}`] : [];
	});
}

/** Rooms of the editor from the bottom to the top; its own files stand on the kit, and the list of all commands on everything. */
const FLOORS = [
	"kit",
	"",
	"words",
	"connections",
	"requests",
	"usage",
	"codehost",
	"petstore",
	"models",
	"chat",
	"commands.ts",
];

/** Imports of a file in `src/editor` that lead up, to a room which stands on its own. */
function upwardImports({ path, text }: Source): string[] {
	const floorOf = (target: string) => {
		const [, room = target === "editor/commands.ts" ? "commands.ts" : ""] = /^editor\/([\w-]+)\//.exec(target) ?? [];
		return FLOORS.indexOf(room);
	};
	if (!path.startsWith("src/editor/")) return [];
	return importsOf({ path, text }).flatMap(({ specifier }) => {
		const target = targetOf(specifier, path);
		if (!target.startsWith("editor/")) return [];
		return floorOf(target) > floorOf(path.slice(4)) ? [`${path} must not import ${target}, which stands above`] : [];
	});
}

/** Path under `src` of an import in the file of that path; a package stays as it is. */
function targetOf(specifier: string, path: string): string {
	return specifier.startsWith(".") ? posix.join(posix.dirname(path), specifier).slice(4) : specifier.replace(/^#/, "");
}

/** The exports of a file that have no doc comment right above; further signatures of a function share that of the first. */
function undocumented({ path, text }: Source): string[] {
	const lines = text.split("\n");
	return lines.flatMap((line, at) => {
		const before = lines[at - 1] ?? "";
		if (!line.startsWith("export ") || before.endsWith("*/")) return [];
		const name = /^export (?:async )?function (\w+)/.exec(line)?.[0];
		return name !== undefined && before.startsWith(name) ? [] : [`${path}:${at + 1} exports undocumented: ${line}`];
	});
}

const TOP_LEVEL: ReadonlySet<string> = new Set(
	(
		"package.json tsconfig.json esbuild.mjs src media test .vscodeignore README.md package-lock.json biome.json " +
		"CHANGELOG.md LICENSE .gitignore .ci .github docs .vscode .editorconfig .gitattributes .npmrc"
	).split(" "),
);

/** Tests of the tree itself, which mirror no file. */
const TREE_TESTS: ReadonlySet<string> = new Set(
	["docs", "house", "release", "workflows", "workspace"].map((name) => `test/unit/${name}.test.ts`),
);

/** A path on a developer's machine; not the path of a URL, which has a host in front of it. */
const MACHINE_PATH = /(?<![\w.~:-])\/(?:home|Users|root|work)\/[\w.-]+/;

const holds = (problems: readonly string[]) => assert.deepEqual(problems, []);

test("the repository was read: there is a product and there are tests", () => {
	assert.ok(product.length > 20 && sources.length > product.length);
	assert.ok(product.flatMap(importsOf).length > product.length);
});

test("a layer imports only what its row of the table allows", () => holds(product.flatMap(layerProblems)));

test("a kernel imports no service, and no service imports the room of another", () => {
	holds(product.flatMap(roomProblems));
	const refused = (path: string, text: string) => roomProblems({ path, text }).length === 1;
	assert.ok(refused("src/editor/kit/x.ts", 'import type { a } from "#api/codehost/y.ts";'));
	assert.ok(refused("src/editor/codehost/x.ts", 'import { a } from "../petstore/y.ts";'));
	assert.ok(!refused("src/editor/chat/x.ts", 'import { a } from "../petstore/y.ts";'));
});

test("no file compares a service with a name: tables have a row for each", () => {
	const compared = /[!=]== "(?:codehost|petstore|messages)"|case "(?:codehost|petstore|messages)":/;
	holds(product.filter(({ text }) => compared.test(text)).map(({ path }) => path));
	// A part that only one service's connections have stands for its name.
	holds(product.filter(({ text }) => text.includes('"credential" in ')).map(({ path }) => path));
	const isTable = ({ text }: Source) =>
		Object.keys(SERVICES).every((name) => name === "chat" || new RegExp(`^\\t+${name}: `, "m").test(text));
	const tables = product.filter((file) => !file.path.startsWith("src/sandbox/") && isTable(file));
	const [, walk = ""] = /^## Add a service$(.*?)^## /ms.exec(read("docs/design.md")) ?? [];
	assert.ok(tables.length >= 4);
	holds(tables.map(({ path }) => path.slice(4)).filter((path) => !walk.includes(`\`${path}\``)));
});

test("no import inside the editor's layer leads up", () => {
	const rooms = product.flatMap(({ path }) => /^src\/editor\/([\w-]+)\//.exec(path)?.[1] ?? []);
	holds([...new Set(rooms)].filter((room) => !FLOORS.includes(room)));
	holds(product.flatMap(upwardImports));
	const refused = (path: string, text: string) => upwardImports({ path, text }).length === 1;
	assert.ok(refused("src/editor/x.ts", 'import { a } from "./words/y.ts";'));
	assert.ok(refused("src/editor/words/x.ts", 'import type { a } from "../codehost/y.ts";'));
	assert.ok(refused("src/editor/chat/x.ts", 'import { a } from "../commands.ts";'));
	assert.ok(!refused("src/editor/chat/x.ts", 'import { a } from "../log.ts";'));
});

test("every export of the product is documented where it is declared", () => holds(product.flatMap(undocumented)));

test("no two files of the product export the same name", () => {
	const EXPORT = /^export (?:abstract |async )?(?:class|const|function\*?|interface|type) (\w+)/gm;
	const names = product.flatMap(({ text }) => [...new Set([...text.matchAll(EXPORT)].map(([, name]) => name))]);
	assert.ok(names.length > product.length);
	holds(names.flatMap((name = "", at) => (names.indexOf(name) === at ? [] : [name])));
});

test("no file silences the compiler or leaves work for later", () => {
	const pattern = /(?:\/\/|^\s*\/?\*).*(?:@ts-(?:ignore|nocheck|expect-error)|\b(?:TODO|FIXME|XXX|HACK)\b)/m;
	holds(sources.filter(({ text }) => pattern.test(text)).map(({ path }) => path));
});

test("no literal is spread into another only to pack its properties", () => {
	holds(sources.filter(({ text }) => /\.{3}\(?\{/.test(text)).map(({ path }) => path));
});

test("no page that is shown takes another base or sends a form", () => {
	const pages = product.filter(({ text }) => text.includes('http-equiv="Content-Security-Policy"'));
	assert.ok(pages.length >= 1);
	for (const { text, path } of pages) {
		for (const rule of ["base-uri 'none'", "form-action 'none'"]) assert.ok(text.includes(rule), `${path}: ${rule}`);
	}
});

test("the build takes every package as it is", () => {
	const replaced = /\b(?:onLoad|alias|define|inject|pure|drop|loader)\b/.exec(read("esbuild.mjs"));
	assert.equal(replaced?.[0], undefined);
});

test("every key in the panel is left to an input method that takes it", () => {
	const panel = product.filter(({ path }) => path.startsWith("src/webview/") && path !== "src/webview/dom.ts");
	const withKeys = panel.filter(({ text }) => text.includes('addEventListener("keydown"'));
	assert.ok(withKeys.length > 4);
	holds(withKeys.filter(({ text }) => !text.includes("isTaken(event)")).map(({ path }) => path));
	holds(panel.filter(({ text }) => /isComposing|keyCode/.test(text)).map(({ path }) => path));
});

test("the top level holds only what the design and the tools need", () => {
	const entries = new Set(paths.map((path) => path.split("/", 1)[0] ?? ""));
	holds([...entries].filter((entry) => !TOP_LEVEL.has(entry)));
});

test("each unit test mirrors the path of what it tests", () => {
	const known = new Set(paths);
	const tests = paths.filter((path) => /^test\/unit\/.*\.test\.ts$/.test(path) && !TREE_TESTS.has(path));
	holds(tests.filter((path) => !known.has(`${path.replace(/^test\/unit\//, "src/").replace(/\.[^/]*$/, "")}.ts`)));
});

/** Name of a test, up to its end or a placeholder. */
const TEST_NAME = /^\t*(?:test|it)\((["`])((?:(?!\1|\$\{).)*)/gm;

test("the name of a test has fewer than 80 characters", () => {
	const names = sources.flatMap(({ text }) => [...text.matchAll(TEST_NAME)].map(([, , name = ""]) => name));
	assert.ok(names.length > 1_000);
	holds(names.filter((name) => name.length >= 80));
});

test("no file has a path of a developer's machine", () => {
	const texts = paths.filter((path) => !/\.(?:png|ttf|woff2?)$/.test(path));
	holds(texts.filter((path) => MACHINE_PATH.test(read(path))));
});

test("the table of layers refuses what it does not name", () => {
	const refused = (path: string, text: string) => layerProblems({ path, text }).length === 1;
	for (const [path, text] of [
		["src/base/x.ts", 'import type { a } from "#protocol/y.ts";'],
		["src/base/x.ts", 'export { a } from "#api/y.ts";'],
		["src/base/x.ts", 'import "#api/y.ts";'],
		["src/base/x.ts", 'const a = import("#api/y.ts");'],
		["src/base/x.ts", 'import {\n\ta,\n\ttype b,\n} from "#api/y.ts";'],
		["src/base/x.ts", 'import { a } from "../api/y.ts";'],
		["src/base/x.ts", 'import { a } from "node:fs";'],
		["src/api/http/x.ts", 'import { a } from "undici";'],
		["src/api/messages/x.ts", 'const a = import("undici");'],
		["src/app/x.ts", 'import type { a } from "vscode";'],
		["src/sandbox/x.ts", 'import { type a } from "#api/y.ts";'],
		["src/other/x.ts", ""],
	] as const) {
		assert.ok(refused(path, text), text);
	}
	for (const [path, text] of [
		["src/api/http/x.ts", 'import type { A } from "undici";\nconst b = import("undici");\nimport "node:tls";'],
		["src/sandbox/x.ts", 'import type { A } from "#api/y.ts";'],
		["src/webview/a/x.ts", 'import b from "highlight.js/lib/core";\nimport "../b/y.ts";'],
	] as const) {
		assert.ok(!refused(path, text), text);
	}
});

test("the picture of the layers in the docs shows what each may import", () => {
	const drawn = [...read("docs/design.md").matchAll(/^ {2}\w+ -(?:-|\.-)> \w+$/gm)].map(([arrow]) => arrow.trim());
	const allowed = Object.entries(LAYERS).flatMap(([layer, { from, typesFrom = [] }]) => [
		...from.map((other) => `${layer} --> ${other}`),
		...typesFrom.map((other) => `${layer} -.-> ${other}`),
	]);
	assert.deepEqual(drawn.sort(), allowed.sort());
});

test("the docs of the design name only files and folders that there are", () => {
	const spans = [...read("docs/design.md").matchAll(/`([\w.*-][\w.*/-]*)`/g)].map(([, span = ""]) => span);
	const named = spans.filter((span) => span.includes("/") || /\.(?:ts|mjs|json|md)$/.test(span));
	assert.ok(named.length > 80);
	const known = paths.flatMap((path) => [path, path.replace(/^src\//, "")]);
	const isThere = (name: string) =>
		known.some((path) => {
			if (name.includes("*")) return posix.matchesGlob(path, `**/${name}`);
			return path === name || path.startsWith(`${name}/`) || posix.basename(path) === name;
		});
	holds(named.filter((name) => !isThere(name)));
});
