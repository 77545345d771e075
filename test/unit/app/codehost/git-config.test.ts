import assert from "node:assert/strict";
import { test } from "node:test";
import { remotesIn } from "#app/codehost/git-config.ts";
import { LIMITS } from "#base/limits.ts";

test("only sections of remotes name remotes, by their fetch and push addresses", () => {
	const config = `
[core]
	url = https://example.com/core/core
[remote "origin"]
	url = git@example.com:acme/app.git
	fetch = +refs/heads/*:refs/remotes/origin/*
	pushurl = https://example.com/acme/fork
[submodule "lib"]
	url = https://example.com/acme/lib
[REMOTE "up]stream"] URL = https://example.com/acme/upstream
[branch "url"]
	remote = origin
`;
	assert.deepEqual(remotesIn(config), [
		"git@example.com:acme/app.git",
		"https://example.com/acme/fork",
		"https://example.com/acme/upstream",
	]);
	assert.deepEqual(remotesIn(config.replaceAll("\n", "\r\n")), remotesIn(config));
});

test("quotes and comments are no part of an address", () => {
	const urls = [
		'"https://example.com/a/b"',
		"https://example.com/a/b ; the old one",
		"https://example.com/a/b# mine",
		'"https://example.com/a/b" ; quoted',
	];
	for (const url of urls) assert.deepEqual(remotesIn(`[remote "o"]\n\turl = ${url}`), ["https://example.com/a/b"], url);
	assert.deepEqual(remotesIn('[remote "o"]\nurl = "https://example.com/a;b#c"'), ["https://example.com/a;b#c"]);
	assert.deepEqual(remotesIn('[remote "o"]\nurl ='), []);
});

test("a line over the limit costs only itself", () => {
	const remote = '[remote "o"]\n\turl = https://example.com/a/b\n';
	const endless = `[remote${" ".repeat(80_000)}\n`;
	const blank = `${`[${" ".repeat(LIMITS.gitConfigLineCharacters - 2)}\n`.repeat(250)}`;
	assert.deepEqual(remotesIn(endless + blank + remote), ["https://example.com/a/b"]);
});
