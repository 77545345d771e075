import * as vscode from "vscode";
import type { ConnectionRegistry } from "#app/connections/registry.ts";
import { COMMANDS } from "#app/contributions.ts";
import type { SignInEnd } from "#app/petstore/sign-in-watch.ts";
import { systemClock } from "#base/clock.ts";
import { inWords } from "#base/duration.ts";
import { withoutLinks } from "../plain.ts";
import { asked } from "../tree.ts";

/** Tells that a sign-in ends, or has ended, and offers the only thing that helps: another one. */
export async function tellSignInEnd(
	{ connection, expiresAt, hasEnded }: SignInEnd,
	registry: ConnectionRegistry,
): Promise<void> {
	const label = registry.get(connection)?.label;
	if (label === undefined || registry.isPassing(connection)) return;
	const again = "Sign In Again";
	const choice = hasEnded
		? await vscode.window.showWarningMessage(withoutLinks(`Your sign-in to ${label} has ended.`), again)
		: await vscode.window.showInformationMessage(
				withoutLinks(`Your sign-in to ${label} ends in ${inWords(expiresAt - systemClock.now())}.`),
				again,
			);
	if (choice === again) await vscode.commands.executeCommand(COMMANDS.petstoreSignIn, asked({ connection }));
}
