/**
 * Bundles the extension and the panel into dist/: `node esbuild.mjs [--dev] [--watch]`. Without flags the result is
 * minified, as it ships; `--dev` adds source maps and leaves names alone; `--watch` is `--dev` until it is interrupted.
 * `--entry=FILE --outdir=FOLDER` bundles another file in the extension's place, in just the way in which that one ships.
 * `--packages=FILE` lists the folders of the packages that the bundles contain parts of, as JSON.
 */
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { context } from "esbuild";
import subsetFont from "subset-font";
import { ICONS } from "./src/webview/icons.ts";

const root = import.meta.dirname;
const { values: flags } = parseArgs({
	options: {
		dev: { type: "boolean" },
		watch: { type: "boolean" },
		entry: { type: "string", default: "src/extension.ts" },
		outdir: { type: "string", default: "dist" },
		packages: { type: "string" },
	},
});
const dist = resolve(root, flags.outdir);
const watch = flags.watch === true;
const dev = watch || flags.dev === true;

/** @type {import("esbuild").BuildOptions} */
const common = {
	absWorkingDir: root,
	outdir: dist,
	bundle: true,
	metafile: true,
	minify: !dev,
	sourcemap: dev,
	legalComments: "none",
	// While watching, one line for all bundles says that they are ready; esbuild would print one for each.
	logLevel: watch ? "warning" : "info",
};

/**
 * The host's part runs in the Node of the oldest editor that the manifest allows.
 *
 * @type {import("esbuild").BuildOptions}
 */
const host = {
	...common,
	platform: "node",
	target: "node22",
	format: "cjs",
	outExtension: { ".js": ".cjs" },
	external: ["vscode"],
	// `import()` becomes a lazy `require`: the extension host loads bundles that way.
	supported: { "dynamic-import": false },
};

/** @type {Map<string, Promise<import("esbuild").BuildContext>>} */
const chunks = new Map();
/** @type {Map<string, import("esbuild").Metafile>} */
const metafiles = new Map();
/** @type {Set<string>} */
const pending = new Set();
/** @type {Set<string>} */
const failed = new Set();

/**
 * Gives the product, each package and each part of the sandbox that is imported with `import()` a bundle of its own,
 * loaded when it is first needed. They are the only ones: a bundle repeats what it imports, and a class of ours that
 * existed twice would fail its `instanceof`. What the product and the main bundle both have is never tested so.
 *
 * @type {import("esbuild").Plugin}
 */
