import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { type Exchange, type Room, readBody, sendJson, TooLarge } from "#sandbox/http.ts";
import { Violation } from "#sandbox/strict.ts";
import { type Behaviour, behaviourOf } from "./behaviour.ts";
import { forever, Player } from "./player.ts";
import { fail, type Refusal, refuse } from "./refusal.ts";
import { planReply, type ReplyTask } from "./reply.ts";
import { type MessagesBody, readMessagesBody } from "./request.ts";
import { messageOf, scriptOf } from "./script.ts";

/** The version of the API (contract section 9). */
const VERSION = "2023-06-01";

/** The largest body that is read, in bytes. */
const LARGEST_BODY = 8 * 1024 * 1024;

/** Failures still to come are remembered for this many different request bodies. */
const MOST_FAILING_BODIES = 1000;

/** Counters of the room. `active` replies are being generated now; each becomes `completed` or `cutOff`. */
export interface MessagesStatus {
	/** Requests to the messages endpoint, refused ones included. */
	readonly requests: number;
	readonly active: number;
	/** Sent to their end, also where the end was a break that had been asked for. */
	readonly completed: number;
	/** Given up because the client went away. */
	readonly cutOff: number;
}

/** Options of the room. */
export interface MessagesRoomOptions {
	/** The key that is accepted. */
	readonly key: string;
	/** A known key without quota: every use of it is forbidden. */
	readonly keyWithoutQuota: string;
	/** Pause before each word. */
	readonly wordDelayMs: number;
	/** Faults of every reply unless its request says otherwise. */
	readonly behaviour: Behaviour;
}

interface MessagesExchange {
	/** The id of the message that answers it. */
	readonly id: string;
	readonly request: IncomingMessage;
	readonly response: ServerResponse;
}

/** Thrown to refuse a request. */
class Refused extends Error {
	readonly refusal: Refusal;

	constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
		super(message);
		this.refusal = { status, message, headers };
	}
}

/**
 * The messages service: `POST /v1/messages` (contract section 4), the list `GET /v1/models` that services of this kind
 * have and, for tests, `GET /sandbox/status`.
 */
export class MessagesRoom implements Room {
	readonly #options: MessagesRoomOptions;
	readonly #active = new Set<AbortController>();
	/** Hash of a request body -> how often it has been refused or dropped. */
	readonly #failed = new Map<string, number>();
	#exchanges = 0;
	#requests = 0;
	#completed = 0;
	#cutOff = 0;

	constructor(options: MessagesRoomOptions) {
		this.#options = options;
	}

	status(): MessagesStatus {
		return {
			requests: this.#requests,
			active: this.#active.size,
			completed: this.#completed,
			cutOff: this.#cutOff,
		};
	}

	close(): void {
		for (const generation of this.#active) generation.abort(new Error("The sandbox was closed."));
	}

	async handle({ request, response, path, query }: Exchange): Promise<void> {
		const id = `sandbox-${++this.#exchanges}`;
		response.setHeader("request-id", `request-${id}`);
		try {
			if (path === "/v1/messages") {
				this.#requests++;
				allow(request, "POST");
				await this.#answer({ id: `message-${id}`, request, response });
			} else if (path === "/v1/models") {
				allow(request, "GET");
				this.#checkKey(request);
				checkVersion(request);
				sendJson(response, { status: 200, body: modelsPage(query) });
			} else if (path === "/sandbox/status") {
				allow(request, "GET");
				this.#checkKey(request);
				sendJson(response, { status: 200, body: this.status() });
			} else {
				throw new Refused(404, `There is no ${path} here.`);
			}
		} catch (error) {
			refuse(response, refusalOf(error));
			// What the client is still sending would be taken for the next request.
			request.resume();
		}
	}

	async #answer({ id, request, response }: MessagesExchange): Promise<void> {
		this.#checkKey(request);
		checkHeaders(request);
		const bytes = await readBody(request, LARGEST_BODY);
		const body = readMessagesBody(parse(bytes), "");
		const behaviour = { ...this.#options.behaviour, ...behaviourOf(body.metadata) };
		checkPrefill(body, behaviour);
		if (this.#fails(bytes, behaviour)) {
			if (behaviour.drop === undefined && behaviour.fail !== undefined) fail(response, behaviour.fail);
			else response.socket?.destroy();
			return;
		}
		await this.#generate(response, { id, body, behaviour });
	}

	/** True if this request is one of those that were asked to fail. */
	#fails(bytes: Buffer, { drop, fail: failure }: Behaviour): boolean {
		const times = drop ?? (failure && (failure.times ?? 1));
		if (times === undefined) return false;
		const key = createHash("sha256").update(bytes).digest("hex");
		const failed = this.#failed.get(key) ?? 0;
		this.#failed.delete(key);
		if (failed >= times) return false;
		this.#failed.set(key, failed + 1);
		for (const oldest of this.#failed.keys()) {
			if (this.#failed.size <= MOST_FAILING_BODIES) break;
			this.#failed.delete(oldest);
		}
		return true;
	}

	/** Sends the reply for as long as the client is there. */
	async #generate(response: ServerResponse, task: ReplyTask): Promise<void> {
		const generation = new AbortController();
		const onClose = () => generation.abort(new Error("The client went away."));
		response.once("close", onClose);
		this.#active.add(generation);
		try {
			await this.#send(response, task, generation.signal);
			this.#completed++;
		} catch (error) {
			if (!generation.signal.aborted) throw error;
			this.#cutOff++;
			response.destroy();
		} finally {
			this.#active.delete(generation);
			response.off("close", onClose);
		}
	}

