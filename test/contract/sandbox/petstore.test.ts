import { strict as assert } from "node:assert";
import { afterEach, beforeEach, describe, test } from "node:test";
import { type Sandbox, startSandbox } from "#sandbox/sandbox.ts";
import { object, objects } from "../../support/codehost-wire.ts";
import { ask, assertRefused, FORM, ok, XML } from "./petstore-wire.ts";

describe("the pet store of the sandbox", () => {
	// Each test has a store of its own, for most of them change it. Outside of this group the hooks would open one for each
	// test of the process, and never close that of a test with subtests.
	let sandbox: Sandbox;
	beforeEach(async () => {
		sandbox = await startSandbox({ curious: true });
	});
	afterEach(() => sandbox.close());

	const EXACT = ["9007199254740993", "9223372036854775807"] as const;
	const REX = { id: 500, name: "Rex", photoUrls: ["https://a.example/rex.png"], status: "available" };

	test("addPet keeps a pet as it came, in JSON and in XML", async () => {
		const full = { ...REX, category: { id: 1, name: "Dogs" }, tags: [{ id: 2, name: "good" }] };
		assert.deepEqual(ok(await ask(sandbox, "POST /pet", { body: full })), full);
		assert.deepEqual(ok(await ask(sandbox, "GET /pet/500")), full);
		const xml =
			"<Pet><id>501</id><category><id>1</id><name>Dogs</name></category><name>Rex &amp; Co</name>" +
			"<photoUrls><photoUrl>a</photoUrl><photoUrl>b</photoUrl></photoUrls>" +
			"<tags><tag><id>2</id><name>good</name></tag></tags><status>sold</status></Pet>";
		const added = await ask(sandbox, "POST /pet", { body: xml, type: XML, accept: XML });
		assert.equal(added.headers.get("content-type"), XML);
		assert.equal(added.text.replace(/^<\?xml[^>]*>\n/, ""), xml);
		assert.deepEqual(object(ok(await ask(sandbox, "GET /pet/501")))["photoUrls"], ["a", "b"]);
	});

	test("ids beyond the precision of a double stay exact in JSON and XML, both ways", async () => {
		for (const id of EXACT) {
			const json = `{"id":${id},"name":"Exact","photoUrls":[],"tags":[{"id":${id},"name":"t"}]}`;
			assert.equal((await ask(sandbox, "PUT /pet", { body: json })).text, json);
			assert.equal((await ask(sandbox, `GET /pet/${id}`)).text, json);
			const xml = `<Pet><id>${id}</id><name>X</name><photoUrls/><tags><tag><id>${id}</id></tag></tags></Pet>`;
			assert.ok((await ask(sandbox, "PUT /pet", { body: xml, type: XML, accept: XML })).text.endsWith(xml));
			assert.ok((await ask(sandbox, `GET /pet/${id}`, { accept: XML })).text.endsWith(xml));
		}
		// The neighbour, which a double would take for it, is another pet.
		assert.equal(ok(await ask(sandbox, "GET /pet/9007199254740992"))["name"], "Even");
	});

	const INVALID_PETS: readonly (readonly [why: string, body: unknown, message: RegExp])[] = [
		["without a name", { photoUrls: [] }, /name is missing/],
		["without photoUrls", { name: "x" }, /photoUrls is missing/],
		["with another status", { ...REX, status: "lost" }, /status must be one of available, pending, sold/],
		["with a status of another pet", { ...REX, status: "adopted" }, /status must be one of available, pending, sold$/],
		["with an id beyond int64", '{"id":9223372036854775808,"name":"x","photoUrls":[]}', /id must be an int64/],
		["with an id that is a string", { ...REX, id: "7" }, /id must be an integer/],
		["with an unknown field", { ...REX, age: 3 }, /age is not known/],
		["that is a list", [REX], /The body must be an object/],
		["that is not JSON", "{", /The body must be JSON/],
	];
	for (const [why, body, message] of INVALID_PETS) {
		test(`addPet refuses a body ${why} with 405 Invalid input`, async () => {
			const reply = await ask(sandbox, "POST /pet", { body });
			for (const words of [message, /^Invalid input: /]) assertRefused(reply, 405, words);
		});
	}

	const INVALID_XML: readonly (readonly [why: string, body: string, message: RegExp])[] = [
		["another root", "<Order/>", /must be Pet/],
		["no end", "<Pet><name>x</name>", /not well-formed/],
		["words for an id", "<Pet><id>one</id><name>x</name><photoUrls/></Pet>", /id must be an integer/],
	];
	for (const [why, body, message] of INVALID_XML) {
		test(`addPet refuses XML with ${why} with 405`, async () => {
			assertRefused(await ask(sandbox, "POST /pet", { body, type: XML }), 405, message);
		});
	}

	test("updatePet changes a pet, and distinguishes a wrong id, no pet and a broken rule", async () => {
		const pet = { ...REX, id: 7 };
		assert.deepEqual(ok(await ask(sandbox, "PUT /pet", { body: pet })), pet);
		assert.deepEqual(ok(await ask(sandbox, "GET /pet/7")), pet);
		for (const id of ["", '"id":"x",', '"id":null,', '"id":9223372036854775808,']) {
			const body = `{${id}"name":"x","photoUrls":[]}`;
			assertRefused(await ask(sandbox, "PUT /pet", { body }), 400, /^Invalid ID supplied/);
		}
		const xml = "<Pet><id>x</id><name>x</name><photoUrls/></Pet>";
		assertRefused(await ask(sandbox, "PUT /pet", { body: xml, type: XML }), 400, /^Invalid ID supplied/);
		assertRefused(await ask(sandbox, "PUT /pet", { body: { ...pet, id: 404 } }), 404, /^Pet not found$/);
		assertRefused(await ask(sandbox, "PUT /pet", { body: { id: 7, name: "x" } }), 405, /^Validation exception: /);
		assertRefused(await ask(sandbox, "PUT /pet", { body: "[]" }), 405, /^Validation exception: /);
		assert.deepEqual(ok(await ask(sandbox, "GET /pet/7")), pet);
	});

	test("findPetsByStatus takes a repeated parameter and returns pets of each status", async () => {
		const statuses = async (query: string) => {
			const reply = await ask(sandbox, `GET /pet/findByStatus?${query}`);
			assert.equal(reply.status, 200, reply.text);
			return new Set(objects(reply.json).map(({ status }) => status));
		};
		assert.deepEqual(await statuses("status=sold"), new Set(["sold"]));
		assert.deepEqual(await statuses("status=available&status=pending"), new Set(["available", "pending"]));
		for (const query of ["", "?status=", "?status=lost", "?status=sold&status=lost", "?status=sold,pending"]) {
			assertRefused(await ask(sandbox, `GET /pet/findByStatus${query}`), 400, /^Invalid status value: /);
		}
		const xml = (await ask(sandbox, "GET /pet/findByStatus?status=pending", { accept: XML })).text;
		assert.match(xml, /<pets><Pet><id>3<\/id>/);
		assert.match(xml, /<id>9223372036854775807<\/id>/);
	});

	test("findPetsByTags finds pets of every status, known or not, by any of the tags", async () => {
		const found = async (query: string) =>
			objects((await ask(sandbox, `GET /pet/findByTags?${query}`)).json).map(({ name }) => name);
		assert.deepEqual(await found("tags=loud"), ["Echo"]);
		assert.deepEqual(await found("tags=exact&tags=loud"), ["Odd", "Max", "Echo"]);
		assert.deepEqual(await found("tags=nobody"), []);
		for (const query of ["", "?tags="]) {
			assertRefused(await ask(sandbox, `GET /pet/findByTags${query}`), 400, /^Invalid tag value: /);
		}
	});

	test("getPetById, deletePet: a wrong id is 400, an absent pet is 404", async () => {
		for (const method of ["GET", "DELETE"]) {
			for (const id of ["seven", "1.5", "7x", "9223372036854775808", "1e3"]) {
				assertRefused(await ask(sandbox, `${method} /pet/${id}`), 400, /^Invalid ID supplied: /);
			}
			assertRefused(await ask(sandbox, `${method} /pet/404`), 404, /^Pet not found$/);
			assertRefused(await ask(sandbox, `${method} /pet/-7`), 404, /^Pet not found$/);
		}
		assert.equal(ok(await ask(sandbox, "DELETE /pet/7"))["message"], "7");
		assertRefused(await ask(sandbox, "DELETE /pet/7"), 404, /^Pet not found$/);
		assertRefused(await ask(sandbox, "GET /pet/7"), 404, /^Pet not found$/);
	});

	test("updatePetWithForm changes name and status, and ignores empty values", async () => {
		const update = (id: string, body: string) => ask(sandbox, `POST /pet/${id}`, { body, type: FORM });
		const pet = () => sandbox.petstore.store.pets.get(7n);
		const before = pet();
		ok(await update("7", "name=N%C3%A9&status=sold"));
		assert.deepEqual(pet(), { ...before, name: "Né", status: "sold" });
		ok(await update("7", "name=&status="));
		ok(await ask(sandbox, "POST /pet/7"));
		assertRefused(await update("7", "status=lost"), 405, /status must be one of available, pending, sold/);
		assert.deepEqual(pet(), { ...before, name: "Né", status: "sold" });
		for (const [id, body] of [
			["x", "name=a"],
			["404", "name=a"],
			["7", "status=lost"],
			["7", "age=3"],
		] as const) {
			assertRefused(await update(id, body), 405, /^Invalid input: /);
		}
	});

	test("uploadFile keeps a picture, adds its address to the pet, and needs no part", async () => {
		const [photo = ""] = sandbox.petstore.store.pets.get(7n)?.photoUrls ?? [];
		const bytes = new Uint8Array(await (await fetch(photo)).arrayBuffer());
		const form = new FormData();
		form.append("additionalMetadata", "a draught of Pip");
		form.append("file", new Blob([bytes], { type: "image/png" }), "pip.png");
		const reply = await ask(sandbox, "POST /pet/7/uploadImage", { body: form });
		assert.deepEqual(Object.keys(ok(reply)), ["code", "type", "message"]);
		assert.match(String(ok(reply)["message"]), /a draught of Pip\npip\.png was kept, \d+ bytes/);
		const added = sandbox.petstore.store.pets.get(7n)?.photoUrls.at(-1) ?? "";
		const served = await fetch(added);
		assert.equal(served.headers.get("content-type"), "image/png");
		assert.deepEqual(new Uint8Array(await served.arrayBuffer()), bytes);
		const empty = new FormData();
		empty.append("additionalMetadata", "");
		ok(await ask(sandbox, "POST /pet/7/uploadImage", { body: empty }));
		assert.equal(sandbox.petstore.store.pets.get(7n)?.photoUrls.at(-1), added);
	});

	test("uploadFile keeps only pictures, and refuses a form unlike the contract's", async () => {
		const before = sandbox.petstore.store.pets.get(7n);
		const upload = (name: string, path = "/pet/7/uploadImage") => {
			const form = new FormData();
			form.append(name, new Blob(["<svg onload='alert(1)'/>"], { type: "image/svg+xml" }), "x.svg");
			return ask(sandbox, `POST ${path}`, { body: form });
		};
		ok(await upload("file"));
		assert.deepEqual(sandbox.petstore.store.pets.get(7n), before);
		assertRefused(await upload("picture"), 400, /picture is not a known part/);
		assertRefused(await upload("file", "/pet/x/uploadImage"), 400, /petId must be an integer/);
		assertRefused(await upload("file", "/pet/404/uploadImage"), 404, /^Pet not found$/);
		assertRefused(await ask(sandbox, "POST /pet/7/uploadImage", { body: "{}" }), 415, /multipart\/form-data/);
	});

	test("the inventory counts every status, known or not, and follows every change", async () => {
		const inventory = async () => ok(await ask(sandbox, "GET /store/inventory"));
		const before = await inventory();
		assert.equal(before["adopted"], 1);
		assert.equal(before["in quarantine"], 1);
		const available = objects((await ask(sandbox, "GET /pet/findByStatus?status=available")).json);
		assert.equal(before["available"], available.length);
		ok(await ask(sandbox, `POST /pet/${available[0]?.["id"]}`, { body: "status=sold", type: FORM }));
		const after = await inventory();
		assert.equal(after["available"], available.length - 1);
		assert.equal(after["sold"], Number(before["sold"]) + 1);
		assert.equal((await ask(sandbox, "GET /store/inventory", { accept: XML })).status, 406);
	});

	test("placeOrder keeps every field, and gives an order without id the lowest free one", async () => {
		const order = { petId: 7, quantity: 2, shipDate: "2026-11-21T10:18:27.678Z", status: "placed", complete: false };
		assert.deepEqual(ok(await ask(sandbox, "POST /store/order", { body: order })), { id: 4, ...order });
		assert.deepEqual(ok(await ask(sandbox, "GET /store/order/4")), { id: 4, ...order });
		const moved = { ...order, shipDate: "2026-11-21T11:18:27.678+01:00" };
		assert.deepEqual(ok(await ask(sandbox, "POST /store/order", { body: moved })), { id: 9, ...order });
		const exact = '{"id":9223372036854775807,"petId":9007199254740993}';
		assert.equal((await ask(sandbox, "POST /store/order", { body: exact })).text, exact);
		const xml = (await ask(sandbox, "GET /store/order/10", { accept: XML })).text;
		assert.match(xml, /<Order><id>10<\/id><petId>9007199254740993<\/petId>.*<complete>(?:true|false)<\/complete>/);
	});

	test("placeOrder refuses what is no order with 400 Invalid Order", async () => {
		for (const body of [
			"",
			"[]",
			{ quantity: 2 ** 31 },
			{ status: "lost" },
			{ complete: "yes" },
			{ shipDate: "tomorrow" },
			{ shipDate: "2026-11-21T10:18:27.678+0000" },
			{ price: 1 },
		]) {
			assertRefused(await ask(sandbox, "POST /store/order", { body }), 400, /^Invalid Order: /);
		}
		const xml = await ask(sandbox, "POST /store/order", { body: "<Order/>", type: XML });
		assertRefused(xml, 415, /application\/json$/);
	});

	test("getOrderById knows 1 to 10, deleteOrder everything from 1", async () => {
		for (const id of ["0", "11", "-1", "x", "1.5"]) {
			assertRefused(await ask(sandbox, `GET /store/order/${id}`), 400, /^Invalid ID supplied: orderId/);
		}
		for (const id of ["0", "-1", "x", "1.5"]) {
			assertRefused(await ask(sandbox, `DELETE /store/order/${id}`), 400, /^Invalid ID supplied: orderId/);
		}
		assertRefused(await ask(sandbox, "GET /store/order/4"), 404, /^Order not found$/);
		assertRefused(await ask(sandbox, "DELETE /store/order/11"), 404, /^Order not found$/);
		ok(await ask(sandbox, "DELETE /store/order/1"));
		assertRefused(await ask(sandbox, "GET /store/order/1"), 404, /^Order not found$/);
	});

	test("users are created alone or as many, and all or none of many", async () => {
		const kim = { username: "kim", firstName: "Kim", password: "p", userStatus: 1 };
		const { message } = ok(await ask(sandbox, "POST /user", { body: kim }));
		assert.deepEqual(ok(await ask(sandbox, "GET /user/kim")), { ...kim, id: Number(message) });
		for (const path of ["/user/createWithList", "/user/createWithArray"]) {
			const name = path.slice(-4).toLowerCase();
			ok(await ask(sandbox, `POST ${path}`, { body: [{ username: `${name} 1` }, { username: `${name} 2` }] }));
			assert.equal(ok(await ask(sandbox, `GET /user/${name}%202`))["username"], `${name} 2`);
			const half = [{ username: `${name} 3` }, { username: `${name} 4`, userStatus: 2 ** 31 }];
			assertRefused(await ask(sandbox, `POST ${path}`, { body: half }), 400, /\[1\]\.userStatus must be an int32/);
			assertRefused(await ask(sandbox, `GET /user/${name}%203`), 404, /^User not found$/);
		}
		for (const body of ["", "[]", {}, { username: "" }, { username: ".." }, { username: "a/b" }, { name: "x" }]) {
			assertRefused(await ask(sandbox, "POST /user", { body }), 400, /^Invalid user supplied: /);
		}
	});

	test("a user is sent in JSON and in XML under the names of the contract", async () => {
		const names = ["id", "username", "firstName", "lastName", "email", "password", "phone", "userStatus"];
		assert.deepEqual(Object.keys(ok(await ask(sandbox, "GET /user/ada"))), names);
		const xml = (await ask(sandbox, "GET /user/max%20integer", { accept: XML })).text;
		assert.match(xml, /<User><id>9223372036854775807<\/id><username>max integer<\/username>/);
	});

	test("operations on a user answer a wrong name with 400 and an absent user with 404", async () => {
		const long = "x".repeat(101);
		for (const method of ["GET", "DELETE"]) {
			assertRefused(await ask(sandbox, `${method} /user/${long}`), 400, /^Invalid username supplied: /);
			assertRefused(await ask(sandbox, `${method} /user/nobody`), 404, /^User not found$/);
		}
		assertRefused(await ask(sandbox, "PUT /user/nobody", { body: {} }), 404, /^User not found$/);
		assertRefused(await ask(sandbox, "PUT /user/ada", { body: { id: "x" } }), 400, /^Invalid user supplied: /);
		ok(await ask(sandbox, "PUT /user/ada", { body: { phone: "1" } }));
		const { username, phone, id } = ok(await ask(sandbox, "GET /user/ada"));
		assert.deepEqual([username, phone, id], ["ada", "1", 101]);
		ok(await ask(sandbox, "PUT /user/ada", { body: { username: "ada2" } }));
		assertRefused(await ask(sandbox, "GET /user/ada"), 404, /^User not found$/);
		ok(await ask(sandbox, "DELETE /user/ada2"));
		assertRefused(await ask(sandbox, "GET /user/ada2"), 404, /^User not found$/);
	});

	test("loginUser returns expiry and rate, and refuses a wrong password with 400", async () => {
		const { username, password } = sandbox.keys.petstore.user;
		const login = (query: string, accept = "application/json") => ask(sandbox, `GET /user/login?${query}`, { accept });
		const right = `username=${username}&password=${password}`;
		const reply = await login(right);
		assert.equal(reply.status, 200, reply.text);
		assert.match(String(reply.json), /^logged in user session:\d+$/);
		assert.match(reply.headers.get("x-expires-after") ?? "", /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
		assert.match(reply.headers.get("x-rate-limit") ?? "", /^\d+$/);
		assert.match((await login(right, XML)).text, /<string>logged in user session:\d+<\/string>/);
		for (const query of [
			"",
			`username=${username}`,
			`password=${password}`,
			`${right}x`,
			`username=lin2&password=${password}`,
		]) {
			assertRefused(await login(query), 400, /^Invalid username\/password supplied/);
		}
		ok(await ask(sandbox, "GET /user/logout"));
	});

	test("a wrong type is 415, a wrong format 406", async () => {
		assertRefused(await ask(sandbox, "POST /pet", { body: "x", type: "text/plain" }), 415, /json or application\/xml$/);
		const untyped = new TextEncoder().encode("name=a");
		assertRefused(await ask(sandbox, "POST /pet/7", { body: untyped, type: "" }), 415, /is required$/);
		assertRefused(await ask(sandbox, "GET /pet/7", { accept: "text/html" }), 406, /json and xml/);
		assert.equal((await ask(sandbox, "GET /pet/7", { accept: "text/html, */*;q=0.1" })).status, 200);
	});

	test("errors are in XML where XML was requested", async () => {
		const { status, text, headers } = await ask(sandbox, "GET /pet/404", { accept: XML });
		assert.equal(status, 404);
		assert.equal(headers.get("content-type"), XML);
		assert.match(text, /<ApiResponse><code>404<\/code><type>error<\/type><message>Pet not found<\/message>/);
	});

	test("the number of pets is chosen at the start, and each picture of a seed is served", async () => {
		const other = await startSandbox({ curious: true, pets: 2000 });
		try {
			const counts = Object.values(ok(await ask(other, "GET /store/inventory")));
			assert.equal(
				counts.reduce<number>((sum, count) => sum + Number(count), 0),
				2010,
			);
			const pets = objects((await ask(other, "GET /pet/findByStatus?status=sold")).json);
			const urls = pets
				.slice(0, 12)
				.flatMap(({ photoUrls }) => (Array.isArray(photoUrls) ? photoUrls.map(String) : []));
			for (const url of urls) {
				const picture = await fetch(url);
				assert.deepEqual([picture.status, picture.headers.get("content-type")], [200, "image/png"], url);
				assert.match(picture.headers.get("content-security-policy") ?? "", /sandbox/);
			}
			assert.equal((await fetch(`${other.baseUrls.petstore}/pictures/dragon-1.png`)).status, 404);
		} finally {
			await other.close();
		}
	});
});
