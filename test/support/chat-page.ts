import type { Frame } from "playwright-core";
import type { Companion } from "./companion.ts";
import { insist } from "./until.ts";

/** One article of the transcript as the panel shows it. */
export interface ShownMessage {
	readonly role: string;
	/** A reply's own header and footer are left out. */
	readonly text: string;
	/** Present on replies: `waiting`, `retrying`, `streaming` or `ended`. */
	readonly phase?: string;
	/** Present on replies that have ended. */
	readonly outcome?: string;
	/** From sending to the first visible text, in milliseconds. */
	readonly firstTextMs?: number;
	/** Text of an error card, with the labels of its buttons. */
	readonly card?: string;
}

/** Types into the panel's own composer, which is empty, and presses Enter, as a person does. */
export async function sendMessage(chat: Frame, text: string): Promise<void> {
	const composer = chat.locator("textarea#composer");
	const type = async () => {
		await composer.fill("");
		await composer.click();
		await composer.pressSequentially(text);
	};
	// Keys that are pressed while the focus moves are lost.
	await insist(type, async () => (await composer.inputValue()) === text, { what: `"${text}" in the composer` });
	await composer.press("Enter");
}

/** Waits until the `nth` reply of the transcript, counted from 0, has ended, and resolves to it. */
export async function awaitOutcome(chat: Frame, nth = 0, timeoutMs = 180_000): Promise<ShownMessage> {
	const ended = chat.locator('#transcript article.message[data-role="assistant"]').nth(nth).and(chat.locator(ENDED));
	await ended.waitFor({ timeout: timeoutMs });
	const reply = (await readTranscript(chat)).filter(({ role }) => role === "assistant")[nth];
	if (reply === undefined) throw new Error("The reply has left the transcript.");
	return reply;
}

const ENDED = '[data-phase="ended"]';

/**
 * Waits until the panel shows the last reply of a conversation, ended, and resolves to it. What a command resolves to is
 * on screen a moment later only: until then the replies of the conversation before stand there.
 */
export async function awaitShown(
	chat: Frame,
	{ execute }: Pick<Companion, "execute">,
	conversation: string,
): Promise<ShownMessage> {
	const listed = await execute("switchboard.chat.listMessages", { conversation });
	const { messages } = listed as { messages: readonly { readonly id: string; readonly role: string }[] };
	const last = messages.findLast(({ role }) => role === "assistant")?.id;
	await chat.locator(`#transcript article[data-id="${last}"]`).and(chat.locator(ENDED)).waitFor();
	const reply = (await readTranscript(chat)).findLast(({ role }) => role === "assistant");
	if (reply === undefined) throw new Error("The reply has left the transcript.");
	return reply;
}

/** Begins a conversation and waits until it is on screen: what is typed before that belongs to the one before. */
export async function beginAnew(chat: Frame, { execute }: Pick<Companion, "execute">): Promise<void> {
	await execute("switchboard.chat.new", {});
	await chat.locator("#welcome").waitFor();
}

/** Waits until no reply is under way in the conversation on screen: the composer hears of the end after the reply. */
export async function awaitIdle(chat: Frame): Promise<void> {
	await chat.locator("#stop").waitFor({ state: "hidden" });
}

/** The whole transcript, in order. */
export async function readTranscript(chat: Frame): Promise<readonly ShownMessage[]> {
	return chat.evaluate<ShownMessage[]>(READ_TRANSCRIPT);
}

/**
 * An expression of {@link ShownMessage}[] in the panel; a string, because this side of the tests knows no DOM. What the
 * browser skips out of view, which depends on how much of a reply has come, has no text for it until it need not skip.
 */
const READ_TRANSCRIPT = `(() => {
	const whole = new CSSStyleSheet();
	whole.replaceSync("#transcript * { content-visibility: visible !important }");
	document.adoptedStyleSheets.push(whole);
	const shown = [...document.querySelectorAll("#transcript article.message")].map((article) => {
		const { role, phase, outcome, firstTextMs } = article.dataset;
		const parts = [...article.querySelectorAll(".block, .turn-text, :scope > .unbuilt")];
		return {
			role,
			text: parts.map((part) => part.innerText).join("\\n").trim(),
			...(phase === undefined ? {} : { phase }),
			...(outcome === undefined ? {} : { outcome }),
			...(firstTextMs === undefined ? {} : { firstTextMs: Number(firstTextMs) }),
			...(article.querySelector(".card") ? { card: article.querySelector(".card").innerText } : {}),
		};
	});
	document.adoptedStyleSheets.pop();
	return shown;
})()`;
