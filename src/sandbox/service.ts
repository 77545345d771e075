import type { ServerResponse } from "node:http";
import { ClientError } from "#base/errors.ts";
import type { Schema } from "#base/schema.ts";
import { FaultCounts, type Faults, failureOf, faultyContent, holdBack, transmit } from "./faults.ts";
import { type Content, Refused, type Room, type SandboxExchange } from "./http.ts";
import { strictJson, strictly } from "./strict.ts";

/** The header with a behavior for one request. */
const BEHAVIOUR_HEADER = "x-sandbox";

/** An endpoint of a service. */
export interface Route {
	readonly name: string;
	readonly method: string;
	/** Path below the room, with a group for each variable segment. */
	readonly path: RegExp;
}

/** Behavior of a service: faults, and the names of the routes that some of them are kept to. */
interface Behaved extends Faults {
	readonly on?: readonly string[];
}

/** One request with the behavior for it. */
export interface Visit<B> extends SandboxExchange {
	readonly behaviour: B;
	/** Aborted when the client goes away or the sandbox is closed. */
	readonly signal: AbortSignal;
}

/** A reply before faults spoil it. */
export interface CleanReply {
	readonly status: number;
	readonly headers?: Readonly<Record<string, string>>;
	/** Body as the value that `write` is given; undefined for none. */
	readonly body?: unknown;
	/** Number of items before this page of a list. */
	readonly offset?: number;
	/** Writes the body; the service's own form by default. */
	readonly write?: (value: unknown) => Content;
}

/** Counters of a service. */
export interface ServiceStatus<N extends string = string> {
	/** All requests, also refused ones and those for what is not there. */
	readonly requests: number;
	/** Number of replies by status. */
	readonly statuses: Readonly<Record<number, number>>;
	/** The most requests that were under way at once. */
	readonly mostAtOnce: number;
	/** Requests per route, refused ones included; one that was never asked for is not there. */
	readonly operations: Readonly<Partial<Record<N, number>>>;
}

/** A service with faults: counts its requests, misbehaves as it was asked to, and turns what is thrown into refusals. */
export abstract class SandboxService<B extends Behaved, R extends Route> implements Room {
	readonly #schema: Schema<B>;
	readonly #routes: readonly R[];
	readonly #counts = new FaultCounts();
	readonly #open = new Set<AbortController>();
	readonly #statuses: Record<number, number> = {};
	readonly #operations: Partial<Record<R["name"], number>> = {};
	#standing: B;
	#requests = 0;
	#mostAtOnce = 0;

	/** `behaviour` is the standing one until {@link behave}. A fixed path stands before one with a variable that matches it. */
	constructor(schema: Schema<B>, behaviour: B, routes: readonly R[]) {
		this.#schema = schema;
		this.#standing = behaviour;
		this.#routes = routes;
	}

	/** Answer to a request for a route, whose path has these variable segments; undefined if it has been sent. */
	protected abstract answer(
		visit: Visit<B>,
		route: R,
		segments: readonly string[],
	): CleanReply | Promise<CleanReply | undefined>;

	/** Writes a value in the service's own form. */
	protected abstract write(value: unknown): Content;

	/** Content of a refusal, unless its form is `html` or `empty`. */
	protected abstract refusal(refused: Refused, exchange: SandboxExchange): Content;

	/** True for a part of a behavior that `on` keeps to its routes. */
	protected isLocal(_field: string): boolean {
		return true;
	}

	/** Sets what every answer has, also a refusal. */
	protected prepare(_visit: Visit<B>): void {}

	/** Behavior until it is changed. */
	protected get standing(): B {
		return this.#standing;
	}

	/** Number of requests under way. */
	protected get open(): number {
		return this.#open.size;
	}

	/** The service's time in epoch milliseconds. */
	protected now(_: B): number {
		return Date.now();
	}

	/** Replaces the behavior and begins to count its faults anew; `{}` is a service that does all as it should. */
	behave(behaviour: B): void {
		this.#standing = strictly(this.#schema, behaviour, "behaviour");
		this.#counts.restart();
	}

