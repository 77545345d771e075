import { ClientError } from "#base/errors.ts";
import type { Schema } from "#base/schema.ts";
import { FaultCounts, type Faults, failureOf, holdBack, transmit, WHOLE_REPLY_FAULTS } from "./faults.ts";
import { type Content, jsonContent, Refused, type Room, type SandboxExchange } from "./http.ts";
import { strictJson, strictly } from "./strict.ts";

const FAULTS_HEADER = "x-sandbox";

/** Endpoint of a service. */
export interface Route {
	readonly name: string;
	readonly method: string;
	/** Path below the room, with a group for each variable segment. */
	readonly path: RegExp;
}

/** Faults of a service, and the routes that they are limited to. */
interface RoutedFaults extends Faults {
	readonly on?: readonly string[];
}

/** Faults that `on` limits to its routes. */
const LOCAL: ReadonlySet<string> = new Set(Object.keys(WHOLE_REPLY_FAULTS));

/** Request with its faults. */
export interface Visit<F> extends SandboxExchange {
	readonly faults: F;
	/** Aborted when the connection closes. */
	readonly signal: AbortSignal;
}

/** Reply before faults are applied. */
export interface CleanReply {
	readonly status: number;
	readonly headers?: Readonly<Record<string, string>>;
	/** Value for `write`; undefined for no body. */
	readonly body?: unknown;
	/** Serializes the body; to JSON by default. */
	readonly write?: (value: unknown) => Content;
}

/** Changes a reply into one that breaks the contract. */
export type Alteration = (reply: CleanReply, exchange: SandboxExchange) => CleanReply;

const unaltered: Alteration = (reply) => reply;

/** HTTP service with faults: routes requests, applies faults and sends refusals. */
export abstract class SandboxService<F extends RoutedFaults, R extends Route> implements Room {
	readonly #schema: Schema<F>;
	readonly #routes: readonly R[];
	readonly #counts = new FaultCounts();
	/** Time of the service in epoch milliseconds. */
	protected readonly now: () => number;
	/** Faults of every request. */
	protected standing: F;
	/** Change of every good reply. */
	protected alter = unaltered;

	/** A fixed path precedes one with a variable that matches it; `faults` stand until {@link behave}. */
	constructor(schema: Schema<F>, faults: F, routes: readonly R[], now = Date.now) {
		this.#schema = schema;
		this.standing = faults;
		this.#routes = routes;
		this.now = now;
	}

	/** Answers a request with the variable segments of its path; undefined if the answer was sent. */
	protected abstract answer(
		visit: Visit<F>,
		route: R,
		segments: readonly string[],
	): CleanReply | Promise<CleanReply | undefined>;

	/** Content of a refusal without a page of its own. */
	protected abstract refusal(refused: Refused, exchange: SandboxExchange): Content;

	/** Replaces the standing faults and the alteration; `{}` makes the service behave correctly. */
	behave(faults: F, alter = unaltered): void {
		this.standing = strictly(this.#schema, faults, "faults");
		this.alter = alter;
		this.#counts.restart();
	}

	/** Answers a request with the standing faults and those of its `x-sandbox` header. */
	async handle(exchange: SandboxExchange): Promise<void> {
		const route = this.routeOf(exchange);
		await this.during(exchange, async (signal) => {
			const header = exchange.request.headers[FAULTS_HEADER]?.toString();
			const asked =
				header === undefined ? {} : strictly(this.#schema, strictJson(header, FAULTS_HEADER), FAULTS_HEADER);
			const visit = { ...exchange, faults: faultsAt(route, { ...this.standing, ...asked }), signal };
			await holdBack(visit.faults, signal);
			if (!this.misbehave(visit, header)) await this.answerAt(route, visit);
		});
	}

	protected routeOf({ path, request }: SandboxExchange): R | undefined {
		return this.#routes.find((one) => one.method === request.method && one.path.test(path));
	}

	/** Answers a request; without a route with 404, or 405 and `Allow`. */
	protected async answerAt(route: R | undefined, visit: Visit<F>): Promise<void> {
		const { path } = visit;
		if (route !== undefined) {
			const answer = await this.answer(visit, route, route.path.exec(path)?.slice(1).map(decodeURIComponent) ?? []);
			if (answer !== undefined) await this.#deliver(visit, answer);
			return;
		}
		const methods = this.#routes.filter((one) => one.path.test(path)).map(({ method }) => method);
		if (methods.length === 0) throw new Refused(404, `There is no ${path} here.`);
		const allow = [...new Set(methods)].join(", ");
		throw new Refused(405, `Only ${allow} is answered here.`, { allow });
	}

	/** Runs the work of a request until the client disconnects; sends what it throws as a refusal. */
	protected async during(exchange: SandboxExchange, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
		const { request, response } = exchange;
		const visit = new AbortController();
		const onClose = () => visit.abort(new Error("The client went away."));
		response.once("close", onClose);
		try {
			await work(visit.signal);
		} catch (error) {
			if (visit.signal.aborted) {
				response.destroy();
				return;
			}
			this.#refuse(exchange, refusedBy(error));
			// Drains the body, which would be taken for the next request.
			request.resume();
		} finally {
			response.off("close", onClose);
		}
	}

	/** Applies a fault in place of an answer; true if one hit. `key` identifies faults of single requests. */
	protected misbehave({ faults, response }: Visit<F>, key: string | undefined): boolean {
		const fault = this.#counts.hit(faults, key);
		if (fault === "drop") response.socket?.destroy();
		if (fault === "fail" && faults.fail !== undefined) throw failureOf(faults.fail, this.now());
		return fault !== undefined;
	}

	async #deliver(visit: Visit<F>, { status, headers = {}, body, write = jsonContent }: CleanReply): Promise<void> {
		const hasBody = status !== 204 && status !== 304;
		const { type, text } = body === undefined ? { type: "", text: "" } : write(body);
		visit.response.writeHead(status, hasBody ? { ...headers, ...contentHeaders(type, text) } : headers);
		await transmit(visit.response, Buffer.from(text), visit.faults);
	}

	#refuse(exchange: SandboxExchange, refused: Refused): void {
		const { response } = exchange;
		const { type, text } = errorPage(refused) ?? this.refusal(refused, exchange);
		response.writeHead(refused.status, { ...refused.headers, ...contentHeaders(type, text) });
		response.end(text);
	}
}

/** Faults of a route, without the local ones that `on` limits to other routes. */
function faultsAt<F extends RoutedFaults>(route: Route | undefined, faults: F): F {
	const { on } = faults;
	if (on === undefined || (route !== undefined && on.includes(route.name))) return faults;
	// No fault is required.
	return Object.fromEntries(Object.entries(faults).filter(([field]) => !LOCAL.has(field))) as F;
}

function contentHeaders(type: string, text: string): Record<string, string> {
	return { ...(type !== "" && { "content-type": type }), "content-length": `${Buffer.byteLength(text)}` };
}

function errorPage({ page, status }: Refused): Content | undefined {
	if (page === "empty") return { type: "application/json", text: "" };
	if (page !== "html") return undefined;
	return { type: "text/html", text: `<html><title>${status}</title><body><h1>HTTP ERROR ${status}</h1></body></html>` };
}

/** Turns an error that the client caused into a refusal; rethrows any other. */
function refusedBy(error: unknown): Refused {
	if (error instanceof ClientError) return new Refused(400, error.message);
	if (error instanceof URIError) return new Refused(400, "The path is not encoded as a URL.");
	if (error instanceof Refused) return error;
	throw error;
}
