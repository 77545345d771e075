// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are the placeholders of templates.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { branchName, commitText } from "#app/codehost/started-issue.ts";

const LAMP = { repository: "acme/app", number: 24, title: "Lamp is slow" };
const titled = (title: string, template = "issue-${number}-${title}") => branchName(template, { ...LAMP, title });

test("a branch is named by its template, with whole words of the title", () => {
	assert.equal(titled("Lamp is slow"), "issue-24-lamp-is-slow");
	assert.equal(titled("  [Bug] Étagère: 100 % «rot» "), "issue-24-bug-étagère-100-rot");
	assert.equal(titled("灯が 遅い"), "issue-24-灯が-遅い");
	assert.equal(titled(`${"word ".repeat(20)}`, "${title}"), "word-word-word-word-word-word-word-word-word-word");
	assert.equal(titled("x".repeat(300), "${title}"), "x".repeat(50));
	assert.equal(titled("?!"), "issue-24");
	assert.equal(titled("Lamp", "ada/${repository}/${number}"), "ada/acme/app/24");
	assert.equal(titled("Lamp", "${nothing}-${constructor}-${number}"), "${nothing}-${constructor}-24");
});

test("git takes the name that any template and title give", () => {
	const templates = [
		"${title}",
		"/a//${title}/",
		".${title}.lock",
		"-${title}",
		"@{${number}",
		"a..b~^:?*[\\${title}",
		"",
	];
	const titles = [
		"",
		"@",
		"HEAD",
		".lock",
		"a.lock/b.LOCK",
		"..",
		"a\u0000b\u202ec",
		"日".repeat(300),
		"\ud83d",
		"-x",
		"x.",
	];
	const all = [...templates, "HEAD", "@", " \t", "x.lock.lock/-.-"].flatMap((each) =>
		titles.map((title) => titled(title, each)),
	);
	for (const name of new Set(all)) {
		execFileSync("git", ["check-ref-format", "--branch", name]);
		assert.ok(name !== "HEAD" && Buffer.byteLength(name) < 250, name);
	}
});

test("a commit message begins with the issue by its template, the title on one line", () => {
	const text = (template: string, reference = "#24") =>
		commitText(template, { ...LAMP, title: "Lamp\nis slow" }, reference);
	assert.equal(text("\n\nFixes ${issue}"), "\n\nFixes #24");
	assert.equal(text("${issue}: ${title}", "acme/app#24"), "acme/app#24: Lamp is slow");
	assert.equal(text("[${repository} ${number}] ${title"), "[acme/app 24] ${title");
	assert.equal(text(""), "");
});
