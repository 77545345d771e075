import { strict as assert } from "node:assert";
import { test } from "node:test";
import { sandboxOptionsFrom } from "#sandbox/environment.ts";

test("an environment without our variables, or with empty ones, gives no options", () => {
	assert.deepEqual(sandboxOptionsFrom({ PATH: "x" }), {});
	assert.deepEqual(sandboxOptionsFrom({ SWITCHBOARD_SANDBOX_PORT: "", SWITCHBOARD_SANDBOX_FAULTS: "" }), {});
});

test("the port, the faults of each service and the number of pets are read", () => {
	const faults = { fail: { status: 529, times: 2 }, wordDelayMs: 0 };
	const codehost = { limit: 50, on: ["user"] };
	const petstore = { changeAfterRead: true, tokenSeconds: 90 };
	assert.deepEqual(
		sandboxOptionsFrom({
			SWITCHBOARD_SANDBOX_PORT: "4711",
			SWITCHBOARD_SANDBOX_FAULTS: JSON.stringify(faults),
			SWITCHBOARD_SANDBOX_CODEHOST: JSON.stringify(codehost),
			SWITCHBOARD_SANDBOX_PETSTORE: JSON.stringify(petstore),
			SWITCHBOARD_SANDBOX_PETS: "2000",
		}),
		{ port: 4711, messages: faults, codehost, petstore, pets: 2000 },
	);
});

test("a wrong value is refused with the name of its variable", () => {
	for (const port of ["x", "-1", "65536", "1.5", "4711x"]) {
		assert.throws(
			() => sandboxOptionsFrom({ SWITCHBOARD_SANDBOX_PORT: port }),
			/^ClientError: SWITCHBOARD_SANDBOX_PORT/,
		);
	}
	for (const pets of ["x", "-1", "1.5", "100001"]) {
		assert.throws(
			() => sandboxOptionsFrom({ SWITCHBOARD_SANDBOX_PETS: pets }),
			/^ClientError: SWITCHBOARD_SANDBOX_PETS/,
		);
	}
	for (const faults of ["{", "[]", "null", '{"fial":{}}', '{"fail":{"status":200}}']) {
		assert.throws(
			() => sandboxOptionsFrom({ SWITCHBOARD_SANDBOX_FAULTS: faults }),
			/^ClientError: SWITCHBOARD_SANDBOX_FAULTS/,
		);
		assert.throws(
			() => sandboxOptionsFrom({ SWITCHBOARD_SANDBOX_CODEHOST: faults }),
			/^ClientError: SWITCHBOARD_SANDBOX_CODEHOST/,
		);
		assert.throws(
			() => sandboxOptionsFrom({ SWITCHBOARD_SANDBOX_PETSTORE: faults }),
			/^ClientError: SWITCHBOARD_SANDBOX_PETSTORE/,
		);
	}
});
