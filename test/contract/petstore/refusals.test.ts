import { strict as assert } from "node:assert";
import { after, before, test } from "node:test";
import { inspect } from "node:util";
import { OPERATIONS, type OperationName } from "#api/petstore/operations.ts";
import type { ErrorCode } from "#base/errors.ts";
import { toXml } from "#sandbox/petstore/xml.ts";
import type { Sandbox } from "#sandbox/sandbox.ts";
import { withField } from "../../support/misbehavior.ts";
import { plain } from "../../support/plain.ts";
import { serve } from "../../support/recording-server.ts";
import { ReplayServer } from "../../support/replay-server.ts";
import { clientAt, clientOf, closeTransport, failureOf, startStore } from "./client-at.ts";

const pet = { name: "Rex", photoUrls: [] };

/** Parameters that are right for each operation. */
const RIGHT: Readonly<Record<OperationName, object>> = {
	uploadFile: { petId: 1 },
	addPet: { body: pet },
	updatePet: { body: { ...pet, id: 1 } },
	findPetsByStatus: { status: ["sold"] },
	findPetsByTags: { tags: ["senior"] },
	getPetById: { petId: 1 },
	updatePetWithForm: { petId: 1, name: "Rex" },
	deletePet: { petId: 1 },
	getInventory: {},
	placeOrder: { body: { petId: 1 } },
	getOrderById: { orderId: 1 },
	deleteOrder: { orderId: 1 },
	createUser: { body: { username: "grace" } },
	createUsersWithListInput: { body: [{ username: "grace" }] },
	createUsersWithArrayInput: { body: [{ username: "grace" }] },
	getUserByName: { username: "ada" },
	updateUser: { username: "ada", body: { username: "ada" } },
	deleteUser: { username: "ada" },
	loginUser: { username: "ada", password: "wrong-words" },
	logoutUser: {},
};

const CODES: Readonly<Record<string, ErrorCode>> = { 400: "invalid", 404: "not-found", 405: "invalid" };

const WHY = "Because of the moon";
const NAMED = { code: 400, type: "error", message: WHY };

/** Bodies of an error, for the contract does not show it; true for those that say why. */
const BODIES: readonly (readonly [type: string, body: string, speaks: boolean])[] = [
	["application/json", JSON.stringify(NAMED), true],
	["application/problem+json", JSON.stringify({ type: "about:blank", title: WHY, status: 400 }), true],
	["application/xml", toXml("ApiResponse", NAMED), true],
	["text/html; charset=utf-8", `<!DOCTYPE html><title>Error</title><pre>Error: ${WHY}<br>at /app/a.js:1:2</pre>`, true],
	["text/html", "<html><title>400</title><body><h1>HTTP ERROR 400</h1></body></html>", false],
	["text/plain", WHY, true],
	["application/json", "", false],
];

let sandbox: Sandbox;
before(async () => {
	sandbox = await startStore();
});
after(async () => {
	await sandbox.close();
	await closeTransport();
});

for (const [name, { errors }] of Object.entries(OPERATIONS)) {
	for (const [status, meaning] of Object.entries(errors)) {
		for (const format of ["json", "xml"] as const) {
			test(`${name} reports ${status} in any body, asked for ${format.toUpperCase()}`, async (t) => {
				const { origin } = await serve(t, (_, count) => {
					const [type = "", body] = BODIES[count] ?? [];
					return { status: Number(status), headers: { "content-type": type }, body };
				});
				const { client, notices } = clientAt(origin, { format, apiKey: "key", token: "token" });
				for (const [type, body, speaks] of BODIES) {
					const error = await failureOf(client.callNamed(name as OperationName, RIGHT[name as OperationName]));
					assert.equal(error.code, CODES[status], type);
					assert.equal(error.status, Number(status));
					if (speaks) assert.match(error.message, /Because of the moon/, body);
					else assert.equal(error.message, `The API documents this status as “${meaning}”.`, "a hint is no quotation");
					assert.ok(!error.message.includes("<"));
				}
				assert.equal(notices.length, BODIES.length, "none is tried again");
			});
		}
	}
}

test("a 405 where none is listed is no invalid input", async () => {
	sandbox.petstore.behave({ fail: { status: 405 } });
	const { client } = clientOf(sandbox);
	assert.equal((await failureOf(client.call("getPetById", { petId: 1 }))).code, "not-found");
	assert.equal((await failureOf(client.call("addPet", { body: pet }))).code, "invalid");
	sandbox.petstore.behave({});
});

test("the status decides, whatever code an ApiResponse has", async () => {
	sandbox.petstore.behave({}, withField("code", 500));
	const { client } = clientOf(sandbox);
	assert.deepEqual(plain((await client.call("logoutUser", {})).data), { code: 500, type: "unknown", message: "ok" });
	sandbox.petstore.behave({});
});

test("nothing is kept of an answer that is not HTTP: it may repeat a login's password", async (t) => {
	const server = await ReplayServer.start();
	t.after(() => server.close());
	const { baseUrl } = server.play({ bytes: Buffer.from("GET /user/login?username=ada&password=hunter-22\r\n") });
	const { client, notices } = clientAt(baseUrl);
	const error = await failureOf(client.call("loginUser", { username: "ada", password: "hunter-22" }));
	assert.ok(error.code === "malformed" && error.cause instanceof Error);
	assert.ok(!inspect([error, notices], { depth: 9 }).includes("hunter-22"));
});

test("a store that misses the key it was sent is not the only one to blame", async (t) => {
	const { origin } = await serve(t, () => ({ status: 401, body: { message: "API key is missing" } }));
	const { message, reason } = await failureOf(
		clientAt(origin, { apiKey: "s3cret-0123" }).client.call("getInventory", {}),
	);
	assert.equal(reason, "key-refused");
	assert.match(message, /^API key is missing\. It was sent as api_key: a server in front may drop headers with “_”/);
	const unsent = await failureOf(clientAt(origin).client.call("getInventory", {}));
	assert.deepEqual([unsent.reason, unsent.message], ["key-needed", "API key is missing"]);
});
