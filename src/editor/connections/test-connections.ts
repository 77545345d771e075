import * as vscode from "vscode";
import type { ConnectionTests, TestResult } from "#app/checks/connection-tests.ts";
import type { CodehostConnection, Connection } from "#app/connections/connection.ts";
import type { Asking } from "#app/connections/probe-result.ts";
import type { CommandId } from "#app/contributions.ts";
import { type Remedy, sentence } from "../kit/error-words.ts";
import { withoutIcons } from "../kit/plain.ts";
import { notify, shownRow } from "../kit/prompts.ts";
import { syntheticRow } from "../kit/tree.ts";
import { withProgress } from "../progress.ts";
import { showError } from "../words/show-error.ts";
import { describeStep } from "../words/step-words.ts";

/** Tests a connection with one request and shows the person whether its service answers. */
export async function showAnswer(connection: Connection, tests: ConnectionTests): Promise<TestResult> {
	const { label } = connection;
	const test = (_: AbortSignal, doing: Asking) => tests.run(connection, doing);
	const { result, error, refusedWith } = await withProgress(`Testing ${label}...`, test, { label });
	if (result.ok) {
		// Without a credential a pet store still serves orders and users.
		const lacks =
			refusedWith === undefined
				? ""
				: ` For pets it wants an API key or a sign-in (${refusedWith}), and there is neither.`;
		void notify("Information", `${label} answers in ${result.ms} ms.${lacks}`);
	} else {
		void showError(error, { connection, retry: () => showAnswer(connection, tests) });
	}
	return result;
}

const MARKS = { ok: "$(pass)", failed: "$(error)", skipped: "$(circle-slash)" } as const;

/** Command that fixes a chosen step, and the hint to it. */
const STEPS_TO_FIX: Partial<Readonly<Record<Remedy, { readonly command: CommandId; readonly said: string }>>> = {
	replace: { command: "switchboard.replaceKey", said: "Enter asks for another." },
	edit: { command: "switchboard.editConnection", said: "Enter leads to Edit Connection." },
	retry: { command: "switchboard.testConnection", said: "Enter tests again." },
};

/** Step in the list; `whole` is its full text, which the list may cut off. */
type StepItem = vscode.QuickPickItem & { readonly remedy: Remedy; readonly whole: string | undefined };

/** Shows each step as it is done, with a tick or a cross and what to do; leaving ends the test. */
export async function showDiagnosis(connection: CodehostConnection, tests: ConnectionTests): Promise<TestResult> {
	const pick = vscode.window.createQuickPick<StepItem>();
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
		const [chosen] = pick.selectedItems;
		pick.hide();
		const stepToFix = STEPS_TO_FIX[chosen?.remedy ?? "none"];
		if (stepToFix !== undefined)
			void vscode.commands.executeCommand(stepToFix.command, syntheticRow({ connection: connection.id }));
		else if (chosen?.whole !== undefined) void notify("Warning", chosen.whole);
	});
	pick.show();
	const { result } = await tests.run(connection, {
		signal: left.signal,
		onStep: (step) => {
			const rows = describeStep(step, connection).map(({ state, label, found, fix, remedy }) => ({
				label: `${MARKS[state]} ${label}`,
				description: withoutIcons(found),
				...(fix === undefined ? {} : { detail: withoutIcons(`${fix} ${STEPS_TO_FIX[remedy]?.said ?? ""}`.trimEnd()) }),
				remedy,
				whole: fix === undefined ? undefined : `${sentence(found)} ${fix}`,
			}));
			pick.items = [...pick.items, ...rows.map(shownRow)];
		},
	});
	pick.busy = false;
	const isFailed = result.steps?.some(({ state }) => state === "failed");
	const halted = "Not everything could be checked: the rate limit is reached.";
	const ended = isFailed ? "Some checks failed. Suggested fixes are listed below." : halted;
	pick.placeholder = result.ok ? "All checks passed." : ended;
	const toMend = pick.items.find(({ whole }) => whole !== undefined);
	if (toMend !== undefined) pick.activeItems = [toMend];
	return result;
}
