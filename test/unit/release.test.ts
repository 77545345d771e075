import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { ROOT } from "../support/paths.ts";
import { treeProblems } from "../support/release.ts";
import { secretsIn } from "../support/secrets.ts";

const MANIFEST = {
	name: "switchboard",
	version: "1.2.3",
	publisher: "acme",
	repository: { type: "git", url: "https://github.com/acme/switchboard.git" },
	bugs: { url: "https://github.com/acme/switchboard/issues" },
	homepage: "https://github.com/acme/switchboard#readme",
	license: "MIT",
	icon: "media/icon.png",
	contributes: { viewsContainers: [{ icon: "media/view.svg" }] },
	devDependencies: { tool: "4.5.6" },
};

const LOCK = { packages: { "node_modules/tool": { version: "4.5.6", integrity: "sha512-AAAA" } } };

/** A tree that may be released, by the paths of its files. */
const TREE: Readonly<Record<string, string | Buffer>> = {
	"package.json": JSON.stringify(MANIFEST),
	"package-lock.json": JSON.stringify(LOCK),
	LICENSE: "MIT License\n",
	"README.md": "# Read me\n\n[Guide](docs/guide.md#first-steps) ![Whole](docs/whole.png)\n",
	"docs/guide.md": "# Guide\n\n## First steps\n\n[Back](../README.md)\n",
	"docs/whole.png": "",
	"CHANGELOG.md": "# Changelog\n\n## 1.2.3\n\n- All of it.\n\n## 1.2.2\n\n- Less.\n",
	"media/icon.png": await readFile(join(ROOT, "media", "icon.png")),
	"media/view.svg": "<svg/>",
};

/** Problems of the tree with other files in it; undefined takes a file away. */
async function problemsWith(changed: Readonly<Record<string, string | undefined>>): Promise<string[]> {
	const root = await mkdtemp(join(tmpdir(), "switchboard-tree-"));
	try {
		for (const [path, content] of Object.entries({ ...TREE, ...changed })) {
			if (content === undefined) continue;
			await mkdir(dirname(join(root, path)), { recursive: true });
			await writeFile(join(root, path), content);
		}
		return treeProblems(root);
	} finally {
		await rm(root, { recursive: true, force: true });
	}
}

const manifestWith = (changed: object) => ({ "package.json": JSON.stringify({ ...MANIFEST, ...changed }) });

async function refuses(changed: Readonly<Record<string, string | undefined>>, ...problems: readonly RegExp[]) {
	const found = await problemsWith(changed);
	assert.equal(found.length, problems.length, found.join("\n"));
	for (const [at, problem] of problems.entries()) assert.match(found[at] ?? "", problem);
}

test("a tree with an identity and all its files may be released", async () => {
	assert.deepEqual(await problemsWith({}), []);
});

test("a release names each part of the identity that is a placeholder", async () => {
	const none = { publisher: "unpublished", repository: undefined, bugs: undefined, homepage: undefined };
	await refuses(manifestWith(none), /publisher/, /repository/, /bugs/, /homepage/);
	await refuses(manifestWith({ publisher: undefined }), /publisher is a placeholder/);
	await refuses(manifestWith({ publisher: "two words" }), /publisher is a placeholder/);
	await refuses(manifestWith({ publisher: "your-publisher-id" }), /publisher is a placeholder/);
	await refuses(manifestWith({ homepage: "https://example.com/switchboard" }), /homepage is a placeholder/);
	await refuses(manifestWith({ repository: "https://github.com/OWNER/REPO.git" }), /repository is a placeholder/);
	await refuses(manifestWith({ repository: null }), /repository is a placeholder/);
	await refuses(manifestWith({ bugs: "later" }), /bugs is a placeholder/);
});

