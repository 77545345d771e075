import * as vscode from "vscode";
import { VIEWS } from "#app/contributions.ts";
import { leaving } from "./leaving.ts";
import { withoutIcons, withoutLinks } from "./plain.ts";

/** Visible length of a placeholder: a choice has no other line for the problem of an earlier answer. */
const PLACEHOLDER_CHARS = 70;

/** Time that a message stays in the status bar. Milliseconds. */
const SAID_MS = 5_000;

/** Result of a prompt when the person goes back a step. */
export const BACK = Symbol("back");

/** An answer, a step back, or undefined when the person left. */
export type Answer<T> = T | typeof BACK | undefined;

/** Options that all prompts of one sequence share. */
export interface PromptFrame {
	readonly title: string;
	readonly step?: number;
	readonly totalSteps?: number;
	readonly placeholder: string;
	/** Problem or result of an earlier answer. Below a text box it disappears with the first key. */
	readonly problem?: string | undefined;
	/** True if there is a way back even from the first step. */
	readonly hasBack?: boolean;
	/** True to stay open when the focus leaves, so that no answer is lost. All steps of a wizard do. */
	readonly stays?: boolean;
}

/** Options of a text prompt. */
export interface TextPrompt extends PromptFrame {
	readonly prompt?: string;
	readonly value?: string;
	/** Store for typed text that was not confirmed when the person went back a step. */
	readonly unconfirmed?: Unconfirmed | undefined;
	readonly password?: boolean;
	/** Mistake in the typed text, in one sentence; undefined for none. */
	readonly check?: (text: string) => string | undefined;
	/** True if `check` waits for Enter, since it is slow or useless on half a text. */
	readonly checkLate?: boolean;
	/** Hears the text while it is typed. */
	readonly typing?: (text: string) => void;
	/** Hint about the typed text that is no mistake. */
	readonly remark?: (text: string) => string | undefined;
	/** Button that reads the answer from a file; its error is shown below the box. */
	readonly file?: { readonly tooltip: string; readonly read: () => Promise<string | undefined> } | undefined;
	/** The page of "Where do I get this?". */
	readonly help?: string | undefined;
}

/** Typed text of a step that was left by going back, restored if the box opens with the same value. */
export interface Unconfirmed {
	begun: string;
	typed: string;
}

/** One row of a list and what choosing it means. */
export interface Choice<T> extends vscode.QuickPickItem {
	readonly value: T;
	/** True if this row is active when the list opens. */
	readonly active?: boolean;
}

/** A row of a list without secrets in its words. */
export function shownRow<R extends vscode.QuickPickItem>(row: R): R {
	const { label, description, detail } = row;
	return { ...row, ...leaving({ label, ...(description && { description }), ...(detail && { detail }) }) };
}

/** Asks for a line of text. Keeps what is typed when the focus leaves the editor to fetch a key. */
export function askText(frame: TextPrompt): Promise<Answer<string>> {
	const input = vscode.window.createInputBox();
	const help = { iconPath: new vscode.ThemeIcon("question"), tooltip: "Where do I get this?" };
	const pick = { iconPath: new vscode.ThemeIcon("folder-opened"), tooltip: frame.file?.tooltip ?? "" };
	const { step, totalSteps, value = "", unconfirmed } = frame;
	const { title, placeholder, prompt, problem } = frame;
	Object.assign(input, {
		...leaving({ title, placeholder, prompt, validationMessage: problem }),
		step,
		totalSteps,
		value: unconfirmed?.begun === value ? unconfirmed.typed : value,
		password: frame.password ?? false,
		ignoreFocusOut: true,
		buttons: [...backOf(frame), ...(frame.file ? [pick] : []), ...(frame.help ? [help] : [])],
	});
	return new Promise((resolve) => {
		let answer: Answer<string>;
		input.onDidTriggerButton((button) => {
			if (button === pick) void fill();
			else if (button === help) void vscode.env.openExternal(vscode.Uri.parse(frame.help ?? "", true));
			else {
				answer = BACK;
				input.hide();
			}
		});
		const judge = (text: string) => {
			const mistake = text === "" || frame.checkLate ? undefined : frame.check?.(text);
			const remark = mistake === undefined ? frame.remark?.(text) : undefined;
			const { Info } = vscode.InputBoxValidationSeverity;
			input.validationMessage = remark === undefined ? mistake : { message: remark, severity: Info };
		};
		// In the browser the editor's file dialog takes the place of this box, and hides it.
		let isPicking = false;
		const fill = async () => {
			isPicking = true;
			try {
				// The box has one line, and leaves out the ends of lines that it is given.
				const text = (await frame.file?.read())?.replaceAll(/\r\n?|\n/g, " ");
				if (text !== undefined) input.value = text;
				if (text !== undefined) judge(text);
			} catch (error) {
				input.validationMessage = error instanceof Error ? error.message : String(error);
			}
			isPicking = false;
			input.show();
		};
		input.onDidChangeValue(judge);
		if (frame.typing !== undefined) input.onDidChangeValue(frame.typing);
		input.onDidAccept(() => {
			const mistake = frame.check?.(input.value);
			if (mistake === undefined) {
				answer = input.value;
				input.hide();
			} else input.validationMessage = mistake;
		});
		input.onDidHide(() => {
			if (isPicking) return;
			Object.assign(unconfirmed ?? {}, { begun: value, typed: answer === BACK ? input.value : value });
			input.dispose();
			resolve(answer);
		});
		input.show();
	});
}

