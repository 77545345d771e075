import { ignoreErrors } from "#base/emitter.ts";
import { ClientError, invalid, withFacts } from "#base/errors.ts";
import type { Schema } from "#base/schema.ts";
import type { WireReply } from "../http/exchange.ts";
import { isAbsent } from "../http/fault.ts";
import { parseJson } from "../http/json.ts";
import { isWebPage } from "../http/reason.ts";
import type { TransportRequest } from "../http/transport.ts";
import { type CodehostCall, type CodehostClientOptions, codehostCaller } from "./caller.ts";
import { staysWithin } from "./link.ts";
import { type FetchedPage, walkPages, withShortfall } from "./listing.ts";
import { ReplyMemory } from "./memory.ts";
import {
	type CodehostAnswer,
	decodeCodehostReply,
	INSTALLATION_TOKEN,
	INSTALLATIONS,
	type Installation,
	type InstallationListing,
	type InstallationToken,
	ISSUES,
	type Issue,
	type IssueListing,
	type ListIssuesOptions,
	malformedReply,
	type RateState,
	REPOSITORIES,
	REPOSITORY,
	type Repository,
	type TokenOwner,
	USER,
} from "./model.ts";
import { serverTimeOf } from "./rate-limit.ts";
import { issuesUrl, operationUrl, repositoryPath } from "./request.ts";

/** Pages of issues that are kept for conditional requests; characters of JSON. */
const ISSUES_KEPT = { entries: 1_000, size: 64 * 1024 * 1024 };
const RECORDS_KEPT = { entries: 200, size: 4 * 1024 * 1024 };

/** Options of one call. */
export interface AskOptions {
	readonly signal?: AbortSignal | undefined;
	/** True for a call that fails at once instead of waiting for a rate limit. */
	readonly failFast?: boolean | undefined;
}

/** Finds out what an error is about. */
type Blame = (error: ClientError, signal: AbortSignal | undefined) => ClientError | Promise<ClientError>;

interface Read<T> {
	readonly shape: Schema<T>;
	readonly memory: ReplyMemory<T>;
	readonly blame: Blame;
}

