import type { Frame } from "playwright-core";

/** One article of the transcript as the panel shows it. */
export interface ShownMessage {
	readonly role: string;
	/** A reply's own header and footer are left out. */
	readonly text: string;
	/** The blocks of a reply in the order they stand in, each with the index it carries. */
	readonly blocks: readonly { readonly index: number; readonly text: string }[];
	/** Present on replies: `waiting`, `retrying`, `streaming` or `ended`. */
	readonly phase?: string;
	/** Present on replies that have ended. */
	readonly outcome?: string;
	/** From sending to the first visible text, in milliseconds. */
	readonly firstTextMs?: number;
	/** What an error card says, with its buttons' labels. */
	readonly card?: string;
}

/** Types into the panel's own composer and presses Enter, as a person does. */
export async function sendMessage(chat: Frame, text: string): Promise<void> {
	const composer = chat.locator("textarea#composer");
	await composer.click();
	await composer.pressSequentially(text);
	await composer.press("Enter");
}

/** Waits until the `nth` reply of the transcript, counted from 0, has ended, and resolves to it. */
export async function awaitOutcome(chat: Frame, nth = 0, timeoutMs = 60_000): Promise<ShownMessage> {
	const ended = chat.locator('#transcript article.message[data-role="assistant"]').nth(nth).and(chat.locator(ENDED));
	await ended.waitFor({ timeout: timeoutMs });
	const reply = (await readTranscript(chat)).filter(({ role }) => role === "assistant")[nth];
	if (reply === undefined) throw new Error("The reply has left the transcript.");
	return reply;
}

const ENDED = '[data-phase="ended"]';

/** The whole transcript, in order. */
export async function readTranscript(chat: Frame): Promise<readonly ShownMessage[]> {
	return chat.evaluate<ShownMessage[]>(READ_TRANSCRIPT);
}

/** An expression of {@link ShownMessage}[] in the panel; a string, because this side of the tests knows no DOM. */
export const READ_TRANSCRIPT = `[...document.querySelectorAll("#transcript article.message")].map((article) => {
	const { role, phase, outcome, firstTextMs } = article.dataset;
	const blocks = [...article.querySelectorAll(".block")];
	const text = blocks.length > 0 || role === "assistant" ? blocks.map((block) => block.innerText) : [article.querySelector(".turn-text")?.innerText ?? ""];
	return {
		role,
		text: text.join("\\n").trim(),
		blocks: blocks.map((block) => ({ index: Number(block.dataset.index), text: block.innerText })),
		...(phase === undefined ? {} : { phase }),
		...(outcome === undefined ? {} : { outcome }),
		...(firstTextMs === undefined ? {} : { firstTextMs: Number(firstTextMs) }),
		...(article.querySelector(".card") ? { card: article.querySelector(".card").innerText } : {}),
	};
})`;
