import { decodeBaseUrl, decodeProfile } from "#app/connections/connection.ts";
import {
	headersOf,
	MESSAGES_PRESETS,
	type MessagesPreset,
	type MessagesPresetName,
	messagesPreset,
} from "#app/connections/profiles.ts";
import type { ConnectionDraft, ConnectionRegistry } from "#app/connections/registry.ts";
import { ClientError, invalid } from "#base/errors.ts";
import { type Fields, optionalKey, optionalText, requiredText } from "../arguments.ts";
import { withProgress } from "../progress.ts";
import { type Answer, askChoice, askText, BACK } from "../prompts.ts";
import { describeRefusal } from "../report.ts";

const TITLE = "Add Connection";
const STEPS = 4;

/** Adds a connection as the argument says. Throws `invalid` naming the field, or the service's refusal. */
export async function addFromArgument(fields: Fields, registry: ConnectionRegistry): Promise<{ id: string }> {
	const service = requiredText(fields, "service");
	if (service !== "messages") throw invalid("messages", "service", `"${service}" is not known; use "messages"`);
	const profile = decodeProfile(fields["profile"], "profile");
	const preset: MessagesPreset | undefined = typeof profile === "string" ? MESSAGES_PRESETS[profile] : undefined;
	const model = optionalText(fields, "model");
	const draft: ConnectionDraft = {
		label: requiredText(fields, "label"),
		baseUrl: decodeBaseUrl(fields["baseUrl"] ?? preset?.baseUrl, "baseUrl"),
		profile,
		...(model === undefined ? {} : { model }),
	};
	const { id } = await registry.add(draft, optionalKey(fields));
	return { id };
}

/** What the person has said so far. */
interface Draft {
	preset: MessagesPresetName;
	baseUrl: string;
	key: string;
	model: string;
}

/**
 * Asks for a connection step by step and adds it. When the service does not take it, the step that can mend it comes
 * back with what was typed and the reason. Resolves to undefined when the person leaves.
 */
export async function addByPrompts(
	registry: ConnectionRegistry,
	trySandbox: () => Promise<string>,
): Promise<{ id: string } | undefined> {
	const draft: Draft = { preset: "custom", baseUrl: "", key: "", model: "" };
	let problem: string | undefined;
	let step = 1;
	let forward = true;
	while (step >= 1 && step <= STEPS) {
		if (step === 3 && MESSAGES_PRESETS[draft.preset].key === "none") {
			step += forward ? 1 : -1;
			continue;
		}
		const answer = await ask(step, draft, problem);
		problem = undefined;
		if (answer === undefined) return undefined;
		forward = answer !== BACK;
		if (step === 1 && draft.preset === "sandbox") return { id: await trySandbox() };
		step += forward ? 1 : -1;
		if (step <= STEPS) continue;
		try {
			return { id: await save(draft, registry) };
		} catch (error) {
			if (error instanceof ClientError && error.code === "aborted") return undefined;
			problem = describeRefusal(error, labelOf(draft));
			step = stepToMend(error, draft);
		}
	}
	return undefined;
}

async function ask(step: number, draft: Draft, problem: string | undefined): Promise<Answer<string>> {
	const preset: MessagesPreset = MESSAGES_PRESETS[draft.preset];
	const frame = { title: TITLE, step, totalSteps: STEPS, problem };
	switch (step) {
		case 1: {
			const name = await askChoice(
				{ ...frame, placeholder: "Which messages service?" },
				presetNames().map((each) => ({
					label: MESSAGES_PRESETS[each].label,
					detail: MESSAGES_PRESETS[each].detail,
					value: each,
					active: each === draft.preset,
				})),
			);
			if (name !== undefined && name !== BACK && name !== draft.preset) {
				draft.preset = name;
				draft.baseUrl = messagesPreset(name)?.baseUrl ?? "";
			}
			return name;
		}
		case 2:
			return kept(
				await askText({
					...frame,
					placeholder: "https://api.example.com",
					prompt: `Base URL of ${preset.label}, without /v1/messages`,
					value: draft.baseUrl,
					check: (text) => mistakeIn(() => decodeBaseUrl(text, "The base URL")),
				}),
				(text) => {
					draft.baseUrl = decodeBaseUrl(text, "baseUrl");
				},
			);
		case 3:
			return kept(
				await askText({
					...frame,
					placeholder: preset.key === "required" ? "API key" : "API key, or nothing if the service takes none",
					prompt: `Kept in the editor's secret storage and sent to ${draft.baseUrl} only`,
					value: draft.key,
					password: true,
					help: preset.keyPage,
					check: (text) => (preset.key === "required" && text.trim() === "" ? "The key is missing." : undefined),
				}),
				(text) => {
					draft.key = text.trim();
				},
			);
		default:
			return kept(
				await askText({
					...frame,
					placeholder: preset.exampleModel,
					prompt: "Model to ask for; empty uses the one in the settings",
					value: draft.model,
				}),
				(text) => {
					draft.model = text.trim();
				},
			);
	}
}

function presetNames(): MessagesPresetName[] {
	return Object.keys(MESSAGES_PRESETS).filter((name): name is MessagesPresetName => messagesPreset(name) !== undefined);
}

async function save(draft: Draft, registry: ConnectionRegistry): Promise<string> {
	const label = unusedLabel(labelOf(draft), registry);
	const key = draft.key === "" ? undefined : draft.key;
	const connection = await withProgress(`Checking ${label}...`, (signal) =>
		registry.add(
			{
				label,
				baseUrl: draft.baseUrl,
				profile: draft.preset,
				...(draft.model === "" ? {} : { model: draft.model }),
			},
			key,
			signal,
		),
	);
	return connection.id;
}

function labelOf(draft: Draft): string {
	return draft.preset === "custom" ? new URL(draft.baseUrl).host : MESSAGES_PRESETS[draft.preset].label;
}

function unusedLabel(wanted: string, registry: ConnectionRegistry): string {
	const taken = new Set(registry.list().map((each) => each.label));
	let label = wanted;
	for (let count = 2; taken.has(label); count++) label = `${wanted} ${count}`;
	return label;
}

/** A refused key, or one that no header can carry, goes back to the key; anything else to the address. */
function stepToMend(error: unknown, { preset }: Draft): number {
	if (!(error instanceof ClientError)) return 2;
	const isKey = error.code === "unauthorized" || error.code === "forbidden";
	return isKey || error.field === headersOf(preset).keyHeader ? 3 : 2;
}

function kept(answer: Answer<string>, keep: (text: string) => void): Answer<string> {
	if (typeof answer === "string") keep(answer);
	return answer;
}

function mistakeIn(decode: () => unknown): string | undefined {
	try {
		decode();
		return undefined;
	} catch (error) {
		return error instanceof Error ? `${error.message}.` : String(error);
	}
}
