import assert from "node:assert/strict";
import { cp, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Frame } from "playwright-core";
import type { Sandbox } from "#sandbox/sandbox.ts";
import { type CacheParts, obtainBrowserCache } from "../support/browser-cache.ts";
import { obtainChromium, SEEN_PORT } from "../support/chromium.ts";
import { type Companion, writeCompanion } from "../support/companion.ts";
import { packageExtension } from "../support/package.ts";
import { shareSecrets } from "../support/shared-secrets.ts";
import { obtainVscodeServer } from "../support/vscode-install.ts";
import { installVsix, startVscodeServer, type VscodeServerOptions } from "../support/vscode-server.ts";
import { openWorkbench, type Workbench } from "../support/workbench.ts";

/** How the window of a test looks and what the person has set. */
export interface DriverOptions {
	readonly settings?: Readonly<Record<string, unknown>>;
	/** Added to the environment of the extension host. */
	readonly env?: Readonly<Record<string, string>>;
	/** Opens the folder without trust, until the person grants it. */
	readonly untrusted?: boolean;
	/** Lets its windows have one store of secrets and hear of what another has changed, as on a desktop. */
	readonly sharedSecrets?: boolean;
	/** Writes further extensions into a folder, each into one of its own; the window loads them too. */
	readonly beside?: (folder: string) => Promise<void>;
	readonly width?: number;
	readonly height?: number;
	/** Pixels of the picture per pixel of the page; 1 by default. */
	readonly scale?: number;
}

/** A VS Code with the packaged extension installed, in a headless browser. Nobody else uses its profile. */
export interface Driver {
	readonly workbench: Workbench;
	/** The folder that is open. */
	readonly folder: string;
	/** Runs a command in the editor, with plain JSON in and out. */
	readonly execute: Companion["execute"];
	/** Shows the chat in its sidebar and resolves to its document. */
	openChat(): Promise<Frame>;
	/** Runs "Reload Window", or what is given instead, and waits until the window is ready and obeys again. */
	reload(act?: () => Promise<unknown>): Promise<void>;
	/** Opens another window, on a folder of its own; {@link execute} stays with the first. */
	openAnother(): Promise<Workbench>;
	/** Ends everything; throws when the panel has had an error or has broken its content security policy. */
	dispose(): Promise<void>;
}

/** Those of VS Code's own extensions that a test needs or ours works with. All of them take a second of each window. */
const OWN_EXTENSIONS = [
	"configuration-editing",
	"git",
	"git-base",
	"json",
	"json-language-features",
	"markdown-basics",
	"markdown-language-features",
	"media-preview",
	"theme-defaults",
	"theme-seti",
	"xml",
];

/** Without trust the editor would ask for it before anything else. */
const RESTRICTED = { "security.workspace.trust.enabled": true, "security.workspace.trust.startupPrompt": "never" };

/** The sandbox's own pace is for who reads along. */
const HURRIED = { SWITCHBOARD_SANDBOX_FAULTS: JSON.stringify({ wordDelayMs: 1 }) };

/** Pictures are for who looks at them, and each takes a moment of the run. */
const TAKES_PICTURES = process.env["SWITCHBOARD_SCREENSHOTS"] !== undefined;

/** Opens a window; a test file opens one and disposes it in its `after`. */
export async function openDriver(options: DriverOptions = {}): Promise<Driver> {
	const { env = {}, untrusted = false, sharedSecrets = false, width, height, scale } = options;
	const settings = { ...(untrusted ? RESTRICTED : {}), ...options.settings };
	const parts = await obtainParts();
	const profile = await mkdtemp(join(tmpdir(), "switchboard-panel-"));
	const place = {
		server: parts.server,
		userDataDir: join(profile, "user-data"),
		extensionsDir: join(profile, "extensions"),
		ownExtensions: OWN_EXTENSIONS,
		settings,
		env: { ...HURRIED, ...env },
		workspaceTrust: untrusted,
	};
	const folder = join(profile, "workspace");
	await mkdir(folder);
	await install(profile, place);
	await cp(parts.cache, join(profile, "browser", "Default"), { recursive: true, dereference: true });
	const loaded = join(profile, "loaded");
	const companion = await writeCompanion(join(loaded, "companion"));
	await options.beside?.(loaded);
	const running = await startVscodeServer(place);
	const end = async () => {
		await running.dispose();
		await rm(profile, { recursive: true, force: true, maxRetries: 5 });
	};
	try {
		const opened = await openWorkbench({
			browser: parts.browser,
			url: running.url({ folder, developmentPath: loaded, port: SEEN_PORT }),
			profileDir: join(profile, "browser"),
			serverPort: running.port,
			...(sharedSecrets ? { prepare: (context) => shareSecrets(context, parts.server) } : {}),
			...(width === undefined ? {} : { width }),
			...(height === undefined ? {} : { height }),
			...(scale === undefined ? {} : { scale }),
		});
		const workbench = TAKES_PICTURES ? opened : { ...opened, screenshot: async () => "" };
		return {
			workbench,
			folder,
			execute: companion.execute,
			async openChat() {
				await companion.execute("switchboard.chat.focus");
				return workbench.chat();
			},
			async reload(act = () => workbench.reload()) {
				await companion.forgetWindow();
				await act();
			},
			async openAnother() {
				const other = join(profile, "other");
				await mkdir(other, { recursive: true });
				return workbench.another(running.url({ folder: other, port: SEEN_PORT }));
			},
			async dispose() {
				await workbench.dispose();
				await end();
				assert.deepEqual(workbench.panelProblems(), []);
			},
		};
	} catch (error) {
		await end();
		throw error;
	}
}

/** The whole run packages and installs once and says where; a file run on its own does it itself. */
async function install(profile: string, place: VscodeServerOptions & { extensionsDir: string }): Promise<void> {
	const installed = process.env["SWITCHBOARD_INSTALLED"];
	if (installed !== undefined) return cp(installed, place.extensionsDir, { recursive: true });
	const vsix = join(profile, "switchboard.vsix");
	await packageExtension(vsix);
	await installVsix(vsix, place);
}

/** Adds the messages service of a sandbox as a person would; resolves to the connection's id. */
export async function addMessages(
	driver: Pick<Driver, "execute">,
	sandbox: Sandbox,
	label = "Sandbox",
): Promise<string> {
	const added = await driver.execute("switchboard.addConnection", {
		...{ service: "messages", label, model: "sandbox" },
		...{ baseUrl: sandbox.baseUrls.messages, key: sandbox.keys.messages },
	});
	return (added as { id: string }).id;
}

/** What every window needs, as the whole run has found it. */
async function obtainParts(): Promise<CacheParts & { readonly cache: string }> {
	const { SWITCHBOARD_SERVER, SWITCHBOARD_BROWSER, SWITCHBOARD_BROWSER_CACHE } = process.env;
	const say = (line: string) => console.log(line);
	const server = SWITCHBOARD_SERVER ?? (await obtainVscodeServer(say));
	const browser = SWITCHBOARD_BROWSER ?? (await obtainChromium(say));
	return { server, browser, cache: SWITCHBOARD_BROWSER_CACHE ?? (await obtainBrowserCache(say, { server, browser })) };
}
