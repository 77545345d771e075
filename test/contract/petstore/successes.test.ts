import { strict as assert } from "node:assert";
import { after, test } from "node:test";
import type { PetstoreClient } from "#api/petstore/client.ts";
import { timeOf } from "#api/petstore/date-time.ts";
import type { OperationName } from "#api/petstore/operations.ts";
import type { Sandbox } from "#sandbox/sandbox.ts";
import { changesAnswered } from "../../support/misbehavior.ts";
import { plain } from "../../support/plain.ts";
import { clientOf, closeTransport, exactId, startStore } from "./client-at.ts";

const BIG = exactId("9007199254740993");
const MOST = exactId("9223372036854775807");

const rex = {
	id: MOST,
	category: { id: BIG, name: "Dogs & <friends>" },
	name: "Rex\r\nthe 3rd ]]> \u{1F436}",
	photoUrls: ["https://example.com/a.png?b=1&c=2", ""],
	tags: [{ id: BIG, name: "exact" }, { name: "no id" }],
	status: "pending",
};
const order = {
	id: exactId("9"),
	petId: MOST,
	quantity: 2,
	shipDate: "2026-11-21T10:18:27.678Z",
	status: "placed",
	complete: false,
};
const user = {
	id: BIG,
	username: "grace",
	firstName: "Grace",
	email: "g@example.com",
	password: "s3cret-words",
	userStatus: 7,
};

/** A call of each operation with what has to come of it. */
const SUCCESSES: Readonly<Record<OperationName, (client: PetstoreClient, sandbox: Sandbox) => Promise<void>>> = {
	async addPet(client, sandbox) {
		const { status, data } = await client.call("addPet", { body: rex });
		assert.equal(status, 200);
		assert.deepEqual(plain(data), rex);
		assert.equal(sandbox.petstore.store.pets.get(BigInt(MOST))?.category?.id, BigInt(BIG));
	},
	async updatePet(client) {
		const id = exactId("3");
		const { data } = await client.call("updatePet", { body: { ...rex, id } });
		assert.deepEqual(plain(data), { ...rex, id });
		assert.deepEqual(plain((await client.call("getPetById", { petId: id })).data), { ...rex, id });
	},
	async getPetById(client) {
		const { data } = await client.call("getPetById", { petId: BIG });
		assert.equal(data.id, BIG);
		assert.equal(data.name, "Odd");
		assert.equal(data.category?.id, MOST);
		assert.deepEqual(data.tags, [{ id: BIG, name: "exact" }]);
	},
	async findPetsByStatus(client) {
		const { data, requests } = await client.call("findPetsByStatus", { status: ["available", "pending", "sold"] });
		assert.equal(requests, 3);
		const counts = Map.groupBy(data, ({ status }) => status);
		const inventory = (await client.call("getInventory", {})).data;
		for (const status of ["available", "pending", "sold"]) {
			assert.equal(counts.get(status)?.length, inventory[status], status);
		}
		const ids = data.map(({ id }) => id);
		assert.equal(new Set(ids).size, ids.length);
		assert.ok(ids.includes(MOST) && ids.includes(BIG) && ids.includes(exactId("9007199254740992")));
	},
	async findPetsByTags(client) {
		const { data } = await client.call("findPetsByTags", { tags: ["exact", "senior"] });
		const names = new Set(data.flatMap(({ tags = [] }) => tags.map(({ name }) => name)));
		assert.ok(names.has("exact") && names.has("senior"));
		assert.equal(new Set(data.map(({ id }) => id)).size, data.length);
	},
	async updatePetWithForm(client) {
		await client.call("updatePetWithForm", { petId: 2, name: "Ümlaut & co", status: "sold" });
		const { name, status } = (await client.call("getPetById", { petId: "2" })).data;
		assert.deepEqual([name, status], ["Ümlaut & co", "sold"]);
	},
	async deletePet(client, sandbox) {
		const { data } = await client.call("deletePet", { petId: MOST });
		assert.equal(data?.code, 200);
		assert.equal(sandbox.petstore.store.pets.get(BigInt(MOST)), undefined);
	},
	async uploadFile(client) {
		const bytes = Buffer.from("89504e470d0a1a0a0000", "hex");
		const file = { name: 'C:\\photos\\Łódź "1".png', type: "image/png", bytes };
		const { data } = await client.call("uploadFile", { petId: 1, additionalMetadata: "from a test", file });
		assert.equal(data?.code, 200);
		assert.match(data?.message ?? "", /from a test/);
	},
	async getInventory(client) {
		const { data } = await client.call("getInventory", {});
		assert.ok((data["available"] ?? 0) > 1);
		assert.equal(data["in quarantine"], 1);
	},
	async placeOrder(client) {
		const { data } = await client.call("placeOrder", { body: order });
		assert.deepEqual({ ...plain(data), shipDate: "" }, { ...order, shipDate: "" });
		assert.equal(timeOf(data?.shipDate ?? ""), Date.parse(order.shipDate));
	},
	async getOrderById(client) {
		const { data } = await client.call("getOrderById", { orderId: 1 });
		assert.equal(data.id, exactId("1"));
		assert.ok(timeOf(data.shipDate ?? "") !== null);
	},
	async deleteOrder(client) {
		await client.call("deleteOrder", { orderId: 1 });
		await assert.rejects(client.call("getOrderById", { orderId: 1 }), { code: "not-found" });
	},
	async createUser(client) {
		await client.call("createUser", { body: user });
		assert.deepEqual(plain((await client.call("getUserByName", { username: "grace" })).data), user);
	},
	async createUsersWithListInput(client) {
		await client.call("createUsersWithListInput", { body: [user, { ...user, username: "hopper", id: MOST }] });
		assert.equal((await client.call("getUserByName", { username: "hopper" })).data.id, MOST);
	},
	async createUsersWithArrayInput(client) {
		await client.call("createUsersWithArrayInput", { body: [{ ...user, username: "Ärzte & co?" }] });
		assert.equal((await client.call("getUserByName", { username: "Ärzte & co?" })).data.id, BIG);
	},
	async getUserByName(client) {
		const { data } = await client.call("getUserByName", { username: "ada" });
		assert.equal(data.username, "ada");
	},
	async updateUser(client) {
		const { data } = await client.call("getUserByName", { username: "ada" });
		await client.call("updateUser", { username: "ada", body: { ...data, phone: "+1 555" } });
		assert.equal((await client.call("getUserByName", { username: "ada" })).data.phone, "+1 555");
	},
	async deleteUser(client) {
		await client.call("deleteUser", { username: "ada" });
		await assert.rejects(client.call("getUserByName", { username: "ada" }), { code: "not-found" });
	},
	async loginUser(client, { keys }) {
		const { data } = await client.call("loginUser", keys.petstore.user);
		assert.match(data.message, /logged in/);
		assert.equal(data.rateLimit, 5000);
		assert.ok(Math.abs((data.expiresAt ?? 0) - Date.now() - 3_600_000) < 60_000);
	},
	async logoutUser(client) {
		assert.equal((await client.call("logoutUser", {})).status, 200);
	},
};

