import type { ServerResponse } from "node:http";
import { spoil } from "#sandbox/spoiling.ts";
import { transmit } from "#sandbox/transmission.ts";
import type { CodehostBehaviour } from "./behaviour.ts";

/** A good answer, before anything is put wrong with it. */
export interface Answer {
	readonly status: number;
	/** An object or a list of objects; undefined for 304, which has no body. */
	readonly body: unknown;
	readonly headers: Readonly<Record<string, string>>;
	/** Of a list: items before this page. */
	readonly offset?: number;
}

/** Options of sending an answer. */
export interface DeliveryOptions {
	readonly behaviour: CodehostBehaviour;
	/** Aborted when the client went away. */
	readonly signal: AbortSignal;
}

/** Sends an answer with everything wrong that was asked for. Rejects when the client went away. */
export async function deliver(
	response: ServerResponse,
	answer: Answer,
	{ behaviour, signal }: DeliveryOptions,
): Promise<void> {
	const { type, text } = bodyOf(answer, behaviour);
	const bytes = Buffer.from(text);
	const omitted: ReadonlySet<string> = new Set(behaviour.omitHeaders);
	response.setHeaders(
		new Map(
			Object.entries({
				...answer.headers,
				...(answer.status !== 304 && { "content-type": type, "content-length": `${bytes.length}` }),
			}),
		),
	);
	for (const name of omitted) response.removeHeader(name);
	response.statusCode = answer.status;
	if (answer.status === 304) response.end();
	else await transmit(response, bytes, { slowness: behaviour, signal });
}

function bodyOf({ body, offset = 0 }: Answer, { answerWith, spoil: spoiling }: CodehostBehaviour): Body {
	switch (answerWith) {
		case "html":
			return { type: "text/html", text: "<html><body>Please sign in to the network.</body></html>" };
		case "empty":
			return json("");
		case "not-json":
			return json('{"login": ');
		case "null":
			return json("null");
		case "wrong-shape":
			return json(JSON.stringify(Array.isArray(body) ? { items: body } : [body]));
		default:
			return json(JSON.stringify(spoiling === undefined ? body : spoil(body, spoiling, offset)) ?? "");
	}
}

interface Body {
	readonly type: string;
	readonly text: string;
}

function json(text: string): Body {
	return { type: "application/json; charset=utf-8", text };
}
