import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";

/** Origin of a server on the loopback that answers with this listener until the test is over. */
export async function listening(context: TestContext, listener: RequestListener): Promise<string> {
	const server = createServer(listener);
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	context.after(() => {
		server.closeAllConnections();
		server.close();
	});
	const { port } = server.address() as AddressInfo;
	return `http://127.0.0.1:${port}`;
}
