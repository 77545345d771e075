import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { test } from "node:test";
import manifest from "../../package.json" with { type: "json" };
import { generatedFiles } from "../support/generate.ts";
import { ROOT } from "../support/paths.ts";

const read = (path: string) => readFileSync(join(ROOT, path), "utf8");
const pages = globSync(["*.md", "docs/**/*.md", ".github/**/*.md"], { cwd: ROOT });
const prose = (text: string) => text.replaceAll(/```[\s\S]*?```/g, "");

/** Targets of the links and pictures of a page. */
function targets(page: string): string[] {
	const text = prose(read(page)).replaceAll(/`[^`\n]*`/g, "");
	return [...text.matchAll(/\]\(([^)\s]+)\)|(?:src|srcset)="([^"]+)"/g)].map(
		([, link, picture]) => link ?? picture ?? "",
	);
}

/** Anchors of a page's headings, as the forges make them. */
function anchors(page: string): Set<string> {
	const headings = [...prose(read(page)).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => heading);
	return new Set(
		headings.map((each) =>
			each
				.toLowerCase()
				.replaceAll(/[^\w\- ]/g, "")
				.replaceAll(" ", "-"),
		),
	);
}

test("the manifest and the reference are what npm run generate writes", async () => {
	for (const [path, text] of await generatedFiles())
		assert.equal(read(path), text, `${path} is stale: npm run generate`);
});

test("every link of the docs leads to a file and a heading that are there", () => {
	const broken = pages.flatMap((page) =>
		targets(page)
			.filter((target) => !/^[a-z]+:/.test(target))
			.filter((target) => {
				const [path = "", anchor] = target.split("#");
				const file = path === "" ? page : normalize(join(dirname(page), path));
				return !existsSync(join(ROOT, file)) || (anchor !== undefined && !anchors(file).has(anchor));
			})
			.map((target) => `${page}: ${target}`),
	);
	assert.deepEqual(broken, []);
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
	const text = prose(read("README.md"));
	assert.ok(text.split(/\s+/).length <= 900);
	assert.ok((text.slice(0, text.search(/<picture>|!\[/)).split(/\s+/).length ?? 0) < 65);
});

test("every page of the docs is led to from another page", () => {
	const linked = new Set(
		pages.flatMap((page) => targets(page).map((target) => normalize(join(dirname(page), target.split("#")[0] ?? "")))),
	);
	assert.deepEqual(
		pages.filter((page) => page.startsWith("docs/") && !linked.has(page)),
		[],
	);
});
