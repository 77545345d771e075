import { AsyncLocalStorage } from "node:async_hooks";
import { ClientError, type Service } from "#base/errors.ts";
import { LIMITS } from "#base/limits.ts";

/** Requests made by some work, its parallel parts and retries included. */
export interface RequestCount {
	requests: number;
}

const CURRENT = new AsyncLocalStorage<RequestCount>();

/** Runs work and counts its requests, at most {@link LIMITS.toolRequests}. */
export function countRequests<T>(count: RequestCount, work: () => T): T {
	return CURRENT.run(count, work);
}

/** Counts a request. Throws ClientError `invalid` if the work has none left. */
export function takeRequest(service: Service): void {
	const count = CURRENT.getStore();
	if (count === undefined) return;
	const most = LIMITS.toolRequests;
	if (count.requests >= most) {
		throw new ClientError(service, "invalid", `All ${most} requests are used up. Send another message to go on`);
	}
	count.requests += 1;
}
