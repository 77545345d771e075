import * as vscode from "vscode";
import type { CodehostConnection, Connection } from "#app/connections/connection.ts";
import type { ConnectionTests, TestResult } from "#app/connections/connection-tests.ts";
import type { Asking } from "#app/connections/probe-options.ts";
import { COMMANDS } from "#app/contributions.ts";
import { describeStep } from "../codehost/step-words.ts";
import type { Remedy } from "../failure-words.ts";
import { withoutIcons, withoutLinks } from "../plain.ts";
import { withProgress } from "../progress.ts";
import { describeRefusal, showError } from "../report.ts";
import { asked } from "../tree.ts";

/** Tests a connection and tells the person how it went, while it goes. */
export async function showTest(connection: Connection, tests: ConnectionTests): Promise<TestResult> {
	if (connection.service === "codehost") return showDiagnosis(connection, tests);
	const { label } = connection;
	const test = (_: AbortSignal, doing: Asking) => tests.run(connection, doing);
	const { result, error } = await withProgress(`Testing ${label}...`, test, { label });
	if (result.ok) {
		// With neither key nor token a pet store has nothing to take.
		const taken = connection.service === "messages" ? " and takes the key" : "";
		const words = `${label} answers in ${result.ms} ms${taken}.`;
		void vscode.window.showInformationMessage(withoutLinks(words));
	} else if (connection.service === "petstore") {
		void showError(error, { connection, retry: () => showTest(connection, tests) });
	} else {
		void vscode.window.showErrorMessage(withoutLinks(describeRefusal(error, label)));
	}
	return result;
}

const MARKS = { ok: "$(pass)", failed: "$(error)", skipped: "$(circle-slash)" } as const;

/** Shows each step as it is done, with a tick or a cross and what to do; leaving ends the test. */
async function showDiagnosis(connection: CodehostConnection, tests: ConnectionTests): Promise<TestResult> {
	const pick = vscode.window.createQuickPick<vscode.QuickPickItem & { readonly remedy: Remedy }>();
	pick.title = `Test ${connection.label}`;
	pick.placeholder = `${new URL(connection.baseUrl).host}: looking...`;
	pick.busy = true;
	pick.ignoreFocusOut = true;
	const left = new AbortController();
	pick.onDidHide(() => {
		left.abort();
		pick.dispose();
	});
	pick.onDidAccept(() => {
		const remedy = pick.selectedItems[0]?.remedy;
		pick.hide();
		if (remedy === "replace")
			void vscode.commands.executeCommand(COMMANDS.replaceKey, asked({ connection: connection.id }));
	});
	pick.show();
	const { result } = await tests.run(connection, {
		signal: left.signal,
		onStep: (step) => {
			const rows = describeStep(step, connection.label).map(({ state, label, found, fix, remedy }) => ({
				label: `${MARKS[state]} ${label}`,
				description: withoutIcons(found),
				...(fix === undefined ? {} : { detail: withoutIcons(fix) }),
				remedy,
			}));
			pick.items = [...pick.items, ...rows];
		},
	});
	pick.busy = false;
	pick.placeholder = endWords(result);
	return result;
}

function endWords({ ok, steps = [] }: TestResult): string {
	if (ok) return "All is well.";
	return steps.some(({ state }) => state === "failed")
		? "Something is wrong. Below each cross is what to do."
		: "Not everything could be checked: the limit is used up.";
}
