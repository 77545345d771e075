import { strict as assert } from "node:assert";
import { type TestContext, test } from "node:test";
import { diagnoseConnection } from "#app/checks/connection-tests.ts";
import type { CodehostConnection } from "#app/connections/connection.ts";
import { pat } from "../../../support/codehost-client.ts";
import { codehostWindow } from "../../../support/codehost-window.ts";
import { type Respond, serve } from "../../../support/recording-server.ts";

/** The steps of a service that answers in its own way, each with its finding, and the server. */
async function diagnosed(context: TestContext, respond: Respond, { repository = "acme/app", isThere = true } = {}) {
	const server = await serve(context, respond);
	const { clients, registry } = await codehostWindow(context);
	const connection: CodehostConnection = {
		id: "own",
		service: "codehost",
		label: "Own",
		baseUrl: server.origin,
		profile: "custom",
		credential: { kind: "pat" },
	};
	registry.addPassing(connection, pat);
	if (!isThere) await server.close();
	const steps = await diagnoseConnection(clients, connection, { repository });
	return { server, steps, told: steps.map(({ name, state, detail }) => `${name} ${state}: ${detail}`) };
}

test("a service is reached without the token, then with it", async (context) => {
	const { server, told } = await diagnosed(context, ({ path }) => ({
		headers: { date: new Date().toUTCString() },
		body: path === "/user" ? { login: "ada" } : { full_name: "acme/app" },
	}));
	assert.deepEqual([told[0], told[2], told[4]], ["dns ok: 127.0.0.1", "auth ok: ada", "read ok: acme/app"]);
	assert.deepEqual(
		server.requests.map(({ path, headers }) => [path, headers.authorization]),
		[
			["/", undefined],
			["/user", `Bearer ${pat}`],
			["/repos/acme/app", `Bearer ${pat}`],
		],
	);
});

test("a resource that could not be read is named, in the service's words", async (context) => {
	const { steps } = await diagnosed(context, ({ path }) =>
		path === "/user" ? { body: { login: "ada" } } : { status: 404, body: { message: "Not Found" } },
	);
	const { error } = steps.at(-1) ?? {};
	assert.deepEqual([error?.code, error?.status, error?.message], ["not-found", 404, "acme/app: Not Found"]);
});

test("without a repository the identity is read a second time, and labeled as such", async (context) => {
	const respond: Respond = () => ({ body: { login: "ada" } });
	const { server, told } = await diagnosed(context, respond, { repository: "" });
	assert.equal(told.at(-1), "read ok: /user (ada); no repository was added to read one");
	assert.deepEqual(server.lines, ["GET /", "GET /user", "GET /user"]);
});

test("a service that is not there is not reached, by the reason the runtime gives", async (context) => {
	const { told } = await diagnosed(context, () => ({}), { isThere: false });
	assert.match(told[1] ?? "", /^tls failed: .*the connection was refused/);
});