after(closeTransport);

for (const format of ["json", "xml"] as const) {
	for (const [name, succeed] of Object.entries(SUCCESSES)) {
		test(`${name} does what the contract says, in ${format.toUpperCase()}`, async () => {
			const sandbox = await startStore();
			try {
				const { client, sent } = clientOf(sandbox, { format });
				await succeed(client, sandbox);
				const types = sent.map(({ headers }) => headers["content-type"]).filter(Boolean);
				const xml = format === "xml" && (name === "addPet" || name === "updatePet");
				if (xml) assert.deepEqual(new Set(types), new Set(["application/xml"]));
				else assert.ok(!types.includes("application/xml"));
			} finally {
				await sandbox.close();
			}
		});
	}
}

for (const body of ["api-response", "empty"] as const) {
	for (const status of [200, 201, 202, 204] as const) {
		test(`a change answered with ${status} and ${body === "empty" ? "nothing" : "an ApiResponse"} has happened`, async () => {
			const sandbox = await startStore();
			sandbox.petstore.behave({}, changesAnswered(body, status));
			try {
				for (const format of ["json", "xml"] as const) {
					const { client } = clientOf(sandbox, { format });
					assert.equal((await client.call("updatePet", { body: { ...rex, id: exactId("4") } })).data, null);
					const { data } = await client.call("updatePetWithForm", { petId: 4, name: "Again" });
					assert.equal(data === null, status === 204 || body === "empty");
					assert.equal(sandbox.petstore.store.pets.get(4n)?.name, "Again");
				}
			} finally {
				await sandbox.close();
			}
		});
	}
}

for (const format of ["json", "xml"] as const) {
	test(`a login has an expiry, and its password is nowhere but on the wire, in ${format.toUpperCase()}`, async () => {
		const sandbox = await startStore();
		try {
			const { client, notices, sent } = clientOf(sandbox, { format });
			const { password } = sandbox.keys.petstore.user;
			const { data } = await client.call("loginUser", sandbox.keys.petstore.user);
			assert.ok(Math.abs((data.expiresAt ?? 0) - Date.now() - 3_600_000) < 60_000);
			assert.match(data.message, /^logged in user session:\d+$/);
			assert.ok(sent[0]?.url.href.includes(password));
			assert.ok(!JSON.stringify([data, notices]).includes(password));
			assert.match(notices[0]?.url ?? "", /\/v2\/user\/login\?username=ada&password=\{password\}$/);
		} finally {
			await sandbox.close();
		}
	});
}
