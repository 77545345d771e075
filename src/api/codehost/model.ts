import { ClientError, invalid } from "#base/errors.ts";
import {
	convert,
	type Infer,
	integer,
	list,
	object,
	parse,
	parsed,
	partOf,
	refine,
	type Schema,
	type SchemaPlace,
	text,
} from "#base/schema.ts";
import { isRecord } from "../http/json.ts";
import type { RequestNotice, WaitNotice } from "../http/notice.ts";

/** Names and values of a code host (contract sections 5, 8 and 9). */
export interface CodehostProfile {
	/** Absent where the service takes no version header. */
	readonly versionHeader?: string;
	readonly version?: string;
	readonly accept: string;
	/** Prefixes that tell the kind of a token; others are accepted too. */
	readonly patPrefixes?: { readonly fineGrained: readonly string[]; readonly classic: readonly string[] };
	/** Query parameters of the issues listing that the service knows; none by default. */
	readonly issueQuery?: readonly string[];
	/** The service's own names of parameters that are mostly called otherwise, by the usual name. */
	readonly issueQueryNames?: Readonly<Record<string, string>>;
	/** Query of every listing of issues, such as one without pull requests. */
	readonly fixedIssueQuery?: Readonly<Record<string, string>>;
	/** Path of a list that a token may read which may not tell its owner. */
	readonly readPath?: string;
	/** Paths of the repositories of a token's owner and of an installation; beyond the contract. */
	readonly repositoryList?: { readonly pat: string; readonly installation?: string; readonly app?: undefined };
	readonly rateLimitHeaders: RateLimitHeaders;
}

/** Names of the headers with the state of a rate limit; only the first is documented (contract section 8). */
export interface RateLimitHeaders {
	readonly remaining: string;
	readonly limit?: string;
	/** Seconds since the epoch, or milliseconds. */
	readonly reset?: string;
}

/** JSON object as the service sent it, unknown fields included. Hostile until rendered as text. */
type RawRecord = Readonly<Record<string, unknown>>;

/** Reads one field of a record, which stands at a place in its reply. */
type Field<T> = (raw: RawRecord, place: SchemaPlace) => T;

const required =
	<T>(name: string, schema: Schema<T>): Field<T> =>
	(raw, place) =>
		schema.read(raw[name], partOf(place, name));

/** Field that may be absent; a value of an unexpected type counts as absent. */
const ifPresent =
	<T>(name: string, schema: Schema<T>): Field<T | null> =>
	(raw) =>
		valueIn(raw[name], schema);

function valueIn<T>(value: unknown, schema: Schema<T>): T | null {
	// Fast path: an error for each absent field takes longer than decoding the others.
	return value === undefined || value === null ? null : (parsed(schema, value) ?? null);
}

/** Schema of a record by its fields; `raw` is the record as the service sent it. */
function record<F extends Readonly<Record<string, Field<unknown>>>>(
	fields: F,
): Schema<{ readonly [K in keyof F]: ReturnType<F[K]> } & { readonly raw: RawRecord }> {
	const named = Object.entries(fields);
	return {
		json: { type: "object" },
		read(raw, place) {
			if (!isRecord(raw)) throw invalid(place.service, place.field, "must be an object");
			const values: Record<string, unknown> = { raw };
			for (const [name, field] of named) values[name] = field(raw, place);
			// Every field was read by the function that gives it its type.
			return values as { [K in keyof F]: ReturnType<F[K]> } & { raw: RawRecord };
		},
	};
}

const word = text({ min: 1 });
const count = integer({ min: 0 });
const login = convert(object({ login: text() }), (user) => user.login);

/** An ISO 8601 time as milliseconds since the epoch; one without a zone is UTC. */
const time = refine(
	convert(
		refine(text(), (value) => (/^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(value) ? undefined : "must be a time")),
		(value) => Date.parse(/(?:[Zz]|[+-]\d\d:?\d\d)$/.test(value) ? value : `${value}Z`),
	),
	(value) => (Number.isNaN(value) ? "must be a time" : undefined),
);

/** The owner of a personal access token (contract section 2). Null where the service does not say. */
export const USER = record({ login: required("login", word), name: ifPresent("name", text()) });

/** The owner of a personal access token. */
export type TokenOwner = Infer<typeof USER>;

/** A repository (contract section 2). Null where the service does not say. */
export const REPOSITORY = record({
	/** `owner/repo`, as the service spells it. */
	fullName: required(
		"full_name",
		refine(text(), (name) => (/^[^\s/]+\/[^\s/]+$/.test(name) ? undefined : "must have the form owner/repo")),
	),
	htmlUrl: ifPresent("html_url", text()),
});

