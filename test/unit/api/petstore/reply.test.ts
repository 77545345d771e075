import { strict as assert } from "node:assert";
import { test } from "node:test";
import { inspect } from "node:util";
import type { AnyOperation } from "#api/petstore/operation.ts";
import { OPERATIONS } from "#api/petstore/operations.ts";
import { type GoodReply, readReply } from "#api/petstore/reply.ts";
import { ClientError } from "#base/errors.ts";

const redact = (text: string) => text;
const reply = (body: string, type = "application/json"): GoodReply => ({ headers: { "content-type": type }, body });

/** Those of which the contract does not say what they answer, or whose answer nobody reads for its own sake. */
const SILENT = Object.entries(OPERATIONS).filter(
	([
		,
		{
			anyReply,
			reply: { kind },
		},
	]) => anyReply || kind === "session",
);

const PAGES: readonly GoodReply[] = [
	reply("<!DOCTYPE html><html><head><title>Sign in</title></head></html>", "text/html"),
	reply("\uFEFF\n<HTML></HTML>"),
	reply(
		'<?xml version="1.0"?>\n<!-- portal -->\n<!DOCTYPE html SYSTEM "about:legacy-compat"><html/>',
		"application/xml",
	),
	reply('<html xmlns="http://www.w3.org/1999/xhtml"><body><message>ok</message></body></html>', "application/xml"),
	reply("<script>location = '/login'</script>", "application/xml"),
	reply("<head><meta http-equiv='refresh' content='0; url=/login'></head>"),
	reply('Please <a href="/login">sign in</a> to the network.', "text/html; charset=utf-8"),
	reply("<center><b>Access blocked by policy</b></center>", "text/html"),
	reply("<center><b>Access blocked by policy</b></center>"),
	reply("<blink>Access blocked by policy</blink>", "text/html"),
];

const DONE: readonly GoodReply[] = [
	reply(""),
	reply("", "text/html"),
	reply("ok", "text/plain"),
	reply("Pet deleted", "text/html; charset=utf-8"),
	reply("1 < 2, and <b> is no page", "text/plain"),
	reply("null"),
	reply("[]"),
	reply('{"code":200,"type":"unknown","message":"<p>done</p>"}', "text/html"),
	reply('{"state":"done","note":"<p>fine</p>"}', "text/html"),
	reply("<ApiResponse><message>done</message></ApiResponse>", "application/xml"),
	reply("<Pet><id>1</id><name>Rex</name></Pet>", "application/xml"),
	reply("<Result><ok/></Result>", "application/xml"),
	reply("<Pet><id>", "application/xml"),
];

test("a web page is never a success, whatever it is labelled", async () => {
	assert.equal(SILENT.length, 14);
	for (const [name, operation] of SILENT) {
		for (const page of PAGES) {
			await assert.rejects(
				readReply(page, operation, { redact }),
				(error: unknown) => {
					assert.ok(error instanceof ClientError && error.code === "malformed", name);
					assert.match(error.message, /answered with a web page\. The change is not confirmed/, page.body);
					return true;
				},
				`${name}: ${page.body}`,
			);
		}
	}
});

test("anything but a web page is a success if the contract defines no body", async () => {
	for (const [name, operation] of SILENT) {
		for (const said of DONE) {
			await assert.doesNotReject(readReply(said, operation, { redact }), `${name}: ${said.body}`);
		}
	}
});

test("a web page in reply to a read is reported as such", async () => {
	for (const page of PAGES) {
		await assert.rejects(readReply(page, OPERATIONS.getPetById, { redact }), /is a web page/);
	}
});

test("the error of a reply that could hold a password reveals nothing of it", async () => {
	for (const body of [
		"<List><item><name>ada</name><word>hidden</word></item></List>",
		"<User><username>ada</username><word>hidden</User>",
		"<User><username>ada</username><password>a &hidden; b</password></User>",
		'["ada","hidden"]',
		'{"username":"ada","password":"hidden","userStatus":NaN}',
		"hidden",
		"<html><body>hidden</body></html>",
	]) {
		await assert.rejects(readReply(reply(body), OPERATIONS.getUserByName, { redact }), (error: Error) => {
			assert.ok(!inspect(error).includes("hidden"), inspect(error));
			return true;
		});
	}
	const page = readReply(reply("<html><body>hidden</body></html>"), OPERATIONS.loginUser, { redact });
	await assert.rejects(page, (error: Error) => !inspect(error).includes("hidden"));
	// Others say what they have got.
	await assert.rejects(readReply(reply("shown"), OPERATIONS.getPetById, { redact }), /It says: "shown"/);
});

