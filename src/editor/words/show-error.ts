import * as vscode from "vscode";
import type { Connection } from "#app/connections/connection.ts";
import { ClientError, type ErrorCode, withFacts } from "#base/errors.ts";
import { FIXES, sentence, TEST_HINT } from "../kit/error-words.ts";
import { notify } from "../kit/prompts.ts";
import { syntheticRow } from "../kit/tree.ts";
import { describeFailure } from "./failures.ts";

/** Shows an error with its fix, Retry if it is given, and the log. */
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

/** Reason of a refusal, in one sentence for a prompt that stays open. */
export function describeRefusal(error: unknown, label: string): string {
	if (!(error instanceof ClientError)) return error instanceof Error ? sentence(error.message) : String(error);
	const { title, advice } = describeFailure(error, label);
	// Test Connection needs a saved connection.
	return `${title} ${advice.replace(TEST_HINT, "")}`.trimEnd();
}

/** Error for the caller of a command: failures of a service in words, mistakes in the argument as they are. */
export function errorInWords(error: ClientError, label: string): ClientError {
	const isOurs = error.status === undefined && OURS.has(error.code);
	return isOurs ? error : withFacts(error, {}, describeRefusal(error, label));
}

/** Codes of errors without a status that no service caused. */
const OURS: ReadonlySet<ErrorCode> = new Set(["aborted", "invalid", "unauthorized", "forbidden", "not-found"]);
