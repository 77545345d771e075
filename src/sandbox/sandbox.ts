import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { CodehostFaults } from "./codehost/faults.ts";
import { CodehostSandbox } from "./codehost/room.ts";
import { foreignness, jsonContent, type Room } from "./http.ts";
import type { OwnConnections } from "./messages/consult.ts";
import type { MessagesFaults } from "./messages/faults.ts";
import { MessagesSandbox } from "./messages/room.ts";
import type { PetstoreFaults } from "./petstore/faults.ts";
import { PetstoreSandbox } from "./petstore/room.ts";
import { PETS } from "./petstore/seed.ts";

/** Options of a sandbox. */
export interface SandboxOptions {
	/** Port on 127.0.0.1; any free one by default. */
	readonly port?: number | undefined;
	/** Faults of every reply, unless its request's `metadata.sandbox` says otherwise. */
	readonly messages?: MessagesFaults | undefined;
	readonly codehost?: CodehostFaults | undefined;
	readonly petstore?: PetstoreFaults | undefined;
	/** Number of ordinary pets in the store; by default those that are written by hand. */
	readonly pets?: number | undefined;
	/** Adds pets that are hard to display to the store. By default they have a store of their own. */
	readonly curious?: boolean;
	/** Connections under which a client knows these services; the model names none by default. */
	readonly own?: OwnConnections | undefined;
	/** Clock for tokens and limits in epoch milliseconds; the machine's by default. */
	readonly now?: () => number;
}

/** Starts the built-in services on 127.0.0.1. Rejects if the port is taken. */
export async function startSandbox(options: SandboxOptions = {}) {
	const server = createServer({ noDelay: true });
	await once(server.listen(options.port ?? 0, "127.0.0.1"), "listening");
	const address = server.address();
	const port = typeof address === "object" && address !== null ? address.port : 0;
	const at = (name: string) => `http://127.0.0.1:${port}/${name}`;
	const baseUrls = {
		messages: at("messages"),
		codehost: at("codehost"),
		petstore: at("petstore"),
		/** Pet store with pets that are hard to display; has the same keys. */
		curiosities: at("curiosities"),
	};
	const now = options.now ?? Date.now;
	const codehost = new CodehostSandbox(options.codehost ?? {}, now);
	const stores = { apiKey: mintKey("petstore-key"), password: mintKey("petstore-password"), now };
	const { petstore: faults = {}, pets = PETS.length, curious = false } = options;
	const petstore = new PetstoreSandbox(faults, { ...stores, baseUrl: baseUrls.petstore, pets, curious });
	const curiosities = new PetstoreSandbox(faults, { ...stores, baseUrl: baseUrls.curiosities, pets: 0, curious: true });
	const keys = { messages: mintKey("messages"), codehost: codehost.keys, petstore: petstore.keys };
	const messages = new MessagesSandbox(options.messages ?? {}, keys.messages, options.own);
	const rooms = new Map<string, Room>(Object.entries({ messages, codehost, petstore, curiosities }));
	// No request can have arrived yet: the server began to listen in this turn.
	server.on("request", (request, response) => {
		route(rooms, request, response).catch((error: unknown) => {
			// Hides an internal error; a half-sent reply can only be cut off.
			if (response.headersSent) response.destroy();
			else answerError(response, 500, "The sandbox failed.");
			if (!request.destroyed) console.error(error);
		});
	});
	return {
		port,
		/** Base URL of each service, without a trailing slash. */
		baseUrls,
		keys,
		codehost,
		petstore,
		/** Cuts off all replies and closes the server. */
		async close(): Promise<void> {
			if (!server.listening) return;
			const closed = once(server.close(), "close");
			server.closeAllConnections();
			await closed;
		},
	};
}

/** Running sandbox. Its keys are valid until it closes. */
export type Sandbox = Awaited<ReturnType<typeof startSandbox>>;

/** Routes by the first segment: `/messages/v1/messages` is `/v1/messages` of the room `messages`. */
async function route(rooms: ReadonlyMap<string, Room>, request: IncomingMessage, response: ServerResponse) {
	const [target = ""] = (request.url ?? "").split("?", 1);
	const [, name = "", ...rest] = target.split("/");
	const path = `/${rest.join("/")}`;
	const room = rooms.get(name);
	const foreign = foreignness(request, { isPage: room?.isPage?.(path) ?? false });
	if (foreign !== undefined) return answerError(response, 403, foreign);
	if (room === undefined) return answerError(response, 404, `There is no ${target} here.`);
	const url = new URL(request.url ?? "", `http://${request.headers.host}`);
	await room.handle({ request, response, path, url });
}

function answerError(response: ServerResponse, status: number, message: string): void {
	const type = status === 403 ? "permission_error" : status === 404 ? "not_found_error" : "api_error";
	const { type: contentType, text } = jsonContent({ type: "error", error: { type, message } });
	response.writeHead(status, { "content-type": contentType, "content-length": Buffer.byteLength(text) });
	response.end(text);
}

/** Key that cannot be mistaken for one of a real service. */
function mintKey(name: string): string {
	return `sandbox-${name}-${randomBytes(24).toString("base64url")}`;
}
