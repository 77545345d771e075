import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CACHE } from "./paths.ts";
import { type ProcessResult, runNpm } from "./run-process.ts";

/** The npm package that carries a VS Code server; this version carries VS Code 1.139. */
const PACKAGE = "code-server";
const VERSION = "4.139.1";
/** The registry's own hash of that version, so that nothing else can be run in its place. */
const INTEGRITY = "sha512-fUYvJVdz4ZoVJfakGiGWXFMpF8K1ObsrpGvX17ZxNpKOzdNHs7lANT670JTr4ZhA8DnWqyvvmFG/d3HV9Yy6ew==";

/**
 * The folder of a VS Code server (the one with `out/server-main.js`), installed into the cache on first use: about
 * 600 MB and half a minute. It is installed beside its final place and moved there whole, so that an interrupted or
 * concurrent install is never taken for a finished one.
 */
export async function obtainVscodeServer(say: (line: string) => void): Promise<string> {
	const place = join(CACHE, `${PACKAGE}-${VERSION}`);
	const server = join(place, "node_modules", PACKAGE, "lib", "vscode");
	if (existsSync(server)) return server;
	await removeAbandoned();
	say(`Installing a VS Code server (${PACKAGE} ${VERSION}, once, about 600 MB) into ${place}`);
	const partial = `${place}.${process.pid}.partial`;
	await mkdir(partial, { recursive: true });
	try {
		await install(partial);
		await rename(partial, place);
	} catch (error) {
		if (!existsSync(server)) throw error;
	} finally {
		await rm(partial, { recursive: true, force: true });
	}
	return server;
}

async function install(folder: string): Promise<void> {
	await writeFile(join(folder, "package.json"), JSON.stringify({ private: true }));
	// Scripts would compile native modules that the server does without.
	const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
	check(await runNpm(["install", "--save-exact", ...flags, `${PACKAGE}@${VERSION}`], { cwd: folder }));
	const lock = JSON.parse(await readFile(join(folder, "package-lock.json"), "utf8"));
	const integrity: unknown = lock.packages?.[`node_modules/${PACKAGE}`]?.integrity;
	if (integrity !== INTEGRITY) {
		throw new Error(
			`The VS Code server was not installed: ${PACKAGE} ${VERSION} has another hash than the pinned one.`,
		);
	}
	const server = join(folder, "node_modules", PACKAGE, "lib", "vscode");
	check(await runNpm(["install", "--omit=dev", ...flags], { cwd: server }));
}

function check(result: ProcessResult): void {
	if (result.code === 0) return;
	const reason = result.output.trim().split("\n").at(0) ?? "no reason given";
	throw new Error(`The VS Code server could not be installed with npm (${reason}): connect to the npm registry.`);
}

/** Removes what an interrupted install of a process that no longer runs has left. */
async function removeAbandoned(): Promise<void> {
	await mkdir(CACHE, { recursive: true });
	for (const name of await readdir(CACHE)) {
		const pid = /\.(\d+)\.partial$/.exec(name)?.[1];
		if (pid !== undefined && !isRunning(Number(pid))) await rm(join(CACHE, name), { recursive: true, force: true });
	}
}

function isRunning(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return true;
	} catch {
		return false;
	}
}
