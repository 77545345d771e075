import type { RepeatedRequest } from "#api/http/notice.ts";
import { invalid } from "#base/errors.ts";
import { REDACTED } from "#base/redaction.ts";
import { originOf } from "../connections/connection.ts";
import type { ConnectionRegistry } from "../connections/registry.ts";
import type { LoggedRequest } from "./request-log.ts";

/** Paths of requests that are of use only as a part of something else, which is named. */
const PART_OF_MORE: readonly (readonly [RegExp, string])[] = [
	[/\/access_tokens$/, "it is an exchange for a token, made when one is needed"],
	[/\/v1\/messages$/, "its reply belongs to a conversation. Use Retry in the chat"],
];

/**
 * Connection of a logged request, and the request without its credential, which the client adds anew. Throws `invalid` with
 * the reason if it cannot be sent again: the credential is for its origin only, and nothing is sent that the log left out.
 */
export function repeatable(request: LoggedRequest, registry: Pick<ConnectionRegistry, "get">) {
	const { service, method, headers, body, sentBytes, isExact } = request;
	const refuse = (why: string) => invalid(service, "request", `cannot be sent again: ${why}`);
	const connection = registry.get(request.connection ?? "", service);
	if (connection === undefined) throw refuse("it belongs to no connection that is still there");
	const url = URL.parse(request.url);
	const [, why] = PART_OF_MORE.find(([path]) => path.test(url?.pathname ?? "")) ?? [];
	if (why !== undefined) throw refuse(why);
	if (body === null && sentBytes > 0) throw refuse("the log did not keep its body");
	if (!isExact) throw refuse("it held a secret, which the log does not keep");
	if (url?.origin !== originOf(connection.baseUrl)) {
		throw refuse(`it was sent to another host than ${connection.label}`);
	}
	const isSecret = (value: string) => /\{\w+\}/.test(value) || value.includes(REDACTED);
	const own = Object.entries(headers).filter(([, value]) => !isSecret(value));
	const again: RepeatedRequest = { method, url, headers: Object.fromEntries(own), body };
	return { connection, request: again };
}
