import { quietly } from "#base/emitter.ts";
import { ClientError, invalid } from "#base/errors.ts";
import { unlessAborted } from "../http/exchange.ts";
import { isAbsent, withFacts } from "../http/fault.ts";
import { parseJson } from "../http/json.ts";
import { isWebPage } from "../http/reason.ts";
import { Caller, type CodehostClientOptions } from "./caller.ts";
import {
	decodeInstallations,
	decodeInstallationToken,
	decodeIssues,
	decodeRepository,
	decodeUser,
	malformed,
} from "./decode.ts";
import { readLinks } from "./link.ts";
import { continuationUrl, type FetchedPage, walkIssues } from "./listing.ts";
import { ReplyMemory } from "./memory.ts";
import type {
	Answer,
	Installation,
	InstallationListing,
	InstallationToken,
	Issue,
	IssueListing,
	ListIssuesOptions,
	RateState,
	Repository,
	TokenSource,
	User,
} from "./model.ts";
import { serverTimeOf } from "./rate-limit.ts";
import { exchangePath, issuesUrl, operationUrl, repositoryPath } from "./request.ts";
import { VisitedPages } from "./visited-pages.ts";

/** Pages of issues that are kept for conditional requests; characters of JSON. */
const ISSUES_KEPT = { entries: 1_000, size: 64 * 1024 * 1024 };
const RECORDS_KEPT = { entries: 200, size: 4 * 1024 * 1024 };
/** Pages of installations read in one call. */
const MOST_INSTALLATION_PAGES = 100;

/** Age up to which the answer whose a token is holds for the next refusal. Milliseconds. */
const FRESH_MS = 10_000;

/** Options of one call. */
export interface AskOptions {
	readonly signal?: AbortSignal | undefined;
	/** True for a call that fails at once instead of waiting for a rate limit. */
	readonly failFast?: boolean | undefined;
}

/** Options of a read beside those of its caller. */
interface Read<T> {
	readonly url: URL;
	readonly decode: (json: unknown) => T;
	readonly memory: ReplyMemory<T>;
	readonly signal?: AbortSignal | undefined;
	readonly failFast?: boolean | undefined;
	readonly tally?: { requests: number };
}

interface Fetched<T> extends Answer<T> {
	readonly link: string | undefined;
	readonly url: URL;
}

/**
 * A client of one code host with one credential (contract section 4). Every method rejects with ClientError only. Reads
 * are conditional: the same object comes back while the service says that nothing has changed.
 */
export class CodehostClient {
	readonly #options: CodehostClientOptions;
	readonly #caller: Caller;
	readonly #users = new ReplyMemory<User>(RECORDS_KEPT);
	readonly #installations = new ReplyMemory<readonly Installation[]>(RECORDS_KEPT);
	readonly #repositories = new ReplyMemory<Repository>(RECORDS_KEPT);
	readonly #issues = new ReplyMemory<readonly Issue[]>(ISSUES_KEPT);
	#taken: { readonly at: number; readonly answer: Promise<boolean> } | undefined;

	/** Throws ClientError `invalid` for `base_url`; its reason is `other-origin` if the credential belongs elsewhere. */
	constructor(options: CodehostClientOptions) {
		this.#options = options;
		const { origin } = operationUrl(options, "");
		if (origin !== options.credential.origin) {
			const sentence = `base_url leads to ${origin}, but the credential was entered for ${options.credential.origin}`;
			throw new ClientError("codehost", "invalid", sentence, { field: "base_url", reason: "other-origin" });
		}
		this.#caller = new Caller(options);
	}

	/** The limit that this credential's calls count against. */
	get rate(): RateState {
		return this.#caller.gate.state;
	}

	/** Lets the next call through although the limit seems used up: a person asked to try again. */
	tryAgain(): void {
		this.#caller.gate.reopen();
	}

	/** The owner of the personal access token. */
	async getUser(how: AskOptions = {}): Promise<Answer<User>> {
		this.#mustBe("pat");
		const url = this.#url("/user");
		const read = this.#read({ url, decode: decodeUser, memory: this.#users, ...how });
		const { value, notModified } = await read.catch(blameAddress);
		return { value, notModified };
	}

