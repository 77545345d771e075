import { strict as assert } from "node:assert";
import type { CallPatience } from "#api/http/caller.ts";
import type { RequestNotice } from "#api/http/notice.ts";
import type { Transport, TransportRequest } from "#api/http/transport.ts";
import { createTransport } from "#api/http/undici-transport.ts";
import { defaultPatience } from "#api/messages/model.ts";
import { PetstoreClient, petstoreLimiters } from "#api/petstore/client.ts";
import type { PetstoreCredential } from "#api/petstore/credential.ts";
import { contractProfile, type PetstoreProfile } from "#api/petstore/model.ts";
import { ClientError } from "#base/errors.ts";
import { type Int64, int64Of } from "#base/int64.ts";
import type { PetstoreFaults } from "#sandbox/petstore/faults.ts";
import { type Sandbox, startSandbox } from "#sandbox/sandbox.ts";
import { FakeClock } from "../../support/fake-clock.ts";

const shared = createTransport();

/** Closes what all clients share. */
export function closeTransport(): Promise<void> {
	return shared.close();
}

/** A client, and what it did. */
export interface Watched {
	readonly client: PetstoreClient;
	readonly clock: FakeClock;
	readonly sent: TransportRequest[];
	readonly notices: RequestNotice[];
}

/** What of a client is not the usual. */
export interface ClientChanges extends Partial<CallPatience>, Partial<PetstoreProfile> {
	readonly apiKey?: string | null;
	readonly token?: string | null;
	readonly scopes?: readonly string[] | null;
	readonly redact?: (text: string) => string;
	/** What carries its requests; without it one that all clients share. */
	readonly carrier?: Transport;
}

/** A client of a store at an address. Its clock jumps over the waits between two tries. */
export function clientAt(baseUrl: string, changes: ClientChanges = {}): Watched {
	const { basePath = contractProfile.basePath, format = "json", redact, ...rest } = changes;
	const { apiKey, token, scopes = null, carrier = shared, ...patience } = rest;
	const clock = new FakeClock();
	const sent: TransportRequest[] = [];
	const notices: RequestNotice[] = [];
	const transport: Transport = {
		send(request) {
			sent.push(request);
			return carrier.send(request);
		},
		close: () => carrier.close(),
	};
	const credential: PetstoreCredential = {
		origin: new URL(baseUrl).origin,
		apiKey: () => apiKey ?? undefined,
		accessToken: () => (token ? { value: token, scopes, expiresAt: null } : undefined),
	};
	const client = new PetstoreClient({
		baseUrl,
		profile: { basePath, format },
		credential,
		transport,
		clock,
		limiters: petstoreLimiters(),
		patience: () => ({ ...defaultPatience, ...patience }),
		redact,
		onRequest(notice) {
			notices.push(notice);
			const backoffMs = 437.5 * 2 ** (notice.attempt - 1);
			if (notice.error !== undefined) setImmediate(() => clock.advance(notice.error?.retryAfterMs ?? backoffMs));
		},
	});
	return { client, clock, sent, notices };
}

/** Starts a pet store. */
export function startStore(petstore: PetstoreFaults = {}): Promise<Sandbox> {
	return startSandbox({ curious: true, petstore });
}

/** A client of the sandbox with all that it asks for. */
export function clientOf({ baseUrls, keys }: Sandbox, changes: ClientChanges = {}): Watched {
	return clientAt(baseUrls.petstore, { apiKey: keys.petstore.apiKey, token: keys.petstore.token, ...changes });
}

/** An id, exactly. */
export function exactId(digits: string): Int64 {
	const id = int64Of(digits);
	assert.ok(id !== null);
	return id;
}

/** The error that a call ends with. */
export async function failureOf(call: Promise<unknown>): Promise<ClientError> {
	const error = await call.then(
		(value) => assert.fail(`the call did not fail: ${JSON.stringify(value)}`),
		(thrown: unknown) => thrown,
	);
	assert.ok(error instanceof ClientError, String(error));
	assert.equal(error.service, "petstore");
	return error;
}
