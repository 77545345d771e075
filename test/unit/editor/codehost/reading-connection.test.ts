import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { CodehostStatus } from "#app/codehost/status.ts";
import { ClientError } from "#base/errors.ts";
import { readingConnection } from "#editor/codehost/reading-connection.ts";
import { ADA, codehostWindow } from "../../../support/codehost-window.ts";

/** What is said of the connection of a repository where its status has changed so. */
async function said(context: TestContext, connection: string, change: Partial<CodehostStatus>) {
	const { registry, statuses } = await codehostWindow(context);
	const of = (id: string) => ({ ...statuses.of(id), ...change });
	return readingConnection({ connection, repository: "exchange/switchboard" }, { registry, statuses: { of } });
}

test("a connection is named, with what became of its credential and not with what its last request failed for", async (context) => {
	const well = { name: "Ada", isGone: false, trouble: undefined };
	assert.deepEqual(await said(context, ADA, {}), well);
	assert.deepEqual(await said(context, ADA, { access: "signed-out" }), { ...well, trouble: "signed out" });
	assert.deepEqual(await said(context, ADA, { access: "lost" }), { ...well, trouble: "credential lost" });
	const error = new ClientError("codehost", "unauthorized", "Bad credentials", { status: 401 });
	assert.deepEqual(await said(context, ADA, { error }), well);
});

test("a connection that is gone is told as such, and nothing is asked about it", async (context) => {
	const gone = { name: "a connection that is gone", isGone: true, trouble: undefined };
	assert.deepEqual(await said(context, "gone", { access: "signed-out" }), gone);
});
