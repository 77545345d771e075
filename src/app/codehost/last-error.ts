import type { RequestNotice } from "#api/http/notice.ts";
import type { ClientError } from "#base/errors.ts";

/** How long before a repository was first refused the credential must have been taken elsewhere to be good. Milliseconds. */
const TELLING_MS = 10 * 60 * 1_000;

/**
 * Why the last request that depended on a credential failed. That a credential is refused for one repository says nothing
 * of it while the service takes it for something else: a token may lack the scope for just that one (contract section 7).
 */
export class LastError {
	#value: ClientError | null = null;
	/** When the service took the credential last, by what it was asked for; gone when it is refused for the same. */
	readonly #taken = new Map<string, number>();
	/** Since when the credential is refused, by repository. */
	readonly #refused = new Map<string, number>();

	/** Null when the last request did not fail, or none was made. */
	get value(): ClientError | null {
		return this.#value;
	}

	/** What failed is known better. */
	explain(error: ClientError): void {
		this.#value = error;
	}

	/** Takes in a request that is over. `now` is in epoch milliseconds. */
	note({ url, error }: Pick<RequestNotice, "url" | "error">, now: number): void {
		const subject = repositoryIn(url);
		if (error === undefined) {
			this.#taken.set(subject, now);
			this.#refused.delete(subject);
		}
		this.#value = error === undefined || this.#isOfRepository(error, { subject, now }) ? null : error;
	}

	#isOfRepository({ code }: ClientError, { subject, now }: { subject: string; now: number }): boolean {
		if (code !== "unauthorized") return false;
		this.#taken.delete(subject);
		if (subject === "") return false;
		const since = this.#refused.get(subject) ?? now;
		this.#refused.set(subject, since);
		return [...this.#taken.values()].some((at) => at >= since - TELLING_MS);
	}
}

/** The repository that an address leads into; empty for what belongs to none. */
function repositoryIn(url: string): string {
	return /\/repos\/([^/?#]+\/[^/?#]+)/.exec(url)?.[1]?.toLowerCase() ?? "";
}
