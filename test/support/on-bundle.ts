import { registerHooks } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { bundleModules } from "./build.ts";

/**
 * Has tests import the modules of the product from bundles that are made as those that ship:
 * `node --import ./test/support/on-bundle.ts --test FILE`. The layer of the editor alone stays as it is in the sources.
 */
const BUNDLED = "bundled:";

// The processes that the runner starts have the environment of this one, and the same bundles.
process.env["SWITCHBOARD_MODULES"] ??= await bundleModules();
const bundle = pathToFileURL(join(process.env["SWITCHBOARD_MODULES"], "extension.cjs")).href;
const { default: modules }: { readonly default: Readonly<Record<string, object>> } = await import(bundle);

registerHooks({
	resolve: (specifier, context, next) =>
		Object.hasOwn(modules, specifier)
			? { url: `${BUNDLED}${specifier}`, shortCircuit: true }
			: next(specifier, context),
	load(url, context, next) {
		if (!url.startsWith(BUNDLED)) return next(url, context);
		const name = url.slice(BUNDLED.length);
		const source = `import modules from "${bundle}";
			export const { ${Object.keys(modules[name] ?? {}).join(", ")} } = modules["${name}"];`;
		return { format: "module", source, shortCircuit: true };
	},
});
