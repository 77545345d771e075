import assert from "node:assert/strict";
import { test } from "node:test";
import { pageOf, readAddress, repositoryAt } from "#app/codehost/repository-name.ts";
import type { CodehostConnection } from "#app/connections/connection.ts";
import { ClientError } from "#base/errors.ts";

const at = (baseUrl: string, profile: CodehostConnection["profile"] = "custom"): CodehostConnection => ({
	id: "c",
	service: "codehost",
	label: "C",
	baseUrl,
	profile,
	credential: { kind: "pat" },
});
const github = at("https://api.github.com", "github");
const server = at("https://git.corp.example/api/v3", "github-enterprise");
const tenant = at("https://api.acme.ghe.com", "github");
const below = at("https://corp.example/git/api/v3", "github-enterprise");
const plain = at("https://corp.example/tools/git");
const sandbox = at("http://127.0.0.1:8080/codehost", "sandbox");

for (const [written, connection] of [
	["acme/app", github],
	[" acme/app ", github],
	["https://github.com/acme/app", github],
	["https://github.com/acme/app.git", github],
	["github.com/acme/app", github],
	["git.corp.example/acme/app/issues/12", server],
	["https://github.com/acme/app/issues/12?q=1#c", github],
	["https://somebody:secret@github.com/acme/app.git", github],
	["https://api.github.com/repos/acme/app/issues", github],
	["git@github.com:acme/app.git", github],
	["github.com:acme/app", github],
	["ssh://git@github.com/acme/app.git", github],
	["ssh://git@GitHub.com:22/acme/app.git", github],
	["ssh://git@ssh.github.com:443/acme/app.git", github],
	["git@github.com-work:acme/app.git", github],
	["git://github.com/acme/app.git", github],
	["git+https://GitHub.com/acme/app.git", github],
	["git+ssh://git@github.com/acme/app.git", github],
	["https://git.corp.example/acme/app", server],
	["https://git.corp.example/api/v3/repos/acme/app", server],
	["git@git.corp.example:acme/app.git", server],
	["https://acme.ghe.com/acme/app", tenant],
	["http://127.0.0.1:8080/codehost/web/acme/app/issues/1", sandbox],
	["127.0.0.1:8080/codehost/web/acme/app", sandbox],
	["localhost:3000/acme/app", at("http://localhost:3000/api/v1", "github-enterprise")],
	["git.corp.example:acme/app", server],
	["https://corp.example/git/acme/app", below],
	["corp.example/git/acme/app/-/issues/12?x=1", below],
	["https://corp.example/git/acme/app.git", below],
	["https://corp.example/git/api/v3/repos/acme/app", below],
	["git@corp.example:acme/app.git", below],
	["ssh://git@corp.example/git/acme/app.git", below],
	["https://corp.example/tools/git/acme/app", plain],
	["https://corp.example/tools/git/repos/acme/app", plain],
	["https://corp.example/acme/app", at("https://corp.example/rest/api/1.0/")],
	["https://corp.example/acme/app", at("https://corp.example/v1")],
	["http://127.0.0.1:8080/codehost/repos/acme/app", sandbox],
] as const) {
	test(`${written} is acme/app at ${connection.baseUrl}`, () => {
		assert.equal(repositoryAt(readAddress(written), connection), "acme/app");
	});
}

for (const [written, connection] of [
	["https://github.com.evil.example/acme/app", github],
	["https://evil.example/github.com/acme/app", github],
	["https://github.com:8443/acme/app", github],
	["https://www.github.com/acme/app", github],
	["git@sub.github.com:acme/app.git", github],
	["git@github.com.work:acme/app.git", github],
	["git@code-mirror:acme/app.git", at("http://code/api/v1", "gitea")],
	["git@github.com:acme/group/app.git", github],
	["https://github.com/acme", github],
	["https://github.com/acme/%2e%2e", github],
	["https://github.com/acme/app", server],
	["https://api.git.corp.example/acme/app", server],
	["http://127.0.0.1:9090/codehost/web/acme/app", sandbox],
	["https://corp.example/acme/app", below],
	["https://corp.example/git/acme", below],
	["ssh://git@corp.example/other/acme/app.git", below],
] as const) {
	test(`${written} is no repository at ${connection.baseUrl}`, () => {
		assert.equal(repositoryAt(readAddress(written), connection), undefined);
	});
}

for (const written of [
	"",
	"acme",
	"a/b/c",
	"./a/b",
	"../a/b",
	"file:///acme/app",
	"https://",
	"javascript://x/acme/app",
]) {
	test(`anything but owner/repo or an address is refused by name: ${JSON.stringify(written)}`, () => {
		assert.throws(
			() => readAddress(written),
			(error) => error instanceof ClientError && error.code === "invalid" && error.field === "repository",
		);
	});
}

test("a name that would lead elsewhere in a path is no name", () => {
	for (const written of ["../x", "x/..", "a\\b/c", "a b/c", "a/b#12", "a/b?c"]) {
		assert.throws(() => readAddress(written), { code: "invalid", field: "repository" }, written);
	}
});

test("the page of a repository is on the host of the pages", () => {
	assert.equal(pageOf("acme/app", github), "https://github.com/acme/app");
	assert.equal(pageOf("acme/app", server), "https://git.corp.example/acme/app");
	assert.equal(pageOf("acme/app", below), "https://corp.example/git/acme/app");
	assert.equal(pageOf("acme/app", sandbox), "http://127.0.0.1:8080/codehost/web/acme/app");
});
