import type { Service } from "#base/errors.ts";
import { oneOf, parsed } from "#base/schema.ts";
import { parseFilter, printFilter, wordMatcher } from "../kit/filter.ts";
import { type LoggedRequest, pathOf } from "./request-log.ts";

/** Filter of the requests that are shown. */
export interface RequestFilter {
	/** Words that must all occur in the method, path, status, error or connection, whatever their case. */
	readonly text: string;
	readonly service: Service | "all";
	/** Only those that were no success. */
	readonly failed: boolean;
}

/** Default view. */
export const SHOW_ALL: RequestFilter = { text: "", service: "all", failed: false };

/** Schema of the choice of a service, or of all. */
export const SERVICE_CHOICE = oneOf("codehost", "petstore", "messages", "all");

/** True if a request is to be shown; `labelOf` returns the name of a connection. */
export function requestMatcher(
	{ text, service, failed }: RequestFilter,
	labelOf: (connection: string) => string,
): (request: LoggedRequest) => boolean {
	const hasWords = wordMatcher<LoggedRequest>(text, ({ method, url, status, error, service, connection, caller }) => {
		return [method, pathOf(url), status, error?.code, service, connection && labelOf(connection), caller];
	});
	return (request) =>
		(service === "all" || request.service === service) && !(failed && request.error === null) && hasWords(request);
}

/** Reads what was typed into a filter box: words, `service:...`, `is:failed`; undefined for what there is none of. */
export function readFilter(typed: string): RequestFilter | undefined {
	const { text, valuesOf } = parseFilter(typed, "service", "is");
	const service = parsed(SERVICE_CHOICE, valuesOf("service").at(-1)?.toLowerCase() ?? "all");
	const states = valuesOf("is");
	if (service === undefined || states.some((state) => state.toLowerCase() !== "failed")) return undefined;
	return { text, service, failed: states.length > 0 };
}

/** Text that stands for a filter; empty for the one that shows all. */
export function typedFilter({ text, service, failed }: RequestFilter): string {
	return printFilter(text, { service: service === "all" ? [] : [service], is: failed ? ["failed"] : [] });
}
