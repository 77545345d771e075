import { subscribe } from "node:diagnostics_channel";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { ENDPOINTS, type EndpointName } from "#sandbox/codehost/faults.ts";
import { type Operation, PLANS } from "#sandbox/petstore/route.ts";
import type { Sandbox } from "#sandbox/sandbox.ts";

/** A request that a sandbox of this process was sent. */
interface SandboxRequest {
	readonly port: number | undefined;
	/** Closed once another server may have its port. */
	readonly server: Pick<Server, "listening">;
	readonly service: string;
	/** Undefined for a request to the messages service, and for what is not there. */
	readonly operation: EndpointName | Operation | undefined;
	/** Requests to the service that were under way when it came, itself included. */
	readonly atOnce: number;
	/** `cut off` is a connection that closed before the end of its reply. */
	state: "under way" | "answered" | "cut off";
	/** Status of the reply, once that is over. */
	status?: number;
}

const ROUTES = [...Object.entries(ENDPOINTS).map(([name, route]) => ({ name, ...route })), ...PLANS];

const seen: SandboxRequest[] = [];

// Every server of this process says here what it is asked, from the first request on.
subscribe("http.server.request.start", (message) => {
	const { request, response, server } = message as {
		request: IncomingMessage;
		response: ServerResponse;
		server: Server;
	};
	const port = request.socket.localPort;
	const [, service = "", ...rest] = (request.url ?? "").split("?", 1).join().split("/");
	const path = `/${rest.join("/")}`;
	const route = ROUTES.find((one) => one.method === request.method && one.path.test(path));
	const underWay = seen.filter((one) => one.port === port && one.service === service && one.state === "under way");
	const one: SandboxRequest = {
		port,
		server,
		service,
		operation: route?.name as SandboxRequest["operation"],
		atOnce: underWay.length + 1,
		state: "under way",
	};
	seen.push(one);
	response.once("close", () => {
		one.status = response.statusCode;
		one.state = response.writableEnded ? "answered" : "cut off";
	});
});

/** Requests that a running sandbox got so far for one of its services, or for an operation of one, in a state or in any. */
export function requestsTo(
	{ port }: Pick<Sandbox, "port">,
	what: keyof Sandbox["baseUrls"] | EndpointName | Operation,
	state?: SandboxRequest["state"],
): readonly SandboxRequest[] {
	return seen
		.filter((one) => one.server.listening && one.port === port)
		.filter((one) => one.service === what || one.operation === what)
		.filter((one) => state === undefined || one.state === state);
}
