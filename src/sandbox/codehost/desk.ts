import { checkAccess, checkSuspension } from "./access.ts";
import type { CodehostBehaviour } from "./behaviour.ts";
import type { Caller, Credentials } from "./credentials.ts";
import type { Answer } from "./delivery.ts";
import { readIssueQuery, readPageQuery, select } from "./listing.ts";
import { Paging } from "./paging.ts";
import { badCredentials, notAccessible, notFound } from "./refusal.ts";
import type { Route } from "./route.ts";
import type { Repository, Seed } from "./seed.ts";
import { accountJson, installationJson, issueJson, repositoryJson, timestamp, type WireOptions } from "./wire.ts";

/** Rooms that the desk works with. */
export interface DeskOptions {
	readonly seed: Seed;
	readonly credentials: Credentials;
	/** The machine's time in epoch milliseconds. */
	readonly now: () => number;
}

/** A question, as far as its endpoint does not say. */
export interface Question {
	readonly query: URLSearchParams;
	/** The address as the client asked for it. */
	readonly url: URL;
	readonly behaviour: CodehostBehaviour;
}

/** Answers callers whose credential is good: each endpoint of the contract (section 4) with what it lets them see. */
export class Desk {
	readonly #seed: Seed;
	readonly #credentials: Credentials;
	readonly #now: () => number;
	readonly #paging = new Paging();
	#tokens = 0;

	constructor({ seed, credentials, now }: DeskOptions) {
		this.#seed = seed;
		this.#credentials = credentials;
		this.#now = now;
	}

	/** Number of installation tokens that were issued. */
	get tokens(): number {
		return this.#tokens;
	}

	/** The answer to a question. Throws a `Refused`, or a `Violation` for a query that is not right. */
	answer({ endpoint, segments }: Route, caller: Caller, question: Question): Answer {
		const [first = "", second = ""] = segments;
		if (caller.kind === "installation") checkSuspension(caller.installation, question.behaviour.suspended ?? false);
		switch (endpoint) {
			case "user":
				return this.#user(caller, question);
			case "access-token":
				return this.#accessToken(caller, Number(first), question);
			case "installations":
				return this.#installations(caller, question);
			case "repository":
				return this.#about([first, second], question, (repository) => {
					checkAccess(caller, repository, "metadata");
					return ok(repositoryJson(repository, this.#wire(question)));
				});
			case "issues":
				return this.#about([first, second], question, (repository) => {
					checkAccess(caller, repository, "issues");
					return this.#issues(repository, question);
				});
		}
	}

	#user(caller: Caller, question: Question): Answer {
		if (caller.kind !== "user") throw notAccessible("an app is not a user");
		const account = this.#seed.accounts.get(caller.pat.user);
		if (account === undefined) throw badCredentials("the user is gone");
		return ok(accountJson(account, this.#wire(question)));
	}

	#accessToken(caller: Caller, id: number, { behaviour }: Question): Answer {
		const { app } = appOf(caller);
		const installation = app.installations.find((one) => one.id === id);
		if (installation === undefined) throw notFound("the app has no such installation");
		const {
			tokenSeconds = 3600,
			tokenLagSeconds = 0,
			tokenLagStatus = 401,
			suspended,
			clockSkewSeconds = 0,
		} = behaviour;
		checkSuspension(installation, suspended ?? false);
		// Whole seconds, as that is all that `expires_at` can tell.
		const expiresAt = Math.floor(this.#now() / 1000 + tokenSeconds) * 1000;
		const token = this.#credentials.mintToken({
			app,
			installation,
			expiresAt,
			usableFrom: this.#now() + tokenLagSeconds * 1000,
			lagStatus: tokenLagStatus,
		});
		this.#tokens++;
		const about = {
			permissions: { metadata: "read", ...(installation.issues && { issues: "read" }) },
			repository_selection: installation.repositories === "all" ? "all" : "selected",
		};
		const expires_at = timestamp(expiresAt + clockSkewSeconds * 1000);
		return { status: 201, headers: {}, body: { token, expires_at, ...(!behaviour.lean && about) } };
	}

	#installations(caller: Caller, question: Question): Answer {
		const { app } = appOf(caller);
		const { url, behaviour } = question;
		const page = this.#paging.cut(app.installations, { query: readPageQuery(question.query), url, behaviour });
		const suspended = behaviour.suspended ?? false;
		const body = page.items.map((one) =>
			installationJson({ ...one, suspended: one.suspended || suspended }, app, this.#wire(question)),
		);
		return { ...ok(body), headers: linkHeader(page.link), offset: page.offset };
	}

	#issues(repository: Repository, question: Question): Answer {
		const { url, behaviour } = question;
		const query = readIssueQuery(question.query, behaviour.pullRequests ?? false);
		const page = this.#paging.cut(select(repository.issues(), query), { query, url, behaviour });
		const wire = this.#wire(question);
		const body = page.items.map((issue) => issueJson(issue, repository, wire));
		return { ...ok(body), headers: linkHeader(page.link), offset: page.offset };
	}

	/** Finds the repository of a path; one that was renamed is redirected to its present path, on the same origin. */
	#about(
		[owner, name]: readonly [string, string],
		{ url }: Question,
		answer: (repository: Repository) => Answer,
	): Answer {
		const repository = this.#seed.repository(owner, name);
		if (repository !== undefined) return answer(repository);
		const present = this.#seed.renamed(owner, name);
		if (present === undefined) throw notFound("there is no such repository");
		const tail = url.pathname
			.split("/")
			.slice(5)
			.map((segment) => `/${segment}`);
		const location = `${baseOf(url)}/repos/${present}${tail.join("")}${url.search}`;
		return { status: 301, headers: { location }, body: { message: "Moved Permanently", url: location } };
	}

	#wire({ url, behaviour }: Question): WireOptions {
		return { base: baseOf(url), lean: behaviour.lean ?? false, accounts: this.#seed.accounts };
	}
}

/** The base URL of the room: its mount is the first segment of every address. */
function baseOf(url: URL): string {
	return `${url.origin}/${url.pathname.split("/")[1]}`;
}

function appOf(caller: Caller): Extract<Caller, { kind: "app" }> {
	if (caller.kind !== "app") throw badCredentials("only the app's JWT is taken here");
	return caller;
}

function ok(body: object): Answer {
	return { status: 200, headers: {}, body };
}

function linkHeader(link: string | undefined): Record<string, string> {
	return link === undefined ? {} : { link };
}
