/**
 * Packages the extension: `npm run package` writes the VSIX. `npm run package -- --release` writes beside it a bill of
 * materials and the notices of others' licenses, unless something stands against a release; then it names all of it.
 */
import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { buildExtension } from "./build.ts";
import { flagsOf } from "./flags.ts";
import { DIST, pinnedNode, ROOT } from "./paths.ts";
import { secretProblems, treeProblems } from "./release.ts";
import { runProcess } from "./run-process.ts";
import { sbomOf } from "./sbom.ts";
import { entriesOf, makePlain } from "./zip.ts";

const USAGE = `Builds the VSIX.

Usage: npm run package -- [flags]

  --release  Write a bill of materials and others' licenses too, unless something stands against a release
  --help     Print this`;

/** The largest VSIX that a person should have to download. */
const LARGEST_BYTES = 1_000_000;

/** Without a repository the links of the README stay as they are: there is no address to put before them. */
const LINKS = "repository" in manifest ? [] : ["--allow-missing-repository", "--no-rewrite-relative-links"];

/** Files of every VSIX besides our bundles and pictures. */
const FRAME = [
	"[Content_Types].xml",
	"extension.vsixmanifest",
	"extension/LICENSE.txt",
	"extension/docs/accessibility.md",
	"extension/changelog.md",
	"extension/package.json",
	"extension/readme.md",
];

/**
 * Builds and packages the extension into a file, and throws unless the result is small and holds exactly what runs.
 * Resolves to its size in bytes.
 */
export async function packageExtension(vsix: string): Promise<number> {
	await buildExtension();
	const { code, output } = await runProcess(
		pinnedNode(),
		[join(ROOT, "node_modules", "@vscode", "vsce", "vsce"), "package", "--no-dependencies", ...LINKS, "--out", vsix],
		// One time for all files and one order, or no two packages of a commit are the same.
		{ cwd: ROOT, env: { SOURCE_DATE_EPOCH: "315619200", TZ: "UTC", LC_ALL: "C" } },
	);
	if (code !== 0) throw new Error(`The extension could not be packaged.\n${output.trim()}`);
	const zip = await readFile(vsix);
	if (zip.length > LARGEST_BYTES) throw new Error(`${vsix} has ${zip.length} bytes, more than ${LARGEST_BYTES}.`);
	makePlain(zip);
	await writeFile(vsix, zip);
	const found = entriesOf(zip).map(({ name }) => name);
	const wanted = await whatRuns();
	const surplus = found.filter((name) => !wanted.has(name));
	const missing = [...wanted].filter((name) => !found.includes(name));
	if (surplus.length > 0) throw new Error(`${vsix} holds what does not run: ${surplus.join(", ")}.`);
	if (missing.length > 0) throw new Error(`${vsix} lacks ${missing.join(", ")}.`);
	return zip.length;
}

/** The frame, the bundles of the last build, and those files of media/ that the manifest or a bundle names and no bundle is. */
async function whatRuns(): Promise<Set<string>> {
	const bundles = await readdir(DIST);
	const naming = [JSON.stringify(manifest)];
	for (const name of bundles) if (/\.c?js$/.test(name)) naming.push(await readFile(join(DIST, name), "utf8"));
	const media = (await readdir(join(ROOT, "media"), { recursive: true }))
		.map((name) => name.replaceAll("\\", "/"))
		.filter((name) => name.includes("."))
		.filter((name) => !bundles.includes(name))
		.filter((name) => naming.some((text) => text.includes(name)));
	return new Set([
		...FRAME,
		...bundles.map((name) => `extension/dist/${name}`),
		...media.map((name) => `extension/media/${name}`),
	]);
}

/** Packages the extension for a release into the root of the tree; resolves to what stands against it, if anything does. */
async function release(vsix: string): Promise<readonly string[]> {
	const problems: string[] = [];
	const folder = await mkdtemp(join(tmpdir(), "switchboard-release-"));
	try {
		problems.push(...treeProblems(ROOT));
		const made = join(folder, "made.vsix");
		await packageExtension(made);
		problems.push(...secretProblems(await readFile(made)));
		if (problems.length > 0) return problems;
		await copyFile(made, vsix);
		await copyFile(join(DIST, "licenses.txt"), join(ROOT, "third-party-notices.txt"));
		await writeFile(join(ROOT, "sbom.cdx.json"), sbomOf(await buildExtension()));
	} catch (error) {
		problems.push(error instanceof Error ? error.message : String(error));
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
	return problems;
}

if (import.meta.main) {
	const vsix = join(ROOT, `${manifest.name}-${manifest.version}.vsix`);
	const { values } = flagsOf(USAGE, { release: { type: "boolean" } });
	if (values.release) {
		const problems = await release(vsix);
		for (const problem of problems) console.error(`✖ ${problem}`);
		if (problems.length > 0) {
			console.error(`Not released: ${problems.length} to mend, above.`);
			process.exitCode = 1;
		} else console.log(`${vsix}, sbom.cdx.json and third-party-notices.txt are ready to be released.`);
	} else console.log(`${vsix}: ${await packageExtension(vsix)} bytes`);
}