test("a release is refused for a link that leads nowhere in the tree", async () => {
	await refuses({ "docs/guide.md": undefined }, /README\.md: docs\/guide\.md#first-steps leads nowhere/);
	await refuses(
		{ "docs/guide.md": "# Guide\n\n## Next steps\n" },
		/README\.md: docs\/guide\.md#first-steps leads nowhere/,
	);
	await refuses({ "docs/whole.png": undefined }, /README\.md: docs\/whole\.png leads nowhere/);
	for (const link of [
		'[A](gone.md "A")',
		"[A][a]\n\n[a]: gone.md",
		'<img src="gone.png">',
		"[A](../../x.md)",
		"[A](/x.md)",
		"[A](.#first)",
		'<a href="50%">A</a>',
		"<img src='gone.png'>",
		'<img srcset="whole.png 1x, gone.png 2x">',
	]) {
		await refuses({ "docs/guide.md": `## First steps\n\n${link}\n` }, /docs\/guide\.md: .* leads nowhere/);
	}
	const fine = "## First steps\n\n## First steps\n\n[A](#first-steps-1) `[B](gone.md)`\n\n```md\n[C](gone.md)\n```\n";
	await refuses({ "docs/guide.md": fine });
	await refuses(
		{ "docs/guide.md": "## First steps\n[A](http://a.test/b) [B](https://bit.ly/x)" },
		/a\.test/,
		/bit\.ly/,
	);
});

test("a release is refused for a dependency that is not pinned", async () => {
	for (const version of ["^4.5.6", "~4.5.6", "4.x", "latest", "github:acme/tool"]) {
		await refuses(manifestWith({ devDependencies: { tool: version } }), /package\.json: tool .* is not pinned/);
	}
	await refuses(
		manifestWith({ dependencies: { tool: "4.5.7" }, devDependencies: {} }),
		/package-lock\.json: tool 4\.5\.7/,
	);
	await refuses({ "package-lock.json": undefined }, /package-lock\.json: tool 4\.5\.6/);
});

test("a release is refused for a missing license, picture or changelog", async () => {
	await refuses({ LICENSE: undefined }, /LICENSE is missing/);
	await refuses({ LICENSE: "Apache License\n" }, /another one than package\.json names/);
	await refuses({ "media/icon.png": undefined }, /The icon media\/icon\.png is missing/);
	await refuses({ "media/icon.png": "<svg/>" }, /no PNG/);
	await refuses({ "media/view.svg": undefined }, /media\/view\.svg is missing/);
	await refuses({ "CHANGELOG.md": undefined }, /CHANGELOG\.md says nothing of 1\.2\.3/);
	await refuses({ "CHANGELOG.md": "## 1.2.3\n\n## 1.2.2\n\n- Less.\n" }, /says nothing of 1\.2\.3/);
	await refuses({ "CHANGELOG.md": "## [1.2.3] - 2026-01-02\n\n- All of it.\n" });
	await refuses({ "CHANGELOG.md": "## 1.2.30\n\n- More.\n" }, /says nothing of 1\.2\.3/);
});

test("a release names all that stands against it, not only the first", async () => {
	await refuses(
		{ ...manifestWith({ publisher: "unpublished", version: "1.2.4" }), LICENSE: undefined },
		/publisher/,
		/LICENSE/,
		/CHANGELOG/,
	);
});

test("secrets are found in our own formats, in common ones and by their names", () => {
	const random = "q9X2mZ7vL4pT8sB1nC6kW3dF5gH0jR";
	for (const secret of [
		`service_pat_${random}`,
		`svc_${random}`,
		`github_pat_${random}`,
		`ghp_${random}`,
		`sk-ant-api03-${random}`,
		`-----BEGIN RSA PRIVATE KEY-----\n${random.repeat(3)}`,
		`eyJ${random}.eyJ${random}.${random}`,
		`AKIA${"ABCDEFGH23456723"}`,
		`https://user:${random}@host.test`,
		`apiKey: "${random}"`,
		`"client_secret"="${random}"`,
		`token => '${random}'`,
	]) {
		assert.equal(secretsIn(`const a = 1;\n${secret}\n`).length, 1, secret);
		assert.doesNotMatch(secretsIn(secret).join(), new RegExp(random));
	}
});

test("words of a program are taken for no secret", () => {
	for (const text of [
		'patPrefixes:["service_pat_","svc_"]',
		'apiKeyHeader: "x-api-key-of-the-service"',
		'tokenType: "application/json; charset"',
		"key: `version:at:more`",
		"https://user:password@",
		'secret: "aaaaaaaaaaaaaaaa1111"',
		"-----BEGIN PRIVATE KEY----- ... -----END PRIVATE KEY-----",
	]) {
		assert.deepEqual(secretsIn(text), [], text);
	}
});
