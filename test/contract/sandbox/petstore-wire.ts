import { strict as assert } from "node:assert";
import type { PetstoreFaults } from "#sandbox/petstore/faults.ts";
import type { Sandbox } from "#sandbox/sandbox.ts";
import { object, type Reply, readReply } from "../../support/codehost-wire.ts";

/** How a request is made. */
export interface AskOptions {
	/** Everything there is, by default; the key or the token alone; or a token of its own. */
	readonly as?: "all" | "key" | "token" | "nobody" | { readonly token: string };
	/** JSON by default. */
	readonly accept?: string;
	/** Text is sent as it is, everything else as JSON. */
	readonly body?: unknown;
	/** The type of the body; `application/json` by default, empty for none. */
	readonly type?: string;
	readonly headers?: Readonly<Record<string, string>>;
	/** Sent as `x-sandbox`. */
	readonly faults?: PetstoreFaults;
}

/** The type of an XML body or reply. */
export const XML = "application/xml";

/** The type of a form. */
export const FORM = "application/x-www-form-urlencoded";

/** Asks the pet store, as in `GET /pet/7`; redirects are not followed. */
export async function ask(sandbox: Sandbox, request: string, options: AskOptions = {}): Promise<Reply> {
	const [method = "", path = ""] = request.split(" ");
	const { accept = "application/json", body, type = "application/json", faults } = options;
	const isRaw = typeof body === "string" || body instanceof FormData || body instanceof Uint8Array;
	const response = await fetch(`${sandbox.baseUrls.petstore}/v2${path}`, {
		method,
		redirect: "manual",
		...(body !== undefined && { body: isRaw ? body : JSON.stringify(body) }),
		headers: {
			accept,
			...credentials(sandbox, options.as ?? "all"),
			...(body !== undefined && !(body instanceof FormData) && type !== "" && { "content-type": type }),
			...(faults && { "x-sandbox": JSON.stringify(faults) }),
			...options.headers,
		},
	});
	return readReply(response);
}

/** Asserts a refusal: its status, what its message says, and that the body is an ApiResponse with that status. */
export function assertRefused(reply: Reply, status: number, message: RegExp): void {
	assert.equal(reply.status, status, reply.text);
	const { code, type, message: told } = object(reply.json);
	assert.deepEqual([code, type], [status, "error"]);
	assert.match(String(told), message);
}

/** Asserts a success and gives its body back. */
export function ok(reply: Reply): Record<string, unknown> {
	assert.equal(reply.status, 200, reply.text);
	return object(reply.json);
}

function credentials({ keys }: Sandbox, as: NonNullable<AskOptions["as"]>): Record<string, string> {
	const { apiKey, token } = keys.petstore;
	if (typeof as !== "string") return { authorization: `Bearer ${as.token}` };
	return {
		...((as === "all" || as === "token") && { authorization: `Bearer ${token}` }),
		...((as === "all" || as === "key") && { api_key: apiKey }),
	};
}