const lazyChunks = {
	name: "lazy-chunks",
	setup(build) {
		build.onResolve(
			{ filter: /^(?:\.\/product\.ts$|#sandbox\/|[a-z@])/ },
			async ({ path, kind, resolveDir, pluginData }) => {
				if (kind !== "dynamic-import" || pluginData === lazyChunks || path === "vscode") return undefined;
				const resolved = await build.resolve(path, { kind, resolveDir, pluginData: lazyChunks });
				if (resolved.errors.length > 0 || resolved.external) return resolved;
				const name = path
					.replace(/\.ts$/, "")
					.replaceAll(/[^a-z0-9]+/gi, "-")
					.replace(/^-/, "");
				if (!chunks.has(name)) chunks.set(name, chunk(name, resolved.path));
				return { path: `./${name}.cjs`, external: true };
			},
		);
	},
};

const ICON_STYLE = `@font-face{font-family:codicon;font-display:block;src:url("codicon.ttf") format("truetype")}
.codicon{display:inline-block;font:normal 16px/1 codicon;text-align:center;text-decoration:none;user-select:none}`;

/**
 * Keeps the metafile of a bundle and reports its builds. Called while the bundle that needs this one is still being built,
 * so that a watched build is not ready before its last bundle.
 *
 * @param {string} name
 */
function follow(name) {
	begin(name);
	return {
		name: "follow",
		/** @param {import("esbuild").PluginBuild} build */
		setup(build) {
			build.onStart(() => begin(name));
			build.onEnd(({ metafile, errors }) => {
				if (metafile) metafiles.set(name, metafile);
				end(name, errors.length > 0);
			});
		},
	};
}

/** @param {string} part */
function begin(part) {
	if (watch && pending.size === 0) console.log("[watch] build started");
	pending.add(part);
}

/**
 * @param {string} part
 * @param {boolean} hasErrors
 */
function end(part, hasErrors) {
	pending.delete(part);
	if (hasErrors) failed.add(part);
	else failed.delete(part);
	if (watch && pending.size === 0) console.log(`[watch] build ${failed.size > 0 ? "failed" : "ready"}`);
}

/**
 * @param {string} name
 * @param {string} entry
 */
async function chunk(name, entry) {
	return run(await context({ ...host, entryPoints: { [name]: entry }, plugins: [lazyChunks, follow(name)] }));
}

/** @param {import("esbuild").BuildContext} built */
async function run(built) {
	if (watch) await built.watch();
	// The errors are on the terminal by now.
	else await built.rebuild().catch(() => process.exit(1));
	return built;
}

const extension = await context({
	...host,
	entryPoints: { extension: resolve(root, flags.entry) },
	plugins: [lazyChunks, follow("extension")],
});
const panel = await context({
	...common,
	entryPoints: [
		{ in: join(root, "src/webview/main.ts"), out: "panel" },
		{ in: join(root, "media/panel.css"), out: "panel" },
		{ in: join(root, "src/webview/page.ts"), out: "page" },
		{ in: join(root, "media/page.css"), out: "page" },
	],
	platform: "browser",
	target: "chrome138",
	format: "iife",
	plugins: [follow("panel")],
});

await mkdir(dist, { recursive: true });
await Promise.all([run(extension), run(panel), packIcons()]);
if (!watch) {
	// Building a chunk can find further ones, which this loop then visits too.
	for (const each of chunks.values()) await (await each).dispose();
	await Promise.all([extension.dispose(), panel.dispose()]);
	const packages = bundledPackages();
	await writeLicenses(packages);
	if (flags.packages !== undefined) await writeFile(flags.packages, JSON.stringify(packages));
	await removeStale();
}

/** The panel's icons: the font with the glyphs it shows, a fiftieth of them all, and the style sheet that names them. */
async function packIcons() {
	begin("icons");
	const from = join(root, "node_modules/@vscode/codicons");
	const mapping = JSON.parse(await readFile(join(from, "src/template/mapping.json"), "utf8"));
	/** @type {Map<string, string>} */
	const glyphs = new Map();
	for (const [point, names] of Object.entries(mapping)) {
		for (const name of names) glyphs.set(name, String.fromCodePoint(Number(point)));
	}
	const used = ICONS.map((name) => {
		const glyph = glyphs.get(name);
		if (glyph === undefined) throw new Error(`There is no codicon "${name}".`);
		return { name, glyph };
	});
	const font = await readFile(join(from, "dist/codicon.ttf"));
	const text = used.map(({ glyph }) => glyph).join("");
	await writeFile(join(dist, "codicon.ttf"), await subsetFont(font, text, { targetFormat: "truetype" }));
	const rules = used.map(({ name, glyph }) => `.codicon-${name}::before{content:"${glyph}"}`);
	await writeFile(join(dist, "codicon.css"), [`@charset "utf-8";`, ICON_STYLE, ...rules, ""].join("\n"));
	end("icons", false);
}

/** Folders of the packages that the bundles contain parts of. */
function bundledPackages() {
	const packages = new Set(["node_modules/@vscode/codicons"]);
	for (const { outputs } of metafiles.values()) {
		for (const output of Object.values(outputs)) {
			for (const [input, { bytesInOutput }] of Object.entries(output.inputs)) {
				const folder = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0];
				if (folder && bytesInOutput > 0) packages.add(folder);
			}
		}
	}
	return [...packages].sort();
}

/**
 * Writes the license of each package, which must travel with the parts of it.
 *
 * @param {string[]} packages
 */
async function writeLicenses(packages) {
	const texts = [];
	for (const folder of packages) {
		const manifest = JSON.parse(await readFile(join(root, folder, "package.json"), "utf8"));
		const file = (await readdir(join(root, folder))).find((name) => /^licen[cs]e(?!.*code)/i.test(name));
		if (!file && !manifest.license) throw new Error(`${manifest.name} has no license.`);
		const author = manifest.author?.name ?? manifest.author;
		const text = file ? await readFile(join(root, folder, file), "utf8") : `License: ${manifest.license}, by ${author}`;
		texts.push(`${manifest.name} ${manifest.version}\n\n${text.trim()}\n`);
	}
	await writeFile(join(dist, "licenses.txt"), texts.join(`\n${"-".repeat(72)}\n\n`));
}

/** Bundles of an earlier build that this one did not write would be packaged with it. */
async function removeStale() {
	const written = new Set(["codicon.css", "codicon.ttf", "licenses.txt"]);
	for (const { outputs } of metafiles.values()) {
		for (const path of Object.keys(outputs)) written.add(basename(path));
	}
	for (const name of await readdir(dist)) {
		if (!written.has(name)) await rm(join(dist, name), { recursive: true, force: true });
	}
}
