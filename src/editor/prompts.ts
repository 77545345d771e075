import * as vscode from "vscode";

/** What a prompt resolves to when the person wants the step before. */
export const BACK = Symbol("back");

/** An answer, a step back, or undefined when the person left. */
export type Answer<T> = T | typeof BACK | undefined;

/** What all prompts of one sequence have in common. */
export interface PromptFrame {
	readonly title: string;
	readonly step?: number;
	readonly totalSteps?: number;
	readonly placeholder: string;
}

/** How a line of text is asked for. */
export interface TextPrompt extends PromptFrame {
	readonly prompt?: string;
	readonly value?: string;
	readonly password?: boolean;
	/** The mistake in what is typed, in one sentence; undefined when there is none. */
	readonly check?: (text: string) => string | undefined;
	/** Whether `check` waits for Enter, since it takes long or says nothing of half a text. */
	readonly checkLate?: boolean;
	/** Something to say of what is typed that is no mistake. */
	readonly remark?: (text: string) => string | undefined;
	/** A button that reads the answer from a file instead. */
	readonly file?: { readonly tooltip: string; readonly read: () => Promise<string | undefined> };
	/** Why an earlier answer was not taken; gone with the first key. */
	readonly problem?: string | undefined;
	/** The page of "Where do I get this?". */
	readonly help?: string | undefined;
}

/** One row of a list and what choosing it means. */
export interface Choice<T> extends vscode.QuickPickItem {
	readonly value: T;
	/** Whether the list begins with this row chosen. */
	readonly active?: boolean;
}

/** Asks for a line of text. Keeps what is typed when the focus leaves the editor to fetch a key. */
export function askText(frame: TextPrompt): Promise<Answer<string>> {
	const input = vscode.window.createInputBox();
	const help: vscode.QuickInputButton = {
		iconPath: new vscode.ThemeIcon("question"),
		tooltip: "Where do I get this?",
	};
	const pick: vscode.QuickInputButton = {
		iconPath: new vscode.ThemeIcon("folder-opened"),
		tooltip: frame.file?.tooltip ?? "",
	};
	const hasBack = (frame.step ?? 1) > 1;
	Object.assign(input, {
		title: frame.title,
		step: frame.step,
		totalSteps: frame.totalSteps,
		placeholder: frame.placeholder,
		prompt: frame.prompt,
		value: frame.value ?? "",
		password: frame.password ?? false,
		ignoreFocusOut: true,
		validationMessage: frame.problem,
		buttons: [
			...(hasBack ? [vscode.QuickInputButtons.Back] : []),
			...(frame.file === undefined ? [] : [pick]),
			...(frame.help === undefined ? [] : [help]),
		],
	});
	return new Promise((resolve) => {
		let answer: Answer<string>;
		input.onDidTriggerButton((button) => {
			if (button === help && frame.help !== undefined) {
				void vscode.env.openExternal(vscode.Uri.parse(frame.help, true));
				return;
			}
			if (button === pick) {
				void fill();
				return;
			}
			answer = BACK;
			input.hide();
		});
		const judge = (text: string) => {
			const mistake = text === "" || frame.checkLate ? undefined : frame.check?.(text);
			const remark = mistake === undefined ? frame.remark?.(text) : undefined;
			if (mistake !== undefined) input.validationMessage = mistake;
			else if (remark === undefined) input.validationMessage = undefined;
			else input.validationMessage = { message: remark, severity: vscode.InputBoxValidationSeverity.Info };
		};
		// Where the editor asks for a file in the very place of this box, as it does in the browser, that hides the box.
		let isPicking = false;
		const fill = async () => {
			isPicking = true;
			const text = await frame.file?.read().catch(() => undefined);
			isPicking = false;
			input.show();
			if (text === undefined) return;
			input.value = text;
			judge(text);
		};
		input.onDidChangeValue(judge);
		input.onDidAccept(() => {
			const mistake = frame.check?.(input.value);
			if (mistake !== undefined) {
				input.validationMessage = mistake;
				return;
			}
			answer = input.value;
			input.hide();
		});
		input.onDidHide(() => {
			if (isPicking) return;
			input.dispose();
			resolve(answer);
		});
		input.show();
	});
}

/** Asks for one row of a list. */
export function askChoice<T>(frame: PromptFrame, choices: readonly Choice<T>[]): Promise<Answer<T>> {
	const pick = vscode.window.createQuickPick<Choice<T>>();
	const activeItems = choices.filter((choice) => choice.active);
	Object.assign(pick, {
		title: frame.title,
		step: frame.step,
		totalSteps: frame.totalSteps,
		placeholder: frame.placeholder,
		matchOnDescription: true,
		matchOnDetail: true,
		items: choices,
		...(activeItems.length > 0 ? { activeItems } : {}),
		buttons: (frame.step ?? 1) > 1 ? [vscode.QuickInputButtons.Back] : [],
	});
	return new Promise((resolve) => {
		let answer: Answer<T>;
		pick.onDidTriggerButton(() => {
			answer = BACK;
			pick.hide();
		});
		pick.onDidAccept(() => {
			answer = pick.selectedItems[0]?.value;
			pick.hide();
		});
		pick.onDidHide(() => {
			pick.dispose();
			resolve(answer);
		});
		pick.show();
	});
}
