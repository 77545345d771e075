import { posix } from "node:path";
import type { Import, SourceFile } from "./source-file.ts";

/** What a layer may touch. */
interface Layer {
	/** Other layers; those in `typesFrom` only by `import type`. */
	readonly from: readonly string[];
	readonly typesFrom?: readonly string[];
	/** Package name -> the only folder that may import it, and whether only lazily. */
	readonly packages?: Readonly<Record<string, { readonly under: string; readonly lazy?: boolean }>>;
	/** Whether it may use what only Node has. */
	readonly node?: boolean;
}

const LAYERS: Readonly<Record<string, Layer>> = {
	base: { from: [] },
	api: {
		from: ["base"],
		node: true,
		packages: {
			undici: { under: "src/api/http/", lazy: true },
			"eventsource-parser": { under: "src/api/messages/" },
			jose: { under: "src/api/codehost/", lazy: true },
			saxes: { under: "src/api/petstore/", lazy: true },
		},
	},
	protocol: { from: ["base"] },
	app: { from: ["base", "api", "protocol"] },
	sandbox: { from: ["base"], typesFrom: ["api"], node: true },
	editor: {
		from: ["base", "api", "app", "protocol"],
		node: true,
		packages: { vscode: { under: "src/editor/" } },
	},
	webview: {
		from: ["base", "protocol"],
		packages: {
			"markdown-it": { under: "src/webview/" },
			"highlight.js": { under: "src/webview/" },
		},
	},
};

/** Files that stand beside the layers: what is loaded at activation, and the composition root that may touch everything. */
const BESIDE: Readonly<Record<string, Layer>> = {
	"src/extension.ts": { from: ["base", "app"], packages: { vscode: { under: "src/" } } },
	"src/product.ts": { from: Object.keys(LAYERS), node: true, packages: { vscode: { under: "src/" } } },
};

/** Names that exist in Node only; a layer without Node does without them. */
const NODE_GLOBALS: ReadonlySet<string> = new Set(["process", "Buffer", "__dirname", "__filename"]);

/** The layer of a path such as `src/api/http/retry.ts`; undefined where there is none. */
function layerOf(path: string): string | undefined {
	return /^src\/([^/]+)\//.exec(path)?.[1];
}

/** What is wrong with the imports of a file under `src`, by the table of layers. */
export function layerProblems(file: SourceFile): string[] {
	const own = layerOf(file.path);
	const layer = BESIDE[file.path] ?? LAYERS[own ?? ""];
	if (layer === undefined) return [`${file.path} is in no layer`];
	const problems = file.imports.flatMap((one) => {
		const problem = importProblem(one, { file, own, layer });
		return problem === undefined ? [] : [`${file.path}:${one.line} ${problem}`];
	});
	if (layer.node !== true) {
		for (const [at, { kind, text, line }] of file.code.entries()) {
			if (kind !== "word" || !NODE_GLOBALS.has(text) || file.code[at - 1]?.text === ".") continue;
			problems.push(`${file.path}:${line} uses ${text}, which only Node has`);
		}
	}
	return problems;
}

interface Importer {
	readonly file: SourceFile;
	readonly own: string | undefined;
	readonly layer: Layer;
}

function importProblem(one: Import, { file, own, layer }: Importer): string | undefined {
	const { specifier, typeOnly, dynamic } = one;
	if (specifier.startsWith(".")) {
		if (!specifier.endsWith(".ts")) return `imports ${specifier} without .ts`;
		const target = layerOf(posix.join(posix.dirname(file.path), specifier));
		return target === own ? undefined : `leaves its layer by the relative path ${specifier}`;
	}
	if (specifier.startsWith("#")) {
		if (!specifier.endsWith(".ts")) return `imports ${specifier} without .ts`;
		const target = specifier.slice(1).split("/", 1)[0] ?? "";
		if (target === own || layer.from.includes(target)) return undefined;
		if (!layer.typesFrom?.includes(target)) return `must not import from #${target}`;
		return typeOnly ? undefined : `may import only types from #${target}`;
	}
	if (specifier.startsWith("node:")) return layer.node === true ? undefined : `must not import ${specifier}`;
	const name = packageOf(specifier);
	const allowed = layer.packages?.[name];
	if (!allowed || !file.path.startsWith(allowed.under)) return `must not import the package ${name}`;
	if (allowed.lazy && !dynamic && !typeOnly) return `may import ${name} only by import()`;
	return undefined;
}

function packageOf(specifier: string): string {
	return specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
}

/** Every circle of imports among the files, as a path that ends where it begins. Imports of types count. */
export function circles(files: readonly SourceFile[]): string[] {
	const byPath = new Map(files.map((file) => [file.path, file]));
	const found: string[] = [];
	const done = new Set<string>();
	const visit = (path: string, trail: readonly string[]): void => {
		const start = trail.indexOf(path);
		if (start >= 0) {
			found.push([...trail.slice(start), path].join(" -> "));
			return;
		}
		if (done.has(path)) return;
		for (const { specifier } of byPath.get(path)?.imports ?? []) {
			const target = resolve(specifier, path);
			if (target !== undefined && byPath.has(target)) visit(target, [...trail, path]);
		}
		done.add(path);
	};
	for (const { path } of files) visit(path, []);
	return found;
}

/** The path of an imported source file; undefined for packages. */
export function resolve(specifier: string, importer: string): string | undefined {
	if (specifier.startsWith("#")) return `src/${specifier.slice(1)}`;
	if (specifier.startsWith(".")) return posix.join(posix.dirname(importer), specifier);
	return undefined;
}