/** Asks for one row of a list. */
export function askChoice<T>(frame: PromptFrame, choices: readonly Choice<T>[]): Promise<Answer<T>> {
	return pickIn(framed(frame, choices));
}

/** Asks for one row of a list where there is no way back; undefined when the person leaves. */
export async function choose<T>(frame: PromptFrame, choices: readonly Choice<T>[]): Promise<T | undefined> {
	const answer = await askChoice(frame, choices);
	return answer === BACK ? undefined : answer;
}

/** Asks for any number of rows in groups, of which those without a value inform; `button` runs with the ticked ones. */
export async function askSeveral<T>(
	{ title, placeholder }: PromptFrame,
	rows: readonly (vscode.QuickPickItem & { readonly value?: T; readonly group: string })[],
	button?: vscode.QuickInputButton & { readonly run: (ticked: readonly T[]) => void },
): Promise<readonly T[] | undefined> {
	const groups = [...Map.groupBy(rows, ({ group }) => group)];
	const items = groups.flatMap(([label, rows]): (vscode.QuickPickItem & { readonly value?: T })[] => [
		{ label: leaving(label), kind: vscode.QuickPickItemKind.Separator },
		...rows.map(shownRow),
	]);
	const pick = Object.assign(vscode.window.createQuickPick<(typeof items)[number]>(), {
		title,
		placeholder,
		canSelectMany: true,
		matchOnDescription: true,
		matchOnDetail: true,
		items,
		selectedItems: items.filter(({ picked }) => picked),
		buttons: button === undefined ? [] : [button],
	});
	const ticked = () => pick.selectedItems.flatMap(({ value }) => (value === undefined ? [] : [value]));
	pick.onDidTriggerButton(() => button?.run(ticked()));
	pick.onDidChangeSelection((rows) => {
		const own = rows.filter(({ value }) => value !== undefined);
		if (own.length < rows.length) pick.selectedItems = own;
	});
	const answer = await answerIn(pick, ticked);
	return answer === BACK ? undefined : answer;
}

/** Rows of a list that is searched or typed into while it fills. */
interface NameRows<T> {
	/** Rows that are known now. */
	rows(): readonly Choice<T>[];
	/** Name of a row that stays while others come; the highlight goes with it. */
	key(value: T): string;
	/** Row of a name that is typed; undefined for one of the list. */
	typed(name: string): Choice<T> | undefined;
	/** Each brings more rows when it resolves; none rejects. */
	readonly later?: readonly Promise<unknown>[];
	/** Text that stands in the box at first. */
	readonly value?: string;
	/** Handles a press of the button of a row, which is then shown anew. */
	press?(value: T): Promise<void>;
}

