import * as vscode from "vscode";
import { OPERATIONS, type OperationName } from "#api/petstore/operations.ts";
import type { ConnectionRegistry } from "#app/connections/registry.ts";
import { type CallResult, callOperation } from "#app/petstore/call.ts";
import type { PetstoreClients } from "#app/petstore/clients.ts";
import { ClientError } from "#base/errors.ts";
import { fieldsOf, requiredText } from "../arguments.ts";
import type { Call } from "../codehost/call.ts";
import { pickConnection } from "../connections/manage-connections.ts";
import { withProgress } from "../progress.ts";
import { askChoice, askText, BACK } from "../prompts.ts";
import { describeRefusal } from "../report.ts";

/** What the commands about a pet store work with. */
export interface PetstoreParts {
	readonly registry: ConnectionRegistry;
	readonly clients: PetstoreClients;
}

/** Calls any of the twenty operations; a person is asked for its parameters and gets the result as a document. */
export async function callPetstore(
	{ argument, row }: Call,
	{ registry, clients }: PetstoreParts,
): Promise<CallResult | undefined> {
	const fields = fieldsOf(argument);
	if (fields !== undefined) {
		return callOperation(clients, {
			connection: requiredText(fields, "connection"),
			operation: requiredText(fields, "operation"),
			params: fields["params"] ?? {},
		});
	}
	const title = "Call Pet Store Operation";
	const named = row?.fields["connection"];
	const connection =
		named === undefined ? await pickConnection(registry.list("petstore"), title) : registry.require(String(named));
	if (connection === undefined) return undefined;
	const operation = await askOperation(title);
	if (operation === undefined) return undefined;
	const wish = { connection: connection.id, operation };
	let value = templateOf(operation);
	let problem: string | undefined;
	for (;;) {
		const params = value === "{}" ? value : await askParameters({ title: `${title}: ${operation}`, value, problem });
		if (params === undefined) return undefined;
		try {
			const result = await withProgress(`Asking ${connection.label}...`, (signal) =>
				callOperation(clients, { ...wish, params: JSON.parse(params) }, { signal }),
			);
			await showResult(result);
			return result;
		} catch (error) {
			// Only what was typed can be mended here.
			if (!(error instanceof ClientError && error.code === "invalid" && error.status === undefined)) throw error;
			if (value === "{}") throw error;
			value = params;
			problem = describeRefusal(error, connection.label);
		}
	}
}

async function askOperation(title: string): Promise<OperationName | undefined> {
	const names = Object.keys(OPERATIONS) as OperationName[];
	const answer = await askChoice(
		{ title, placeholder: "Which operation?" },
		names.map((name) => {
			const { method, path, deprecated } = OPERATIONS[name];
			return { label: name, description: `${method} ${path}${deprecated ? ", deprecated" : ""}`, value: name };
		}),
	);
	return answer === BACK ? undefined : answer;
}

async function askParameters(frame: {
	readonly title: string;
	readonly value: string;
	readonly problem: string | undefined;
}): Promise<string | undefined> {
	const answer = await askText({
		...frame,
		placeholder: '{"petId": "1"}',
		prompt: "Parameters as JSON, by their names in the API; ids as text keep all their digits",
		checkLate: true,
		check: (text) => {
			try {
				JSON.parse(text);
				return undefined;
			} catch {
				return "This is not JSON.";
			}
		},
	});
	return typeof answer === "string" ? answer : undefined;
}

/** What has to be said for an operation, to be filled in. */
function templateOf(operation: OperationName): string {
	const entries = Object.entries(OPERATIONS[operation].parameters);
	const shown = entries.filter(([, { required }]) => required || entries.length === 1);
	const blank = (kind: string) => (kind === "list" ? [""] : kind === "record" ? {} : "");
	return JSON.stringify(Object.fromEntries(shown.map(([name, { shape }]) => [name, blank(shape.kind)])));
}

async function showResult(result: CallResult): Promise<void> {
	const content = `${JSON.stringify(result, null, 2)}\n`;
	await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ language: "json", content }));
}
