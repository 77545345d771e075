import { strict as assert } from "node:assert";
import type { MessagesFaults } from "#sandbox/messages/faults.ts";
import type { Sandbox } from "#sandbox/sandbox.ts";

/** An event as it was read off the wire. */
export interface WireEvent {
	readonly event: string | undefined;
	readonly data: string;
}

/** A streamed reply read to its end, or to where it broke. */
export interface WireStream {
	readonly events: readonly WireEvent[];
	/** What broke the stream, when it did. */
	readonly broken: unknown;
}

/** A valid body, with `fields` over it and `faults` in its metadata. */
export function bodyWith(faults: MessagesFaults = {}, fields: object = {}): object {
	return {
		model: "sandbox-1",
		max_tokens: 100_000,
		stream: true,
		messages: [{ role: "user", content: "Hello sandbox" }],
		metadata: { sandbox: { wordDelayMs: 0, ...faults } },
		...fields,
	};
}

/** The headers of the contract. */
export function headersOf(sandbox: Sandbox): Record<string, string> {
	return {
		"content-type": "application/json",
		"x-api-key": sandbox.keys.messages,
		"service-version": "2023-06-01",
	};
}

/** Posts a body to the messages endpoint. */
export function post(sandbox: Sandbox, body: unknown, init: RequestInit = {}): Promise<Response> {
	return fetch(`${sandbox.baseUrls.messages}/v1/messages`, {
		method: "POST",
		headers: headersOf(sandbox),
		body: typeof body === "string" ? body : JSON.stringify(body),
		...init,
	});
}

/** Reads a stream the way the contract describes it: buffer, and split on double newlines. */
export async function readStream(response: Response): Promise<WireStream> {
	assert.equal(response.status, 200);
	assert.match(response.headers.get("content-type") ?? "", /^text\/event-stream/);
	let text = "";
	let broken: unknown;
	const decoder = new TextDecoder();
	try {
		for await (const chunk of response.body ?? []) text += decoder.decode(chunk, { stream: true });
	} catch (error) {
		broken = error;
	}
	const events = text
		.replace(/\r\n|\r/g, "\n")
		.split("\n\n")
		.filter((part) => part !== "")
		.map((part) => {
			const lines = part.split("\n");
			return {
				event: lines.find((line) => line.startsWith("event: "))?.slice(7),
				data: lines.find((line) => line.startsWith("data: "))?.slice(6) ?? part,
			};
		});
	return { events, broken };
}

/** Posts and reads the stream. */
export async function stream(sandbox: Sandbox, faults: MessagesFaults = {}, fields: object = {}): Promise<WireStream> {
	return readStream(await post(sandbox, bodyWith(faults, fields)));
}

/** The names of the events in order, runs of deltas shortened to one. */
export function outline(events: readonly WireEvent[]): string[] {
	const names = events.map(({ event, data }) => {
		const index: unknown = event?.startsWith("content_block") ? field(data, "index") : undefined;
		const short = (event ?? "?").replace("content_block_", "").replace("message_", "message-");
		return index === undefined ? short : `${short} ${index}`;
	});
	return names.filter((name, at) => name !== names[at - 1] || !name.startsWith("delta "));
}

/** Text per block index, the deltas put together. */
export function texts(events: readonly WireEvent[]): Record<number, string> {
	const found: Record<number, string> = {};
	for (const { event, data } of events) {
		if (event !== "content_block_delta" || !data.endsWith("}")) continue;
		const { index, delta } = JSON.parse(data);
		const piece = delta.text ?? delta.thinking;
		if (typeof piece === "string") found[index] = (found[index] ?? "") + piece;
	}
	return found;
}

/** The JSON of the first event of a name. */
export function dataOf(events: readonly WireEvent[], name: string): Record<string, unknown> {
	const found = events.find(({ event }) => event === name);
	assert.ok(found, `there is no ${name}`);
	return JSON.parse(found.data);
}

function field(json: string, name: string): unknown {
	try {
		return JSON.parse(json)[name];
	} catch {
		return undefined;
	}
}
