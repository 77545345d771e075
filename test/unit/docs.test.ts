import assert from "node:assert/strict";
import { globSync, readFileSync, statSync } from "node:fs";
import { join, posix } from "node:path";
import { test } from "node:test";
import manifest from "../../package.json" with { type: "json" };
import { generatedFiles } from "../support/generate.ts";
import { brokenLinks, pagesOf, targetsOf } from "../support/links.ts";
import { ROOT } from "../support/paths.ts";

const read = (path: string) => readFileSync(join(ROOT, path), "utf8");
const pages = pagesOf(ROOT);

test("the manifest and the reference are what npm run generate writes", async () => {
	for (const [path, text] of await generatedFiles())
		assert.equal(read(path), text, `${path} is stale: npm run generate`);
});

test("every link of the docs leads to a file and a heading that are there", () => {
	assert.deepEqual(brokenLinks(ROOT), []);
});

test("only the manifest names the publisher and the repository", () => {
	const files = globSync(["*.md", "docs/**/*.md", ".github/**/*", "src/**/*.ts"], { cwd: ROOT }).filter((path) =>
		statSync(join(ROOT, path)).isFile(),
	);
	const named =
		/github\.com\/[\w-]+\/switchboard|vscode:\/\/[a-z]+\.switchboard|\bunpublished\.switchboard|"\w+\.switchboard"/;
	assert.deepEqual(
		files.filter((path) => named.test(read(path))),
		[],
	);
});

test("the names in the manifest have no brand and no word of a scanner of secrets", () => {
	const { description, keywords, displayName } = manifest;
	const brands = /anthropic|claude|openai|ollama|lm studio|llama|github|gitea|forgejo|swagger|vs ?code|microsoft/i;
	for (const text of [description, displayName, ...keywords]) assert.doesNotMatch(text, brands);
	assert.doesNotMatch([description, ...keywords].join(), /token|secret|\bkeys?\b|password|credential|bearer/i);
	assert.ok(keywords.length <= 5);
});

test("the README is short, and has its first picture in the first screen", () => {
	const text = read("README.md").replaceAll(/```[\s\S]*?```/g, "");
	assert.ok(text.split(/\s+/).length <= 800);
	assert.ok((text.slice(0, text.search(/<picture>|!\[/)).split(/\s+/).length ?? 0) < 65);
});

test("every page of the docs is led to from another page", () => {
	const linked = new Set(
		pages.flatMap((page) =>
			targetsOf(ROOT, page).map((target) =>
				posix.normalize(posix.join(posix.dirname(page), target.split("#")[0] ?? "")),
			),
		),
	);
	assert.deepEqual(
		pages.filter((page) => page.startsWith("docs/") && !linked.has(page)),
		[],
	);
});
