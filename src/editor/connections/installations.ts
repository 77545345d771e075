import type { Installation } from "#api/codehost/model.ts";
import type { AppDraft } from "#app/codehost/access.ts";
import type { Asking } from "#app/connections/probe-options.ts";
import { invalid } from "#base/errors.ts";
import { withoutIcons } from "../plain.ts";
import { plainLine } from "../plain-line.ts";
import { type Answer, askChoice, type PromptFrame } from "../prompts.ts";

/** Lists the installations of an app that is not a connection yet; `secret` holds its key. */
export type FindInstallations = (
	draft: AppDraft,
	options: Asking & { readonly secret: string },
) => Promise<readonly Installation[]>;

/** Lets the person choose an installation, `chosen` to begin with; suspended ones are listed, and cannot be chosen. */
export async function askInstallation(
	frame: Omit<PromptFrame, "placeholder">,
	installations: readonly Installation[],
	chosen?: number,
): Promise<Answer<Installation>> {
	let placeholder = "On which account should the app work?";
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
export function onlyInstallation(installations: readonly Installation[]): Installation {
	const usable = installations.filter(({ suspended }) => !suspended);
	const [only] = usable;
	if (only !== undefined && usable.length === 1) return only;
	const list = usable.map(({ id, account }) => `${id} (${plainLine(account, "unknown account")})`).join(", ");
	const rule = list === "" ? "cannot be found: the app has none that can be used" : `is missing; use one of ${list}`;
	throw invalid("codehost", "installationId", rule);
}

function accountOf({ account }: Installation): string {
	return plainLine(account, "Unknown account");
}
