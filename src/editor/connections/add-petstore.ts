import { decodeBaseUrl } from "#app/connections/fields.ts";
import { pastedSecret } from "#app/connections/pasted-secret.ts";
import {
	PETSTORE_PRESETS,
	type PetstoreFormat,
	type PetstorePreset,
	type PetstorePresetName,
	petstorePreset,
} from "#app/connections/petstore-profiles.ts";
import type { ConnectionRegistry } from "#app/connections/registry.ts";
import { petstoreSecret } from "#app/petstore/secret.ts";
import { ClientError } from "#base/errors.ts";
import { describeTokenRefusal } from "../petstore/words.ts";
import { askChoice, askText } from "../prompts.ts";
import { describeRefusal } from "../report.ts";
import type { Step } from "../wizard.ts";
import { kept, mistakeIn, mistakeInSecret } from "./answers.ts";
import {
	noSignInAnswers,
	petstoreLabel,
	profileOf,
	type SignInAnswers,
	type SignInStep,
	signInStepFor,
	signInSteps,
	tokenOf,
} from "./petstore-sign-in-steps.ts";
import { type Added, addOrAsk } from "./save-anyway.ts";

/** The questions about a pet store. */
export type PetstoreStep = "store" | "storeAddress" | "format" | "storeKey" | SignInStep;

/** What the person has said so far of a pet store. */
export interface PetstoreAnswers extends SignInAnswers {
	format: PetstoreFormat;
	apiKey: string;
}

/** Nothing said yet. */
export function noPetstoreAnswers(): PetstoreAnswers {
	return { ...noSignInAnswers(), format: "json", apiKey: "" };
}

/** The formats to choose from. */
export const FORMAT_CHOICES: readonly {
	readonly label: string;
	readonly detail: string;
	readonly value: PetstoreFormat;
}[] = [
	{ label: "JSON", detail: "What every store understands best", value: "json" },
	{ label: "XML", detail: "For pets, where the service takes both; orders and users go as JSON", value: "xml" },
];

/** The questions, which keep their answers in `draft`; `isAsked` says whether the connection is to be of this kind. */
export function petstoreSteps(draft: PetstoreAnswers, isAsked: () => boolean): readonly Step<PetstoreStep>[] {
	const preset = (): PetstorePreset => PETSTORE_PRESETS[draft.store];
	const isUnasked = () => !isAsked() || draft.store === "sandbox";
	const place = { service: "petstore", field: "The base URL" } as const;
	const prompt = () => `Kept in the editor's secret storage and sent to ${draft.baseUrl} only`;
	return [
		{
			name: "store",
			skip: () => !isAsked(),
			async ask(frame) {
				const names = Object.keys(PETSTORE_PRESETS).filter(
					(name): name is PetstorePresetName => petstorePreset(name) !== undefined,
				);
				const answer = await askChoice(
					{ ...frame, placeholder: "Which pet store?" },
					names.map((name) => ({
						label: PETSTORE_PRESETS[name].label,
						detail: PETSTORE_PRESETS[name].detail,
						value: name,
						active: name === draft.store,
					})),
				);
				return kept(answer, (name) => {
					if (name === draft.store) return;
					draft.store = name;
					draft.baseUrl = petstorePreset(name)?.baseUrl ?? "";
				});
			},
		},
		{
			name: "storeAddress",
			skip: isUnasked,
			async ask(frame) {
				const answer = await askText({
					...frame,
					placeholder: preset().exampleBaseUrl,
					prompt: `Base URL of ${preset().label}; the API is below it at ${preset().basePath}`,
					value: draft.baseUrl,
					check: (text) => mistakeIn(() => decodeBaseUrl(text, place)),
				});
				return kept(answer, (text) => {
					draft.baseUrl = decodeBaseUrl(text, place);
				});
			},
		},
		{
			name: "format",
			skip: isUnasked,
			async ask(frame) {
				const choices = FORMAT_CHOICES.map((each) => ({ ...each, active: each.value === draft.format }));
				return kept(await askChoice({ ...frame, placeholder: "In which format?" }, choices), (format) => {
					draft.format = format;
				});
			},
		},
		{
			name: "storeKey",
			skip: isUnasked,
			async ask(frame) {
				const answer = await askText({
					...frame,
					placeholder: "API key, or nothing if there is none",
					prompt: prompt(),
					value: draft.apiKey,
					password: true,
					check: (text) => mistakeInSecret(text, "The API key"),
				});
				return kept(answer, (text) => {
					draft.apiKey = pastedSecret(text);
				});
			},
		},
		...signInSteps(draft, isUnasked),
	];
}

/** What the answers hold of key and token, as it is stored. */
export function petstoreSecretOf(answers: PetstoreAnswers): string | undefined {
	return petstoreSecret({ apiKey: answers.apiKey || undefined, token: tokenOf(answers) });
}

/** Asks the service and keeps the connection. */
export async function savePetstore(answers: PetstoreAnswers, registry: ConnectionRegistry): Promise<Added> {
	const { baseUrl, format } = answers;
	const label = registry.unusedLabel(petstoreLabel(answers));
	const draft = { service: "petstore", label, baseUrl, profile: profileOf(answers), format } as const;
	const secret = petstoreSecretOf(answers);
	return addOrAsk(draft, (options) => registry.add(draft, secret, options));
}

/** A refused credential goes back to the one that was given, anything else to the address. */
export function mendPetstore(error: unknown, draft: PetstoreAnswers): { step: PetstoreStep; problem: string } {
	const problem = describeRefusal(error, petstoreLabel(draft));
	if (!(error instanceof ClientError)) return { step: "storeAddress", problem };
	const signIn = signInStepFor(error, draft);
	if (signIn === "storeToken") return { step: signIn, problem: describeTokenRefusal(error, petstoreLabel(draft)) };
	if (signIn !== undefined) return { step: signIn, problem };
	const isRefused = error.code === "unauthorized" || error.code === "forbidden";
	return { step: isRefused ? "storeKey" : "storeAddress", problem };
}
