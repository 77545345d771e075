import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { CodehostBehaviour } from "./codehost/behaviour.ts";
import type { CodehostKeys } from "./codehost/credentials.ts";
import { CodehostRoom, type CodehostStatus } from "./codehost/room.ts";
import { foreignness, jsonContent, type Room } from "./http.ts";
import type { Behaviour } from "./messages/behaviour.ts";
import { MessagesRoom, type MessagesStatus } from "./messages/room.ts";
import type { PetstoreBehaviour } from "./petstore/behaviour.ts";
import type { PetstoreKeys } from "./petstore/keys.ts";
import { PetstoreRoom, type PetstoreStatus } from "./petstore/room.ts";

/** Options of a sandbox. */
export interface SandboxOptions {
	/** The port on 127.0.0.1; a free one by default. */
	readonly port?: number;
	/** Pause before each word of a reply, in milliseconds; 15 by default. */
	readonly wordDelayMs?: number;
	/** Behavior of every reply, unless its request's `metadata.sandbox` says otherwise. */
	readonly behaviour?: Behaviour;
	/** Behavior of the code host until it is told otherwise. */
	readonly codehost?: CodehostBehaviour;
	/** Behavior of the pet store until it is told otherwise. */
	readonly petstore?: PetstoreBehaviour;
	/** Number of ordinary pets in the store; 60 by default. */
	readonly pets?: number;
	/** Puts pets that are hard to show into the store too. False by default: they have a store of their own. */
	readonly curious?: boolean;
	/** The time in epoch milliseconds by which tokens expire and limits are reset; the machine's by default. */
	readonly now?: () => number;
}

/** A running sandbox. Keys are valid for this start only. */
export interface Sandbox {
	readonly port: number;
	/** Base URL of each service, without a slash at the end: append the paths of its contract. */
	readonly baseUrls: {
		readonly messages: string;
		readonly codehost: string;
		readonly petstore: string;
		/** The pet store with the pets that are hard to show; it takes the keys of the other one. */
		readonly curiosities: string;
	};
	readonly keys: {
		readonly messages: string;
		/** A key that is known but has no quota: 403. */
		readonly messagesWithoutQuota: string;
		/** Personal access tokens and apps of the code host. */
		readonly codehost: CodehostKeys;
		/** The pet store's key, tokens and user. */
		readonly petstore: PetstoreKeys;
	};
	/** Changes the code host while it runs. */
	readonly codehost: Pick<CodehostRoom, "behave" | "mintPat" | "revoke" | "revokeTokens">;
	/** Changes the pet store while it runs. */
	readonly petstore: Pick<PetstoreRoom, "behave" | "mintToken" | "revokeToken" | "pet" | "setPet" | "deletePet">;
	/** Counters of each service. */
	status(): {
		readonly messages: MessagesStatus;
		readonly codehost: CodehostStatus;
		readonly petstore: PetstoreStatus;
	};
	/** Cuts off all replies and closes the server. */
	close(): Promise<void>;
}

/** Starts the built-in services on 127.0.0.1. Rejects when the port is taken. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
	const server = createServer({ noDelay: true });
	const port = await listen(server, options.port ?? 0);
	const at = (name: string) => `http://127.0.0.1:${port}/${name}`;
	const baseUrls = {
		messages: at("messages"),
		codehost: at("codehost"),
		petstore: at("petstore"),
		curiosities: at("curiosities"),
	};
	const now = options.now ?? Date.now;
	const codehost = new CodehostRoom(options.codehost ?? {}, now);
	const stores = { apiKey: mintKey("petstore-key"), password: mintKey("petstore-password"), now };
	const { petstore: faults = {}, pets = 60, curious = false } = options;
	const petstore = new PetstoreRoom(faults, { ...stores, baseUrl: baseUrls.petstore, pets, curious });
	const curiosities = new PetstoreRoom(faults, { ...stores, baseUrl: baseUrls.curiosities, pets: 0, curious: true });
	const keys = {
		messages: mintKey("messages"),
		messagesWithoutQuota: mintKey("messages-without-quota"),
		codehost: codehost.keys,
		petstore: petstore.keys,
	};
	const messages = new MessagesRoom(options.behaviour ?? {}, {
		key: keys.messages,
		keyWithoutQuota: keys.messagesWithoutQuota,
		wordDelayMs: options.wordDelayMs ?? 15,
	});
	const rooms: ReadonlyMap<string, Room> = new Map<string, Room>([
		["messages", messages],
		["codehost", codehost],
		["petstore", petstore],
		["curiosities", curiosities],
	]);
	// No request can have come yet: the rooms were furnished in the turn in which the server began to listen.
	server.on("request", (request, response) => {
		route(rooms, request, response).catch((error: unknown) => {
			// Nothing of an internal error goes over the wire; a half-sent reply can only be broken off.
			if (response.headersSent) response.destroy();
			else answerError(response, 500, "The sandbox failed.");
			if (!request.destroyed) console.error(error);
		});
	});
	return {
		port,
		baseUrls,
		keys,
		codehost,
		petstore,
		status: () => ({ messages: messages.status(), codehost: codehost.status(), petstore: petstore.status() }),
		async close() {
			for (const room of rooms.values()) room.close();
			if (!server.listening) return;
			const closed = new Promise<void>((resolve) => server.close(() => resolve()));
			server.closeAllConnections();
			await closed;
		},
	};
}

/** Opens a server on 127.0.0.1. Returns its port. */
async function listen(server: Server, port: number): Promise<number> {
	await new Promise<void>((resolve, reject) => {
		server.once("error", reject);
		server.listen(port, "127.0.0.1", () => {
			server.off("error", reject);
			resolve();
		});
	});
	const address = server.address();
	return typeof address === "object" && address !== null ? address.port : 0;
}

/** Finds the room by the first segment of the path: `/messages/v1/messages` is `/v1/messages` of the room `messages`. */
async function route(
	rooms: ReadonlyMap<string, Room>,
	request: IncomingMessage,
	response: ServerResponse,
): Promise<void> {
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

/** A secret that cannot be taken for a real service's key. */
function mintKey(name: string): string {
	return `sandbox-${name}-${randomBytes(24).toString("base64url")}`;
}
