import { registerHooks } from "node:module";

/** Names of the editor's API that are used while the files of the product are loaded. */
const USED = ["ThemeIcon", "EventEmitter", "FileSystemError", "LanguageModelError"];

/** Names of the API that a test may give a meaning to. */
const GIVEN = [
	...["window", "workspace", "commands", "lm", "env", "QuickPickItemKind"],
	...["QuickInputButtons", "InputBoxValidationSeverity", "ProgressLocation"],
	...["LanguageModelChatMessageRole", "LanguageModelDataPart", "LanguageModelTextPart", "LanguageModelToolCallPart"],
	...["LanguageModelThinkingPart", "LanguageModelChatToolMode", "CancellationError"],
	...[
		"Uri",
		"Range",
		"Selection",
		"TabInputTextDiff",
		"WorkspaceEdit",
		"ConfigurationTarget",
		"extensions",
		"languages",
		"MarkdownString",
	],
] as const;

const EDITOR = `data:text/javascript,${[
	...USED.map((name) => `export class ${name} ${name.endsWith("Error") ? "extends Error " : ""}{}`),
	`export let ${GIVEN.join(", ")}`,
	`export function give(members) { ({ ${GIVEN.join(", ")} } = members) }`,
].join(";")}`;

// Definitions stand beside their implementations, which do nothing with the editor before they are called.
registerHooks({
	resolve: (specifier, context, next) =>
		specifier === "vscode" ? { url: EDITOR, shortCircuit: true } : next(specifier, context),
});

const { give }: { give: (members: object) => void } = await import(EDITOR);

/** Lets the editor's API have these members and no others. In each test anew: the files of a run share one process. */
export function fakeVscode(members: { readonly [K in (typeof GIVEN)[number]]?: unknown }): void {
	give(members);
}
