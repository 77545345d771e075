import { invalid } from "#base/errors.ts";
import type { Connection } from "./connection.ts";
import { placeOf } from "./owner.ts";

/**
 * What a connection that was `before` was to become, in what the settings say of it by now: a person, or another window,
 * may have changed its name or the end of its token while its service was asked. Throws ClientError `invalid` for
 * `connection` where it leads somewhere else by now: what the service has said is of another one.
 */
export function mergedOnto(
	now: Connection,
	{ before, after }: { readonly before: Connection; readonly after: Connection },
): Connection {
	if (isSame(now, before)) return after;
	if (placeOf(now) !== placeOf(before)) {
		throw invalid(now.service, "connection", "was changed meanwhile: look at it, and do this once more");
	}
	// Each part is that of one of them, which lead to the same place with the same kind of credential.
	return merged({ ...now }, { ...before }, { ...after }) as Connection;
}

type Parts = Readonly<Record<string, unknown>>;

function merged(now: Parts, before: Parts, after: Parts): object {
	const parts = [...new Set([...Object.keys(now), ...Object.keys(after)])].map((name) => {
		const [here, old, wanted] = [now[name], before[name], after[name]];
		if (isSame(old, wanted)) return [name, here];
		return [name, isObject(here) && isObject(old) && isObject(wanted) ? merged(here, old, wanted) : wanted];
	});
	return Object.fromEntries(parts.filter(([, value]) => value !== undefined));
}

function isObject(value: unknown): value is Parts {
	return typeof value === "object" && value !== null;
}

function isSame(one: unknown, other: unknown): boolean {
	return JSON.stringify(one) === JSON.stringify(other);
}
