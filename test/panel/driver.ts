import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Frame } from "playwright-core";
import { obtainChromium } from "../support/chromium.ts";
import { type Companion, writeCompanion } from "../support/companion.ts";
import { packageExtension } from "../support/package.ts";
import { obtainVscodeServer } from "../support/vscode-install.ts";
import { installVsix, startVscodeServer } from "../support/vscode-server.ts";
import { openWorkbench, type Workbench } from "../support/workbench.ts";

/** How the window of a test looks and what the person has set. */
export interface DriverOptions {
	readonly settings?: Readonly<Record<string, unknown>>;
	/** Added to the environment of the extension host. */
	readonly env?: Readonly<Record<string, string>>;
	/** Opens the folder without trust, until the person grants it. */
	readonly untrusted?: boolean;
	/** Writes further extensions into a folder, each into one of its own; the window loads them too. */
	readonly beside?: (folder: string) => Promise<void>;
	readonly width?: number;
	readonly height?: number;
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
	/** Runs "Reload Window" and waits until the window is ready and obeys again. */
	reload(): Promise<void>;
	/** Ends everything; throws when the panel has had an error or has broken its content security policy. */
	dispose(): Promise<void>;
}

/** Without trust the editor would ask for it before anything else. */
const RESTRICTED = { "security.workspace.trust.enabled": true, "security.workspace.trust.startupPrompt": "never" };

/** Opens a window; a test file opens one and disposes it in its `after`. */
export async function openDriver(options: DriverOptions = {}): Promise<Driver> {
	const { env = {}, untrusted = false, width, height } = options;
	const settings = { ...(untrusted ? RESTRICTED : {}), ...options.settings };
	const profile = await mkdtemp(join(tmpdir(), "switchboard-panel-"));
	const place = {
		server: await server(),
		userDataDir: join(profile, "user-data"),
		settings,
		env,
		workspaceTrust: untrusted,
	};
	const folder = join(profile, "workspace");
	await mkdir(folder);
	await installVsix(await vsix(profile), place);
	const loaded = join(profile, "loaded");
	const companion = await writeCompanion(join(loaded, "companion"));
	await options.beside?.(loaded);
	const running = await startVscodeServer(place);
	const end = async () => {
		await running.dispose();
		await rm(profile, { recursive: true, force: true, maxRetries: 5 });
	};
	try {
		const workbench = await openWorkbench({
			browser: process.env["SWITCHBOARD_BROWSER"] ?? (await obtainChromium(console.log)),
			url: running.url({ folder, developmentPath: loaded }),
			profileDir: join(profile, "browser"),
			...(width === undefined ? {} : { width }),
			...(height === undefined ? {} : { height }),
		});
		return {
			workbench,
			folder,
			execute: companion.execute,
			async openChat() {
				await companion.execute("switchboard.chat.focus");
				return workbench.chat();
			},
			async reload() {
				await companion.forgetWindow();
				await workbench.reload();
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

/** The whole run packages once and says where; a file run on its own does it itself. */
async function vsix(folder: string): Promise<string> {
	const packaged = process.env["SWITCHBOARD_VSIX"];
	if (packaged !== undefined) return packaged;
	const file = join(folder, "switchboard.vsix");
	await packageExtension(file);
	return file;
}

async function server(): Promise<string> {
	return process.env["SWITCHBOARD_SERVER"] ?? (await obtainVscodeServer(console.log));
}
