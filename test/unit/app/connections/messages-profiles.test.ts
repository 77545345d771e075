import assert from "node:assert/strict";
import { test } from "node:test";
import { isLocalEngine, type MessagesProfile } from "#app/connections/messages-profiles.ts";

test("an engine is local by its preset, and any other service by its address", () => {
	const headers: MessagesProfile = { keyHeader: "x-key" };
	const cases: [MessagesProfile, string, boolean][] = [
		["ollama", "https://ollama.example", true],
		["lm-studio", "http://127.0.0.1:1234", true],
		["llama.cpp", "http://gpu.example", true],
		["anthropic", "http://127.0.0.1:4000", false],
		["litellm", "http://127.0.0.1:4000", true],
		["litellm", "https://proxy.example", false],
		["sandbox", "http://127.0.0.1:5000", false],
		...["127.0.0.1:1", "[::1]:1", "localhost", "10.1.2.3", "192.168.0.9:8000", "172.16.0.1", "172.31.9.9"]
			.concat("[fd00::7]", "gpu-box:8000", "nas.local", "host.docker.internal")
			.flatMap((host): [MessagesProfile, string, boolean][] => [
				["custom", `http://${host}`, true],
				[headers, `https://${host}/api`, true],
			]),
		...[
			"api.example.com",
			"172.32.0.1",
			"11.0.0.1",
			"192.169.0.1",
			"10.example.com",
			"[2001:db8::1]",
			"local.example",
		].map((host): [MessagesProfile, string, boolean] => ["custom", `https://${host}`, false]),
	];
	for (const [profile, baseUrl, local] of cases) assert.equal(isLocalEngine({ profile, baseUrl }), local, baseUrl);
});
