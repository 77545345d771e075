import { leadsOn, type RequestNotice } from "#api/http/notice.ts";
import type { ClientError } from "#base/errors.ts";

/** So shortly after a service has taken a credential, it was not revoked in between. Milliseconds. */
const FRESH_MS = 10_000;

/** What to make of a request that is over. */
export interface Noting {
	/** Milliseconds since the epoch. */
	readonly now: number;
	/** Whether the service can be asked whose the credential is. */
	readonly canAsk: boolean;
}

/**
 * Why the last request that depended on a credential failed. That a credential is refused for one repository says
 * nothing of it: a token may lack the scope for just that one (contract section 7). Whether the service takes it for
 * something else tells, and that has to be from about the same time: it may have been revoked since.
 */
export class LastError {
	#value: ClientError | null = null;
	/** What the service has taken the credential for last. */
	#taken: { readonly path: string; readonly at: number } | undefined;
	#isInDoubt = false;

	/** Null when the last request did not fail, or none was made. */
	get value(): ClientError | null {
		return this.#value;
	}

	/** Whether the service takes the credential, refusals for single repositories aside. */
	get isTaken(): boolean {
		return this.#taken !== undefined && this.#value === null && !this.#isInDoubt;
	}

	/** What failed is known better. */
	explain(error: ClientError): void {
		this.#value = error;
	}

	/** Whose the credential is could not be asked: the next refusal asks again. */
	leaveDoubt(): void {
		this.#isInDoubt = false;
	}

	/** Takes in a request that is over. Says whether the service has to be asked now whose the credential is. */
	note({ url, status, error }: Pick<RequestNotice, "url" | "status" | "error">, { now, canAsk }: Noting): boolean {
		// What only leads on to another address says nothing of the credential.
		if (error === undefined && leadsOn(status)) return false;
		const path = URL.parse(url)?.pathname ?? url;
		if (error === undefined) {
			this.#taken = { path, at: now };
			this.#settle(null);
			return false;
		}
		const isOfRepository = error.code === "unauthorized" && IN_REPOSITORY.test(path);
		const { path: other = path, at = 0 } = this.#taken ?? {};
		if (isOfRepository && other !== path && at <= now && at >= now - FRESH_MS) {
			this.#settle(null);
			return false;
		}
		if (!isOfRepository || !canAsk) {
			// What was taken before proves nothing any more.
			if (error.code === "unauthorized") this.#taken = undefined;
			this.#settle(error);
			return false;
		}
		const isToAsk = !this.#isInDoubt && this.#value?.code !== "unauthorized";
		this.#isInDoubt ||= isToAsk;
		return isToAsk;
	}

	#settle(value: ClientError | null): void {
		this.#value = value;
		this.#isInDoubt = false;
	}
}

const IN_REPOSITORY = /\/repos\/[^/]+\/[^/]+/;
