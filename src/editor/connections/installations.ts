import type { Installation, InstallationListing } from "#api/codehost/model.ts";
import type { AppDraft } from "#app/codehost/clients.ts";
import type { Asking } from "#app/connections/probe-result.ts";
import { invalid } from "#base/errors.ts";
import { withoutIcons } from "../kit/plain.ts";
import { type Answer, askChoice, type PromptFrame } from "../kit/prompts.ts";
import { joinParts, plainLine } from "../kit/text.ts";
import { INCOMPLETE } from "../words/codehost-words.ts";

/** Lists the installations of an app before it is a connection; `secret` holds its key. */
export type FindInstallations = (
	draft: AppDraft,
	options: Asking & { readonly secret: string },
) => Promise<InstallationListing>;

/** Prompts for an installation. Suspended ones are listed but cannot be chosen. */
export async function askInstallation(
	frame: Omit<PromptFrame, "placeholder">,
	{ value: installations, complete }: Pick<InstallationListing, "value" | "complete">,
	chosen?: number,
): Promise<Answer<Installation>> {
	const choices = installations.map((each) => ({
		label: `$(${each.suspended ? "circle-slash" : "organization"}) ${withoutIcons(accountOf(each))}`,
		description: each.suspended
			? "suspended, cannot be used"
			: joinParts([`installation ${each.id}`, each.id === chosen ? "in use" : ""], ", "),
		value: each,
		active: each.id === chosen,
	}));
	let placeholder = complete ? "Which account should the app work on?" : INCOMPLETE;
	for (;;) {
		const answer = await askChoice({ ...frame, placeholder }, choices);
		if (typeof answer !== "object" || !answer.suspended) return answer;
		placeholder = `${accountOf(answer)} is suspended. Choose another one.`;
	}
}

function accountOf({ account }: Pick<Installation, "account">): string {
	return plainLine(account, "Unknown account");
}

/** The only usable installation. Throws `invalid` naming them all if there is not exactly one. */
export function onlyInstallation({ value, complete }: InstallationListing): Installation {
	const usable = value.filter(({ suspended }) => !suspended);
	const [only] = usable;
	if (only !== undefined && usable.length === 1 && complete) return only;
	const list = usable.map(({ id, account }) => `${id} (${plainLine(account, "unknown account")})`).join(", ");
	const rule = list === "" ? "cannot be found: the app has none that can be used" : `is missing; use one of ${list}`;
	throw invalid("codehost", "installationId", complete ? rule : `${rule}; the service's list is not complete`);
}
