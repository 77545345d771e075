import assert from "node:assert/strict";
import { test } from "node:test";
import { mayHavePagesAt, siteOfAccount } from "#app/codehost/web-site.ts";
import type { CodehostConnection } from "#app/connections/connection.ts";

const at = (baseUrl: string, profile: CodehostConnection["profile"] = "custom"): CodehostConnection => ({
	id: "c",
	service: "codehost",
	label: "C",
	baseUrl,
	profile,
	credential: { kind: "pat" },
});

for (const [htmlUrl, baseUrl, host, prefix] of [
	["https://git.example/Ada", "https://git.example/api/v1", "git.example", []],
	["https://git.example/forge/ada/", "https://git.example/forge/api/v1", "git.example", ["forge"]],
	["https://git.example:8443/a/b/ada", "https://git.example:8443/api", "git.example:8443", ["a", "b"]],
	["https://git.example/u/%61da", "https://api.git.example", "git.example", ["u"]],
	["https://git.example/ada", "https://git.example:8443/api", "git.example", []],
] as const) {
	test(`with the account's page at ${htmlUrl} the pages beside ${baseUrl} are below /${prefix.join("/")}`, () => {
		const site = siteOfAccount({ login: "ada", htmlUrl }, at(baseUrl));
		assert.deepEqual(site, { host, hostname: new URL(htmlUrl).hostname, prefix });
	});
}

for (const htmlUrl of [
	null,
	"ada",
	"ftp://git.example/ada",
	"https://git.example/",
	"https://git.example/users?name=ada",
	"https://git.example/grace",
	"https://evil.example/ada",
	"https://git.example.evil.example/ada",
	"https://sub.git.example/ada",
]) {
	test(`an account's page at ${htmlUrl} says nothing of where pages are`, () => {
		assert.equal(siteOfAccount({ login: "ada", htmlUrl }, at("https://git.example/api")), undefined);
	});
}

test("only of a service of no known kind, and on its own host, it has to be asked where pages are", () => {
	const base = "https://api.git.example:8443/v1";
	for (const [host, profile, isToAsk] of [
		["api.git.example:8443", "custom", true],
		["api.git.example", "custom", true],
		["git.example", "custom", true],
		["git.example:8443", { accept: "application/json" }, true],
		["git.example", "github", false],
		["git.example", "github-enterprise", false],
		["api.git.example:8443", "sandbox", false],
		["other.example", "custom", false],
		["api.git.example:9443", "custom", false],
	] as const) {
		assert.equal(mayHavePagesAt(host, at(base, profile)), isToAsk, `${host} ${JSON.stringify(profile)}`);
	}
});
