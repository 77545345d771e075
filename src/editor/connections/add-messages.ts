import { decodeBaseUrl } from "#app/connections/fields.ts";
import {
	headersOf,
	MESSAGES_PRESETS,
	type MessagesPreset,
	type MessagesPresetName,
	messagesPreset,
} from "#app/connections/messages-profiles.ts";
import { unquoted } from "#app/connections/pasted-secret.ts";
import type { ConnectionRegistry } from "#app/connections/registry.ts";
import { ClientError } from "#base/errors.ts";
import { askChoice, askText } from "../prompts.ts";
import { describeRefusal } from "../report.ts";
import type { Step } from "../wizard.ts";
import { kept, mistakeIn } from "./answers.ts";
import { type Added, addOrAsk } from "./save-anyway.ts";

/** The questions about a messages service. */
export type MessagesStep = "preset" | "address" | "key" | "model";

/** What the person has said so far of a messages service. */
export interface MessagesAnswers {
	preset: MessagesPresetName;
	baseUrl: string;
	key: string;
	model: string;
}

/** Nothing said yet. */
export function noMessagesAnswers(): MessagesAnswers {
	return { preset: "custom", baseUrl: "", key: "", model: "" };
}

/** The questions, which keep their answers in `draft`; `isAsked` says whether the connection is to be of this kind. */
export function messagesSteps(draft: MessagesAnswers, isAsked: () => boolean): readonly Step<MessagesStep>[] {
	const preset = (): MessagesPreset => MESSAGES_PRESETS[draft.preset];
	const isSandbox = () => draft.preset === "sandbox";
	const place = { service: "messages", field: "The base URL" } as const;
	return [
		{
			name: "preset",
			skip: () => !isAsked(),
			async ask(frame) {
				const name = await askChoice(
					{ ...frame, placeholder: "Which messages service?" },
					presetNames().map((each) => ({
						label: MESSAGES_PRESETS[each].label,
						detail: MESSAGES_PRESETS[each].detail,
						value: each,
						active: each === draft.preset && draft.baseUrl !== "",
					})),
				);
				return kept(name, (chosen) => {
					if (chosen === draft.preset) return;
					draft.preset = chosen;
					draft.baseUrl = messagesPreset(chosen)?.baseUrl ?? "";
				});
			},
		},
		{
			name: "address",
			skip: () => !isAsked() || isSandbox(),
			async ask(frame) {
				const answer = await askText({
					...frame,
					placeholder: "https://api.example.com",
					prompt: `Base URL of ${preset().label}`,
					value: draft.baseUrl,
					check: (text) => mistakeIn(() => decodeBaseUrl(text, place)),
				});
				return kept(answer, (text) => {
					draft.baseUrl = decodeBaseUrl(text, place);
				});
			},
		},
		{
			name: "key",
			skip: () => !isAsked() || preset().key === "none" || isSandbox(),
			async ask(frame) {
				const isRequired = preset().key === "required";
				const answer = await askText({
					...frame,
					placeholder: isRequired ? "API key" : "API key, or nothing if the service takes none",
					prompt: `Kept in the editor's secret storage and sent to ${draft.baseUrl} only`,
					value: draft.key,
					password: true,
					help: preset().keyPage,
					check: (text) => (isRequired && text.trim() === "" ? "The key is missing." : undefined),
				});
				return kept(answer, (text) => {
					draft.key = unquoted(text);
				});
			},
		},
		{
			name: "model",
			skip: () => !isAsked() || isSandbox(),
			async ask(frame) {
				const answer = await askText({
					...frame,
					placeholder: preset().exampleModel,
					prompt: "Model to ask for; empty uses the one in the settings",
					value: draft.model,
				});
				return kept(answer, (text) => {
					draft.model = text.trim();
				});
			},
		},
	];
}

/** Asks the service and keeps the connection. A service that is not there need not be asked. */
export async function saveMessages(answers: MessagesAnswers, registry: ConnectionRegistry): Promise<Added> {
	const label = registry.unusedLabel(messagesLabel(answers));
	const { baseUrl, preset: profile, model } = answers;
	const key = answers.key === "" ? undefined : answers.key;
	const draft = { service: "messages", label, baseUrl, profile, ...(model === "" ? {} : { model }) } as const;
	return addOrAsk(draft, (options) => registry.add(draft, key, options));
}

/** A refused key goes back to the key, anything else to the address. */
export function mendMessages(error: unknown, draft: MessagesAnswers): { step: MessagesStep; problem: string } {
	const { keyHeader } = headersOf(draft.preset);
	const isKey =
		error instanceof ClientError &&
		(error.code === "unauthorized" || error.code === "forbidden" || error.field === keyHeader);
	return { step: isKey ? "key" : "address", problem: describeRefusal(error, messagesLabel(draft)) };
}

function messagesLabel(draft: MessagesAnswers): string {
	return draft.preset === "custom" ? new URL(draft.baseUrl).host : MESSAGES_PRESETS[draft.preset].label;
}

function presetNames(): MessagesPresetName[] {
	return Object.keys(MESSAGES_PRESETS).filter((name): name is MessagesPresetName => messagesPreset(name) !== undefined);
}
