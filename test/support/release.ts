import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { brokenLinks, pagesOf, targetsOf } from "./links.ts";
import { secretsIn } from "./secrets.ts";
import { entriesOf, unpack } from "./zip.ts";

/** The parts of a package.json that a release depends on. */
export interface Manifest {
	readonly name: string;
	readonly version: string;
	readonly publisher?: string;
	readonly repository?: string | null | { readonly url?: string };
	readonly bugs?: string | { readonly url?: string };
	readonly homepage?: string;
	readonly license?: string;
	readonly icon?: string;
	readonly devDependencies?: Readonly<Record<string, string>>;
	readonly dependencies?: Readonly<Record<string, string>>;
	readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** Values that stand for one that is not set yet. */
const PLACEHOLDER = /unpublished|placeholder|change-?me|\byour-|\bowner\/repo\b|\bexample\.(?:com|org|net)\b/i;

/** Smallest width and height of the marketplace's icon, in pixels. */
const LEAST_ICON = 128;

/** Files of a package that are no text. */
const BINARY = /\.(?:png|ttf)$/;

/** Reads the package.json of a folder. */
export function readManifest(folder: string): Manifest {
	return JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
}

/** Reasons why a tree must not be released, all of them. */
export function treeProblems(root: string): string[] {
	const manifest = readManifest(root);
	return [
		...identityProblems(manifest),
		...linkProblems(root),
		...dependencyProblems(root, manifest),
		...fileProblems(root, manifest),
	];
}

/** Secrets in the files of a package, as reasons not to release it. */
export function secretProblems(zip: Buffer): string[] {
	return entriesOf(zip)
		.filter(({ name }) => !BINARY.test(name))
		.flatMap((entry) =>
			secretsIn(unpack(zip, entry).toString("utf8")).map((secret) => `${entry.name} has a secret: ${secret}`),
		);
}

/** Fields that say who publishes the extension, of which everything else is derived. */
function identityProblems(manifest: Manifest): string[] {
	const problems: string[] = [];
	const { publisher = "" } = manifest;
	if (PLACEHOLDER.test(publisher) || !/^[a-z0-9][a-z0-9-]*$/i.test(publisher)) {
		problems.push("package.json: publisher is a placeholder. Set it to the publisher's id on the marketplace.");
	}
	for (const field of ["repository", "bugs", "homepage"] as const) {
		const value = manifest[field];
		const { url = "" } = typeof value === "string" ? { url: value } : (value ?? {});
		if (PLACEHOLDER.test(url) || !/^(?:git\+)?https:\/\/[\w-]+(?:\.[\w-]+)+\/./.test(url)) {
			problems.push(`package.json: ${field} is a placeholder. Set it to an https address.`);
		}
	}
	return problems;
}

function linkProblems(root: string): string[] {
	const broken = brokenLinks(root).map((link) => `${link} leads nowhere in the tree.`);
	const targets = pagesOf(root).flatMap((page) => targetsOf(root, page).map((target) => ({ page, target })));
	const refused = targets
		.filter(({ target }) =>
			/^http:\/\/(?!localhost|127\.)|^https?:\/\/(?:bit\.ly|t\.co|goo\.gl|tinyurl\.com)\//.test(target),
		)
		.map(({ page, target }) => `${page}: ${target} is not encrypted, or a short link, which the marketplace refuses.`);
	return [...broken, ...refused];
}

function dependencyProblems(root: string, { dependencies, devDependencies, optionalDependencies }: Manifest): string[] {
	const file = join(root, "package-lock.json");
	const lock = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")).packages : {};
	const all = { ...dependencies, ...devDependencies, ...optionalDependencies };
	return Object.entries(all).flatMap(([name, version]) => {
		const locked: { version?: string; integrity?: string } = lock[`node_modules/${name}`] ?? {};
		if (!/^\d+\.\d+\.\d+(?:-[\w.-]+)?$/.test(version)) return [`package.json: ${name} ${version} is not pinned.`];
		const isLocked = locked.version === version && locked.integrity !== undefined;
		return isLocked ? [] : [`package-lock.json: ${name} ${version} is not pinned. Run npm install.`];
	});
}

function fileProblems(root: string, { version, license, icon }: Manifest): string[] {
	const problems: string[] = [];
	const read = (name: string) => (existsSync(join(root, name)) ? readFileSync(join(root, name)) : undefined);
	if (license === undefined || !read("LICENSE")?.toString().startsWith(license)) {
		problems.push("LICENSE is missing, or is another one than package.json names.");
	}
	const size = icon === undefined ? undefined : sizeOfPng(read(icon));
	if (size === undefined || size < LEAST_ICON) {
		problems.push(`The icon ${icon ?? ""} is missing, no PNG, or smaller than ${LEAST_ICON} pixels.`);
	}
	const fields = readFileSync(join(root, "package.json"), "utf8");
	for (const [, picture = ""] of fields.matchAll(/"(?:\.\/)?(media\/[^"]+)"/g)) {
		if (picture !== icon && read(picture) === undefined) problems.push(`package.json: ${picture} is missing.`);
	}
	const entries = read("CHANGELOG.md")?.toString().split(/^## /m) ?? [];
	const entry = entries.find((part) => /^\[?v?([^\s\]]+)/.exec(part)?.[1] === version);
	if (!/\n\s*\S/.test(entry ?? "")) problems.push(`CHANGELOG.md says nothing of ${version}.`);
	return problems;
}

/** The smaller of a PNG's width and height; undefined for anything else. */
function sizeOfPng(file: Buffer | undefined): number | undefined {
	if (file?.toString("latin1", 1, 4) !== "PNG") return undefined;
	return Math.min(file.readUInt32BE(16), file.readUInt32BE(20));
}
