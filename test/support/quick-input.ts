import type { Locator, Page } from "playwright-core";

/** The box in which the editor asks for something, as a person uses it. */
export interface QuickInput {
	/** Waits for the question that has this placeholder, and answers it with Enter. */
	answer(placeholder: string, text: string): Promise<void>;
	/** Waits for a row that says this, and clicks it. */
	choose(row: string): Promise<void>;
	/** The rows that say this. */
	row(text: string): Locator;
	/** The line under the box: why an answer was not taken, or what it is for. */
	readonly message: Locator;
}

/** The box of a workbench. */
export function quickInput(page: Page): QuickInput {
	const widget = page.locator(".quick-input-widget");
	const row = (text: string) => widget.locator(".quick-input-list .monaco-list-row", { hasText: text });
	return {
		async answer(placeholder, text) {
			const box = widget.locator(`input[placeholder^="${placeholder}"]`);
			await box.fill(text);
			await box.press("Enter");
		},
		choose: (text) => row(text).first().click(),
		row,
		message: widget.locator(".quick-input-message"),
	};
}
