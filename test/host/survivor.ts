import assert from "node:assert/strict";
import * as vscode from "vscode";

/** The name and the key of the connection that is to outlive its window. */
export const LABEL = "Survivor";
export const KEY = "host-suite-key-0123456789";

/** A connection as the settings keep it. */
export interface Stored {
	readonly id: string;
	readonly baseUrl: string;
}

/** The connection that an earlier window has added. */
export function storedSurvivor(): Stored {
	const list = vscode.workspace.getConfiguration().get<(Stored & { label: string })[]>("switchboard.connections") ?? [];
	const found = list.find(({ label }) => label === LABEL);
	assert.ok(found, "the connection of the first window is in the settings");
	return found;
}

/** The conversation that is on screen when a window ends. */
export const ON_SCREEN = "on-screen-before";
