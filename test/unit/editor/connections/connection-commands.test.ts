import assert from "node:assert/strict";
import { test } from "node:test";
import { SERVICE_IDS } from "#app/connections/services.ts";
import { COMMAND_TABLE } from "../../../support/command-table.ts";

// They load the editor's API, which is only there after the table of the commands.
const { CONNECTED_SERVICES, noAnswers } = await import("#editor/connections/services.ts");
const { readArgument } = await import("#editor/kit/command.ts");

const FIELDS = SERVICE_IDS.flatMap((service) => CONNECTED_SERVICES[service].form.fields);

function sorted(...names: readonly string[]): readonly string[] {
	return [...new Set(names)].sort();
}

function commandOf(id: string) {
	return COMMAND_TABLE.find((each) => each.id === `switchboard.${id}`) ?? assert.fail(id);
}

function namesIn(id: string): readonly string[] {
	return sorted(...Object.keys(commandOf(id).input ?? {}));
}

test("an argument about a connection has the form's fields, except interactive ones", () => {
	const asked = ["secret", "how", "authUrl", "clientId", "signIn"];
	const given = ["profile", ...FIELDS.map(({ name }) => name)].filter((name) => !asked.includes(name));
	assert.deepEqual(namesIn("addConnection"), sorted("service", ...given));
	assert.deepEqual(namesIn("editConnection"), sorted("connection", ...given.filter((name) => name !== "appId")));
	const secrets = FIELDS.filter((field) => "isSecret" in field && field.given !== undefined).map(({ name }) => name);
	for (const id of ["replaceKey", "signIn"])
		assert.deepEqual(namesIn(id), sorted("connection", "expiresAt", ...secrets));
});

test("an argument with a credential is checked by its schema before the command runs", () => {
	const wrong = (id: string, argument: object, service: (typeof SERVICE_IDS)[number]) => {
		try {
			readArgument(commandOf(id), argument, service);
		} catch (error) {
			return error instanceof Error ? error.message : error;
		}
		return undefined;
	};
	const host = { label: "x", baseUrl: "https://a.example" };
	assert.match(
		`${wrong("addConnection", { service: "codehost", ...host, token: 7 }, "codehost")}`,
		/^token must be text/,
	);
	assert.match(
		`${wrong("codehost.addConnection", { ...host, expiresAt: "soon" }, "messages")}`,
		/^expiresAt must be a day/,
	);
	assert.match(`${wrong("chat.addConnection", { ...host, baseUrl: "a b" }, "messages")}`, /^baseUrl must be an http/);
	assert.match(`${wrong("replaceKey", { connection: "a", apiKey: "a b" }, "petstore")}`, /^apiKey has a space/);
	assert.match(`${wrong("editConnection", { connection: "a", format: "yaml" }, "petstore")}`, /^format must be one of/);
	assert.match(
		`${wrong("editConnection", { connection: "a", profile: "no" }, "codehost")}`,
		/^profile must be one of.*gitea/,
	);
	assert.equal(wrong("editConnection", { connection: "a", profile: "gitea" }, "codehost"), undefined);
	const limited = (dailyLimit: unknown) => wrong("editConnection", { connection: "a", dailyLimit }, "messages");
	assert.deepEqual([5, "5.50", " 0 ", ""].map(limited), [undefined, undefined, undefined, undefined]);
	for (const odd of ["a lot", "1,5", "-1", -1]) assert.match(`${limited(odd)}`, /^dailyLimit must be/);
});

test("what a form asks is one of its answers", () => {
	for (const service of SERVICE_IDS) {
		const answers = noAnswers(service);
		const { fields } = CONNECTED_SERVICES[service].form;
		const missing = fields.filter((field) => !("ask" in field) && !(field.name in answers));
		assert.deepEqual(
			missing.map(({ name }) => name),
			[],
		);
	}
});
