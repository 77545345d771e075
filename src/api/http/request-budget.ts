import { AsyncLocalStorage } from "node:async_hooks";
import { ClientError, type Service } from "#base/errors.ts";
import { LIMITS } from "#base/limits.ts";

/** Requests that some work has made, whatever it called: those of its parallel parts and its retries count too. */
export interface RequestCount {
	requests: number;
}

const CURRENT = new AsyncLocalStorage<RequestCount>();

/** Runs work whose requests are counted; it may make as many as {@link LIMITS.toolRequests}. */
export function countRequests<T>(count: RequestCount, work: () => T): T {
	return CURRENT.run(count, work);
}

/** Counts a request that is about to be made. Throws ClientError `invalid` where its work has none left. */
export function takeRequest(service: Service): void {
	const count = CURRENT.getStore();
	if (count === undefined) return;
	const most = LIMITS.toolRequests;
	if (count.requests >= most) {
		throw new ClientError(service, "invalid", `All ${most} requests are used up: ask the person to go on`);
	}
	count.requests += 1;
}
