import { startSandbox } from "#sandbox/sandbox.ts";
import { run } from "./checked-run.ts";

/** Starts a sandbox and connects the editor to its pet store with both credentials. */
export async function connectStore(label: string) {
	const sandbox = await startSandbox({ curious: true });
	const { apiKey, token } = sandbox.keys.petstore;
	const base = { service: "petstore", baseUrl: sandbox.baseUrls.petstore, profile: "sandbox" };
	const { id } = await run<{ id: string }>("addConnection", { ...base, label, apiKey, token });
	return { sandbox, connection: id };
}
