import { setImmediate as turn } from "node:timers/promises";
import type { InputBox, QuickPick, QuickPickItem } from "vscode";
import { fakeVscode } from "./fake-vscode.ts";
import { until } from "./until.ts";

/** Act of a person at a question: types, chooses the row that begins so, takes it as it stands, goes back, or leaves. */
export type Deed = { readonly type: string } | { readonly choose: RegExp } | "accept" | "back" | "leave";

/** A question as the person sees it. */
export interface Question {
	readonly title: string;
	/** Text below a box, or the placeholder of a list. */
	readonly asked: string;
	/** Reason why an earlier answer was refused. */
	readonly problem: string;
	readonly value: string;
	/** Labels of a list, empty for a box, the words beside them, and the lines below them. */
	readonly rows: readonly string[];
	readonly descriptions: readonly string[];
	readonly details: readonly string[];
}

const BACK = { tooltip: "Back" };

/** A person who answers the questions of the editor in this order, leaves the ones after it, and presses one button. */
export function scriptedPerson(
	deeds: readonly Deed[],
	{
		press,
		canceled,
		...editor
	}: {
		readonly commands?: object;
		readonly workspace?: object;
		readonly env?: object;
		readonly Uri?: object;
		readonly press?: string | undefined;
		/** Ends when the person cancels a request that a busy box waits for. */
		readonly canceled?: Promise<unknown> | undefined;
	} = {},
) {
	const questions: Question[] = [];
	const notices: string[] = [];
	const left = [...deeds];

	function prompt(isList: boolean): object {
		const heard: Record<string, ((value?: unknown) => void) | undefined> = {};
		const listen = (name: string) => (listener: (value?: unknown) => void) => {
			heard[name] = listener;
		};
		const box: Partial<InputBox & QuickPick<QuickPickItem>> & Record<string, unknown> = {
			value: "",
			items: [],
			activeItems: [],
			...Object.fromEntries(
				["Accept", "Hide", "ChangeValue", "ChangeSelection", "TriggerButton", "TriggerItemButton"].map((name) => [
					`onDid${name}`,
					listen(name),
				]),
			),
			hide: () => heard["Hide"]?.(),
			dispose: () => undefined,
			// A list that still fills is looked at when it is full; a busy box takes no answer.
			show: () =>
				void until(() => !isList || box.busy !== true, "the whole list")
					.then(turn)
					.then(() => (heard["Accept"] === undefined ? canceled?.then(() => heard["Hide"]?.()) : act())),
		};
		async function act(): Promise<void> {
			const { title = "", placeholder = "", prompt: below = "", items = [] } = box;
			const message = box.validationMessage ?? "";
			const problem = typeof message === "string" ? message : message.message;
			const rows = items.map(({ label }) => label);
			const descriptions = items.map(({ description = "" }) => description);
			const details = items.map(({ detail = "" }) => detail);
			const asked = isList ? placeholder : below;
			questions.push({ title, asked, problem, value: box.value ?? "", rows, descriptions, details });
			const deed = left.shift() ?? "leave";
			if (deed === "leave") heard["Hide"]?.();
			else if (deed === "back") heard["TriggerButton"]?.(BACK);
			else if (deed === "accept") heard["Accept"]?.();
			else {
				const wanted = "choose" in deed ? deed.choose : undefined;
				box.value = "type" in deed ? deed.type : "";
				box.validationMessage = "";
				if (wanted === undefined) heard["ChangeValue"]?.(box.value);
				const row = (box.items ?? []).find(({ label, kind }) => kind !== -1 && (wanted?.test(label) ?? true));
				if (isList && row === undefined) throw new Error(`No row to choose at "${placeholder}": ${rows.join(", ")}`);
				if (row !== undefined) Object.assign(box, { selectedItems: [row] });
				heard["Accept"]?.();
				// A mistake keeps the box open.
				if (typeof box.validationMessage === "string" && box.validationMessage !== "") await act();
			}
		}
		return box;
	}

	const note = async (text: string, ...parts: readonly (string | { readonly detail?: string })[]) => {
		const [first] = parts;
		notices.push(`${text} ${typeof first === "object" ? (first.detail ?? "") : ""}`.trim());
		return parts.find((each) => each === press);
	};
	fakeVscode({
		...editor,
		QuickPickItemKind: { Separator: -1 },
		QuickInputButtons: { Back: BACK },
		InputBoxValidationSeverity: { Info: 1 },
		ProgressLocation: { Window: 10, Notification: 15 },
		window: {
			createInputBox: () => prompt(false),
			createQuickPick: () => prompt(true),
			withProgress: async () => undefined,
			setStatusBarMessage: note,
			showInformationMessage: note,
			showWarningMessage: note,
			showErrorMessage: note,
		},
	});
	return { questions, notices };
}
