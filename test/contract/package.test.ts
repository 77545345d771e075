import { strict as assert } from "node:assert";
import { chmod, cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import manifest from "../../package.json" with { type: "json" };
import { pinnedNode, ROOT } from "../support/paths.ts";
import { runProcess } from "../support/run-process.ts";
import { entriesOf, unpack } from "../support/zip.ts";

/** All that a package is made of. */
const FILES = [
	"package.json",
	"package-lock.json",
	"README.md",
	"CHANGELOG.md",
	"LICENSE",
	".vscodeignore",
	"esbuild.mjs",
];
const FOLDERS = [".github", "docs", "src", "media", "test/support"];

/** An identity as an owner sets it. */
const IDENTITY = {
	publisher: "acme",
	repository: { type: "git", url: "https://github.com/acme/switchboard.git" },
	bugs: { url: "https://github.com/acme/switchboard/issues" },
	homepage: "https://github.com/acme/switchboard#readme",
};

const VSIX = `${manifest.name}-${manifest.version}.vsix`;

/** Runs something in a copy of the tree, which is deleted afterwards. */
async function inCopy<T>(run: (copy: string) => Promise<T>): Promise<T> {
	const copy = await mkdtemp(join(tmpdir(), "switchboard-package-"));
	try {
		for (const part of [...FILES, ...FOLDERS]) await cp(join(ROOT, part), join(copy, part), { recursive: true });
		await symlink(join(ROOT, "node_modules"), join(copy, "node_modules"), "junction");
		return await run(copy);
	} finally {
		await rm(copy, { recursive: true, force: true });
	}
}

/** Sets fields of the copy's package.json. */
const setFields = (copy: string, fields: object) =>
	writeFile(join(copy, "package.json"), `${JSON.stringify({ ...manifest, ...fields }, null, "\t")}\n`);

const release = (copy: string) =>
	runProcess(pinnedNode(), [join("test", "support", "package.ts"), "--release"], { cwd: copy });

/** The package of a copy of the tree whose files were made under a umask. */
function packageUnder(umask: number): Promise<Buffer> {
	return inCopy(async (copy) => {
		for (const entry of await readdir(copy, { recursive: true, withFileTypes: true })) {
			if (entry.isFile()) await chmod(join(entry.parentPath, entry.name), 0o666 & ~umask);
		}
		const program = `process.umask(${umask});
			const { packageExtension } = await import("./test/support/package.ts");
			await packageExtension("made.vsix");`;
		const { code, output } = await runProcess(pinnedNode(), ["--input-type=module", "--eval", program], { cwd: copy });
		assert.equal(code, 0, output);
		return await readFile(join(copy, "made.vsix"));
	});
}

test("two packages of one commit have the same bytes, whatever the umask", async () => {
	const [first, second] = await Promise.all([packageUnder(0o022), packageUnder(0o077)]);
	assert.ok(first.equals(second));
});

test("a release with an identity has a package, its materials and their licenses", () =>
	inCopy(async (copy) => {
		await setFields(copy, IDENTITY);
		const { code, output } = await release(copy);
		assert.equal(code, 0, output);
		const zip = await readFile(join(copy, VSIX));
		const page = entriesOf(zip).find(({ name }) => name === "extension/readme.md");
		assert.ok(page);
		assert.match(
			unpack(zip, page).toString(),
			/\]\(https:\/\/github\.com\/acme\/switchboard\/blob\/HEAD\/docs\/privacy\.md\)/,
		);
		const bom = JSON.parse(await readFile(join(copy, "sbom.cdx.json"), "utf8"));
		assert.equal(bom.metadata.component.purl, `pkg:vscode-extension/acme/switchboard@${manifest.version}`);
		const notices = await readFile(join(copy, "third-party-notices.txt"), "utf8");
		const names: string[] = bom.components.map(({ name }: { name: string }) => name);
		assert.ok(["undici", "markdown-it", "@vscode/codicons"].every((name) => names.includes(name)));
		for (const { name, version, hashes } of bom.components) {
			assert.ok(notices.includes(`${name} ${version}\n`), name);
			assert.match(hashes[0].content, /^[0-9a-f]{128}$/);
		}
	}));

test("a release is refused for the identity, and for a secret in the package", () =>
	inCopy(async (copy) => {
		await writeFile(join(copy, "media", "skills", "planted.md"), "apiKey: 'q9X2mZ7vL4pT8sB1nC6k'\n");
		const placeholders = { publisher: "unpublished", repository: undefined, bugs: undefined, homepage: undefined };
		await setFields(copy, { ...placeholders, keywords: ["media/skills/planted.md"] });
		const { code, output } = await release(copy);
		assert.equal(code, 1, output);
		for (const field of ["publisher", "repository", "bugs", "homepage"])
			assert.ok(output.includes(`${field} is a place`));
		assert.match(output, /skills\/planted\.md has a secret/);
		assert.ok(!(await readdir(copy)).some((name) => name.endsWith(".vsix") || name.startsWith("sbom")));
	}));
