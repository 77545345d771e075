import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type Server, request as send } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { type AddressInfo, connect, type Socket } from "node:net";
import { selfSigned } from "./certificate.ts";

/** Behavior of a proxy toward its clients. */
export interface ProxyRule {
	/** User and password that it wants, as `user:password`. */
	readonly wants?: string;
	/** Status with which it refuses everything. */
	readonly refuses?: number;
}

/**
 * Serves what listens on a port of this machine under other names too, by http and by https with a certificate that nobody
 * knows, and starts a proxy that leads there, whatever port it is asked for, itself spoken to by http or https.
 */
export async function serveThroughProxies(names: readonly string[], port: number) {
	const identity = selfSigned(...names, "localhost");
	/** The requests that the proxy got for these names, such as `CONNECT name`. */
	const asked: string[] = [];
	let rule: ProxyRule = {};
	const forward: RequestListener = (request, response) => {
		const { pathname, search } = new URL(request.url ?? "/", "http://any");
		const headers = { ...request.headers, host: `127.0.0.1:${port}` };
		const { method } = request;
		const sent = send({ host: "127.0.0.1", port, path: pathname + search, method, headers }, (reply) => {
			reply.pipe(response.writeHead(reply.statusCode ?? 502, reply.headers));
		});
		sent.on("error", () => response.destroy());
		request.pipe(sent);
	};
	/** Notes a request; gives the status with which it is refused. */
	const refusal = ({ method, url = "", headers }: IncomingMessage) => {
		const { hostname } = new URL(method === "CONNECT" ? `http://${url}` : url);
		if (names.includes(hostname)) asked.push(`${method === "CONNECT" ? method : "http"} ${hostname}`);
		const given = headers["proxy-authorization"];
		const isKnown = rule.wants === undefined || given === `Basic ${Buffer.from(rule.wants).toString("base64")}`;
		return isKnown ? rule.refuses : 407;
	};
	const services = [createServer(forward), createSecureServer(identity, forward)] as const;
	const ports = await Promise.all(services.map(listen));
	const proxy = (server: Server) =>
		server
			.on("request", (request, response) => {
				const status = refusal(request);
				if (status === undefined) forward(request, response);
				else response.writeHead(status, { "proxy-authenticate": "Basic" }).end();
			})
			.on("connect", (request, client: Socket) => {
				const status = refusal(request);
				if (status !== undefined) {
					client.end(`HTTP/1.1 ${status} No\r\nproxy-authenticate: Basic\r\ncontent-length: 0\r\n\r\n`);
					return;
				}
				const target = connect(ports[1] ?? 0, "127.0.0.1", () => client.write("HTTP/1.1 200 OK\r\n\r\n"));
				for (const socket of [target, client]) socket.on("error", () => [target, client].map((one) => one.destroy()));
				target.pipe(client).pipe(target);
			});
	const proxies = [proxy(createServer()), proxy(createSecureServer(identity))] as const;
	const [plainProxy, secureProxy] = await Promise.all(proxies.map(listen));
	return {
		/** Ports of the services. */
		ports: { http: ports[0], https: ports[1] },
		/** Host and port of the proxy, by how it is spoken to. */
		proxies: { http: `127.0.0.1:${plainProxy}`, https: `localhost:${secureProxy}` },
		certificate: identity.cert,
		asked,
		/** Forgets what was asked, and follows another rule. */
		begin(next: ProxyRule = {}): void {
			asked.length = 0;
			rule = next;
		},
		close(): void {
			for (const server of [...services, ...proxies]) {
				server.close();
				server.closeAllConnections();
			}
		},
	};
}

async function listen(server: Server): Promise<number> {
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
	return (server.address() as AddressInfo).port;
}
