import { readCodehostBehaviour } from "./codehost/behaviour.ts";
import { readBehaviour } from "./messages/behaviour.ts";
import { readPetstoreBehaviour } from "./petstore/behaviour.ts";
import { type Sandbox, type SandboxOptions, startSandbox } from "./sandbox.ts";
import { parseJson } from "./service.ts";
import { integer } from "./strict.ts";

const PORT = "SWITCHBOARD_SANDBOX_PORT";
const FAULTS = "SWITCHBOARD_SANDBOX_FAULTS";
const CODEHOST = "SWITCHBOARD_SANDBOX_CODEHOST";
const PETSTORE = "SWITCHBOARD_SANDBOX_PETSTORE";
const PETS = "SWITCHBOARD_SANDBOX_PETS";

/**
 * The options given by the environment: `SWITCHBOARD_SANDBOX_PORT`, `SWITCHBOARD_SANDBOX_FAULTS` with a `Behaviour` of
 * the messages service as JSON, `SWITCHBOARD_SANDBOX_CODEHOST` with a `CodehostBehaviour`, `SWITCHBOARD_SANDBOX_PETSTORE`
 * with a `PetstoreBehaviour`, and `SWITCHBOARD_SANDBOX_PETS` with the number of pets. Throws a `Violation` that names the
 * variable.
 */
export function sandboxOptionsFrom(environment: Readonly<Record<string, string | undefined>>): SandboxOptions {
	const { [PORT]: port, [FAULTS]: faults, [CODEHOST]: codehost, [PETSTORE]: petstore, [PETS]: pets } = environment;
	return {
		...(port && { port: integer({ min: 0, max: 65_535 })(Number(port), PORT) }),
		...(faults && { behaviour: readBehaviour(parseJson(faults, FAULTS), FAULTS) }),
		...(codehost && { codehost: readCodehostBehaviour(parseJson(codehost, CODEHOST), CODEHOST) }),
		...(petstore && { petstore: readPetstoreBehaviour(parseJson(petstore, PETSTORE), PETSTORE) }),
		...(pets && { pets: integer({ min: 0, max: 100_000 })(Number(pets), PETS) }),
	};
}

/** Starts the sandbox as the environment says. */
export async function startSandboxFrom(environment: Readonly<Record<string, string | undefined>>): Promise<Sandbox> {
	return startSandbox(sandboxOptionsFrom(environment));
}
