import type { RequestNotice } from "#api/http/notice.ts";
import type { ClientError } from "#base/errors.ts";

/** So long a credential that was taken counts as good: it may have been revoked since. Milliseconds. */
const TELLING_MS = 10 * 60 * 1_000;

/**
 * Why the last request that depended on a credential failed. That a credential is refused for one repository says nothing
 * of it while the service takes it for something else: a token may lack the scope for just that one (contract section 7).
 */
export class LastError {
	#value: ClientError | null = null;
	/** When the service took the credential last, by the path it was asked for; gone when it is refused there. */
	readonly #taken = new Map<string, number>();
	/** When the credential was refused last, by repository. */
	readonly #refused = new Map<string, number>();

	/** Null when the last request did not fail, or none was made. */
	get value(): ClientError | null {
		return this.#value;
	}

	/** What failed is known better. */
	explain(error: ClientError): void {
		this.#value = error;
	}

	/**
	 * Takes in a request that is over; `now` is in epoch milliseconds. Says whether it begins to look as if the credential
	 * were at fault although only a repository has said so: what belongs to none would tell.
	 */
	note({ url, status, error }: Pick<RequestNotice, "url" | "status" | "error">, now: number): boolean {
		// What only leads on to another address says nothing of the credential.
		if (error === undefined && status !== null && status >= 300 && status !== 304) return false;
		const path = URL.parse(url)?.pathname ?? url;
		const before = this.#value;
		if (error === undefined) {
			this.#taken.set(path, now);
			this.#refused.delete(repositoryIn(path));
		}
		this.#value = error === undefined || this.#isOfRepository(error, { path, now }) ? null : error;
		const isRefused = this.#value?.code === "unauthorized" && before?.code !== "unauthorized";
		return isRefused && repositoryIn(path) !== "";
	}

	#isOfRepository({ code }: ClientError, { path, now }: { path: string; now: number }): boolean {
		if (code !== "unauthorized") return false;
		this.#taken.delete(path);
		const repository = repositoryIn(path);
		if (repository === "") return false;
		this.#refused.set(repository, now);
		const takenAt = Math.max(Number.NEGATIVE_INFINITY, ...this.#taken.values());
		// What refuses several things, and has taken nothing since, may refuse everything by now.
		const isAlone = [...this.#refused].every(([other, at]) => other === repository || at <= takenAt);
		return isAlone && takenAt >= now - TELLING_MS;
	}
}

/** The repository that a path leads into; empty for what belongs to none. */
function repositoryIn(path: string): string {
	return /\/repos\/([^/]+\/[^/]+)/.exec(path)?.[1]?.toLowerCase() ?? "";
}
