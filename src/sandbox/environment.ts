import { readCodehostBehaviour } from "./codehost/behaviour.ts";
import { readBehaviour } from "./messages/behaviour.ts";
import { type Sandbox, type SandboxOptions, startSandbox } from "./sandbox.ts";
import { integer, Violation } from "./strict.ts";

const PORT = "SWITCHBOARD_SANDBOX_PORT";
const FAULTS = "SWITCHBOARD_SANDBOX_FAULTS";
const CODEHOST = "SWITCHBOARD_SANDBOX_CODEHOST";

/**
 * The options given by the environment: `SWITCHBOARD_SANDBOX_PORT`, `SWITCHBOARD_SANDBOX_FAULTS` with a `Behaviour` of
 * the messages service as JSON, and `SWITCHBOARD_SANDBOX_CODEHOST` with a `CodehostBehaviour`. Throws a `Violation` that
 * names the variable.
 */
export function sandboxOptionsFrom(environment: Readonly<Record<string, string | undefined>>): SandboxOptions {
	const { [PORT]: port, [FAULTS]: faults, [CODEHOST]: codehost } = environment;
	return {
		...(port && { port: integer({ min: 0, max: 65_535 })(Number(port), PORT) }),
		...(faults && { behaviour: readBehaviour(parse(faults, FAULTS), FAULTS) }),
		...(codehost && { codehost: readCodehostBehaviour(parse(codehost, CODEHOST), CODEHOST) }),
	};
}

/** Starts the sandbox as the environment says. */
export async function startSandboxFrom(environment: Readonly<Record<string, string | undefined>>): Promise<Sandbox> {
	return startSandbox(sandboxOptionsFrom(environment));
}

function parse(json: string, name: string): unknown {
	try {
		return JSON.parse(json);
	} catch {
		throw new Violation(name, "must be JSON");
	}
}