test("a login succeeds though its reply says nothing", async () => {
	const read = (said: GoodReply) => readReply(said, OPERATIONS.loginUser, { redact });
	for (const body of ["", " \n", "{}", "null", '""', "<ApiResponse/>"]) {
		assert.deepEqual(await read({ headers: {}, body }), { message: "", expiresAt: null, rateLimit: null }, body);
		const session = await read({ headers: { "x-rate-limit": "7" }, body });
		assert.deepEqual(session, { message: "", expiresAt: null, rateLimit: 7 }, body);
		await assert.doesNotReject(read({ headers: { "x-expires-after": "some day" }, body }), body);
	}
});

test("the message of a login is a string, plain text, or that of an ApiResponse", async () => {
	const apiResponse = "<ApiResponse><code>200</code><message>in</message></ApiResponse>";
	for (const said of [
		reply('"in"'),
		reply("in", "text/plain"),
		reply('{"code":200,"type":"unknown","message":"in"}'),
		reply(apiResponse, "application/xml"),
	]) {
		const session = await readReply(said, OPERATIONS.loginUser, { redact });
		assert.deepEqual(session, { message: "in", expiresAt: null, rateLimit: null }, said.body);
	}
});

test("a rate limit is kept, however high it is", async () => {
	for (const limit of ["0", "5000", "999999999", "1000000000", "2147483647", "4294967296"]) {
		const said = { headers: { "x-rate-limit": ` ${limit} ` }, body: '"ok"' };
		const session = await readReply(said, OPERATIONS.loginUser, { redact });
		assert.deepEqual(session, { message: "ok", expiresAt: null, rateLimit: Number(limit) });
	}
	for (const limit of ["", "-1", "1.5", "many", "1".repeat(30)]) {
		const said = { headers: { "x-rate-limit": limit }, body: '"ok"' };
		const session = await readReply(said, OPERATIONS.loginUser, { redact });
		assert.deepEqual(session, { message: "ok", expiresAt: null, rateLimit: null });
	}
});

test("no body, null and nil are an empty list or inventory", async () => {
	const nil = '<pets xmlns:i="http://www.w3.org/2001/XMLSchema-instance" i:nil="true"/>';
	for (const body of ["", " \n", "null", "[]", "<pets/>", nil]) {
		for (const operation of [OPERATIONS.findPetsByStatus, OPERATIONS.findPetsByTags]) {
			assert.deepEqual(await readReply({ headers: {}, body }, operation, { redact }), [], body);
		}
	}
	for (const body of ["", "null", "{}"]) {
		assert.deepEqual(await readReply({ headers: {}, body }, OPERATIONS.getInventory, { redact }), {}, body);
		await assert.rejects(readReply({ headers: {}, body: "" }, OPERATIONS.getPetById, { redact }), {
			code: "malformed",
		});
	}
});

test("XML labeled as a page is XML where it says what was asked for", async () => {
	const pet = "<Pet><id>7</id><name>Rex</name></Pet>";
	const read = (body: string, operation: AnyOperation) => readReply(reply(body, "text/html"), operation, { redact });
	assert.deepEqual(await read(pet, OPERATIONS.getPetById), { id: "7", name: "Rex" });
	assert.deepEqual(await read(`<?xml version="1.0"?><pets>${pet}</pets>`, OPERATIONS.findPetsByStatus), [
		{ id: "7", name: "Rex" },
	]);
	assert.deepEqual(await read(pet, OPERATIONS.addPet), { id: "7", name: "Rex" });
	const session = await read("<ApiResponse><message>in</message></ApiResponse>", OPERATIONS.loginUser);
	assert.deepEqual(session, { message: "in", expiresAt: null, rateLimit: null });
	for (const page of ["<Pet><id>7</id>", "<section><h2>Sign in</h2></section>"]) {
		for (const name of ["getPetById", "findPetsByStatus", "addPet", "loginUser"] as const) {
			await assert.rejects(read(page, OPERATIONS[name]), /web page/, `${name}: ${page}`);
		}
	}
});

test("an inventory of a million statuses is refused before it is parsed", async () => {
	const statuses = Array.from({ length: 1_000_000 }, (_, at) => `"s${at}":1`);
	const begun = performance.now();
	const reading = readReply(reply(`{${statuses.join()}}`), OPERATIONS.getInventory, { redact });
	await assert.rejects(reading, /has too many statuses/);
	assert.ok(performance.now() - begun < 30_000);
});
