import type { RequestNotice } from "#api/http/notice.ts";
import type { Clock } from "#base/clock.ts";
import { ResourceOwner } from "#base/disposables.ts";
import { Emitter } from "#base/emitter.ts";
import type { ErrorCode } from "#base/errors.ts";
import type { Redactor } from "#base/redaction.ts";

/** Immutable HTTP exchange in the log, without known secrets. */
export interface LoggedRequest extends Omit<RequestNotice, "error"> {
	/** Unique in this window, such as `r12`; later ones are higher. */
	readonly id: string;
	/** Start of the request in epoch milliseconds. */
	readonly at: number;
	/** Id of the connection; null if it had none yet. */
	readonly connection: string | null;
	/** Name of the extension that asked; absent for own requests. */
	readonly caller?: string | undefined;
	readonly error: { readonly code: ErrorCode; readonly message: string } | null;
}

/** Path and query of a request's address. */
export function pathOf(url: string): string {
	return url.replace(/^[a-z]+:\/\/[^/?#]*/i, "") || "/";
}

/** Headers of a request that is repeated: without its conditions, to which an answer has no body (304). */
export function headersToRepeat({ headers }: Pick<LoggedRequest, "headers">): readonly (readonly [string, string])[] {
	return Object.entries(headers).filter(([name]) => !/^if-(?:none-match|modified-since)$/.test(name));
}

const MOST = 300;

/** Last requests of this window, in memory. Secrets are removed on entry, and again once they become known. */
export class RequestLog extends ResourceOwner {
	readonly #clock: Clock;
	readonly #redactor: Redactor;
	readonly #most: number;
	readonly #changed = this.held.add(new Emitter<void>());
	/** Oldest first. */
	#kept: LoggedRequest[] = [];
	#count = 0;
	/** Generation of the known secrets at the last redaction of all entries. */
	#generation: number;

	constructor(clock: Clock, redactor: Redactor, most = MOST) {
		super();
		this.#clock = clock;
		this.#redactor = redactor;
		this.#most = most;
		this.#generation = redactor.generation;
	}

	/** Fires when a request was added or the log cleared. */
	readonly onDidChange = this.#changed.event;

	add({ error, ...notice }: RequestNotice & Pick<LoggedRequest, "caller">, connection: string | null): void {
		this.#count += 1;
		const entry = withoutSecrets(
			{
				...notice,
				id: `r${this.#count}`,
				at: this.#clock.now() - notice.ms,
				connection,
				error: error === undefined ? null : { code: error.code, message: error.message },
			},
			this.#redactor,
		);
		this.#kept.push(entry);
		if (this.#kept.length > this.#most) this.#kept.shift();
		this.#changed.fire();
	}

	list(): readonly LoggedRequest[] {
		this.#goOver();
		return this.#kept.toReversed();
	}

	get(id: string): LoggedRequest | undefined {
		this.#goOver();
		return this.#kept.find((each) => each.id === id);
	}

	/** Clears the log; returns the number of entries. */
	clear(): number {
		const { length } = this.#kept;
		this.#kept = [];
		this.#changed.fire();
		return length;
	}

	/** Removes secrets that became known after the requests were logged. */
	#goOver(): void {
		const redactor = this.#redactor;
		if (this.#generation === redactor.generation) return;
		this.#generation = redactor.generation;
		this.#kept = this.#kept.map((each) => withoutSecrets(each, redactor));
	}
}

/** Names of query parameters whose values are always redacted. */
const SECRET_NAME =
	/(?:^|[._-])(?:[a-z]*token|[a-z]*key|[a-z]*secret|auth|code|jwt|passw(?:or)?d|passphrase|pwd|sig|signature)$/i;

function withoutSecrets(request: LoggedRequest, redactor: Redactor): LoggedRequest {
	const redact = (text: string) => redactor.redact(text);
	const shown = (text: string) => withoutParameters(redact(text));
	const { headers, error } = request;
	const url = shown(request.url);
	const body = request.body === null ? null : shown(request.body);
	return {
		...request,
		url,
		headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [redact(name), redact(value)])),
		body,
		isExact: request.isExact && url === request.url && body === request.body,
		error: error === null ? null : { ...error, message: shown(error.message) },
	};
}

/** Text with placeholders for secret parameters and passwords of addresses. */
function withoutParameters(text: string): string {
	return text
		.replaceAll(/([?&](?:amp;)?)([^=&#?\s]+)=([^&#\s"'<>\\]+)/g, (pair, mark: string, name: string, value: string) =>
			SECRET_NAME.test(name) && !/^\{[^{}]*\}$/.test(value) ? `${mark}${name}={${name}}` : pair,
		)
		.replaceAll(/(:\\?\/\\?\/[^\s/?#"'<>@:\\]*:)[^\s/?#"'<>@\\]+@/g, "$1{password}@");
}