	async #send(response: ServerResponse, task: ReplyTask, signal: AbortSignal): Promise<void> {
		const { body, behaviour } = task;
		if (behaviour.neverAnswer) await forever(signal);
		if (behaviour.headersAfterMs !== undefined) await pause(behaviour.headersAfterMs, undefined, { signal });
		const reply = planReply(task);
		if (body.stream === true && behaviour.answerWith === undefined) {
			const player = new Player(response, behaviour, this.#options.wordDelayMs, signal);
			await player.play(scriptOf(reply, behaviour));
			return;
		}
		switch (behaviour.answerWith) {
			case "html":
				response.writeHead(200, { "content-type": "text/html" });
				response.end("<html><body>Please sign in to the network.</body></html>");
				return;
			case "empty":
				response.writeHead(200, { "content-length": 0 });
				response.end();
				return;
			case "json-error":
				return refuse(response, { status: 200, message: "The sandbox was asked for an error with status 200." });
			default:
				return sendJson(response, { status: 200, body: messageOf(reply) });
		}
	}

	#checkKey(request: IncomingMessage): void {
		const key = request.headers["x-api-key"];
		if (key === undefined || key === "") throw new Refused(401, "The header x-api-key is required.");
		if (key === this.#options.keyWithoutQuota) throw new Refused(403, "The key in x-api-key has no quota.");
		if (key !== this.#options.key) throw new Refused(401, "The key in x-api-key is not known.");
	}
}

function allow(request: IncomingMessage, method: string): void {
	if (request.method === method) return;
	throw new Refused(405, `Only ${method} is answered here.`, { allow: method });
}

function checkVersion(request: IncomingMessage): void {
	const version = request.headers["service-version"];
	if (version === undefined) throw new Refused(400, "The header service-version is required.");
	if (version !== VERSION) throw new Refused(400, `The header service-version must be ${VERSION}.`);
}

function checkHeaders(request: IncomingMessage): void {
	checkVersion(request);
	const [type] = (request.headers["content-type"] ?? "").split(";");
	if (type?.trim().toLowerCase() !== "application/json") {
		throw new Refused(400, "The header content-type must be application/json.");
	}
}

/** A service goes on with the assistant's text where it is the last message, unless it cannot begin in the middle. */
function checkPrefill({ messages }: MessagesBody, { prefill }: Behaviour): void {
	const last = messages.at(-1);
	if (last?.role !== "assistant") return;
	if (prefill === "refuse") throw new Refused(400, "The last message must be the user's.");
	if (last.content !== last.content.trimEnd()) {
		throw new Refused(400, "The last message, where it is the assistant's, must not end in blank space.");
	}
}

function parse(bytes: Buffer): unknown {
	try {
		return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
	} catch {
		throw new Refused(400, "The body is not JSON in UTF-8.");
	}
}

/** The answer to what went wrong while a request was read; rethrows what is not the request's fault. */
function refusalOf(error: unknown): Refusal {
	if (error instanceof Refused) return error.refusal;
	if (error instanceof Violation) return { status: 400, message: error.message };
	if (error instanceof TooLarge) return { status: 413, message: error.message };
	throw error;
}

/** The models that are listed: whatever is asked for, the same composes the answer. */
const MODELS = [
	{ id: "sandbox", display_name: "Sandbox" },
	{ id: "sandbox-1", display_name: "Sandbox One" },
	{ id: "sandbox-2", display_name: "Sandbox Two" },
].map((model) => ({ type: "model", ...model, created_at: "2026-01-01T00:00:00Z" }));

/** So few that the list has more than one page. */
const PAGE_SIZE = 2;

/** A page of the models, as services of this kind answer `GET /v1/models`. Throws a `Violation` that names the parameter. */
function modelsPage(query: URLSearchParams): object {
	const strange = [...query.keys()].find((name) => name !== "after_id");
	if (strange !== undefined) throw new Violation(strange, "is not a known parameter");
	const after = query.get("after_id");
	const from = MODELS.findIndex(({ id }) => id === after) + 1;
	if (after !== null && from === 0) throw new Violation("after_id", "is not the id of a model");
	const data = MODELS.slice(from, from + PAGE_SIZE);
	const has_more = from + PAGE_SIZE < MODELS.length;
	return { data, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null, has_more };
}
