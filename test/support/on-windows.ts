import { constants } from "node:fs";
import * as files from "node:fs/promises";
import { registerHooks } from "node:module";
import { join, win32 } from "node:path";

/** Mark of a module that is loaded as on Windows. */
const MARK = "?win32";

const FILES = "node:fs/promises";

/** The folder of this machine that stands for `C:\`. Set by each test: the files of a run share one process. */
let drive = "";

/** Fails the next calls of `rename`, with these codes one after the other. */
export const failingRenames: string[] = [];

/** Characters that no name on Windows may have, and endings that it drops. */
const FORBIDDEN = /[<>:"/|?*\p{Cc}]|[. ]$/u;

/** Names of devices, whatever ending follows. */
const DEVICES = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/** The file of this machine that stands for one of Windows, which takes no other name and knows no case. */
function fileOf(path: unknown): string {
	const [root, ...names] = String(path).split(win32.sep);
	const refused = names.find((name) => FORBIDDEN.test(name) || DEVICES.test(name) || name.length > 255);
	if (root !== "C:" || refused !== undefined) {
		throw Object.assign(new Error(`${path} is no path of a file`), { code: "EINVAL" });
	}
	return join(drive, ...names.map((name) => name.toLowerCase()));
}

/** The file system of Windows, over a folder of this machine. */
const WINDOWS = {
	...files,
	constants,
	mkdir: (path: string, options: object) => files.mkdir(fileOf(path), options),
	open: (path: string, ...rest: []) => files.open(fileOf(path), ...rest),
	readdir: (path: string) => files.readdir(fileOf(path)),
	readFile: (path: string) => files.readFile(fileOf(path)),
	realpath: (path: string) => Promise.resolve(path),
	rename: async (from: string, to: string) => {
		const code = failingRenames.shift();
		if (code !== undefined) throw Object.assign(new Error(`${code}: operation not permitted, rename`), { code });
		await files.rename(fileOf(from), fileOf(to));
	},
	rm: (path: string, options: object) => files.rm(fileOf(path), options),
	stat: (path: string) => files.stat(fileOf(path)),
	writeFile: (path: string, content: string, options: object) => files.writeFile(fileOf(path), content, options),
};

Object.assign(globalThis, { filesOfWindows: WINDOWS });

const SOURCE = `data:text/javascript,const given = globalThis.filesOfWindows;${Object.keys(WINDOWS)
	.filter((name) => name !== "default")
	.map((name) => `export const ${name} = given.${name};`)
	.join("")}`;

registerHooks({
	resolve(specifier, context, next) {
		if (context.parentURL?.endsWith(MARK)) {
			if (specifier === "node:path") return next("node:path/win32", context);
			if (specifier === FILES) return { url: SOURCE, shortCircuit: true };
		}
		return next(specifier, context);
	},
});

/** Loads a module of the product as on Windows, whose `C:\` is a folder of this machine. */
export function importOnWindows(path: string): Promise<object> {
	return import(`${new URL(`../../src/${path}`, import.meta.url)}${MARK}`);
}

/** Lets a folder of this machine stand for `C:\`. */
export function useDrive(folder: string): void {
	drive = folder;
	failingRenames.length = 0;
}
