import type { IssueListing } from "#api/codehost/model.ts";
import type { AddedRepository } from "#app/codehost/repositories.ts";
import {
	type CodehostStatus,
	type CodehostStatuses,
	daysUntil,
	endingOf,
	isRefused,
	type Urgency,
} from "#app/codehost/status.ts";
import type { ConnectionRegistry } from "#app/connections/registry.ts";
import { msInWords } from "#base/duration.ts";
import { ClientError } from "#base/errors.ts";
import type { FailureWords } from "../kit/error-words.ts";
import { describeFailure } from "./failures.ts";

/** Reasons for an incomplete list of issues, without a full stop. */
export const HALTED_WORDS: Readonly<Record<NonNullable<IssueListing["halted"]>, string>> = {
	unlinked: "The service counts more issues, but links to no other page",
	"other-repository": "There may be more: the service's links lead to another repository",
	cycle: "The list ends here: the service's links lead in a circle",
	"other-origin": "There may be more: the service's links lead to another address",
	unreadable: "There may be more: the service's link to the next page cannot be read",
};

/** Notice about a list of installations that may be incomplete. */
export const INCOMPLETE = "There may be more, which cannot be read or are not linked to";

/** The most urgent state of all credentials and limits, for the status bar. `now` is in epoch milliseconds. */
export function describeUrgency(urgency: Urgency, now: number) {
	const { label } = urgency;
	const say = (icon: string, text: string, detail: string, grave = false) => {
		return { icon, text: `${label}: ${text}`, detail, grave };
	};
	const describe = ({ title, advice }: Pick<FailureWords, "title" | "advice">) => `${title} ${advice}`;
	switch (urgency.kind) {
		case "lost":
		case "unreadable": {
			const error = new ClientError("codehost", "unauthorized", "", { reason: urgency.kind });
			return say("key", `credential ${urgency.kind}`, describe(describeFailure(error, label)), true);
		}
		case "refused": {
			const { error } = urgency;
			return say(refusalIcon(error), refusalWords(error), describe(describeFailure(error, label)), true);
		}
		case "renewal-failed": {
			const { until } = urgency;
			const text =
				until === null ? "token renewal failed" : `renewal failed, token expires in ${msInWords(until - now)}`;
			return say("key", text, describe(describeFailure(urgency.error, label)), true);
		}
		case "limit": {
			const { until } = urgency;
			const text = until === null ? "limit used up" : `limit resets in ${msInWords(until - now)}`;
			return say("watch", text, "No requests are left for this credential.");
		}
		case "expired":
			return say("key", "token expired", "The expiry date of the token has passed. Replace the token.", true);
		case "expires":
			return say("key", `token expires ${inDays(urgency.until, now)}`, "Create a new token before then.");
		case "clock": {
			const differ = msInWords(Math.round(Math.abs(urgency.skewMs) / 30_000) * 30_000);
			return say("watch", `clocks differ by ${differ}`, "Set this machine's clock: the service may refuse its tokens.");
		}
		case "low": {
			const detail = "Under a tenth of the limit is left. Automatic refreshes pause until the reset.";
			return say("dashboard", `${urgency.remaining} requests left`, detail);
		}
	}
}

function refusalIcon({ code, reason }: ClientError): string {
	if (reason === "clock-skew") return "watch";
	return code === "unauthorized" || reason === "app-refused" ? "key" : "circle-slash";
}

function refusalWords({ code, reason }: ClientError): string {
	if (reason === "suspended") return "installation suspended";
	if (reason === "clock-skew") return "clocks differ";
	if (code === "unauthorized") return "credential refused";
	return reason === "app-refused" ? "app unknown" : "app not installed";
}

/** Trouble that keeps a connection from working, in a few words; undefined for none. */
export function troubleOf({ access, error }: Pick<CodehostStatus, "access" | "error">): string | undefined {
	if (access === "signed-out") return "signed out";
	if (access === "lost" || access === "unreadable") return `credential ${access}`;
	if (error !== null && isRefused({ error })) return refusalWords(error);
	return error?.code === "network" || error?.code === "proxy" || error?.isGateway ? "not reached" : undefined;
}

/** Short notice of a personal token that has expired or soon will; undefined otherwise. `now` is in epoch ms. */
export function endingWords(status: CodehostStatus, now: number): string | undefined {
	const ending = endingOf(status, now);
	if (ending === undefined) return undefined;
	return ending.kind === "expired" ? "token expired" : `token expires ${inDays(ending.until, now)}`;
}

/** Days until a token expires, by the calendar, in words. */
export function inDays(at: number, now: number): string {
	const days = daysUntil(at, now);
	return days <= 0 ? "today" : days === 1 ? "tomorrow" : `in ${days} days`;
}

/** Words for the connection of a repository. */
export type ReadingConnection = Readonly<ReturnType<typeof readingConnection>>;

/** Name, owner and trouble of a repository's connection. Other failures than a refused credential may be of one repository. */
export function readingConnection(
	repository: AddedRepository,
	{ registry, statuses }: { readonly registry: ConnectionRegistry; readonly statuses: Pick<CodehostStatuses, "of"> },
) {
	const { connection } = repository;
	const isGone = registry.get(connection, "codehost") === undefined;
	const status = isGone ? undefined : statuses.of(connection);
	const trouble = status && troubleOf({ ...status, error: isRefused(status) ? status.error : null });
	return { name: connectionName(registry, repository), isGone, trouble, whoAmI: status?.whoAmI ?? null };
}

/** The name of the connection that a repository is read through. */
export function connectionName(registry: ConnectionRegistry, { connection }: AddedRepository): string {
	return registry.get(connection, "codehost")?.label ?? "a connection not known in this window";
}