	/** All installations of the app whose credential this is, each once. */
	async listInstallations(how: AskOptions = {}): Promise<InstallationListing> {
		this.#mustBe("app");
		const found = new Map<number, Installation>();
		const visited = new VisitedPages();
		let notModified = true;
		let complete = false;
		let url: URL | null = this.#url("/app/installations");
		for (let pages = 0; url !== null && pages < MOST_INSTALLATION_PAGES; pages++) {
			const page: Fetched<readonly Installation[]> = await this.#read({
				url,
				decode: decodeInstallations,
				memory: this.#installations,
				...how,
			}).catch((error: unknown) => this.#blameApp(error));
			for (const each of page.value) if (!found.has(each.id)) found.set(each.id, each);
			notModified &&= page.notModified;
			const links = readLinks(page.link, page.url);
			const isBack = visited.add(url, page.url, links);
			complete = links.next === null;
			url = !isBack && links.next instanceof URL ? links.next : null;
		}
		return { value: [...found.values()], notModified, complete };
	}

	/**
	 * Exchanges the app's own token for one of an installation. Any 2xx is a success. A suspended installation is
	 * `forbidden` with the reason `suspended`, an unknown one `not-found` with the reason `not-installed`.
	 */
	async createInstallationToken(installationId: number, how: AskOptions = {}): Promise<InstallationToken> {
		this.#mustBe("app");
		const url = this.#url(exchangePath(installationId));
		try {
			const reply = await this.#caller.call({ method: "POST", url, tally: { requests: 0 }, ...how });
			return { ...decodeInstallationToken(parseBody(reply.body)), serverTime: serverTimeOf(reply.headers) };
		} catch (error) {
			if (!(error instanceof ClientError)) throw error;
			const explained = await this.#explain(error, installationId, how);
			// What was asked to explain it has hidden it from who only sees requests.
			if (isOfInstallation(explained)) this.#tellExplained(explained);
			throw explained;
		}
	}

	/** One repository. Throws ClientError `invalid` for `owner` or `repo`. */
	async getRepository(owner: string, repo: string, how: AskOptions = {}): Promise<Answer<Repository>> {
		this.#mustBe("pat", "installation");
		const url = this.#url(repositoryPath(owner, repo));
		const read = this.#read({ url, decode: decodeRepository, memory: this.#repositories, ...how });
		const { value, notModified } = await read.catch((error: unknown) => this.#blameRepository(error, how.signal));
		return { value, notModified };
	}

	/**
	 * The issues of a repository, all of them or up to a limit. Pages are handed out as they come; when one fails, the
	 * whole call does, and the `continuation` of the last page handed out leads on from there.
	 */
	async listIssues(owner: string, repo: string, options: ListIssuesOptions = {}): Promise<IssueListing> {
		this.#mustBe("pat", "installation");
		const { query, limit, continuation, visited, signal, onPage } = options;
		if (limit !== undefined && (!Number.isSafeInteger(limit) || limit < 1)) {
			throw invalid("codehost", "limit", "must be a whole number from 1 up");
		}
		const { url, ignored } = issuesUrl(this.#options, repositoryPath(owner, repo), query);
		const first = continuation === undefined ? url : continuationUrl(continuation, url.origin);
		const tally = { requests: 0 };
		const { credential } = this.#options;
		const reader = {
			read: (page: URL, cut: AbortSignal): Promise<FetchedPage> =>
				this.#read({ url: page, decode: decodeIssues, memory: this.#issues, signal: cut, tally }),
			recall: (page: URL) => this.#issues.recall(page, credential.identity)?.link,
		};
		const walking = walkIssues(first, reader, { limit, visited, signal, onPage, skip: continuation?.skip ?? 0 });
		const walk = await walking.catch((error: unknown) => this.#blameRepository(error, signal));
		return { ...walk, requests: tally.requests, ignored };
	}

	#url(path: string): URL {
		return operationUrl(this.#options, path);
	}

	/** A read with the ETag of the last one; on a 304 the value of the last one. */
	async #read<T>({ url, decode, memory, tally = { requests: 0 }, ...how }: Read<T>): Promise<Fetched<T>> {
		const { identity } = this.#options.credential;
		const known = memory.recall(url, identity);
		const reply = await this.#caller.call({ method: "GET", url, etag: known?.etag, tally, ...how });
		if (reply.status === 304 && known !== undefined) {
			return { value: known.value, notModified: true, link: reply.headers["link"] ?? known.link, url: reply.url };
		}
		const value = decode(parseBody(reply.body));
		const link = reply.headers["link"];
		memory.keep(url, identity, { etag: reply.headers["etag"], value, link, size: reply.body.length });
		return { value, notModified: false, link, url: reply.url };
	}

	/** Explains a refused exchange by the list of installations. */
	async #explain(error: ClientError, installationId: number, how: AskOptions): Promise<ClientError> {
		if (error.code === "not-found" && error.status === 404) {
			return withFacts(error, { reason: isOfApp(error) ? "app-refused" : "not-installed" });
		}
		if (error.code !== "forbidden" || error.reason === "suspended") return error;
		const { value } = await this.listInstallations(how).catch(() => ({ value: [] }));
		const own = value.find(({ id }) => id === installationId);
		return own?.suspended === true ? withFacts(error, { reason: "suspended" }) : error;
	}

	/** A list of installations that is not there: some code hosts say so of an app that they do not know. */
	#blameApp(error: unknown): never {
		if (!(error instanceof ClientError) || !isAbsent(error) || !isOfApp(error)) blameAddress(error);
		const explained = withFacts(error, { reason: "app-refused" });
		this.#tellExplained(explained);
		throw explained;
	}

	/** A personal token may lack the scope for just one repository (contract section 7): its owner tells that it is taken. */
	async #blameRepository(error: unknown, signal: AbortSignal | undefined): Promise<never> {
		const { kind } = this.#options.credential;
		const isInDoubt = error instanceof ClientError && error.status === 401 && error.reason === undefined;
		if (!isInDoubt || kind !== "pat" || !(await unlessAborted(this.#isTaken(), signal, "codehost"))) throw error;
		const explained = withFacts(error, { reason: "repository-refused" });
		this.#tellExplained(explained);
		throw explained;
	}

	/** True if the service says whose the token is. Repositories that are refused together share one question. */
	#isTaken(): Promise<boolean> {
		const now = this.#options.clock.monotonic();
		if (this.#taken === undefined || now - this.#taken.at > FRESH_MS) {
			const answer = this.getUser().then(
				() => true,
				() => false,
			);
			this.#taken = { at: now, answer };
		}
		return this.#taken.answer;
	}

	#tellExplained(error: ClientError): void {
		quietly(() => this.#options.observer?.onExplained?.(error));
	}

	#mustBe(...kinds: readonly TokenSource["kind"][]): void {
		const { kind } = this.#options.credential;
		if (kinds.includes(kind)) return;
		const names = { pat: "a personal access token", app: "an app's key", installation: "an app's installation" };
		const wanted = kinds.map((each) => names[each]).join(" or ");
		throw invalid("codehost", "credential", `must be ${wanted} for this, and it is ${names[kind]}`);
	}
}

/** Every code host has a user and a list of installations: where those are not there, something else is. */
function blameAddress(error: unknown): never {
	throw isAbsent(error) && error instanceof ClientError ? withFacts(error, { field: "base_url" }) : error;
}

/** True if it is the app that is missing; the words may also be in the path that was asked for. */
function isOfApp({ message }: ClientError): boolean {
	return /(?<![\w./-])(?:integration|app)(?![\w/-]|\.\w)/i.test(message);
}

function isOfInstallation({ code }: ClientError): boolean {
	return code === "forbidden" || code === "not-found";
}

function parseBody(body: string): unknown {
	const json = parseJson(body);
	if (json !== undefined) return json;
	if (isWebPage(body)) throw withFacts(malformed("", "is a web page"), { isGateway: true });
	throw malformed("", "is not JSON that can be read");
}
