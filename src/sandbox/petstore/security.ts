import type { IncomingHttpHeaders } from "node:http";
import { Refused } from "./refusal.ts";
import type { Plan } from "./route.ts";
import type { Tokens } from "./tokens.ts";

/** What is accepted. */
export interface Accepted {
	readonly apiKey: string;
	readonly tokens: Tokens;
}

/** Refuses who may not do an operation (contract section 5): 401, or 403 for a token without the scopes. */
export function checkSecurity(
	{ operation, security }: Plan,
	headers: IncomingHttpHeaders,
	{ apiKey, tokens }: Accepted,
): void {
	if (security === "petstore_auth") tokens.check(headers.authorization);
	const key = headers["api_key"];
	if (security === "api_key" && key === undefined) throw new Refused(401, "The header api_key is required");
	// deletePet may have the header; then it has to be right.
	const isRead = security === "api_key" || operation === "deletePet";
	if (isRead && key !== undefined && key !== apiKey) throw new Refused(401, "The key in api_key is not known");
}
