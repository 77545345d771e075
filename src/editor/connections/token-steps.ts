import { patKind, tokenProblem } from "#api/codehost/pat.ts";
import { CODEHOST_PRESETS, type CodehostPreset, codehostProfileOf } from "#app/connections/codehost-profiles.ts";
import { decodeComingExpiry, exampleExpiry } from "#app/connections/connection.ts";
import { pastedSecret } from "#app/connections/pasted-secret.ts";
import { type Answer, askText } from "../prompts.ts";
import type { StepFrame } from "../wizard.ts";
import { kept, mistakeIn } from "./answers.ts";
import type { CodehostAnswers } from "./codehost-answers.ts";

/** Asks for a personal access token, and says of what kind it is while it is typed. */
export async function askToken(draft: CodehostAnswers, frame: StepFrame): Promise<Answer<unknown>> {
	const preset: CodehostPreset = CODEHOST_PRESETS[draft.host];
	const begins = preset.profile.patPrefixes?.fineGrained[0];
	const answer = await askText({
		...frame,
		placeholder: begins === undefined ? "Personal access token" : `Personal access token, such as ${begins}...`,
		prompt: `Kept in the editor's secret storage and sent to ${new URL(draft.baseUrl).host} only`,
		value: draft.token,
		password: true,
		help: preset.tokenPage,
		check: (text) => {
			if (text.trim() === "") return "The token is missing.";
			const problem = tokenProblem(pastedSecret(text));
			return problem && `This ${problem}.`;
		},
		remark: (text) => (text.trim() === "" ? undefined : kindWords(draft, pastedSecret(text))),
	});
	return kept(answer, (text) => {
		draft.token = pastedSecret(text);
	});
}

function kindWords(draft: CodehostAnswers, token: string): string {
	const kind = patKind(token, codehostProfileOf(draft.host));
	if (kind === "fine-grained") return "A fine-grained token: limited to chosen repositories and permissions.";
	if (kind === "classic") return "A classic token: broad scopes, no end.";
	return "A token of an unknown kind, which is as good as any other.";
}

/** Asks for the day on which a personal access token ends; it may be left open. */
export async function askExpiry(draft: CodehostAnswers, frame: StepFrame): Promise<Answer<unknown>> {
	const answer = await askExpiryDate(frame, draft.expiresAt);
	return kept(answer, (text) => {
		draft.expiresAt = text.trim();
	});
}

/** The same for a token that is there already. */
export function askExpiryDate(
	frame: Pick<StepFrame, "title"> & Partial<StepFrame>,
	value = "",
): Promise<Answer<string>> {
	const place = { service: "codehost", field: "The date" } as const;
	return askText({
		...frame,
		placeholder: exampleExpiry(Date.now()),
		prompt:
			"Expiry date (YYYY-MM-DD), for a warning a week ahead. Leave empty if GitHub tells it, or if you don't know.",
		value,
		check: (text) => {
			if (text.trim() === "") return undefined;
			if (!/^\d{4}-\d\d-\d\d$/.test(text.trim())) return "Write it as YYYY-MM-DD, or nothing.";
			return mistakeIn(() => decodeComingExpiry(text, { ...place, now: Date.now() }));
		},
	});
}
