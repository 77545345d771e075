import type { PetstoreBehaviour } from "./behaviour.ts";
import type { Body } from "./body.ts";
import type { Order } from "./model.ts";

/** What a room's desk works with. */
export interface Task {
	/** The variable segment of the path, decoded; empty where there is none. */
	readonly segment: string;
	readonly query: URLSearchParams;
	readonly body: Body;
	readonly behaviour: PetstoreBehaviour;
}

/** A good answer, before anything is put wrong with it. */
export interface Answer {
	/** The name of its root element in XML. */
	readonly root: string;
	/** As JSON would have it, with ids as `bigint`; a field that is undefined is left out. */
	readonly value: unknown;
	readonly headers?: Readonly<Record<string, string>>;
	/** Sent as it is, whatever was asked for. */
	readonly plain?: boolean;
	/** The message of an ApiResponse in its place; only where the contract does not show what success looks like. */
	readonly unshown?: string;
}

/** Does one operation. Throws a `Violation` or a `Refused`. */
export type Handler = (task: Task) => Answer;

/** An ApiResponse (contract section 2). */
export function apiResponse(message: string, { apiCode = 200 }: PetstoreBehaviour): Answer {
	return { root: "ApiResponse", value: { code: apiCode, type: "unknown", message } };
}

/** An ApiResponse where the contract does not show what success looks like. */
export function done(message: string, behaviour: PetstoreBehaviour): Answer {
	return { ...apiResponse(message, behaviour), unshown: message };
}

/** An order as it is told, its fields in the order of the contract. */
export function orderAnswer(order: Order, { dates }: PetstoreBehaviour): Answer {
	const { id, petId, quantity, shipDate, status, complete } = order;
	const date = shipDate === undefined ? undefined : dateTimeText(shipDate, dates);
	return { root: "Order", value: { id, petId, quantity, shipDate: date, status, complete } };
}

/** A time in epoch milliseconds as a date-time, in the form that was asked for. */
export function dateTimeText(time: number, form: PetstoreBehaviour["dates"]): string {
	switch (form) {
		case "no-colon":
			return new Date(time).toISOString().replace("Z", "+0000");
		case "offset":
			return new Date(time + 2 * 3_600_000).toISOString().replace("Z", "+02:00");
		default:
			return new Date(time).toISOString();
	}
}
