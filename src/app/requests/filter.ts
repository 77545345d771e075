import type { Service } from "#base/errors.ts";
import { oneOf, parsed } from "#base/schema.ts";
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
	const words = text.toLowerCase().split(/\s+/).filter(Boolean);
	return (request) => {
		if (service !== "all" && request.service !== service) return false;
		if (failed && request.error === null) return false;
		if (words.length === 0) return true;
		const { method, url, status, error, connection, caller = "" } = request;
		const label = connection === null ? "" : labelOf(connection);
		const haystack = [method, pathOf(url), status ?? "", error?.code ?? "", request.service, label, caller].join("\n");
		return words.every((word) => haystack.toLowerCase().includes(word));
	};
}

/** Reads what was typed into a filter box: words, `service:...`, `is:failed`; undefined for what there is none of. */
export function readFilter(typed: string): RequestFilter | undefined {
	const words = typed.split(/\s+/).filter(Boolean);
	const valuesOf = (name: string) =>
		words.filter((word) => word.toLowerCase().startsWith(name)).map((word) => word.slice(name.length).toLowerCase());
	const service = parsed(SERVICE_CHOICE, valuesOf("service:").at(-1) ?? "all");
	const states = valuesOf("is:");
	if (service === undefined || states.some((state) => state !== "failed")) return undefined;
	const text = words.filter((word) => !/^(?:service|is):/i.test(word)).join(" ");
	return { text, service, failed: states.length > 0 };
}

/** Text that stands for a filter; empty for the one that shows all. */
export function typedFilter({ text, service, failed }: RequestFilter): string {
	return [text, service === "all" ? "" : `service:${service}`, failed ? "is:failed" : ""].filter(Boolean).join(" ");
}
