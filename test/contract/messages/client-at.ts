import { createTransport } from "#api/http/undici-transport.ts";
import { MessagesClient } from "#api/messages/client.ts";
import { defaultPatience, type MessagesRequest, type Patience } from "#api/messages/model.ts";
import { type Clock, systemClock } from "#base/clock.ts";

/** One transport for all tests of a file: as in the product, its pools are shared. */
export const transport = createTransport();

/** A request with nothing special about it. */
export const hello: MessagesRequest = { model: "any", messages: [{ role: "user", content: "hello" }], maxTokens: 100 };

/** A client of the service at `baseUrl`, with the contract's own header names. */
export function clientAt(
	baseUrl: string,
	{ clock = systemClock, ...patience }: Partial<Patience> & { clock?: Clock } = {},
): MessagesClient {
	return new MessagesClient({
		transport,
		clock,
		patience: { ...defaultPatience, ...patience },
		endpoint: {
			baseUrl,
			profile: { versionHeader: "service-version", version: "2023-06-01", keyHeader: "x-api-key" },
			key: "test-key-000000",
		},
	});
}
