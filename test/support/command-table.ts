import { registerHooks } from "node:module";

/** Names of the editor's API that are used while the files of the product are loaded. */
const USED = ["ThemeIcon", "EventEmitter", "FileSystemError", "LanguageModelError"];
const EDITOR = `data:text/javascript,${USED.map((name) => `export class ${name} {}`).join(";")}`;

// Definitions stand beside their implementations, which do nothing with the editor before they are called.
registerHooks({
	resolve: (specifier, context, next) =>
		specifier === "vscode" ? { url: EDITOR, shortCircuit: true } : next(specifier, context),
});

/** Definitions of all commands, read without an editor. */
export const { COMMAND_TABLE } = await import("#editor/commands.ts");

/** Row of a tree, for calls on one. */
export const { Row } = await import("#editor/kit/rows.ts");
