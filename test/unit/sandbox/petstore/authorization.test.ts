import { strict as assert } from "node:assert";
import { test } from "node:test";
import { redirectUriOf } from "#sandbox/petstore/authorization.ts";

test("a redirect may lead to this machine, an editor's server or the editor itself", () => {
	for (const uri of [
		"http://127.0.0.1:4711/callback",
		"http://localhost/callback?x=1",
		"http://[::1]:1/",
		"https://editor.example/proxy/4711/callback",
		"http://localhost:8080/proxy/4711/callback",
		"vscode://owner.switchboard/callback",
		"vscode-insiders://owner.switchboard/callback",
	]) {
		assert.equal(redirectUriOf(uri)?.href, uri);
	}
});

test("an answer may go nowhere else", () => {
	for (const uri of [
		"",
		"/callback",
		"https://127.0.0.1:1/callback",
		"http://127.0.0.1.evil.example/callback",
		"http://evil.example/proxy/x/callback",
		"https://evil.example/proxy/1/callback/more",
		"https://evil.example/?/proxy/1/callback",
		"http://user@127.0.0.1/callback",
		"http://127.0.0.1/callback#",
		"vscode://evil/callback",
		"javascript:alert(1)",
		"file:///tmp/x",
	]) {
		assert.equal(redirectUriOf(uri), undefined, uri);
	}
});
