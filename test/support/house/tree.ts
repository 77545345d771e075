/** What may stand at the top level of the repository. */
const TOP_LEVEL: ReadonlySet<string> = new Set([
	"package.json",
	"tsconfig.json",
	"esbuild.mjs",
	"src",
	"media",
	"test",
	".vscodeignore",
	"README.md",
	"package-lock.json",
	"biome.json",
	"CHANGELOG.md",
	"LICENSE",
	".gitignore",
	".ci",
	".github",
	"docs",
]);

/** Tests of the tree itself, which mirror no file. */
const TREE_TESTS: ReadonlySet<string> = new Set(["test/unit/docs.test.ts", "test/unit/house.test.ts"]);

/** A path on somebody's machine; not the path of a URL, which has a host in front of it. */
const MACHINE_PATH = /(?<![\w.~:-])\/(?:home|Users|root|work)\/[\w.-]+/;

/** The entries of the top level that do not belong there. */
export function topLevelProblems(paths: readonly string[]): string[] {
	const entries = new Set(paths.map((path) => path.split("/", 1)[0] ?? ""));
	return [...entries].filter((entry) => !TOP_LEVEL.has(entry)).map((entry) => `${entry} stands at the top level`);
}

/** The unit tests that mirror no source file. `test/unit/a/b.test.ts` and `b.aspect.test.ts` mirror `src/a/b.ts`. */
export function mirrorProblems(paths: readonly string[]): string[] {
	const known = new Set(paths);
	return paths
		.filter((path) => path.startsWith("test/unit/") && path.endsWith(".test.ts") && !TREE_TESTS.has(path))
		.filter((path) => {
			const source = path.replace(/^test\/unit\//, "src/").replace(/\.[^/]*$/, "");
			return !known.has(`${source}.ts`);
		})
		.map((path) => `${path} mirrors no source file`);
}

/** The lines of a text that name a path of a machine. */
export function machinePathProblems(path: string, text: string): string[] {
	return text
		.split("\n")
		.flatMap((line, index) => (MACHINE_PATH.test(line) ? [`${path}:${index + 1} names a path of a machine`] : []));
}
