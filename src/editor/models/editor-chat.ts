import * as vscode from "vscode";
import { isRecord } from "#api/http/json.ts";
import type { Capabilities } from "#app/connections/capabilities.ts";
import type { Price } from "#protocol/panel.ts";

/**
 * What the editor's own Chat takes of a provider and hands to it beyond the published types, as of VS Code 1.139. An
 * editor that does not know a field ignores it.
 */

/** Name of the choice of an effort, as the editor's own models have it. */
const EFFORT = "reasoningEffort";

/** Choice of the effort that the settings or the service have. */
const AUTO = "auto";

/**
 * Fields of a model for the picker: a submenu of efforts, the window, a tag, a price, and a warning where there is a day
 * from which the service no longer has it.
 */
export function pickerFields(
	{ efforts, contextTokens }: Capabilities,
	{ isLocal, price, retiresAt }: { isLocal: boolean; price?: Price | undefined; retiresAt?: string },
): object {
	const effort = {
		...{ type: "string", title: "Thinking Effort", group: "navigation", default: AUTO },
		enum: [AUTO, ...efforts],
		enumItemLabels: [AUTO, ...efforts].map((each) => each.charAt(0).toUpperCase() + each.slice(1)),
	};
	return {
		...(efforts.length === 0 ? {} : { configurationSchema: { properties: { [EFFORT]: effort } } }),
		...(contextTokens === null ? {} : { maxContextWindowTokens: contextTokens }),
		...(isLocal ? { category: "local" } : {}),
		// The fields for costs count in the editor's own credits.
		...(price && { pricing: `${price.input} in, ${price.output} out per million tokens (${price.currency})` }),
		...(retiresAt && {
			statusIcon: new vscode.ThemeIcon("warning"),
			warningText: { retires: `Retires on ${retiresAt}. Choose another model before then.` },
		}),
	};
}

/** Effort that the person chose in the picker; undefined where they leave the choice. */
export function chosenEffort(options: object, efforts: readonly string[]): string | undefined {
	const configuration: unknown = Reflect.get(options, "modelConfiguration");
	const effort = isRecord(configuration) ? configuration[EFFORT] : undefined;
	return efforts.find((each) => each === effort);
}

/** Reports a piece of thinking, where the editor has a class for it. */
export function reportThinking(
	progress: vscode.Progress<vscode.LanguageModelResponsePart>,
	thought: string,
	block: string,
): void {
	const Part: unknown = Reflect.get(vscode, "LanguageModelThinkingPart");
	// Progress takes it at run time; its type is not published.
	if (typeof Part === "function")
		progress.report(Reflect.construct(Part, [thought, block]) as vscode.LanguageModelTextPart);
}
