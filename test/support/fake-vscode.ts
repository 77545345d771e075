import { registerHooks } from "node:module";

const KEY = "fakeVscode";

/** Lets the editor's API be these members, for files of the product that are imported afterwards. Once in a process. */
export function fakeVscode(members: Record<string, unknown>): void {
	Object.assign(globalThis, { [KEY]: members });
	const url = `data:text/javascript,export const { ${Object.keys(members).join(", ")} } = globalThis.${KEY};`;
	registerHooks({
		resolve: (specifier, context, next) =>
			specifier === "vscode" ? { url, shortCircuit: true } : next(specifier, context),
	});
}
