import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { CACHE, pinnedNode, ROOT } from "./paths.ts";
import { runProcess } from "./run-process.ts";

const COMMANDS = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge"];

const PLACES = [
	"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
	"/Applications/Chromium.app/Contents/MacOS/Chromium",
	"/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
	...["PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA"]
		.map((name) => process.env[name])
		.filter((folder) => folder !== undefined)
		.flatMap((folder) => [
			join(folder, "Google", "Chrome", "Application", "chrome.exe"),
			join(folder, "Chromium", "Application", "chrome.exe"),
			join(folder, "Microsoft", "Edge", "Application", "msedge.exe"),
		]),
];

const MISSING =
	"No Chromium or Chrome was found and none could be installed: install one, or name it in CHROMIUM_EXECUTABLE.";

/**
 * The executable of a Chromium that starts: the one named in `CHROMIUM_EXECUTABLE`, an installed one, one from apt
 * when that is possible, or Playwright's own download into the cache.
 */
export async function obtainChromium(say: (line: string) => void): Promise<string> {
	const named = process.env["CHROMIUM_EXECUTABLE"];
	if (named !== undefined) {
		if (await starts(named)) return named;
		throw new Error(`CHROMIUM_EXECUTABLE names ${named}, which does not start.`);
	}
	return (await installed()) ?? (await fromApt(say)) ?? (await fromPlaywright(say)) ?? fail(MISSING);
}

async function installed(): Promise<string | undefined> {
	const folders = (process.env["PATH"] ?? "").split(delimiter);
	const suffix = process.platform === "win32" ? ".exe" : "";
	const onPath = COMMANDS.flatMap((name) => folders.map((folder) => join(folder, name + suffix)));
	for (const candidate of [...onPath, ...PLACES]) {
		if (existsSync(candidate) && (await starts(candidate))) return candidate;
	}
	return undefined;
}

/** Some distributions put a placeholder in PATH that only says where to get the real one. */
async function starts(executable: string): Promise<boolean> {
	// Chrome on Windows opens a window instead of answering.
	if (process.platform === "win32") return existsSync(executable);
	const { code, output } = await runProcess(executable, ["--version"], { timeoutMs: 20_000 });
	return code === 0 && /\d+\.\d+/.test(output);
}

async function fromApt(say: (line: string) => void): Promise<string | undefined> {
	if (process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get")) return undefined;
	say("Installing Chromium with apt-get");
	const env = { DEBIAN_FRONTEND: "noninteractive" };
	await runProcess("apt-get", ["update"], { env });
	await runProcess("apt-get", ["install", "-y", "--no-install-recommends", "chromium"], { env });
	return installed();
}

async function fromPlaywright(say: (line: string) => void): Promise<string | undefined> {
	say("Downloading Chromium with Playwright");
	const browsers = join(CACHE, "browsers");
	process.env["PLAYWRIGHT_BROWSERS_PATH"] = browsers;
	const withLibraries = process.getuid?.() === 0 && existsSync("/usr/bin/apt-get") ? ["--with-deps"] : [];
	const cli = join(ROOT, "node_modules", "playwright-core", "cli.js");
	await runProcess(pinnedNode(), [cli, "install", ...withLibraries, "chromium"]);
	const { chromium } = await import("playwright-core");
	const executable = chromium.executablePath();
	return existsSync(executable) && (await starts(executable)) ? executable : undefined;
}

function fail(sentence: string): never {
	throw new Error(sentence);
}

/**
 * The port at which a browser can be made to see each VS Code server, wherever that listens: what a browser keeps of a
 * page, it keeps by address. It is below those that the system gives away.
 */
export const SEEN_PORT = 7_357;

/** Chromium heeds only the last list of what to do without; all but the first of this one are in Playwright's. */
const WITHOUT = [
	// It begins to compile a large script while the compiled form that was kept is still being read.
	"BackgroundResourceFetch",
	"AvoidCorsURLLoaderRestartOnRedirect",
	"AvoidUnnecessaryBeforeUnloadCheckSync",
	"DestroyProfileOnBrowserClose",
	"HttpsFirstBalancedModeAutoEnable",
	"HttpsUpgrades",
	"NetworkTimeServiceQuerying",
	"OptimizationHints",
	"PaintHolding",
	"PreconnectToSearch",
	"ThirdPartyStoragePartitioning",
];

/**
 * Arguments for a quiet browser that can reach nothing but loopback. With the port of a server it sees that one at
 * {@link SEEN_PORT}.
 */
export function chromiumArguments(serverPort?: number): string[] {
	const seen = serverPort === undefined ? [] : [`MAP 127.0.0.1:${SEEN_PORT} 127.0.0.1:${serverPort}`];
	const rules = [...seen, "MAP 127.0.0.1 127.0.0.1", "MAP localhost localhost", "MAP * ~NOTFOUND"];
	const confined = process.getuid?.() !== 0 && process.env["CI"] === undefined;
	return [
		...(confined ? [] : ["--no-sandbox"]),
		"--disable-gpu",
		"--disable-quic",
		"--no-first-run",
		"--disable-background-networking",
		"--disable-component-update",
		"--disable-sync",
		`--host-resolver-rules=${rules.join(", ")}`,
		`--disable-features=${WITHOUT.join(",")}`,
	];
}
