import assert from "node:assert/strict";
import { test } from "node:test";
import { COMMAND_TABLE } from "../../../support/command-table.ts";

// It loads the editor's API, which is only there after the table of the commands.
const { formOf } = await import("#editor/connections/ask-connection.ts");

const FIELDS = (["messages", "codehost", "petstore"] as const).flatMap(
	(service) => formOf(service, () => Promise.reject(new Error("Nothing is listed"))).fields,
);

function sorted(...names: readonly string[]): readonly string[] {
	return [...new Set(names)].sort();
}

function namesIn(id: string): readonly string[] {
	return sorted(...Object.keys(COMMAND_TABLE.find((each) => each.id === `switchboard.${id}`)?.input ?? {}));
}

test("an argument about a connection has the form's fields, except interactive ones", () => {
	const asked = ["kind", "how", "authUrl", "clientId", "signIn"];
	const given = ["label", "baseUrl", "profile", ...FIELDS.map(({ name }) => name)].filter(
		(name) => !asked.includes(name),
	);
	assert.deepEqual(namesIn("addConnection"), sorted("service", ...given));
	assert.deepEqual(namesIn("editConnection"), sorted("connection", ...given.filter((name) => name !== "appId")));
	const secrets = FIELDS.filter((field) => "isSecret" in field).map(({ name }) => name);
	for (const id of ["replaceKey", "signIn"])
		assert.deepEqual(namesIn(id), sorted("connection", "expiresAt", ...secrets));
});
