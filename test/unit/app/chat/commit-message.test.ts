import assert from "node:assert/strict";
import { test } from "node:test";
import { closingIssue, commitQuestion, issueOfBranch, messageIn } from "#app/chat/commit-message.ts";
import { sizeOf } from "#base/tokens.ts";
import { commitMessage } from "#sandbox/messages/answer.ts";

const NOTHING = { diff: "", untracked: [], earlier: [], typed: "", instructions: "", contextTokens: null };

/** Diff of a file with some lines that were added. */
function diffOf(name: string, lines: number, line = "a line of no account") {
	const head = `diff --git a/${name} b/${name}\nindex 1..2 100644\n--- a/${name}\n+++ b/${name}\n@@ -0,0 +1,${lines} @@\n`;
	return `${head}${`+${line}\n`.repeat(lines)}`;
}

test("a commit question holds the diff, the style, the author's words and the rules", () => {
	const { system, text, isCut } = commitQuestion({
		...NOTHING,
		diff: diffOf("lamp.ts", 2, "lamp.light()"),
		untracked: ["docs/new.md"],
		earlier: ["fix(lamp): dim it\n", "feat: lamps"],
		typed: " about the lamp ",
		instructions: "Write in German.",
	});
	assert.equal(isCut, false);
	assert.match(system, /Write in German\.$/);
	assert.match(text, /^Write the commit message/);
	assert.match(text, /fix\(lamp\): dim it\n---\nfeat: lamps/);
	assert.match(text, /only the names are known:\n\ndocs\/new\.md/);
	assert.match(text, /\+lamp\.light\(\)\n\+lamp\.light\(\)/);
	assert.match(text, /in meaning:\n\nabout the lamp$/);
	assert.doesNotMatch(commitQuestion(NOTHING).text, /:/);
});

test("a huge file leaves room for the small ones, and what is left out is told", () => {
	const small = ["a.ts", "b.ts"].map((name) => diffOf(name, 3, `of ${name}`));
	const { text, isCut } = commitQuestion({ ...NOTHING, diff: [diffOf("data.json", 90_000), ...small].join("") });
	for (const each of small) assert.ok(text.includes(each.trim()));
	assert.ok(text.indexOf("data.json") < text.indexOf("a.ts"));
	assert.match(text, /\(\d+ more lines are left out\.\)/);
	assert.equal(isCut, true);
	assert.ok(sizeOf(text).tokens < 17_000);
});

test("thousands of files or an endless line leave room in a small context", () => {
	const many = Array.from({ length: 3_000 }, (_, at) => diffOf(`file${at}.ts`, 40)).join("");
	for (const diff of [
		many,
		diffOf("bundle.js", 1, "x".repeat(900_000)),
		diffOf("japanese.md", 9_000, "漢字".repeat(9)),
	]) {
		const untracked = Array.from({ length: 40_000 }, (_, at) => `node_modules/package-${at}/index.js`);
		const earlier = Array.from({ length: 10 }, () => "Long\n\nThe body of a message.\n".repeat(900));
		const { text, isCut } = commitQuestion({ ...NOTHING, diff, untracked, earlier, contextTokens: 4_096 });
		assert.ok(sizeOf(text).tokens < 3_300, `${sizeOf(text).tokens}`);
		assert.ok(isCut);
	}
	assert.match(commitQuestion({ ...NOTHING, diff: many }).text, /\(\d+ more lines are left out\.\)$/);
});

test("files of which nothing is sent are named to the model", () => {
	const many = Array.from({ length: 300 }, (_, at) => diffOf(`file${at}.ts`, 40)).join("");
	const { text, isCut } = commitQuestion({ ...NOTHING, diff: many });
	assert.equal(isCut, true);
	assert.match(text, /^Changed files that are left out:\n\n(?:file\d+\.ts\n)+file299\.ts$/m);
	for (let at = 0; at < 300; at++) assert.ok(text.includes(`file${at}.ts`), `file${at}.ts`);
	assert.doesNotMatch(commitQuestion({ ...NOTHING, diff: diffOf("a.ts", 3) }).text, /left out/);
});

test("the author's words are sent as far as they fit, also without an end of a line", () => {
	for (const typed of [`Light it\n${"many words\n".repeat(50_000)}`, `Light it ${"漢字 words ".repeat(50_000)}`]) {
		const { text } = commitQuestion({ ...NOTHING, typed });
		assert.match(text, /in meaning:\n\nLight it[\s\S]*\n\(\d+ more lines? (?:is|are) left out\.\)$/);
		assert.ok(sizeOf(text).bytes < 7_000);
	}
});

test("what is left out is counted in words", () => {
	const cut = (lines: number) => {
		const typed = `${"words of some length\n".repeat(lines - 1)}last`;
		return commitQuestion({ ...NOTHING, typed, contextTokens: 560 })
			.text.split("\n")
			.at(-1);
	};
	assert.deepEqual([5, 6, 7].map(cut), ["last", "(1 more line is left out.)", "(2 more lines are left out.)"]);
});

