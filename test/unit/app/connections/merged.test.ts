import assert from "node:assert/strict";
import { test } from "node:test";
import type { CodehostConnection } from "#app/connections/connection.ts";
import { mergedOnto } from "#app/connections/merged.ts";

const before: CodehostConnection = {
	id: "c",
	service: "codehost",
	label: "Host",
	baseUrl: "https://host.example",
	profile: "custom",
	credential: { kind: "pat", login: "ada", expiresAt: "2030-01-01" },
};

test("what nobody else has changed becomes what it was to be, to the letter", () => {
	const after = { ...before, label: "Other" };
	assert.equal(mergedOnto({ ...before }, { before, after }), after);
});

test("of what two have changed each keeps its own part, and the later one what both have", () => {
	const now = { ...before, label: "Theirs", credential: { ...before.credential, expiresAt: "2031-01-01" } };
	const told = { ...before, credential: { ...before.credential, login: "lin" } };
	assert.deepEqual(mergedOnto(now, { before, after: told }), {
		...now,
		credential: { kind: "pat", login: "lin", expiresAt: "2031-01-01" },
	});
	assert.equal(mergedOnto(now, { before, after: { ...before, label: "Ours" } }).label, "Ours");
});

test("what was taken away stays away, on either side", () => {
	const { expiresAt: _, ...undated } = { kind: "pat" as const, login: "ada", expiresAt: "" };
	const taken = { ...before, credential: undated };
	const renamed = { ...before, label: "Renamed" };
	for (const [now, after] of [
		[taken, renamed],
		[renamed, taken],
	] as const) {
		assert.deepEqual(mergedOnto(now, { before, after }), { ...renamed, credential: undated });
	}
});

test("what leads somewhere else by now is not touched: another address, another kind of credential, another installation", () => {
	const app = { ...before, credential: { kind: "app", appId: "1", installationId: 2 } } as const;
	const elsewhere = { ...before, baseUrl: "https://other.example" };
	const installed = { ...app, credential: { ...app.credential, installationId: 3 } };
	for (const [now, was] of [
		[elsewhere, before],
		[app, before],
		[installed, app],
	] as const) {
		const merge = () => mergedOnto(now, { before: was, after: { ...was, label: "Ours" } });
		assert.throws(merge, { code: "invalid", field: "connection" });
	}
});
