import type { Installation, InstallationListing } from "#api/codehost/model.ts";
import type { AppDraft } from "#app/codehost/clients.ts";
import type { Asking } from "#app/connections/probe-result.ts";
import { invalid } from "#base/errors.ts";
import { withoutIcons } from "../kit/plain.ts";
import { type Answer, askChoice, type PromptFrame } from "../kit/prompts.ts";
import { plainLine } from "../kit/text.ts";

/** Lists the installations of an app that is not a connection yet; `secret` holds its key. */
export type FindInstallations = (
	draft: AppDraft,
	options: Asking & { readonly secret: string },
) => Promise<InstallationListing>;

/** Says of a list of installations that the service's links were not followed to their end. */
export const INCOMPLETE = "There may be more: the service's links to them cannot be followed";

/** Lets the person choose an installation, `chosen` to begin with; suspended ones are listed, and cannot be chosen. */
export async function askInstallation(
	frame: Omit<PromptFrame, "placeholder">,
	{ value: installations, complete }: Pick<InstallationListing, "value" | "complete">,
	chosen?: number,
): Promise<Answer<Installation>> {
	let placeholder = complete ? "On which account should the app work?" : INCOMPLETE;
	for (;;) {
		const answer = await askChoice(
			{ ...frame, placeholder },
			installations.map((each) => ({
				label: `$(${each.suspended ? "circle-slash" : "organization"}) ${withoutIcons(accountOf(each))}`,
				description: each.suspended ? "suspended, cannot be used" : `installation ${each.id}`,
				value: each,
				active: each.id === chosen,
			})),
		);
		if (typeof answer !== "object" || !answer.suspended) return answer;
		placeholder = `${accountOf(answer)} is suspended. Choose another one.`;
	}
}

/** The installation to use where none was named: the only one that can be used. Throws `invalid` naming them all. */
export function onlyInstallation({ value, complete }: InstallationListing): Installation {
	const usable = value.filter(({ suspended }) => !suspended);
	const [only] = usable;
	if (only !== undefined && usable.length === 1 && complete) return only;
	const list = usable.map(({ id, account }) => `${id} (${plainLine(account, "unknown account")})`).join(", ");
	const none = complete ? "the app has none that can be used" : "the service's list is not complete";
	const others = complete ? "" : ", or another one: the service's list is not complete";
	const rule = list === "" ? `cannot be found: ${none}` : `is missing; use one of ${list}${others}`;
	throw invalid("codehost", "installationId", rule);
}

function accountOf({ account }: Installation): string {
	return plainLine(account, "Unknown account");
}
