import { leadsOn, type RequestNotice } from "#api/http/notice.ts";
import type { ClientError } from "#base/errors.ts";

/**
 * Error of the last request that depended on a credential. A 401 of one repository says nothing of the credential, which
 * may lack the scope for just that one (contract section 7): the client finds out and explains it.
 */
export class LastError {
	#value: ClientError | null = null;

	/** Null when the last request did not fail, or none was made. */
	get value(): ClientError | null {
		return this.#value;
	}

	/** Takes in what the client has found out about a failure. */
	explain(error: ClientError): void {
		this.#value = error.reason === "repository-refused" ? null : error;
	}

	/** Takes in a request that is over. */
	note({ url, status, error }: Pick<RequestNotice, "url" | "status" | "error">): void {
		// What only leads on to another address says nothing of the credential.
		if (error === undefined && leadsOn(status)) return;
		const isOfRepository = error?.code === "unauthorized" && IN_REPOSITORY.test(URL.parse(url)?.pathname ?? url);
		if (!isOfRepository) this.#value = error ?? null;
	}
}

const IN_REPOSITORY = /\/repos\/[^/]+\/[^/]+/;
