import { withFacts } from "#api/http/fault.ts";
import type { ClientError } from "#base/errors.ts";
import { ARGUMENTS } from "./command-arguments.ts";
import type { CommandId } from "./contributions.ts";

/** Names of the API that the commands about one thing have shortened. */
const SHORT: Readonly<Record<string, string>> = { orderId: "id", petId: "pet" };

/**
 * An error as whoever gave a command its argument can read it: the fields of that argument are called there as the README
 * calls them. Clients call them as the services do (`max_tokens`), the settings by their place (`credential.expiresAt`).
 * What the caller has called so, and should not have, keeps its name.
 */
export function inArgumentsOf(command: CommandId, error: ClientError, argument?: unknown): ClientError {
	const { field, message, status } = error;
	const isCallersOwn = typeof argument === "object" && argument !== null && field !== undefined && field in argument;
	const name = field === undefined || isCallersOwn ? undefined : argumentName(command, field);
	if (field === undefined || name === undefined || name === field) return error;
	// What a service says of a field stays in its own words.
	const isOurs = status === undefined && message.startsWith(`${field} `);
	return withFacts(error, { field: name }, isOurs ? name + message.slice(field.length) : message);
}

function argumentName(command: CommandId, field: string): string | undefined {
	const [, head = "", rest = ""] = /^(?:credential\.)?(\w+)(.*)$/s.exec(field) ?? [];
	const name = head.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
	const found = [name, SHORT[name]].find((each) => each !== undefined && ARGUMENTS[command].includes(each));
	return found === undefined ? undefined : found + rest;
}
