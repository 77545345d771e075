import { request as forward } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { selfSigned } from "./certificate.ts";

/** A server that is reached by TLS alone. */
export interface TlsFront {
	/** Such as `https://localhost:41234`. */
	readonly origin: string;
	/** The certificate, which it signed itself, PEM. */
	readonly cert: string;
	close(): void;
}

/** Puts TLS before a server of plain HTTP on this machine, which is asked as if by itself. */
export async function tlsFront(port: number): Promise<TlsFront> {
	const identity = selfSigned("localhost");
	const server = createServer(identity, (request, response) => {
		const { method, url: path, headers } = request;
		const inner = forward({
			host: "127.0.0.1",
			port,
			method,
			path,
			headers: { ...headers, host: `127.0.0.1:${port}` },
		});
		inner.on("response", (reply) => {
			response.writeHead(reply.statusCode ?? 502, reply.headers);
			reply.pipe(response);
		});
		inner.on("error", () => response.destroy());
		request.pipe(inner);
	});
	await new Promise<void>((resolve) => server.listen(0, "localhost", resolve));
	const address = server.address() as AddressInfo;
	return {
		origin: `https://localhost:${address.port}`,
		cert: identity.cert,
		close() {
			server.closeAllConnections();
			server.close();
		},
	};
}
