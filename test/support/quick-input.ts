import type { Locator, Page } from "playwright-core";
import { insist } from "./until.ts";

/** The box at the top of the workbench in which a person is asked. */
export interface QuickInput {
	/** Waits until the question with this in its title is asked. */
	asked(title: string): Promise<void>;
	/** Answers the questions of a sequence one after the other, each in the box that is on screen. */
	answer(...answers: readonly string[]): Promise<void>;
	/** Waits for the question that has exactly this placeholder, and answers it. */
	fill(placeholder: string, text: string): Promise<void>;
	/** Types an answer over the one in the box that is on screen, and presses Enter; it need not be taken. */
	enter(text: string): Promise<void>;
	/** Takes the answer that stands in the box on screen. */
	accept(): Promise<void>;
	/** Waits for a choice with this text, and takes it. */
	choose(text: string): Promise<void>;
	/** Waits for a question and leaves it with Escape. */
	leave(): Promise<void>;
	/** The choices, of which those with this text. */
	choices(text?: string): Locator;
	/** The sentence below the box. */
	readonly message: Locator;
	readonly title: Locator;
	/** Box in which the answer is typed. */
	readonly box: Locator;
	/** A button in the title, by its tooltip. */
	button(tooltip: string): Locator;
}

/** Time after which an answer counts as lost, as a key does that is pressed while the focus moves. */
const TAKEN_MS = 10_000;
/** Time after which an Escape counts as lost: nobody is asked before it is taken. */
const LEFT_MS = 1_000;

/** The questions of a window. */
export function quickInput(page: Page): QuickInput {
	const widget = page.locator(".quick-input-widget");
	const title = widget.locator(".quick-input-title");
	const box = widget.locator("input[type=text], input[type=password]").first();
	const choices = (text = "") => widget.locator(".quick-input-list .monaco-list-row", { hasText: text });
	const chosen = (text: string) => widget.locator(".quick-input-list .monaco-list-row.focused", { hasText: text });
	const message = widget.locator(".quick-input-message");
	/**
	 * Tells one question from the next, which may have the same title, and may be the same but for what is said of the
	 * answer; undefined while none is asked.
	 */
	const question = async () => {
		if (!(await box.isVisible())) return undefined;
		return [await title.innerText(), await box.getAttribute("placeholder"), await message.innerText()].join(": ");
	};
	const answerBy = async (act: () => Promise<void>, { asked = box, againMs = TAKEN_MS } = {}) => {
		// Between two questions the box is hidden and still has the title of the first.
		await asked.waitFor();
		const before = await question();
		await insist(act, async () => (await question()) !== before, {
			what: `what follows "${before}"`,
			againMs,
		});
	};
	const accept = () => answerBy(() => box.press("Enter", { timeout: TAKEN_MS }));
	return {
		title,
		box,
		message,
		async fill(placeholder, text) {
			// The box of the step before stays until its answer was taken, and must not get this one too.
			const asking = widget.getByPlaceholder(placeholder, { exact: true });
			await asking.fill(text);
			await asking.press("Enter");
		},
		async enter(text) {
			await box.fill(text);
			await box.press("Enter");
		},
		accept,
		choose(text) {
			const choice = choices(text).first();
			return answerBy(() => choice.click({ timeout: TAKEN_MS }), { asked: choice });
		},
		leave: () => answerBy(() => box.press("Escape", { timeout: TAKEN_MS }), { againMs: LEFT_MS }),
		choices,
		button: (tooltip) => widget.locator(".quick-input-titlebar").getByRole("button", { name: tooltip }),
		asked: (wanted) => title.filter({ hasText: wanted }).waitFor(),
		async answer(...answers) {
			for (const text of answers) {
				await box.waitFor();
				await box.fill(text);
				// A list whose rows are not drawn yet would take Enter for one that was not asked for.
				const style = await widget.locator(".quick-input-list").getAttribute("style");
				if (!style?.includes("display: none")) await chosen(text).waitFor();
				await accept();
			}
		},
	};
}
