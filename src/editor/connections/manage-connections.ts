import * as vscode from "vscode";
import { type Connection, decodeBaseUrl, decodeProfile, originOf } from "#app/connections/connection.ts";
import type { ConnectionDraft, ConnectionRegistry, ProbeResult } from "#app/connections/registry.ts";
import { type Fields, optionalKey, optionalText, requiredText } from "../arguments.ts";
import { withProgress } from "../progress.ts";
import { askChoice, askText, BACK } from "../prompts.ts";
import { describeRefusal } from "../report.ts";

/** What `switchboard.testConnection` resolves to. `ms` is the time the service took. */
export interface TestResult {
	readonly ok: boolean;
	readonly ms: number;
	readonly status?: number;
	readonly error?: { readonly code: string; readonly message: string };
}

/** Lets the person choose among connections; with only one there is nothing to choose, with none nothing to do. */
export async function pickConnection(
	connections: readonly Connection[],
	title: string,
): Promise<Connection | undefined> {
	if (connections.length === 0) {
		void vscode.window.showInformationMessage("There is no connection of your own yet. Add one first.");
		return undefined;
	}
	if (connections.length === 1) return connections[0];
	const choices = connections.map((each) => ({ label: each.label, description: each.baseUrl, value: each }));
	const answer = await askChoice({ title, placeholder: "Which connection?" }, choices);
	return answer === BACK ? undefined : answer;
}

/** Changes a connection as the argument says. */
export async function editFromArgument(fields: Fields, registry: ConnectionRegistry): Promise<{ id: string }> {
	const label = optionalText(fields, "label");
	const baseUrl = optionalText(fields, "baseUrl");
	const model = optionalText(fields, "model");
	const change: Partial<ConnectionDraft> = {
		...(label === undefined ? {} : { label }),
		...(baseUrl === undefined ? {} : { baseUrl: decodeBaseUrl(baseUrl, "baseUrl") }),
		...(fields["profile"] === undefined ? {} : { profile: decodeProfile(fields["profile"], "profile") }),
		...(model === undefined ? {} : { model }),
	};
	const { id } = await registry.edit(requiredText(fields, "connection"), change, { key: optionalKey(fields) });
	return { id };
}

/** Lets the person change what a connection is made of, one field at a time. */
export async function editByPrompts(
	connection: Connection,
	registry: ConnectionRegistry,
): Promise<{ id: string } | undefined> {
	const title = `Edit ${connection.label}`;
	const field = await askChoice<"label" | "baseUrl" | "model">({ title, placeholder: "What do you want to change?" }, [
		{ label: "Name", description: connection.label, value: "label" },
		{ label: "Base URL", description: connection.baseUrl, value: "baseUrl" },
		{ label: "Model", description: connection.model ?? "the one in the settings", value: "model" },
	]);
	if (field === undefined || field === BACK) return undefined;
	let value: string | undefined = connection[field] ?? "";
	let problem: string | undefined;
	for (;;) {
		const answer = await askText({ title, placeholder: connection[field] ?? "", value, problem });
		if (typeof answer !== "string") return undefined;
		value = answer;
		try {
			const change = await changeWithKey(connection, field, answer);
			if (change === undefined) return undefined;
			const { id } = await withProgress(`Checking ${connection.label}...`, (signal) =>
				registry.edit(connection.id, change.draft, { key: change.key, signal }),
			);
			return { id };
		} catch (error) {
			problem = describeRefusal(error, connection.label);
		}
	}
}

/** A key stays with its address: for another one the person is asked for the key that belongs there. */
async function changeWithKey(
	connection: Connection,
	field: "label" | "baseUrl" | "model",
	value: string,
): Promise<{ draft: Partial<ConnectionDraft>; key: string | undefined } | undefined> {
	if (field !== "baseUrl") return { draft: { [field]: value.trim() }, key: undefined };
	const baseUrl = decodeBaseUrl(value, "The base URL");
	if (originOf(baseUrl) === originOf(connection.baseUrl)) return { draft: { baseUrl }, key: undefined };
	const key = await askText({
		title: `Edit ${connection.label}`,
		placeholder: "API key for the new address, or nothing if it takes none",
		prompt: `The stored key belongs to ${originOf(connection.baseUrl)} and is not sent anywhere else`,
		password: true,
	});
	if (typeof key !== "string") return undefined;
	return { draft: { baseUrl }, key: key.trim() === "" ? undefined : key.trim() };
}

/** Removes a connection once the person has confirmed it. */
export async function removeByPrompt(connection: Connection, registry: ConnectionRegistry): Promise<boolean> {
	const remove = "Remove";
	const choice = await vscode.window.showWarningMessage(
		`Remove the connection ${connection.label}?`,
		{ modal: true, detail: "Its key is deleted from the editor's secret storage. Conversations stay." },
		remove,
	);
	if (choice !== remove) return false;
	await registry.remove(connection.id);
	return true;
}

/** Asks for a new key until the service takes one or the person leaves. */
export async function replaceKeyByPrompt(connection: Connection, registry: ConnectionRegistry): Promise<boolean> {
	let problem: string | undefined;
	let value = "";
	for (;;) {
		const answer = await askText({
			title: `Replace the Key of ${connection.label}`,
			placeholder: "API key",
			prompt: `Kept in the editor's secret storage and sent to ${connection.baseUrl} only`,
			password: true,
			value,
			problem,
			check: (text) => (text.trim() === "" ? "The key is missing." : undefined),
		});
		if (typeof answer !== "string") return false;
		value = answer;
		try {
			await withProgress(`Checking ${connection.label}...`, (signal) =>
				registry.replaceKey(connection.id, answer.trim(), signal),
			);
			return true;
		} catch (error) {
			problem = describeRefusal(error, connection.label);
		}
	}
}

/** The result of a test as plain JSON. */
export function testResult({ ms, status, error }: ProbeResult): TestResult {
	return {
		ok: error === undefined,
		ms: Math.round(ms),
		...(status === undefined ? {} : { status }),
		...(error === undefined ? {} : { error: { code: error.code, message: error.message } }),
	};
}

/** Tells the person how a test went. */
export async function showTestResult(connection: Connection, { ms, status = 200, error }: ProbeResult): Promise<void> {
	if (error === undefined && (status === 429 || status >= 500)) {
		void vscode.window.showWarningMessage(`${connection.label} is there, but answers ${status} at the moment.`);
	} else if (error === undefined) {
		void vscode.window.showInformationMessage(`${connection.label} answers in ${Math.round(ms)} ms and takes the key.`);
	} else {
		void vscode.window.showErrorMessage(describeRefusal(error, connection.label));
	}
}
