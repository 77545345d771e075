import { createServer, type IncomingMessage } from "node:http";

/** The smallest code host: it knows a few tokens, and whose they are. */
export interface UserService {
	readonly baseUrl: string;
	/** The bearer values that arrived, in order. */
	readonly seen: readonly string[];
	close(): Promise<void>;
}

/** Starts it on loopback, on a port that was used before where one is named; `owners` maps tokens to logins. */
export async function startUserService(owners: Readonly<Record<string, string>>, port = 0): Promise<UserService> {
	const seen: string[] = [];
	const server = createServer((request: IncomingMessage, response) => {
		const token = (request.headers.authorization ?? "").replace(/^Bearer /, "");
		seen.push(token);
		const login = Object.hasOwn(owners, token) ? owners[token] : undefined;
		const isUser = request.url === "/user";
		response.writeHead(login === undefined ? 401 : isUser ? 200 : 404, { "content-type": "application/json" });
		response.end(JSON.stringify(login === undefined ? { message: "Bad credentials" } : { login }));
	});
	await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
	const address = server.address();
	if (address === null || typeof address === "string") throw new Error("The service has no port.");
	return {
		baseUrl: `http://127.0.0.1:${address.port}`,
		seen,
		close: async () => {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}
