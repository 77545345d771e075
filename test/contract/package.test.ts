import { strict as assert } from "node:assert";
import { chmod, cp, mkdtemp, readdir, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pinnedNode, ROOT } from "../support/paths.ts";
import { runProcess } from "../support/run-process.ts";

/** All that a package is made of. */
const PARTS = "package.json README.md CHANGELOG.md LICENSE .vscodeignore esbuild.mjs src media test/support".split(" ");

/** The package of a copy of the tree whose files were made under a umask. */
async function packageUnder(umask: number): Promise<Buffer> {
	const copy = await mkdtemp(join(tmpdir(), "switchboard-package-"));
	try {
		for (const part of PARTS) await cp(join(ROOT, part), join(copy, part), { recursive: true });
		for (const entry of await readdir(copy, { recursive: true, withFileTypes: true })) {
			if (entry.isFile()) await chmod(join(entry.parentPath, entry.name), 0o666 & ~umask);
		}
		await symlink(join(ROOT, "node_modules"), join(copy, "node_modules"), "junction");
		const program = `process.umask(${umask});
			const { packageExtension } = await import("./test/support/package.ts");
			await packageExtension("made.vsix");`;
		const args = ["--input-type=module", "--eval", program];
		const { code, output } = await runProcess(pinnedNode(), args, { cwd: copy });
		assert.equal(code, 0, output);
		return await readFile(join(copy, "made.vsix"));
	} finally {
		await rm(copy, { recursive: true, force: true });
	}
}

test("two packages of one commit have the same bytes, whatever the umask", async () => {
	const [first, second] = await Promise.all([packageUnder(0o022), packageUnder(0o077)]);
	assert.ok(first.equals(second));
});
