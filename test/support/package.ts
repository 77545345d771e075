import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { buildExtension } from "./build.ts";
import { DIST, pinnedNode, ROOT } from "./paths.ts";
import { runProcess } from "./run-process.ts";

/** The largest VSIX that a person should have to download. */
const LARGEST_BYTES = 1_000_000;

/** Start of a record of a zip file's central directory, and of the record that ends the file. */
const ENTRY = 0x02014b50;
const END = 0x06054b50;

/** Type and access rights, as Unix writes them, of what is packaged. */
const PLAIN_FILE = 0o100_644;

/** Without a repository the links of the README stay as they are: there is no address to put before them. */
const LINKS = "repository" in manifest ? [] : ["--allow-missing-repository", "--no-rewrite-relative-links"];

/** What every VSIX holds beside our bundles and pictures. */
const FRAME = [
	"[Content_Types].xml",
	"extension.vsixmanifest",
	"extension/LICENSE.txt",
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
	const found = plainEntries(zip);
	await writeFile(vsix, zip);
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
		.filter((name) => name.includes("."))
		.filter((name) => !bundles.includes(name))
		.filter((name) => naming.some((text) => text.includes(name)));
	return new Set([
		...FRAME,
		...bundles.map((name) => `extension/dist/${name}`),
		...media.map((name) => `extension/media/${name}`),
	]);
}

/**
 * Makes every entry of a zip a plain file that its owner may write, whatever the umask of this machine says, and returns
 * their names in the order of its directory.
 */
function plainEntries(zip: Buffer): string[] {
	let end = zip.length - 22;
	while (end >= 0 && zip.readUInt32LE(end) !== END) end -= 1;
	if (end < 0) throw new Error("This is not a zip file.");
	const names: string[] = [];
	let at = zip.readUInt32LE(end + 16);
	for (let left = zip.readUInt16LE(end + 10); left > 0; left -= 1) {
		if (zip.readUInt32LE(at) !== ENTRY) throw new Error("The directory of this zip file is broken.");
		zip.writeUInt32LE((PLAIN_FILE << 16) >>> 0, at + 38);
		const nameLength = zip.readUInt16LE(at + 28);
		names.push(zip.toString("utf8", at + 46, at + 46 + nameLength));
		at += 46 + nameLength + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
	}
	return names;
}

if (import.meta.main) {
	const vsix = join(ROOT, `${manifest.name}-${manifest.version}.vsix`);
	console.log(`${vsix}: ${await packageExtension(vsix)} bytes`);
}
