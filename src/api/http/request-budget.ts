import { AsyncLocalStorage } from "node:async_hooks";
import { ClientError, type Service } from "#base/errors.ts";

/** Number of requests that some work may make, whatever it calls: those of its parallel parts and its retries count too. */
export class RequestBudget {
	static readonly #current = new AsyncLocalStorage<RequestBudget>();
	readonly #most: number;
	made = 0;
	/** True once something was refused because nothing was left. */
	isExceeded = false;

	constructor(most: number) {
		this.#most = most;
	}

	/** Runs work on this budget. */
	run<T>(work: () => T): T {
		return RequestBudget.#current.run(this, work);
	}

	/** Counts a request that is about to be made, on the budget of its work. Throws ClientError `invalid` if none is left. */
	static take(service: Service): void {
		const budget = RequestBudget.#current.getStore();
		if (budget === undefined) return;
		if (budget.made >= budget.#most) {
			budget.isExceeded = true;
			throw new ClientError(service, "invalid", `All ${budget.#most} requests are used up: ask the person to go on`);
		}
		budget.made += 1;
	}
}
