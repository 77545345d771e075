import type { Caller } from "./credentials.ts";
import { badCredentials, NOT_ACCESSIBLE, notAccessible, notFound, Refused } from "./refusal.ts";
import type { Repository } from "./seed.ts";

/** Part of a repository that is asked for. */
export type Aspect = "metadata" | "issues";

/**
 * Lets a caller at a repository, or throws what the contract (sections 5 and 7) and real hosts answer:
 * - a user who may not see it, or whose fine-grained token was not given it: 404, as if it were not there;
 * - a token that lacks a scope: 401;
 * - an installation elsewhere, without this repository or without the permission: 403.
 */
export function checkAccess(caller: Caller, repository: Repository, aspect: Aspect): void {
	switch (caller.kind) {
		case "user":
			checkUser(caller, repository, aspect);
			return;
		case "installation":
			checkInstallation(caller, repository, aspect);
			return;
		case "app":
			throw notAccessible("a JWT is only for the endpoints of the app");
	}
}

function checkUser({ pat }: Extract<Caller, { kind: "user" }>, repository: Repository, aspect: Aspect): void {
	if (repository.private) {
		const { owner, name, members } = repository;
		if (owner.login !== pat.user && !members.includes(pat.user)) throw notFound("the user may not see it");
		if (!pat.private) throw badCredentials("the token lacks the scope for private repositories");
		if (pat.repositories !== "all" && !pat.repositories.includes(`${owner.login}/${name}`)) {
			throw notFound("the token was not given this repository");
		}
	}
	if (aspect === "issues" && !pat.issues) throw badCredentials("the token lacks the permission to read issues");
}

function checkInstallation(
	{ installation }: Extract<Caller, { kind: "installation" }>,
	{ owner, name }: Repository,
	aspect: Aspect,
): void {
	if (installation.account !== owner.login) throw notAccessible("the app's installation is on another account");
	if (installation.repositories !== "all" && !installation.repositories.includes(name)) {
		throw notAccessible("the installation does not have this repository");
	}
	if (aspect === "issues" && !installation.issues) throw notAccessible("the installation may not read issues");
}

/** Refuses what a suspended installation asks for; `all` suspends every one. */
export function checkSuspension(installation: { readonly suspended: boolean }, all: boolean): void {
	if (!installation.suspended && !all) return;
	throw new Refused(403, "This installation has been suspended", { reason: `${NOT_ACCESSIBLE}: it is suspended` });
}
