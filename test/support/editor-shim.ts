import { chmod, mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { obtainChromium } from "./chromium.ts";
import { CACHE, pinnedNode } from "./paths.ts";
import { obtainVscodeServer } from "./vscode-install.ts";
import { startVscodeServer } from "./vscode-server.ts";
import { openWorkbench } from "./workbench.ts";

/**
 * Stands in for a desktop VS Code that runs an extension's tests: it understands the arguments that
 * `@vscode/test-electron` passes, runs the suite in a VS Code server with a headless browser, and exits with its code.
 */
interface ShimArguments {
	readonly developmentPath: string | undefined;
	readonly testsPath: string | undefined;
	readonly userDataDir: string;
	readonly extensionsDir: string | undefined;
	/** The loopback port at which the pages can be read. */
	readonly debuggingPort: number | undefined;
	readonly folder: string;
}

/** Longest run of one suite, so that a page that never answers does not hang the run. */
const LIMIT_MS = 10 * 60_000;

/** Writes the executable to hand to `runTests` and resolves to its path. */
export async function writeEditorShim(): Promise<string> {
	await mkdir(CACHE, { recursive: true });
	const script = fileURLToPath(import.meta.url);
	const windows = process.platform === "win32";
	const path = join(CACHE, windows ? "editor-shim.cmd" : "editor-shim");
	const call = `"${pinnedNode()}" "${script}"`;
	await writeFile(path, windows ? `@${call} %*\r\n` : `#!/bin/sh\nexec ${call} "$@"\n`);
	await chmod(path, 0o755);
	return path;
}

/** Flags that make no difference here, such as `--skip-welcome`, are passed over, as the desktop does with unknown ones. */
function parse(args: readonly string[]): ShimArguments {
	const all = (name: string) =>
		args.filter((arg) => arg.startsWith(`--${name}=`)).map((arg) => arg.slice(name.length + 3));
	const folder = args.find((arg) => !arg.startsWith("-"));
	const port = all("remote-debugging-port").at(-1);
	return {
		developmentPath: all("extensionDevelopmentPath").at(-1),
		testsPath: all("extensionTestsPath").at(-1),
		userDataDir: resolve(all("user-data-dir").at(-1) ?? join(tmpdir(), `switchboard-${process.pid}`)),
		extensionsDir: all("extensions-dir").at(-1),
		debuggingPort: port === undefined ? undefined : Number(port),
		folder: resolve(folder ?? CACHE),
	};
}

async function main(): Promise<number> {
	const { developmentPath, testsPath, userDataDir, extensionsDir, debuggingPort, folder } = parse(
		process.argv.slice(2),
	);
	if (developmentPath === undefined || testsPath === undefined) {
		throw new Error("--extensionDevelopmentPath or --extensionTestsPath is missing: there is nothing to run.");
	}
	const say = (line: string) => console.log(line);
	const server = await startVscodeServer({
		server: await obtainVscodeServer(say),
		userDataDir,
		...(extensionsDir === undefined ? {} : { extensionsDir: resolve(extensionsDir) }),
	});
	const ended = Promise.withResolvers<number>();
	const timer = setTimeout(() => ended.reject(new Error("The suite did not end within ten minutes.")), LIMIT_MS);
	const workbench = await openWorkbench({
		browser: await obtainChromium(say),
		url: server.url({ folder, developmentPath: resolve(developmentPath), testsPath: resolve(testsPath) }),
		profileDir: join(userDataDir, "browser"),
		...(debuggingPort === undefined ? {} : { debuggingPort }),
		onTestsEnded: ended.resolve,
	}).catch(ended.reject);
	try {
		return await ended.promise;
	} finally {
		clearTimeout(timer);
		await workbench?.dispose();
		await server.dispose();
	}
}

if (import.meta.main) {
	for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
	process.exitCode = await main().catch((error: unknown) => {
		console.error(error instanceof Error ? error.message : error);
		return 1;
	});
}