test("of a lock file only the name is sent", () => {
	for (const name of ["package-lock.json", "sub/yarn.lock", "Cargo.lock", "go.sum", "pnpm-lock.yaml"]) {
		const { text, isCut } = commitQuestion({ ...NOTHING, diff: diffOf(name, 50, "left-pad@1.3.0") });
		assert.ok(text.includes(name) && !text.includes("left-pad"), name);
		assert.equal(isCut, false);
	}
	for (const name of ["src/block.ts", "lock.ts", "src/package-lock.ts", "pnpm-lock.yaml.test.ts", "go.sum.ts"]) {
		assert.ok(commitQuestion({ ...NOTHING, diff: diffOf(name, 2, "export") }).text.includes("+export"), name);
	}
});

test("a message loses what models put before and around it", () => {
	for (const reply of [
		"Dim the lamp\n\nIt was too bright.",
		"```\nDim the lamp\n\nIt was too bright.\n```",
		"```text\nDim the lamp\n\nIt was too bright.\n```\nTell me if I can help.",
		"Here is the commit message:\n\n```gitcommit\nDim the lamp\n\nIt was too bright.\n```",
		'"Dim the lamp\n\nIt was too bright."',
		"  `Dim the lamp\n\nIt was too bright.`\n",
		"Here is the commit message:\n\nDim the lamp\n\nIt was too bright.",
		"Sure! Here’s a commit message for these changes:\n\n**Dim the lamp**\n\nIt was too bright.",
		"Based on the changes, here is the commit message: Dim the lamp\n\nIt was too bright.",
		"**Commit message:**\n\n“Dim the lamp”\n\nIt was too bright.",
		"### Commit Message\n\n# Dim the lamp\n\nIt was too bright.",
		'"Dim the lamp"\n\nIt was too bright.',
		"“Dim the lamp\n\nIt was too bright.”",
		"**„Dim the lamp“**\n\nIt was too bright.",
		"<think>\nA lamp: is it bright?\n</think>\n\nDim the lamp\n\nIt was too bright.",
		"<thinking>Hm.</thinking>Sure, here is the commit message:\n```\nDim the lamp\n\nIt was too bright.\n```",
		"A lamp.\n</think>\n\nDim the lamp\n\nIt was too bright.",
	]) {
		assert.equal(messageIn(reply), "Dim the lamp\n\nIt was too bright.");
	}
	for (const own of [
		'Revert "Dim the lamp"',
		'"a" becomes "b"',
		"“a” becomes “b”",
		"**a** becomes **b**",
		"__init__",
		"Fix it:\n\n```\ncode\n```",
		"Fix two lamps:\n- one\n- **two**",
		"Strip <think>...</think> from replies",
		"Commit message boxes keep their text",
		"feat: here is the lamp",
		"",
	]) {
		assert.equal(messageIn(own), own);
	}
	assert.deepEqual(["```", "```te", "```text\nDim"].map(messageIn), ["", "", "Dim"]);
	assert.deepEqual(["<thi", "<think>", "<think>Hm", "<think>Hm.</think>\nDim"].map(messageIn), ["", "", "", "Dim"]);
});

test("a number that begins a part of a branch, or follows a word for it, is its issue", () => {
	const named = "feature/24-lamp 24-lamp 24 ada/24_lamp feature/#24 lamp-#24 issue-24 issue24 gh-24 GH-24-lamp fix/24";
	for (const branch of `${named} lamp-issue-24 bugfix-24-lamp fixes-#24 issues/24/lamp`.split(" ")) {
		assert.equal(issueOfBranch(branch), 24, branch);
	}
	const others = "main lamp-24 release/24 node-24 release/1.2 v2 2026-11-28-lamp 24lamps feature/0 prefix-24";
	for (const branch of ["", ...others.split(" ")]) assert.equal(issueOfBranch(branch), undefined, branch);
});

test("the words that close an issue come last, once", () => {
	assert.equal(closingIssue("Dim the lamp", "#24"), "Dim the lamp\n\nFixes #24");
	for (const own of ["", "Dim it\n\nFixes #24", "Dim it (closes #24)", "Dim it\n\nResolves: acme/app#24"]) {
		assert.equal(closingIssue(own, "#24"), own);
	}
	assert.match(closingIssue("Dim it, fixes #245", "#24"), /\n\nFixes #24$/);
	assert.match(closingIssue("Dim it (#24)", "#24"), /\n\nFixes #24$/);
	const signed = "Dim it\n\nSigned-off-by: Ada <ada@example.com>";
	assert.equal(closingIssue(signed, "#24"), `${signed}\nFixes #24`);
	const reviewed = "fix: dim\n\nBody.\n\nReviewed-by: Ada,\n  and others\nCo-authored-by: Bo <bo@example.com>";
	assert.equal(closingIssue(reviewed, "#24"), `${reviewed}\nFixes #24`);
	for (const body of ["fix: dim", "Dim it\n\nIt was bright: too bright.", "Dim it\n\nNote: this\nis more."]) {
		assert.equal(closingIssue(body, "#24"), `${body}\n\nFixes #24`);
	}
});

test("the sandbox names the changed files in a commit message", () => {
	const answer = (diff: string, untracked: string[] = []) =>
		commitMessage(commitQuestion({ ...NOTHING, diff, untracked }).text);
	assert.equal(answer(diffOf("src/lamp.ts", 1)), "Update lamp.ts");
	assert.equal(
		answer(diffOf("lamp.ts", 1) + diffOf("a.ts", 1) + diffOf("b.ts", 1)),
		"Update lamp.ts and a.ts with others",
	);
	assert.equal(answer("", ["a.md"]), "Add new files");
	assert.equal(commitMessage("Write me a poem"), undefined);
});