/** Client of a code host (contract section 4). An unchanged value is the same object. Rejects with ClientError only. */
export class CodehostClient {
	readonly #options: CodehostClientOptions;
	readonly #caller: ReturnType<typeof codehostCaller>;
	readonly #user: Read<TokenOwner> = { shape: USER, memory: new ReplyMemory(RECORDS_KEPT), blame: blameAddress };
	readonly #installations: Read<readonly (Installation | null)[]> = {
		shape: INSTALLATIONS,
		memory: new ReplyMemory(RECORDS_KEPT),
		// Some code hosts say of an app that they do not know that its list is not there.
		blame: (error) =>
			isAbsent(error) && isOfApp(error) ? withFacts(error, { reason: "app-refused" }) : blameAddress(error),
	};
	readonly #repository: Read<Repository> = {
		shape: REPOSITORY,
		memory: new ReplyMemory(RECORDS_KEPT),
		blame: (error, signal) => this.#blameRepository(error, signal),
	};
	readonly #repositories: Read<readonly (Repository | null)[]> = {
		shape: REPOSITORIES,
		memory: new ReplyMemory(RECORDS_KEPT),
		blame: (error) => error,
	};
	readonly #issues: Read<readonly (Issue | null)[]> = {
		...this.#repository,
		shape: ISSUES,
		memory: new ReplyMemory(ISSUES_KEPT),
	};

	/** Throws ClientError `invalid` for `base_url`; the reason is `other-origin` if the credential belongs elsewhere. */
	constructor(options: CodehostClientOptions) {
		this.#options = options;
		const { origin } = operationUrl(options, "");
		if (origin !== options.credential.origin) {
			const sentence = `base_url leads to ${origin}, but the credential was entered for ${options.credential.origin}`;
			throw new ClientError("codehost", "invalid", sentence, { field: "base_url", reason: "other-origin" });
		}
		this.#caller = codehostCaller(options);
	}

	/** The limit that this credential's calls count against. */
	get rate(): RateState {
		return this.#caller.gate.state;
	}

	/** Lets the next call through a used-up limit, on a person's request. */
	tryAgain(): void {
		this.#caller.gate.reopen();
	}

	/** The owner of the personal access token. */
	async getUser(how: AskOptions = {}): Promise<CodehostAnswer<TokenOwner>> {
		const { readPath } = this.#options.profile;
		return this.#read(this.#user, this.#url("/user"), how).catch(async (error: unknown) => {
			if (readPath === undefined || !(error instanceof ClientError) || error.code !== "forbidden") throw error;
			const url = this.#url(readPath);
			url.search = "limit=1";
			await this.#call({ method: "GET", url, ...how }, blameAddress);
			return { value: { login: "", name: null, raw: {} } };
		});
	}

	/** All installations of the app whose credential this is, each once. */
	async listInstallations({ signal, ...how }: AskOptions = {}): Promise<InstallationListing> {
		const reader = this.#reader(this.#installations, how);
		const { items, complete, total = 0 } = await walkPages(this.#url("/app/installations"), reader, { signal });
		const known = items.filter((each) => each !== null);
		const byId = Map.groupBy(known, ({ id }) => id);
		const value = [...byId.values()].flatMap(([first]) => first ?? []);
		return { value, complete: complete && known.length === items.length && value.length >= total };
	}

	/** Exchanges the app's token for an installation's. Rejects with the reason `suspended` or `not-installed`. */
	async createInstallationToken(installationId: number, how: AskOptions = {}): Promise<InstallationToken> {
		const url = this.#url(`/app/installations/${installationId}/access_tokens`);
		const reply = await this.#call({ method: "POST", url, ...how }, (error) => {
			if (error.code !== "not-found" || error.status !== 404) return error;
			return withFacts(error, { reason: isOfApp(error) ? "app-refused" : "not-installed" });
		});
		return { ...decodeCodehostReply(INSTALLATION_TOKEN, jsonOf(reply)), serverTime: serverTimeOf(reply.headers) };
	}

	/** One repository. Throws ClientError `invalid` for `owner` or `repo`. */
	async getRepository(owner: string, repo: string, how: AskOptions = {}): Promise<CodehostAnswer<Repository>> {
		return this.#read(this.#repository, this.#url(repositoryPath(owner, repo)), how);
	}

	/** First page of the repositories of this credential; empty where the profile names no list of them. */
	async listRepositories(how: AskOptions = {}): Promise<readonly Repository[]> {
		const { credential, profile } = this.#options;
		const path = profile.repositoryList?.[credential.kind];
		if (path === undefined) return [];
		const url = this.#url(path);
		// Each service takes what it knows of these, and a page of its own size else.
		url.search = "sort=pushed&per_page=100";
		return (await this.#read(this.#repositories, url, how)).value.filter((each) => each !== null);
	}

	/** Lists the issues of a repository page by page. After a failure the last page's `continuation` resumes it. */
	async listIssues(owner: string, repo: string, options: ListIssuesOptions = {}): Promise<IssueListing> {
		const { query, limit, continuation, onPage } = options;
		if (limit !== undefined && (!Number.isSafeInteger(limit) || limit < 1)) {
			throw invalid("codehost", "limit", "must be a whole number from 1 up");
		}
		const { url, ignored } = issuesUrl(this.#options, repositoryPath(owner, repo), query);
		const first = continuation === undefined ? url : new URL(continuation.url);
		const tally = { requests: 0 };
		const reader = this.#reader(this.#issues, { tally });
		const read: typeof reader.read = async (url, cut, wanted) => {
			const page = await reader.read(url, cut, wanted);
			if (page.url.pathname !== url.pathname) await this.#mustStillBe([owner, repo], page.url, cut);
			return page;
		};
		const { items, ...walk } = await walkPages(
			first,
			{ ...reader, read, leadsOn: staysWithin.bind(undefined, repositoryPath(owner, repo)) },
			{
				...options,
				skip: continuation?.skip,
				onPage: ({ items, ...page }) => onPage?.({ ...page, issues: items.filter((each) => each !== null) }),
			},
		);
		const issues = items.filter((each) => each !== null);
		const malformed = items.length - issues.length;
		const distinct = malformed + new Set(issues.map(({ number }) => number)).size;
		const whole = continuation === undefined ? withShortfall(walk, distinct) : walk;
		return { ...whole, issues, ...(malformed > 0 ? { malformed } : {}), requests: tally.requests, ignored };
	}

	/** Throws `not-found` with the reason `moved` if a redirect led to another repository. */
	async #mustStillBe(own: readonly [string, string], { pathname }: URL, signal: AbortSignal): Promise<void> {
		const [, named, numbered] = /\/(?:repos\/([^/]+\/[^/]+)|repositories\/([^/]+))\/issues\/?$/i.exec(pathname) ?? [];
		const isNumbered = numbered !== undefined;
		const now = isNumbered ? (await this.getRepository(...own, { signal })).value.fullName : (named ?? pathname);
		if (now.toLowerCase() === own.join("/").toLowerCase()) return;
		throw new ClientError("codehost", "not-found", `${own.join("/")} has moved to ${now}`, { reason: "moved" });
	}

	/** Makes a read of a log again: at its address of this origin, and with its headers but for the credential. */
	repeat({ url, signal }: TransportRequest) {
		return this.#call({ method: "GET", url, signal }, (error) => error);
	}

	#url(path: string): URL {
		return operationUrl(this.#options, path);
	}

	#reader<T>(read: Read<readonly T[]>, how: AskOptions & Pick<CodehostCall, "tally">) {
		return {
			api: this.#url("").pathname,
			read: (page: URL, signal: AbortSignal, wanted: AbortSignal): Promise<FetchedPage<T>> =>
				this.#read(read, page, { ...how, signal, wanted }),
		};
	}

	/** A read with the ETag of the last one; on a 304 the value of the last one. */
	async #read<T>(
		{ shape, memory, blame }: Read<T>,
		url: URL,
		how: AskOptions & Pick<CodehostCall, "tally" | "wanted">,
	): Promise<CodehostAnswer<T> & Pick<FetchedPage<never>, "link" | "total" | "url">> {
		const { identity } = this.#options.credential;
		const known = memory.recall(url, identity);
		const reply = await this.#call({ method: "GET", url, etag: known?.etag, ...how }, blame);
		const link = reply.headers["link"];
		const counted = reply.headers["x-total-count"] ?? reply.headers["x-total"];
		const total = counted === undefined ? known?.total : Number(counted) || undefined;
		if (reply.status === 304 && known !== undefined) {
			return { value: known.value, link: link ?? known.link, total, url: reply.url };
		}
		const value = decodeCodehostReply(shape, jsonOf(reply));
		memory.keep(url, identity, { etag: reply.headers["etag"], value, link, total, size: reply.body.length });
		return { value, link, total, url: reply.url };
	}

	/** Makes a call, and reports its outcome to the observer. */
	async #call(call: CodehostCall, blame: Blame) {
		const tell = (error: ClientError | null) =>
			ignoreErrors(() => this.#options.observer?.onOutcome?.(error, call.method));
		try {
			const reply = await this.#caller.call(call);
			tell(null);
			return reply;
		} catch (cause) {
			if (!(cause instanceof ClientError)) throw cause;
			const error = await blame(cause, call.signal);
			// The identity was requested beside it, and that outcome was reported.
			const isInDoubt = blame === this.#repository.blame && error.code === "unauthorized";
			const { code, reason, status } = error;
			// Such an error says nothing about the credential.
			const isUnsent = code === "aborted" || reason === "disposed" || (code === "rate-limited" && status === undefined);
			if (error.reason === "repository-refused") tell(null);
			else if (!isInDoubt && !isUnsent) tell(error);
			throw error;
		}
	}

	/** A personal token may lack the scope for a repository (contract section 7): one that reads its owner is valid. */
	async #blameRepository(error: ClientError, signal: AbortSignal | undefined): Promise<ClientError> {
		const isInDoubt = error.status === 401 && error.reason === undefined && this.#options.credential.kind === "pat";
		if (!isInDoubt) return error;
		const isValid = await this.getUser({ signal }).then(Boolean, () => false);
		return isValid ? withFacts(error, { reason: "repository-refused" }) : error;
	}
}

/** Every code host has a user and installations: a 404 there means a wrong base URL. */
function blameAddress(error: ClientError): ClientError {
	return isAbsent(error) ? withFacts(error, { field: "base_url" }) : error;
}

/** True if the app is what is missing. */
function isOfApp({ message }: ClientError): boolean {
	return /(?<![\w./-])(?:integration|app)(?![\w/-]|\.\w)/i.test(message);
}

function jsonOf({ body }: WireReply): unknown {
	const json = parseJson(body);
	if (json !== undefined) return json;
	if (isWebPage(body)) throw withFacts(malformedReply("it is a web page"), { isGateway: true });
	throw malformedReply("it is not JSON that can be read");
}
