import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Settings that keep the workbench from opening things by itself and from the network. */
const QUIET_SETTINGS = {
	"chat.disableAIFeatures": true,
	"extensions.autoCheckUpdates": false,
	"extensions.autoUpdate": false,
	"extensions.ignoreRecommendations": true,
	// On by default in a browser: on a busy machine it would save before the test does.
	"files.autoSave": "off",
	"git.enabled": false,
	"npm.fetchOnlinePackageInfo": false,
	"security.workspace.trust.enabled": false,
	"telemetry.telemetryLevel": "off",
	"typescript.disableAutomaticTypeAcquisition": true,
	"update.mode": "none",
	"workbench.enableExperiments": false,
	"workbench.startupEditor": "none",
	"workbench.tips.enabled": false,
	"workbench.welcomePage.walkthroughs.openOnInstall": false,
};

/** Writes user settings before an editor starts; what an earlier run of the same user data dir has set is kept. */
export async function writeUserSettings(
	userDataDir: string,
	settings: Readonly<Record<string, unknown>> = {},
): Promise<void> {
	const folder = join(userDataDir, "User");
	const file = join(folder, "settings.json");
	await mkdir(folder, { recursive: true });
	const kept: Record<string, unknown> = existsSync(file) ? JSON.parse(await readFile(file, "utf8")) : {};
	await writeFile(file, JSON.stringify({ ...QUIET_SETTINGS, ...kept, ...settings }, undefined, "\t"));
}
