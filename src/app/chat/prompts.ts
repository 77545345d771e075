import { ClientError } from "#base/errors.ts";

/** Saved prompt, inserted by `/` and its name. */
export interface Prompt {
	readonly name: string;
	readonly text: string;
}

/** Values of the placeholders of a prompt. */
export interface PromptPlace {
	readonly selection?: string | undefined;
	/** Display path of the active file. */
	readonly file?: string | undefined;
}

/** The prompts of the settings, sorted by name; one with an invalid name is left out. */
export function promptsOf(setting: Readonly<Record<string, string>>): readonly Prompt[] {
	const prompts = Object.entries(setting).flatMap(([name, text]) => (PROMPT_NAME.test(name) ? [{ name, text }] : []));
	return prompts.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Adds a prompt to the setting, or replaces the one of its name. */
export function withPrompt(setting: unknown, { name, text }: Prompt): Readonly<Record<string, unknown>> {
	const before = typeof setting === "object" && setting !== null && !Array.isArray(setting) ? setting : {};
	return { ...before, [name]: text };
}

/** Name of a prompt: a space would end what is typed behind the `/`. */
export const PROMPT_NAME = /^[^\s/]{1,50}$/;

const MISSING = {
	selection: "The prompt uses the selection, and no text is selected. Select some and choose the prompt again.",
	file: "The prompt uses the active file, and none is open. Open one and choose the prompt again.",
} as const;

/** Fills the placeholders of a prompt. Throws `invalid` with a sentence for the person if there is no value. */
export function expandPrompt(text: string, place: PromptPlace): string {
	return text.replaceAll(/\$\{(selection|file)\}/g, (_, name: keyof typeof MISSING) => {
		const filled = place[name];
		if (filled) return filled;
		throw new ClientError("messages", "invalid", MISSING[name], { field: name });
	});
}
