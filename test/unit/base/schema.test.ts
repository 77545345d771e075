import assert from "node:assert/strict";
import { test } from "node:test";
import { ClientError } from "#base/errors.ts";
import * as s from "#base/schema.ts";

const pet = s.object(
	{
		id: s.int64(),
		label: s.text({ min: 1, max: 8 }),
		order: s.optional(s.integer({ min: 1, max: 9 })),
		status: s.oneOf("available", "sold"),
		tags: s.optional(s.list(s.object({ name: s.trimmed() }), { max: 2 })),
	},
	{ strict: true },
);

const mistake = (schema: s.Schema<unknown>, value: unknown) => {
	try {
		s.parse(schema, value, "petstore", "pet");
	} catch (error) {
		assert.ok(error instanceof ClientError);
		assert.deepEqual([error.service, error.code], ["petstore", "invalid"]);
		assert.ok(error.message.startsWith(`${error.field} `));
		return error.message;
	}
	return assert.fail("the value was taken");
};

test("a value that is valid comes back as its type, converted and without null", () => {
	const { id, order, tags }: s.Infer<typeof pet> = s.parse(
		pet,
		{ id: 7, label: "Bo", order: null, status: "sold", tags: [{ name: " a ", other: 1 }] },
		"petstore",
	);
	assert.deepEqual([id, order, tags], ["7", undefined, [{ name: "a" }]]);
});

test("a default stands for a field that is absent or null, and for no mistake", () => {
	const read = (value: object) => s.parse(s.object({ at: s.withDefault(s.number(), null) }), value, "messages");
	assert.deepEqual([{}, { at: null }, { at: 5 }].map(read), [{ at: null }, { at: null }, { at: 5 }]);
	assert.throws(() => read({ at: "5" }), { field: "at" });
});

test("a mistake names the path of its field and the rule", () => {
	const good = { id: "1", label: "Bo", status: "sold" };
	for (const [value, message] of [
		[undefined, "pet must be an object"],
		[[], "pet must be an object"],
		[{ ...good, id: undefined }, "id is missing"],
		[{ ...good, id: 1.5 }, "id must be a whole number of 64 bits, written as text beyond 2^53"],
		[{ ...good, label: " " }, "label must be a non-empty text"],
		[{ ...good, label: "123456789" }, "label must have at most 8 characters"],
		[{ ...good, order: 10 }, "order must be from 1 to 9"],
		[{ ...good, order: "1" }, "order must be a whole number"],
		[{ ...good, status: "lost" }, "status must be one of available, sold"],
		[{ ...good, tags: [{ name: "a" }, { name: 1 }] }, "tags[1].name must be a non-empty text"],
		[{ ...good, tags: [1, 2, 3] }, "tags must have at most 2 items"],
		[{ ...good, colour: "red" }, "colour is not known; use id, label, order, status, tags"],
	] as const) {
		assert.equal(mistake(pet, value), message);
	}
});

test("each kind of value has its rule", () => {
	for (const [schema, value, message] of [
		[s.number({ min: 0 }), -1, "pet must be from 0 up"],
		[s.number(), Number.NaN, "pet must be a number"],
		[s.flag(), 0, "pet must be true or false"],
		[s.text(), 1, "pet must be text"],
		[s.list(s.text(), { min: 1 }), [], "pet must not be empty"],
		[s.list(s.text()), "a", "pet must be a list"],
		[s.map(s.flag()), { a: 1 }, "a must be true or false"],
		[s.anything({ depth: 1 }), [[1]], "pet must be nested at most 1 deep"],
		[s.oneOf("a"), "b", "pet must be a"],
		[s.refine(s.text(), (text) => (text === "a" ? undefined : "must be a")), "b", "pet must be a"],
	] as const) {
		assert.equal(mistake(schema, value), message);
	}
	assert.equal(s.parsed(s.nullable(s.text()), null), null);
	assert.deepEqual(s.parsed(s.map(s.trimmed()), { a: " b " }), { a: "b" });
});

test("the name of a field that every object inherits is not found in it", () => {
	assert.equal(mistake(s.object({ toString: s.anything() }), {}), "toString is missing");
	assert.equal(
		mistake(pet, JSON.parse('{"__proto__": 1}')),
		"__proto__ is not known; use id, label, order, status, tags",
	);
});

test("a schema gives the JSON schema of its values", () => {
	assert.deepEqual(s.described(pet, "A pet.").json, {
		type: "object",
		description: "A pet.",
		additionalProperties: false,
		required: ["id", "label", "status"],
		properties: {
			id: { type: ["string", "integer"] },
			label: { type: "string", minLength: 1, maxLength: 8 },
			order: { type: "integer", minimum: 1, maximum: 9 },
			status: { type: "string", enum: ["available", "sold"] },
			tags: {
				type: "array",
				maxItems: 2,
				items: { type: "object", required: ["name"], properties: { name: { type: "string", minLength: 1 } } },
			},
		},
	});
});

test("an error names a field as the argument does and keeps the service's words", () => {
	const named = (field: string, input: object, status?: number) => {
		const facts = status === undefined ? { field } : { field, status };
		const error = new ClientError("messages", "invalid", `${field} is wrong`, facts);
		const { field: name, message, ...rest } = s.inArgument(error, input);
		assert.deepEqual([rest.status, rest.code], [status, "invalid"]);
		return [name, message];
	};
	assert.deepEqual(named("max_tokens", { maxTokens: 1 }), ["maxTokens", "maxTokens is wrong"]);
	assert.deepEqual(named("stop_sequences[0]", { stopSequences: 1 }), ["stopSequences[0]", "stopSequences[0] is wrong"]);
	assert.deepEqual(named("credential.expiresAt", { expiresAt: 1 }), ["expiresAt", "expiresAt is wrong"]);
	assert.deepEqual(named("max_tokens", { maxTokens: 1 }, 400), ["maxTokens", "max_tokens is wrong"]);
	assert.deepEqual(named("messages[0].content", { maxTokens: 1 }), [
		"messages[0].content",
		"messages[0].content is wrong",
	]);
});

test("the first type that takes a value reads it", () => {
	const either = s.union(s.flag(), s.list(s.text()));
	assert.deepEqual([s.parsed(either, true), s.parsed(either, ["a"])], [true, ["a"]]);
	assert.equal(mistake(either, 1), "pet must be a list");
});

test("bytes are taken in base64 of either alphabet", () => {
	for (const [written, bytes] of [
		["+/8=", [251, 255]],
		["-_8", [251, 255]],
		[" AQID\nBA== ", [1, 2, 3, 4]],
	] as const) {
		assert.deepEqual([...s.parse(s.base64(), written, "petstore")], bytes);
	}
	for (const wrong of ["!!!", "A", "AQ=ID", "AQ===", "="]) {
		assert.equal(mistake(s.base64(), wrong), "pet is no base64");
	}
});
