import type { ServerResponse } from "node:http";
import { spoil } from "#sandbox/spoiling.ts";
import { transmit } from "#sandbox/transmission.ts";
import type { PetstoreBehaviour } from "./behaviour.ts";
import type { Body } from "./body.ts";
import { type Format, MEDIA_TYPES, stringifyExact } from "./format.ts";
import { MAX_INT64, type Order } from "./model.ts";
import { toXml } from "./xml.ts";

/** Request that a handler answers. */
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

/** Status and body of an answer. */
export interface Shaped {
	readonly status: number;
	readonly answer: Answer | undefined;
}

/** The answer where the contract does not show one, as the behaviour wants it; every other as it is. */
export function shaped(answer: Answer, behaviour: PetstoreBehaviour): Shaped {
	if (answer.unshown === undefined) return { status: 200, answer };
	const { status = 200, body = "model" } = behaviour.writeReply ?? {};
	if (status === 204 || body === "empty") return { status, answer: undefined };
	return { status, answer: body === "model" || body === "pet" ? answer : apiResponse(answer.unshown, behaviour) };
}

/** Format of an answer, and the behavior that may spoil it. */
interface Form {
	readonly format: Format;
	readonly behaviour: PetstoreBehaviour;
}

/** Sends an answer with everything wrong that was asked for. Rejects when the client went away. */
export async function deliver(
	response: ServerResponse,
	{ status, answer }: Shaped,
	{ format, behaviour, signal }: Form & { readonly signal: AbortSignal },
): Promise<void> {
	const { type, text } = contentOf(answer, { format, behaviour });
	const bytes = Buffer.from(text);
	response.statusCode = status;
	for (const [name, value] of Object.entries(answer?.headers ?? {})) response.setHeader(name, value);
	if (status !== 204) response.setHeader("content-type", type).setHeader("content-length", bytes.length);
	await transmit(response, bytes, { slowness: behaviour, signal });
}

function contentOf(answer: Answer | undefined, { format, behaviour }: Form): Content {
	const { answerWith, spoil: spoiling, ids } = behaviour;
	const type = MEDIA_TYPES[format];
	if (answer === undefined || answerWith === "empty") return { type, text: "" };
	if (answer.plain) return { type: "text/plain; charset=utf-8", text: String(answer.value) };
	const { root } = answer;
	const exact = ids === undefined ? answer.value : withIds(answer.value, ids);
	const value = spoiling === undefined ? exact : spoil(exact, spoiling, 0);
	const write = (one: unknown, as: Format) => (as === "json" ? stringifyExact(one) : toXml(root, one));
	switch (answerWith) {
		case "html":
			return { type: "text/html", text: "<html><body>Please sign in to the network.</body></html>" };
		case "not-json":
			return { type, text: format === "json" ? '{"id": ' : "<Pet><id>" };
		case "null":
			return { type, text: write(null, format) };
		case "wrong-shape":
			return { type, text: write(Array.isArray(value) ? { items: value } : [value], format) };
		case "other-format": {
			const other = format === "json" ? "xml" : "json";
			return { type: MEDIA_TYPES[other], text: write(value, other) };
		}
		default:
			return { type, text: write(value, format) };
	}
}

/** The value with every `id` and `petId` put wrong. */
function withIds(value: unknown, how: NonNullable<PetstoreBehaviour["ids"]>): unknown {
	if (Array.isArray(value)) return value.map((item) => withIds(item, how));
	if (typeof value !== "object" || value === null) return value;
	return Object.fromEntries(
		Object.entries(value).map(([name, one]) => [name, typeof one === "bigint" ? wrongId(one, how) : withIds(one, how)]),
	);
}

function wrongId(id: bigint, how: NonNullable<PetstoreBehaviour["ids"]>): bigint | string {
	switch (how) {
		case "rounded":
			return BigInt(Number(id));
		case "text":
			return id.toString();
		case "beyond":
			return MAX_INT64 + 1n;
	}
}

interface Content {
	readonly type: string;
	readonly text: string;
}
