import {
	CODEHOST_PRESETS,
	type CodehostPreset,
	type CodehostPresetName,
	codehostPreset,
} from "#app/connections/codehost-profiles.ts";
import { decodeBaseUrl } from "#app/connections/fields.ts";
import { type Answer, askChoice, askText, type Choice } from "../prompts.ts";
import type { Step, StepFrame } from "../wizard.ts";
import { kept, mistakeIn } from "./answers.ts";
import { askAppId, askPassphrase, askPrivateKey, chooseInstallation, isEncrypted } from "./app-steps.ts";
import type { CodehostAnswers, CodehostStep } from "./codehost-answers.ts";
import type { FindInstallations } from "./installations.ts";
import { askExpiry, askToken } from "./token-steps.ts";

/** What the questions need beside the answers. */
export interface CodehostQuestions {
	/** Whether the connection is to be of this kind. */
	readonly isAsked: () => boolean;
	readonly findInstallations: FindInstallations;
	/** Offers tokens only: what is asked for is an account, and an app is none. */
	readonly tokensOnly?: boolean | undefined;
}

const BASE_URL = { service: "codehost", field: "The base URL" } as const;

/** The questions, which keep their answers in `draft`. */
export function codehostSteps(draft: CodehostAnswers, questions: CodehostQuestions): readonly Step<CodehostStep>[] {
	const { isAsked, tokensOnly = false } = questions;
	const isSandbox = () => draft.host === "sandbox";
	const unlessApp = () => !isAsked() || isSandbox() || draft.kind !== "app";
	const unlessToken = () => !isAsked() || isSandbox() || draft.kind !== "pat";
	return [
		{ name: "host", skip: () => !isAsked(), ask: (frame) => askHost(draft, frame, tokensOnly) },
		{ name: "hostAddress", skip: () => !isAsked() || isSandbox(), ask: (frame) => askAddress(draft, frame) },
		{ name: "kind", skip: () => !isAsked() || isSandbox() || tokensOnly, ask: (frame) => askKind(draft, frame) },
		{ name: "token", skip: unlessToken, ask: (frame) => askToken(draft, frame) },
		{ name: "expiry", skip: unlessToken, ask: (frame) => askExpiry(draft, frame) },
		{ name: "appId", skip: unlessApp, ask: (frame) => askAppId(draft, frame) },
		{ name: "privateKey", skip: unlessApp, ask: (frame) => askPrivateKey(draft, frame) },
		{
			name: "passphrase",
			skip: () => unlessApp() || !isEncrypted(draft.privateKey),
			ask: (frame) => askPassphrase(draft, frame),
		},
		{
			name: "installation",
			skip: unlessApp,
			ask: (frame) => chooseInstallation(draft, frame, questions.findInstallations),
		},
	];
}

async function askHost(draft: CodehostAnswers, frame: StepFrame, tokensOnly: boolean): Promise<Answer<unknown>> {
	const names = Object.keys(CODEHOST_PRESETS).filter(
		(name): name is CodehostPresetName => codehostPreset(name) !== undefined,
	);
	const answer = await askChoice(
		{ ...frame, placeholder: "Which code host?" },
		names
			.filter((name) => !(tokensOnly && name === "sandbox"))
			.map((name) => ({
				label: CODEHOST_PRESETS[name].label,
				detail: CODEHOST_PRESETS[name].detail,
				value: name,
				active: name === draft.host && draft.baseUrl !== "",
			})),
	);
	return kept(answer, (name) => {
		if (name === draft.host) return;
		draft.host = name;
		draft.baseUrl = codehostPreset(name)?.baseUrl ?? "";
	});
}

async function askAddress(draft: CodehostAnswers, frame: StepFrame): Promise<Answer<unknown>> {
	const preset: CodehostPreset = CODEHOST_PRESETS[draft.host];
	const answer = await askText({
		...frame,
		placeholder: preset.exampleBaseUrl,
		prompt: `Base URL of the API of ${preset.label}, such as ${preset.exampleBaseUrl}`,
		value: draft.baseUrl,
		check: (text) => mistakeIn(() => decodeBaseUrl(text, BASE_URL)),
	});
	return kept(answer, (text) => {
		draft.baseUrl = decodeBaseUrl(text, BASE_URL);
	});
}

async function askKind(draft: CodehostAnswers, frame: StepFrame): Promise<Answer<unknown>> {
	const choices: readonly Choice<"pat" | "app">[] = [
		{
			label: "$(key) Personal Access Token",
			description: "acts as you and ends with your access",
			detail: "The simple choice for your own work: no key to keep, and your own limit.",
			value: "pat",
		},
		{
			label: "$(organization) App",
			description: "acts as itself and outlives people",
			detail: "Shared and revoked centrally, with a limit of its own. Needs its private key.",
			value: "app",
		},
	];
	const answer = await askChoice(
		{ ...frame, placeholder: "As whom?" },
		choices.map((each) => ({ ...each, active: each.value === draft.kind })),
	);
	return kept(answer, (kind) => {
		draft.kind = kind;
	});
}
