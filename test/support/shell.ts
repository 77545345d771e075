import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Puts a person's own values in place of placeholders, each given without its braces. */
export function filledIn(command: string, values: Readonly<Record<string, string>>): string {
	return Object.entries(values).reduce((text, [name, value]) => text.replaceAll(`{${name}}`, value), command);
}

/** Runs a command as a person does who pastes it into a shell, and resolves to what it prints. Rejects when it fails. */
export async function inShell(command: string): Promise<string> {
	const { stdout } = await run("bash", ["-c", command], { maxBuffer: 32 * 1024 * 1024 });
	return stdout;
}
