import { strict as assert } from "node:assert";
import { test } from "node:test";
import { issuesUrl, operationUrl, repositoryPath, wireHeaders } from "#api/codehost/request.ts";
import { contractProfile, fullProfile } from "../../../support/codehost-client.ts";
import { refusedField } from "../../../support/refused-field.ts";

const endpoint = { baseUrl: "https://host.test/api/v3/", profile: fullProfile };

test("operations are below the base URL, whatever slashes it ends in", () => {
	assert.equal(operationUrl(endpoint, "/user").href, "https://host.test/api/v3/user");
	assert.equal(operationUrl({ ...endpoint, baseUrl: "https://host.test" }, "/user").href, "https://host.test/user");
});

test("owner and repository are encoded as one part of the path each", () => {
	assert.equal(repositoryPath("acme", "app.js"), "/repos/acme/app.js");
	const odd = operationUrl(endpoint, repositoryPath("a b?c#d", "e%2ff&ü"));
	assert.equal(odd.pathname, "/api/v3/repos/a%20b%3Fc%23d/e%252ff%26%C3%BC");
	assert.equal(odd.search + odd.hash, "");
	assert.equal(operationUrl(endpoint, repositoryPath("%2e%2e", "x")).pathname, "/api/v3/repos/%252e%252e/x");
});

test("parameters that the service knows are sent, and the others are named", () => {
	const query = { state: "all", labels: ["a b", "c"], assignee: "*", page: 2, colour: "red" };
	const { url, ignored } = issuesUrl(endpoint, repositoryPath("o", "r"), query);
	assert.deepEqual(Object.fromEntries(url.searchParams), {
		state: "all",
		labels: "a b,c",
		assignee: "*",
		page: "2",
		per_page: "100",
	});
	assert.deepEqual(ignored, ["colour"]);
	assert.equal(issuesUrl(endpoint, "/repos/o/r", { per_page: 30 }).url.searchParams.get("per_page"), "30");
});

test("a service whose parameters are not documented is sent none", () => {
	const { url, ignored } = issuesUrl({ ...endpoint, profile: contractProfile }, "/repos/o/r", { state: "open" });
	assert.equal(url.href, "https://host.test/api/v3/repos/o/r/issues");
	assert.deepEqual(ignored, ["state"]);
});

test("every request names the token, media type and version of the profile", () => {
	const headers = wireHeaders(contractProfile, "tok");
	assert.equal(headers["authorization"], "Bearer tok");
	assert.equal(headers["accept"], "application/vnd.service+json, application/json;q=0.9");
	assert.equal(headers["x-service-api-version"], "2022-11-28");
	assert.equal(headers["user-agent"], "Switchboard");
	const { versionHeader: _, ...plain } = contractProfile;
	assert.equal(wireHeaders(plain, "tok")["x-service-api-version"], undefined);
});

test("no profile can break the request", () => {
	for (const [field, wrong] of [
		["host", { versionHeader: "Host" }],
		["x-service-api-version", { version: "1\r\nx: y" }],
	] as const) {
		assert.equal(
			refusedField(() => wireHeaders({ ...contractProfile, ...wrong }, "tok")),
			field,
		);
	}
});
