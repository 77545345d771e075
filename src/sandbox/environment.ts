import { integer, type Schema } from "#base/schema.ts";
import { codehostFaults } from "./codehost/faults.ts";
import { messagesFaults } from "./messages/faults.ts";
import { petstoreFaults } from "./petstore/faults.ts";
import { type Sandbox, type SandboxOptions, startSandbox } from "./sandbox.ts";
import { strictJson, strictly } from "./strict.ts";

/** Sandbox options from `SWITCHBOARD_SANDBOX_*` variables. Throws ClientError `invalid` that names the variable. */
export function sandboxOptionsFrom(environment: Readonly<Record<string, string | undefined>>): SandboxOptions {
	const read = <T>(name: string, schema: Schema<T>): T | undefined => {
		const text = environment[name];
		return text ? strictly(schema, strictJson(text, name), name) : undefined;
	};
	return {
		port: read("SWITCHBOARD_SANDBOX_PORT", integer({ min: 0, max: 65_535 })),
		messages: read("SWITCHBOARD_SANDBOX_FAULTS", messagesFaults),
		codehost: read("SWITCHBOARD_SANDBOX_CODEHOST", codehostFaults),
		petstore: read("SWITCHBOARD_SANDBOX_PETSTORE", petstoreFaults),
		pets: read("SWITCHBOARD_SANDBOX_PETS", integer({ min: 0, max: 100_000 })),
	};
}

/** Starts the sandbox with the options of the environment. */
export async function startSandboxFrom(
	environment: Readonly<Record<string, string | undefined>>,
	own?: SandboxOptions["own"],
): Promise<Sandbox> {
	return startSandbox({ ...sandboxOptionsFrom(environment), own });
}