	close(): void {
		for (const visit of this.#open) visit.abort(new Error("The sandbox was closed."));
	}

	/** Counters so far. */
	protected counters(): ServiceStatus<R["name"]> {
		const { requests, mostAtOnce } = { requests: this.#requests, mostAtOnce: this.#mostAtOnce };
		return { requests, mostAtOnce, statuses: { ...this.#statuses }, operations: { ...this.#operations } };
	}

	/** Answers an exchange with the faults of the standing behavior and of the header `x-sandbox`. */
	async handle(exchange: SandboxExchange): Promise<void> {
		const route = this.routeOf(exchange);
		await this.during(exchange, async (signal) => {
			const header = exchange.request.headers[BEHAVIOUR_HEADER]?.toString();
			const asked =
				header === undefined ? {} : strictly(this.#schema, strictJson(header, BEHAVIOUR_HEADER), BEHAVIOUR_HEADER);
			const visit = { ...exchange, behaviour: this.#behaviourAt(route, { ...this.#standing, ...asked }), signal };
			this.prepare(visit);
			try {
				await holdBack(visit.behaviour, signal);
				if (!(await this.misbehave(visit, header))) await this.answerAt(route, visit);
			} catch (error) {
				const { errorBody } = visit.behaviour;
				if (signal.aborted || errorBody === undefined) throw error;
				const { status, message, headers, form = errorBody } = refusedBy(error);
				throw new Refused(status, message, headers, form);
			}
		});
	}

	/** Route of a request, which is counted there. */
	protected routeOf({ path, request }: SandboxExchange): R | undefined {
		const route = this.#routes.find((one) => one.method === request.method && one.path.test(path));
		const name: R["name"] | undefined = route?.name;
		if (name !== undefined) this.#operations[name] = (this.#operations[name] ?? 0) + 1;
		return route;
	}

	/** Answers a request for a route; without one it is refused: 404 for a path, 405 with `Allow` for a method. */
	protected async answerAt(route: R | undefined, visit: Visit<B>): Promise<void> {
		const { path } = visit;
		if (route !== undefined) {
			const answer = await this.answer(visit, route, route.path.exec(path)?.slice(1).map(decoded) ?? []);
			if (answer !== undefined) await this.deliver(visit, answer);
			return;
		}
		const methods = this.#routes.filter((one) => one.path.test(path)).map(({ method }) => method);
		if (methods.length === 0) throw new Refused(404, `There is no ${path} here.`);
		const allow = [...new Set(methods)].join(", ");
		throw new Refused(405, `Only ${allow} is answered here.`, { allow });
	}

	/**
	 * Does the work of one exchange for as long as the client is there, and refuses the request where it throws that. False
	 * if the client went away first.
	 */
	protected async during(exchange: SandboxExchange, work: (signal: AbortSignal) => Promise<void>): Promise<boolean> {
		const { request, response } = exchange;
		const visit = new AbortController();
		const onClose = () => visit.abort(new Error("The client went away."));
		response.once("close", onClose);
		this.#open.add(visit);
		this.#requests++;
		this.#mostAtOnce = Math.max(this.#mostAtOnce, this.#open.size);
		try {
			await work(visit.signal);
			return true;
		} catch (error) {
			if (visit.signal.aborted) {
				response.destroy();
				return false;
			}
			this.#refuse(exchange, refusedBy(error));
			// Bytes that the client is still sending would be taken for the next request.
			request.resume();
			return true;
		} finally {
			this.#open.delete(visit);
			response.off("close", onClose);
		}
	}

	/** Does what a fault asks for in place of an answer; true if one hit. `key` counts those that a request asked for. */
	protected async misbehave(visit: Visit<B>, key: string | undefined): Promise<boolean> {
		const { behaviour, response, url } = visit;
		const fault = this.#counts.hit(behaviour, key);
		if (fault === "drop") response.socket?.destroy();
		if (fault === "fail" && behaviour.fail !== undefined) throw failureOf(behaviour.fail, this.now(behaviour));
		if (fault === "redirect") {
			const { origin = url.origin, status = 307 } = behaviour.redirect ?? {};
			await this.deliver(visit, { status, headers: { location: origin + url.pathname + url.search } });
		}
		return fault !== undefined;
	}

	/** Sends an answer with everything wrong that was asked for. Rejects when the client went away. */
	protected async deliver({ response, behaviour, signal }: Visit<B>, answer: CleanReply): Promise<void> {
		const { status, headers = {}, body, offset, write = (value: unknown) => this.write(value) } = answer;
		const hasBody = status !== 204 && status !== 304;
		const { type, text } =
			body === undefined ? { type: "", text: "" } : faultyContent(body, behaviour, { write, offset });
		this.#count(response, status, hasBody ? { ...headers, ...contentHeaders(type, text) } : headers);
		for (const name of behaviour.omitHeaders ?? []) response.removeHeader(name);
		await transmit(response, Buffer.from(text), { faults: behaviour, signal });
	}

	#behaviourAt(route: R | undefined, behaviour: B): B {
		const { on } = behaviour;
		if (on === undefined || (route !== undefined && on.includes(route.name))) return behaviour;
		const kept = Object.entries(behaviour).filter(([field]) => !this.isLocal(field));
		// No part of a behavior is required.
		return Object.fromEntries(kept) as B;
	}

	#refuse(exchange: SandboxExchange, refused: Refused): void {
		const { response } = exchange;
		const { type, text } = errorPage(refused) ?? this.refusal(refused, exchange);
		this.#count(response, refused.status, { ...refused.headers, ...contentHeaders(type, text) });
		response.end(text);
	}

	#count(response: ServerResponse, status: number, headers: Readonly<Record<string, string>>): void {
		this.#statuses[status] = (this.#statuses[status] ?? 0) + 1;
		response.statusCode = status;
		for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
	}
}

/** Text of a path's segment; as it is where it encodes none. */
function decoded(segment: string): string {
	try {
		return decodeURIComponent(segment);
	} catch {
		return segment;
	}
}

function contentHeaders(type: string, text: string): Record<string, string> {
	return { ...(type !== "" && { "content-type": type }), "content-length": `${Buffer.byteLength(text)}` };
}

/** Pages of proxies in place of an error of the service. */
function errorPage({ form, status }: Refused): Content | undefined {
	if (form === "empty") return { type: "application/json", text: "" };
	if (form !== "html") return undefined;
	return { type: "text/html", text: `<html><title>${status}</title><body><h1>HTTP ERROR ${status}</h1></body></html>` };
}

/** The refusal of what went wrong; rethrows what is not the request's fault. */
function refusedBy(error: unknown): Refused {
	if (error instanceof ClientError) return new Refused(400, error.message);
	if (error instanceof Refused) return error;
	throw error;
}
