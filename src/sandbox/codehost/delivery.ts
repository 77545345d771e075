import type { ServerResponse } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import type { CodehostBehaviour, Spoiling } from "./behaviour.ts";

/** A good answer, before anything is put wrong with it. */
export interface Answer {
	readonly status: number;
	/** An object or a list of objects; undefined for 304, which has no body. */
	readonly body: unknown;
	readonly headers: Readonly<Record<string, string>>;
	/** Of a list: items before this page. */
	readonly offset?: number;
}

/** How an answer is sent. */
export interface DeliveryOptions {
	readonly behaviour: CodehostBehaviour;
	/** Aborted when the client went away. */
	readonly signal: AbortSignal;
}

/** The body with the field put wrong that was asked for. */
export function spoil(body: unknown, { at, field, value }: Spoiling, offset: number): unknown {
	if (Array.isArray(body)) {
		return body.map((item, index) =>
			at === undefined || at === offset + index ? spoil(item, { field, value }, 0) : item,
		);
	}
	if (typeof body !== "object" || body === null) return body;
	const { [field]: _, ...rest }: Record<string, unknown> = Object.fromEntries(Object.entries(body));
	return value === undefined ? rest : { ...rest, [field]: value };
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
	response.writeHead(answer.status);
	const { bodyAfterMs, cutAfterBytes } = behaviour;
	if (bodyAfterMs !== undefined) {
		response.flushHeaders();
		await pause(bodyAfterMs, undefined, { signal });
	}
	if (cutAfterBytes === undefined || answer.status === 304) {
		response.end(answer.status === 304 ? undefined : bytes);
		return;
	}
	response.flushHeaders();
	await new Promise<void>((resolve) => response.write(bytes.subarray(0, cutAfterBytes), () => resolve()));
	response.destroy();
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
