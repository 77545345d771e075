import type { CleanReply } from "#sandbox/service.ts";
import type { BearerIdentity, Credentials } from "./credentials.ts";
import type { CodehostFaults, EndpointName } from "./faults.ts";
import { cutPage, issueQuery, pageQuery, readQuery, select } from "./listing.ts";
import {
	ACCOUNTS,
	type App,
	accountJson,
	installationJson,
	issueJson,
	repositoryJson,
	type SandboxRepository,
	timestamp,
} from "./model.ts";
import { refusal } from "./refusal.ts";
import { renamedFrom, seededRepository } from "./seed.ts";

interface AuthorizedRequest {
	readonly caller: BearerIdentity;
	/** Decoded variable segments of the path. */
	readonly segments: readonly string[];
	readonly url: URL;
	readonly faults: CodehostFaults;
}

/** Handlers of the endpoints (contract section 4). Each throws `Refused`, or ClientError `invalid` for its query. */
export function codehostHandlers(credentials: Credentials, now: () => number) {
	return {
		user({ caller, url }) {
			if (caller.kind !== "user") throw refusal("notAccessible");
			const account = ACCOUNTS.get(caller.pat.user);
			if (account === undefined) throw refusal("badCredentials");
			return { status: 200, body: accountJson(account, baseOf(url)) };
		},

		"access-token"({ caller, segments, faults }) {
			const app = appOf(caller);
			const installation = app.installations.find(({ id }) => id === Number(segments[0]));
			if (installation === undefined) throw refusal("notFound");
			if (installation.suspended || faults.suspended) throw refusal("suspended");
			// Whole seconds, the precision of `expires_at`.
			const expiresAt = Math.floor(now() / 1000 + (faults.tokenSeconds ?? 3600)) * 1000;
			const body = { token: credentials.mintToken(app, installation, expiresAt), expires_at: timestamp(expiresAt) };
			return { status: 201, body };
		},

		installations({ caller, url, faults }) {
			const app = appOf(caller);
			const query = readQuery(pageQuery, url.searchParams);
			return listed(cutPage(app.installations, query, url), (one) =>
				installationJson({ ...one, suspended: one.suspended || (faults.suspended ?? false) }, baseOf(url)),
			);
		},

		repository: (question) =>
			about(question, (repository) => {
				checkAccess(question.caller, repository, "metadata");
				return { status: 200, body: repositoryJson(repository, baseOf(question.url)) };
			}),

		issues: (question) =>
			about(question, (repository) => {
				const { caller, url } = question;
				checkAccess(caller, repository, "issues");
				const query = readQuery(issueQuery, url.searchParams);
				const found = select(repository.issues(), query);
				return listed(cutPage(found, query, url), (issue) => issueJson(issue, repository, baseOf(url)));
			}),
	} satisfies Record<EndpointName, (question: AuthorizedRequest) => CleanReply>;
}

/** Answers about the repository of a path; a renamed one is redirected. */
function about({ url, segments }: AuthorizedRequest, answer: (repository: SandboxRepository) => CleanReply) {
	const [owner = "", name = ""] = segments;
	const repository = seededRepository(owner, name);
	if (repository !== undefined) return answer(repository);
	const present = renamedFrom(owner, name);
	if (present === undefined) throw refusal("notFound");
	const tail = url.pathname.split("/").slice(5);
	const location = `${[`${baseOf(url)}/repos/${present}`, ...tail].join("/")}${url.search}`;
	return { status: 301, headers: { location }, body: { message: "Moved Permanently", url: location } };
}

/**
 * Throws unless a caller may read a repository (contract sections 5 and 7):
 * - a user without access, or whose fine-grained token excludes it: 404, as if it did not exist;
 * - a token without the scope: 401;
 * - an installation without the repository or permission: 403.
 */
function checkAccess(caller: BearerIdentity, repository: SandboxRepository, aspect: "metadata" | "issues"): void {
	const { owner, name, members } = repository;
	if (caller.kind === "app") throw refusal("notAccessible");
	if (caller.kind === "installation") {
		const { installation } = caller;
		const { account, repositories } = installation;
		const isItsOwn = account === owner.login && (repositories === "all" || repositories.includes(name));
		if (!isItsOwn || (aspect === "issues" && !installation.issues)) throw refusal("notAccessible");
		return;
	}
	const { pat } = caller;
	if (repository.private) {
		if (owner.login !== pat.user && !members.includes(pat.user)) throw refusal("notFound");
		if (!pat.private) throw refusal("badCredentials");
		if (pat.repositories !== "all" && !pat.repositories.includes(`${owner.login}/${name}`)) throw refusal("notFound");
	}
	if (aspect === "issues" && !pat.issues) throw refusal("badCredentials");
}

/** Base URL of the room, whose mount is the first segment. */
function baseOf(url: URL): string {
	return `${url.origin}/${url.pathname.split("/")[1]}`;
}

function appOf(caller: BearerIdentity): App {
	if (caller.kind !== "app") throw refusal("badCredentials");
	return caller.app;
}

function listed<T>({ items, link }: ReturnType<typeof cutPage<T>>, json: (item: T) => object): CleanReply {
	return { status: 200, body: items.map(json), ...(link !== "" && { headers: { link } }) };
}