/** A repository. */
export type Repository = Infer<typeof REPOSITORY>;

interface Label {
	readonly name: string;
	/** Six hexadecimal digits, without `#`; null when unknown. */
	readonly color: string | null;
}

/** An issue (contract section 2). Null where the service does not say; times are milliseconds since the epoch. */
const ISSUE = record({
	number: required("number", integer()),
	title: required("title", text()),
	/** The service's own word, such as `open` or `closed`. */
	state: ifPresent("state", text()),
	stateReason: ifPresent("state_reason", text()),
	/** Markdown, not to be trusted. */
	body: ifPresent("body", text()),
	labels: ({ labels }): readonly Label[] => (Array.isArray(labels) ? labels.flatMap(labelsIn) : []),
	/** The login of who wrote it. */
	author: ({ user, author }) => valueIn(user, login) ?? valueIn(author, login),
	/** The logins of those it is assigned to. */
	assignees: ({ assignees, assignee }): readonly string[] => {
		const all: unknown[] = Array.isArray(assignees) && assignees.length > 0 ? assignees : [assignee];
		return all.flatMap((each) => valueIn(each, login) ?? []);
	},
	milestone: ifPresent(
		"milestone",
		convert(object({ title: text() }), ({ title }) => title),
	),
	htmlUrl: ifPresent("html_url", text()),
	createdAt: ifPresent("created_at", time),
	updatedAt: ifPresent("updated_at", time),
	closedAt: ifPresent("closed_at", time),
	comments: ifPresent("comments", count),
	/** True if it is a pull request that the service lists among the issues. */
	isPullRequest: (raw) => isRecord(raw["pull_request"]),
});

function labelsIn(label: unknown): readonly Label[] {
	if (typeof label === "string") return [{ name: label, color: null }];
	if (!isRecord(label) || typeof label["name"] !== "string") return [];
	const color = /^#?([0-9a-f]{6})$/i.exec(String(label["color"]))?.[1] ?? null;
	return [{ name: label["name"], color }];
}

/** An issue. */
export type Issue = Infer<typeof ISSUE>;

/** Page of records. A malformed one is null, unless there is no other. */
function page<T>(record: Schema<T>): Schema<readonly (T | null)[]> {
	const whole = list(record);
	return {
		json: whole.json,
		read: (value, place) =>
			Array.isArray(value) && (value.length === 0 || value.some(isRecord))
				? value.map((each) => parsed(record, each) ?? null)
				: whole.read(value, place),
	};
}

/** One page of issues. */
export const ISSUES = page(ISSUE);

/** One installation of an app. Its fields are not documented: all but the id may be unknown. */
const INSTALLATION = record({
	id: required("id", integer()),
	/** The login of the user or organization on whose account the app is installed. */
	account: ({ account }) => valueIn(account, login) ?? valueIn(account, text()),
	/** True if the service calls it suspended, with or without a usable time. */
	suspended: ({ suspended, suspended_at: since = null }) =>
		(since !== null && since !== false && since !== "") || suspended === true,
});

/** One installation of an app. */
export type Installation = Infer<typeof INSTALLATION>;

/** Page of records: a list, or one under its name, where that is not documented. */
function namedPage<T>(name: string, record: Schema<T>): Schema<readonly (T | null)[]> {
	const { json, read } = page(record);
	return {
		json,
		read: (value, place) =>
			isRecord(value) && name in value ? read(value[name], partOf(place, name)) : read(value, place),
	};
}

/** Page of installations. */
export const INSTALLATIONS = namedPage("installations", INSTALLATION);

/** Page of repositories. */
export const REPOSITORIES = namedPage("repositories", REPOSITORY);

/** A token that acts as an app's installation (contract section 2). */
export const INSTALLATION_TOKEN = record({
	token: required(
		"token",
		refine(text(), (token) => (/^[\x21-\x7e]+$/.test(token) ? undefined : "must be text that a header can carry")),
	),
	/** Milliseconds since the epoch; null when the service sent no usable time. */
	expiresAt: ifPresent("expires_at", time),
});

/** A token that acts as an app's installation. */
export interface InstallationToken extends Pick<Infer<typeof INSTALLATION_TOKEN>, "token" | "expiresAt"> {
	/** The service's own time when it sent the token, milliseconds since the epoch; null when it did not say. */
	readonly serverTime: number | null;
}

