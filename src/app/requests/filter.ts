import type { Service } from "#base/errors.ts";
import { oneOf, parsed } from "#base/schema.ts";
import { SERVICE_IDS } from "../connections/services.ts";
import { parseFilter, printFilter, wordMatcher } from "../kit/filter.ts";
import { type LoggedRequest, pathOf } from "./request-log.ts";

/** Filter of the Requests view. */
export interface RequestFilter {
	/** Words that must all occur in method, path, status, error or connection, in any case. */
	readonly text: string;
	readonly service: Service | "all";
	/** Shows failed requests only. */
	readonly failed: boolean;
}

/** Filter that shows all. */
export const SHOW_ALL: RequestFilter = { text: "", service: "all", failed: false };

/** Schema of one service or all. */
export const SERVICE_CHOICE = oneOf(...SERVICE_IDS, "all");

/** Predicate of a filter; `labelOf` returns the label of a connection. */
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

/** Parses the text of a filter box: words, `service:...`, `is:failed`; undefined if it is invalid. */
export function readFilter(typed: string): RequestFilter | undefined {
	const { text, valuesOf } = parseFilter(typed, "service", "is");
	const service = parsed(SERVICE_CHOICE, valuesOf("service").at(-1)?.toLowerCase() ?? "all");
	const states = valuesOf("is");
	if (service === undefined || states.some((state) => state.toLowerCase() !== "failed")) return undefined;
	return { text, service, failed: states.length > 0 };
}

/** Text of a filter, as {@link readFilter} parses it. */
export function typedFilter({ text, service, failed }: RequestFilter): string {
	return printFilter(text, { service: service === "all" ? [] : [service], is: failed ? ["failed"] : [] });
}
