import { invalid } from "#base/errors.ts";
import { REDACTED } from "#base/redaction.ts";
import { originOf } from "../connections/connection.ts";
import type { ConnectionRegistry } from "../connections/registry.ts";
import { headersToRepeat, type LoggedRequest } from "./request-log.ts";

/**
 * Connection of a logged request, and the request without its credential, which the client adds anew. Throws `invalid` with
 * the reason if it cannot be sent again: the credential is for its origin only, and nothing is sent that the log left out.
 */
export function repeatable(
	{ service, method, headers, ...logged }: LoggedRequest,
	registry: Pick<ConnectionRegistry, "get">,
) {
	const { id = "", label = "", baseUrl = "" } = registry.get(logged.connection ?? "", service) ?? {};
	const url = URL.parse(logged.url);
	const refuse = (why: string) => invalid(service, "request", `cannot be sent again: ${why}`);
	if (url === null || baseUrl === "" || url.origin !== originOf(baseUrl))
		throw refuse("no connection leads to its address");
	if (/(?<!\/repos)\/app\/installations\b/.test(url.pathname)) throw refuse("an app makes it when it needs a token");
	if (url.pathname.endsWith("/v1/messages")) throw refuse("its reply is part of a conversation. Use Retry there");
	if (!logged.isExact) throw refuse("the log keeps no secrets, no files and no long texts");
	const isSecret = (value: string) => /\{\w+\}/.test(value) || value.includes(REDACTED);
	const own = Object.fromEntries(headersToRepeat({ headers }).filter(([, value]) => !isSecret(value)));
	// A pet store logs in and out by GET.
	const isWrite = method !== "GET" || /\/user\/log(?:in|out)$/.test(url.pathname);
	const body = logged.body !== null && { body: logged.body };
	return { id, label, isWrite, request: { method, url, headers: own, ...body } };
}