/** Asks for one of some names, which may come later, or for another one that is typed. */
export function askName<T>(frame: PromptFrame, { rows, key, typed, later = [], value = "", press }: NameRows<T>) {
	let known = rows().map(shownRow);
	const pick = framed(frame, known);
	const show = () => {
		const name = pick.value.trim();
		const own = name === "" ? undefined : typed(name);
		pick.items = own === undefined ? known : [...known, own];
	};
	const refresh = () => {
		const active = pick.activeItems.map(({ value }) => key(value));
		known = rows().map(shownRow);
		show();
		const isLine = ({ kind }: Choice<T>) => kind === vscode.QuickPickItemKind.Separator;
		const same = pick.items.filter((row) => !isLine(row) && active.includes(key(row.value)));
		// The editor treats them as new rows and would highlight the first.
		if (same.length > 0) pick.activeItems = same;
	};
	Object.assign(pick, { keepScrollPosition: true, busy: true, value });
	pick.onDidChangeValue(show);
	show();
	pick.onDidTriggerItemButton(({ item }) => void press?.(item.value).then(refresh));
	for (const each of later) void each.then(refresh);
	void Promise.all(later).then(() => {
		pick.busy = false;
	});
	return pickIn(pick);
}

function framed<T>(frame: PromptFrame, rows: readonly Choice<T>[]): vscode.QuickPick<Choice<T>> {
	const choices = rows.map(shownRow);
	const pick = vscode.window.createQuickPick<Choice<T>>();
	const activeItems = choices.filter((choice) => choice.active);
	const { step, totalSteps } = frame;
	const [title, problem, placeholder] = leaving([frame.title, frame.problem, frame.placeholder] as const);
	const whole = problem === undefined ? placeholder : `${problem} ${placeholder}`;
	const fits = whole.length <= PLACEHOLDER_CHARS;
	if (problem !== undefined && !fits) void notify("Warning", problem);
	return Object.assign(pick, {
		title,
		step,
		totalSteps,
		placeholder: fits ? whole : placeholder,
		ignoreFocusOut: frame.stays ?? step !== undefined,
		matchOnDescription: true,
		matchOnDetail: true,
		items: choices,
		...(activeItems.length > 0 ? { activeItems } : {}),
		buttons: backOf(frame),
	});
}

function backOf({ step = 1, hasBack = step > 1 }: PromptFrame): readonly vscode.QuickInputButton[] {
	return hasBack ? [vscode.QuickInputButtons.Back] : [];
}

function pickIn<T>(pick: vscode.QuickPick<Choice<T>>): Promise<Answer<T>> {
	// Typed text that matches no row is no answer, and does not close the list.
	return answerIn(pick, () => pick.selectedItems[0]?.value);
}

function answerIn<I extends vscode.QuickPickItem, A>(
	pick: vscode.QuickPick<I>,
	read: () => A | undefined,
): Promise<Answer<A>> {
	return new Promise((resolve) => {
		let answer: Answer<A>;
		pick.onDidTriggerButton((button) => {
			if (button !== vscode.QuickInputButtons.Back) return;
			answer = BACK;
			pick.hide();
		});
		pick.onDidAccept(() => {
			answer = read();
			if (answer !== undefined) pick.hide();
		});
		pick.onDidHide(() => {
			pick.dispose();
			resolve(answer);
		});
		pick.show();
	});
}

/** Shows a notification, without secrets and without links in it. Resolves to the button that is pressed. */
export async function notify(kind: "Error" | "Warning" | "Information", text: string, ...buttons: readonly string[]) {
	return vscode.window[`show${kind}Message`](withoutLinks(leaving(text)), ...buttons);
}

/** Asks in a dialog whether to go on; true if the person presses the button. */
export async function confirmed(question: string, button: string, detail: string): Promise<boolean> {
	const [asked, told] = leaving([question, detail] as const);
	return (await vscode.window.showWarningMessage(asked, { modal: true, detail: told }, button)) === button;
}

/** Shows a text in the status bar for a moment, which needs no answer. */
export function sayQuietly(text: string): void {
	vscode.window.setStatusBarMessage(withoutIcons(leaving(text)), SAID_MS);
}

/** A button and the command that it runs. */
export interface NextStep {
	readonly label: string;
	readonly command: string;
	readonly argument?: unknown;
}

/** Shows the chat, for who has to write something in it. */
export const OPEN_CHAT: NextStep = { label: "Open Chat", command: `${VIEWS.chat}.focus` };

/** Shows a sentence with buttons that lead on. */
export function leadTo(sentence: string, ...steps: readonly NextStep[]): void {
	void notify("Information", sentence, ...steps.map(({ label }) => label)).then((choice) => {
		const step = steps.find(({ label }) => label === choice);
		if (step !== undefined) void vscode.commands.executeCommand(step.command, step.argument);
	});
}
