import { fail } from "node:assert/strict";
import { after, before } from "node:test";
import type { RequestNotice } from "#api/http/notice.ts";
import type { Transport } from "#api/http/transport.ts";
import { createTransport } from "#api/http/undici-transport.ts";
import { MessagesClient } from "#api/messages/client.ts";
import {
	defaultPatience,
	type MessagesPatience,
	type MessagesRequest,
	type SelfDescription,
} from "#api/messages/model.ts";
import { type Clock, systemClock } from "#base/clock.ts";
import { ReplayServer, sse } from "../../support/replay-server.ts";

/** One transport for all tests of a file: as in the product, its pools are shared. */
export const transport = createTransport();
after(() => transport.close());

/** Key of the clients, where a test names no other. */
export const KEY = "test-key-0123456789";

/** Header names of the contract. */
export const profile = { versionHeader: "service-version", version: "2023-06-01", keyHeader: "x-api-key" };

/** A request with nothing special about it. */
export const hello: MessagesRequest = { model: "any", messages: [{ role: "user", content: "hello" }], maxTokens: 100 };

/** Event that ends a stream. */
export const STOP = sse({ type: "message_stop" });

/** Event with a piece of text. */
export function delta(text: string, index = 0): string {
	return sse({ type: "content_block_delta", index, delta: { type: "text_delta", text } } as { type: string });
}

/** Server that answers with recorded bytes for as long as the tests of the file run. */
export function replayServer(): Pick<ReplayServer, "play" | "forget"> {
	const running: ReplayServer[] = [];
	before(async () => void running.push(await ReplayServer.start()));
	after(async () => {
		for (const server of running) await server.close();
	});
	const started = () => running[0] ?? fail("The server has not started yet.");
	return { play: (...replies) => started().play(...replies), forget: (baseUrl) => started().forget(baseUrl) };
}

/** What a client differs in. */
interface Differences extends Partial<MessagesPatience> {
	readonly transport?: Transport;
	readonly clock?: Clock;
	readonly key?: string;
	readonly describes?: SelfDescription;
	readonly onRequest?: (notice: RequestNotice) => void;
	/** Takes the notices of all requests. */
	readonly notices?: RequestNotice[];
}

/** A client of the service at `baseUrl`, with the contract's own header names. */
export function clientAt(
	baseUrl: string,
	{
		transport: own = transport,
		clock = systemClock,
		key = KEY,
		describes,
		notices,
		onRequest,
		...patience
	}: Differences = {},
): MessagesClient {
	return new MessagesClient({
		transport: own,
		clock,
		patience: { ...defaultPatience, ...patience },
		endpoint: { baseUrl, profile, key, describes },
		onRequest: onRequest ?? ((notice) => notices?.push(notice)),
	});
}
