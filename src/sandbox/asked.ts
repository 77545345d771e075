import type { IncomingMessage } from "node:http";
import { type Read, Violation } from "./strict.ts";

/** The header with a behaviour for one request. */
const BEHAVIOUR_HEADER = "x-sandbox";

/** A behaviour that came with a request. */
export interface Asked<T> {
	/** The header's text; undefined where there was none. */
	readonly header: string | undefined;
	/** Behavior that it asks for; empty without a header. */
	readonly behaviour: T;
}

/** Reads the behaviour in a request's header `x-sandbox`, JSON. Throws a `Violation` that names the field. */
export function askedOf<T extends object>(request: IncomingMessage, read: Read<T>): Asked<T> {
	const header = request.headers[BEHAVIOUR_HEADER]?.toString();
	return { header, behaviour: read(header === undefined ? {} : parse(header), BEHAVIOUR_HEADER) };
}

function parse(header: string): unknown {
	try {
		return JSON.parse(header);
	} catch {
		throw new Violation(BEHAVIOUR_HEADER, "must be JSON");
	}
}