/** Reads the JSON of a reply. Throws ClientError `malformed` with the path of the field that is wrong, such as `[3].number`. */
export function decodeCodehostReply<T>(schema: Schema<T>, json: unknown): T {
	try {
		return parse(schema, json, "codehost", "");
	} catch (error) {
		if (!(error instanceof ClientError)) throw error;
		throw malformedReply(error.message, error.field);
	}
}

/** The error of a reply that has not the shape it should have. */
export function malformedReply(rule: string, field = ""): ClientError {
	const sentence = `The reply does not match the API: ${rule.trim()}.`;
	return new ClientError("codehost", "malformed", sentence, { field: field || undefined });
}

/** Result of a read. */
export interface CodehostAnswer<T> {
	/** The very same object as at the last read where the service said that nothing has changed since. */
	readonly value: T;
}

/** The installations of an app. */
export interface InstallationListing extends CodehostAnswer<readonly Installation[]> {
	/** False where not all could be read: what is missing may be installed all the same. */
	readonly complete: boolean;
}

/** Query parameters of the issues listing by wire names, such as `state`, `per_page`; lists are joined by commas. */
export type IssueQuery = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/** Position at which a listing goes on, as plain data. */
export interface IssueContinuation {
	/** The page to ask for next. */
	readonly url: string;
	/** Issues at the beginning of that page that have been handed out. */
	readonly skip: number;
}

/** One page of a listing, handed out as soon as all pages before it have been. */
export interface IssuePage {
	readonly issues: readonly Issue[];
	/** Position after this page; absent on the last. */
	readonly continuation?: IssueContinuation;
}

/** Options of a listing. */
export interface ListIssuesOptions {
	/** Parameters that the profile does not name are not sent; {@link IssueListing.ignored} lists them. */
	readonly query?: IssueQuery | undefined;
	/** The most issues to hand out in this call; all of them by default. */
	readonly limit?: number | undefined;
	/** Goes on where an earlier call ended; `query` is then not looked at. */
	readonly continuation?: IssueContinuation | undefined;
	/** Addresses of pages that earlier calls visited, to which this one adds its own. */
	readonly visited?: Set<string> | undefined;
	readonly signal?: AbortSignal | undefined;
	/** Called with each page in order, the first one as soon as it is there. */
	readonly onPage?: ((page: IssuePage) => void) | undefined;
}

/** Result of a listing. An issue can be in it twice if the list moved while it was read. */
export interface IssueListing {
	readonly issues: readonly Issue[];
	readonly pages: number;
	/** HTTP requests made for it, retries, redirects and conditional requests included, token exchanges not. */
	readonly requests: number;
	/** True if the service has no more issues than these, by its links. */
	readonly complete: boolean;
	/** Present when there is more to load. */
	readonly continuation?: IssueContinuation;
	/** Reason why the links were not followed to their end. */
	readonly halted?: "other-origin" | "other-repository" | "cycle" | "unreadable" | "unlinked";
	/** Number of issues that the service counts in the whole listing; absent where it counts none. */
	readonly total?: number;
	/** Number of malformed issues, which were left out. */
	readonly malformed?: number;
	/** Names of query parameters that were not sent, because the service is not known to understand them. */
	readonly ignored: readonly string[];
}

/** Last report of a limit. A part is null where it was not reported. */
export interface RateGauge {
	/** Calls left in the window. */
	readonly remaining: number;
	readonly limit: number | null;
	/** End of the window. Milliseconds since the epoch. */
	readonly resetAt: number | null;
}

/** The state of one bucket of calls: those of one user, or of one installation (contract section 8). */
export interface RateState {
	/** Null while the remaining requests are unknown: no report yet, or its window has ended. */
	readonly gauge: RateGauge | null;
	/** True under 10 % of the limit: then only a person's requests should be made. */
	readonly low: boolean;
	/** Time when calls are let through again, milliseconds since the epoch; null when they are now. */
	readonly closedUntil: number | null;
	/** True if only a person can try again: the backoff is used up. */
	readonly stopped: boolean;
}

/** Observer of a client, called synchronously; its errors are ignored. */
export interface CodehostObserver {
	/** An HTTP exchange is over, and the limit may have changed by it. */
	onRequest?(notice: RequestNotice): void;
	/** Hears the end of a call: null, or an error of the service or credential. A refused repository is none. */
	onOutcome?(error: ClientError | null, method: "GET" | "POST"): void;
	/** A call begins to wait; it can be aborted at any moment. */
	onWait?(notice: WaitNotice): void;
	/** The wait is over or was aborted. */
	onWaitEnd?(notice: WaitNotice): void;
}
