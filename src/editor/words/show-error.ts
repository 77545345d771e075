import * as vscode from "vscode";
import type { Connection } from "#app/connections/connection.ts";
import { ClientError, type ErrorCode, withFacts } from "#base/errors.ts";
import { FIXES, sentence, TEST_HINT } from "../kit/error-words.ts";
import { notify } from "../kit/prompts.ts";
import { syntheticRow } from "../kit/tree.ts";
import { describeFailure } from "./failures.ts";

/**
 * Shows an error of something the person started with a connection, with what fixes it and the log one click away;
 * `retry` does again what failed.
 */
export async function showError(
	error: unknown,
	{ connection, retry }: { connection?: Pick<Connection, "id" | "label"> | undefined; retry?: () => unknown } = {},
): Promise<void> {
	const [showLog, again] = ["Show Log", "Retry"];
	const described = error instanceof ClientError ? describeFailure(error, connection?.label ?? "") : undefined;
	const message = error instanceof Error ? sentence(error.message) : "Something went wrong.";
	const { title, advice, remedy } = described ?? { title: message, advice: "", remedy: "none" };
	const fix = connection === undefined ? undefined : (described?.fix ?? FIXES[remedy]);
	const buttons = [
		...(fix === undefined ? [] : [fix.label]),
		...(remedy === "retry" && retry !== undefined ? [again] : []),
		showLog,
	];
	const choice = await notify("Error", `${title} ${advice}`.trim(), ...buttons);
	if (fix !== undefined && choice === fix.label) {
		await vscode.commands.executeCommand(fix.command, fix.argument ?? syntheticRow({ connection: connection?.id }));
	}
	if (choice === again) await retry?.();
	if (choice === showLog) await vscode.commands.executeCommand("switchboard.showLog");
}

/** Reason why an address or key was not accepted, in one sentence for a prompt that stays open. */
export function describeRefusal(error: unknown, label: string): string {
	if (!(error instanceof ClientError)) return error instanceof Error ? sentence(error.message) : String(error);
	const { title, advice } = describeFailure(error, label);
	// The hint to test the connection is left out: it is not saved yet.
	return `${title} ${advice.replace(TEST_HINT, "")}`.trimEnd();
}

/**
 * An error of a command that was called with an argument, as a keybinding shows it: what a service said, or that it says
 * nothing, is in a sentence with the next step. What we say of an argument ourselves stays as it is.
 */
export function errorInWords(error: ClientError, label: string): ClientError {
	const isOurs = error.status === undefined && OURS.has(error.code);
	return isOurs ? error : withFacts(error, {}, describeRefusal(error, label));
}

/** The codes of what no service was asked about, where there is no status. */
const OURS: ReadonlySet<ErrorCode> = new Set(["aborted", "invalid", "unauthorized", "forbidden", "not-found"]);
