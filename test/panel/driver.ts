import assert from "node:assert/strict";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Frame } from "playwright-core";
import type { Sandbox } from "#sandbox/sandbox.ts";
import { type Companion, writeCompanion } from "../support/companion.ts";
import { launchEditor, obtainEditorParts } from "../support/launch.ts";
import { packageExtension } from "../support/package.ts";
import { installVsix } from "../support/vscode-server.ts";
import type { Workbench } from "../support/workbench.ts";

/** Size, settings and extensions of the window of a test. */
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
	/** Pixels of the picture per pixel of the page; 1 by default. */
	readonly scale?: number;
}

/** A VS Code with the packaged extension installed, in a headless browser, with a profile of its own. */
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

/** Settings of a folder without trust, for which the editor would ask before anything else. */
const RESTRICTED = { "security.workspace.trust.enabled": true, "security.workspace.trust.startupPrompt": "never" };

/** The sandbox's own pace is for who reads along. */
const QUICK_REPLIES = { SWITCHBOARD_SANDBOX_FAULTS: JSON.stringify({ wordDelayMs: 1 }) };

/** Opens a window; a test file opens one and disposes it in its `after`. */
export async function openDriver(options: DriverOptions = {}): Promise<Driver> {
	const { env = {}, untrusted = false, width, height, scale } = options;
	const settings = { ...(untrusted ? RESTRICTED : {}), ...options.settings };
	const parts = await obtainEditorParts();
	const profile = await mkdtemp(join(tmpdir(), "switchboard-panel-"));
	const end = () => rm(profile, { recursive: true, force: true, maxRetries: 5 });
	try {
		await install(profile, parts.server);
		const developmentPath = join(profile, "loaded");
		const companion = await writeCompanion(join(developmentPath, "companion"));
		await options.beside?.(developmentPath);
		const editor = await launchEditor(profile, {
			...parts,
			settings,
			developmentPath,
			width,
			height,
			scale,
			workspaceTrust: untrusted,
			env: { ...QUICK_REPLIES, ...env },
		});
		const { workbench } = editor;
		return {
			workbench,
			folder: editor.folder,
			execute: companion.execute,
			async openChat() {
				await companion.execute("switchboard.chat.focus");
				return workbench.chat();
			},
			async reload(act = () => workbench.reload()) {
				await companion.forgetWindow();
				await act();
			},
			openAnother: () => editor.openAnother(),
			async dispose() {
				await editor.dispose();
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
async function install(profile: string, server: string): Promise<void> {
	const installed = process.env["SWITCHBOARD_INSTALLED"];
	const extensionsDir = join(profile, "extensions");
	if (installed !== undefined) return cp(installed, extensionsDir, { recursive: true });
	const vsix = join(profile, "switchboard.vsix");
	await packageExtension(vsix);
	await installVsix(vsix, { server, userDataDir: join(profile, "user-data"), extensionsDir });
}

/** Adds the messages service of a sandbox as a person would; resolves to the connection's id. */
export async function addMessages(
	driver: Pick<Driver, "execute">,
	sandbox: Sandbox,
	label = "Sandbox",
	profile = "custom",
): Promise<string> {
	const added = await driver.execute("switchboard.addConnection", {
		service: "messages",
		label,
		profile,
		model: "sandbox",
		baseUrl: sandbox.baseUrls.messages,
		key: sandbox.keys.messages,
	});
	return (added as { id: string }).id;
}

/** Adds the code host of a sandbox with a credential, as a person would; resolves to the connection's id. */
export async function addCodehost(
	{ execute }: Pick<Driver, "execute">,
	sandbox: Sandbox,
	label: string,
	credential: object,
): Promise<string> {
	const service = { service: "codehost", baseUrl: sandbox.baseUrls.codehost, profile: "sandbox" };
	return ((await execute("switchboard.addConnection", { ...service, label, ...credential })) as { id: string }).id;
}
