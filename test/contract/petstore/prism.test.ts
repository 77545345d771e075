import { strict as assert } from "node:assert";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { type AddressInfo, createServer } from "node:net";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { OPERATIONS, type OperationName } from "#api/petstore/operations.ts";
import { pinnedNode } from "../../support/paths.ts";
import { clientAt, closeTransport, failureOf } from "./client-at.ts";

/** Prism: an independent server, driven by the OpenAPI document of the service. */
const PRISM = createRequire(import.meta.url).resolve("@stoplight/prism-cli/dist/index.js");
const DOCUMENT = fileURLToPath(new URL("petstore-v2.json", import.meta.url));

let stop: () => Promise<void> = async () => undefined;
let baseUrl = "";

before(async () => {
	const port = await freePort();
	const child = spawn(pinnedNode(), [PRISM, "mock", "-h", "127.0.0.1", "-p", String(port), DOCUMENT], {
		stdio: ["ignore", "pipe", "inherit"],
	});
	stop = async () => {
		const ended = once(child, "exit");
		child.kill();
		await ended;
	};
	let log = "";
	await new Promise<void>((resolve, reject) => {
		child.stdout.on("data", (chunk) => {
			log += String(chunk);
			if (log.includes("Prism is listening")) resolve();
		});
		child.once("exit", () => reject(new Error(`Prism ended:\n${log}`)));
	});
	baseUrl = `http://127.0.0.1:${port}`;
});
after(async () => {
	await stop();
	await closeTransport();
});

const pet = { id: "9007199254740991", name: "doggie", photoUrls: ["a"], tags: [{ id: 1, name: "b" }], status: "sold" };
const user = { id: 1, username: "grace", password: "pass-word", userStatus: 3 };

/**
 * Where Prism departs from the contract, and why. It answers an operation whose success the document does not show with
 * the first status that it does show, an error without a body, although it has found nothing wrong with the request.
 */
const DEVIATIONS: Readonly<Partial<Record<OperationName, number>>> = {
	addPet: 405,
	updatePet: 400,
	updatePetWithForm: 405,
	deletePet: 400,
	deleteOrder: 400,
	updateUser: 400,
	deleteUser: 400,
};

const CALLS: Readonly<Record<OperationName, { readonly given: object }>> = {
	uploadFile: {
		given: { petId: 1, additionalMetadata: "m", file: { name: "a.png", type: "image/png", bytes: Buffer.from("png") } },
	},
	addPet: { given: { body: pet } },
	updatePet: { given: { body: pet } },
	findPetsByStatus: { given: { status: ["available", "sold"] } },
	findPetsByTags: { given: { tags: ["a", "b"] } },
	getPetById: { given: { petId: "9007199254740991" } },
	updatePetWithForm: { given: { petId: 1, name: "a", status: "sold" } },
	deletePet: { given: { petId: 1, api_key: "key" } },
	getInventory: { given: {} },
	placeOrder: {
		given: {
			body: {
				id: 1,
				petId: 2,
				quantity: 3,
				shipDate: "2026-11-21T10:18:27.678+0000",
				status: "placed",
				complete: true,
			},
		},
	},
	getOrderById: { given: { orderId: 10 } },
	deleteOrder: { given: { orderId: 1 } },
	createUser: { given: { body: user } },
	createUsersWithListInput: { given: { body: [user] } },
	createUsersWithArrayInput: { given: { body: [user, user] } },
	getUserByName: { given: { username: "user 1 & co" } },
	updateUser: { given: { username: "grace", body: user } },
	deleteUser: { given: { username: "grace" } },
	loginUser: { given: { username: "ada", password: "pass-word" } },
	logoutUser: { given: {} },
};

// A request that breaks the document is refused by Prism, so that a success says that ours keeps to it.
for (const format of ["json", "xml"] as const) {
	for (const [name, { given }] of Object.entries(CALLS)) {
		const operation = OPERATIONS[name as OperationName];
		// Prism cannot read a body of XML: it takes it for text where the document wants an object, which is a 400 where the
		// operation lists one.
		const unread = format === "xml" && operation.takes === "json or xml";
		const status = unread ? (400 in operation.errors ? 400 : 422) : DEVIATIONS[name as OperationName];
		const what =
			status === undefined ? "is answered with what the document shows" : `is answered with ${status}, a deviation`;

		test(`${name} ${what}, in ${format.toUpperCase()}`, async () => {
			const { client } = clientAt(baseUrl, { basePath: "", format, apiKey: "key", token: "token" });
			const call = client.callNamed(name as OperationName, given);
			if (status !== undefined) {
				assert.equal((await failureOf(call)).status, status);
				return;
			}
			const { status: success, data } = await call;
			assert.equal(success, 200);
			assert.ok(operation.anyReply || data !== null);
		});
	}
}

test("an example pet is read in both formats, with the smallest id Prism can write", async () => {
	for (const format of ["json", "xml"] as const) {
		const { client } = clientAt(baseUrl, { basePath: "", format, apiKey: "key", token: "token" });
		const { data } = await client.call("getPetById", { petId: 1 });
		assert.equal(data.name, "doggie");
		assert.deepEqual(data.photoUrls, ["string"]);
		// Prism calculates with doubles and goes no further than they are exact.
		assert.equal(data.id, "-9007199254740991");
		assert.equal(data.tags?.[0]?.id, "-9007199254740991");
	}
});

test("without key and token Prism refuses exactly what the document secures", async () => {
	for (const [name, { given }] of Object.entries(CALLS)) {
		const { api_key: _, ...parameters }: Record<string, unknown> = { ...given };
		const { client } = clientAt(baseUrl, { basePath: "", token: null, apiKey: null });
		const status = await client.callNamed(name as OperationName, parameters).then(
			(answer) => answer.status,
			(error: unknown) => (error instanceof Error && "status" in error ? error.status : 0),
		);
		assert.equal(status === 401, OPERATIONS[name as OperationName].security !== null, `${name} ${status}`);
	}
});

async function freePort(): Promise<number> {
	const server = createServer();
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const { port } = server.address() as AddressInfo;
	await new Promise((resolve) => server.close(resolve));
	return port;
}
