import { ClientError } from "#base/errors.ts";
import { type Answer, BACK, type PromptFrame, Unconfirmed } from "./prompts.ts";

/** What a step shows of the sequence it stands in. */
export interface StepFrame extends Pick<PromptFrame, "title" | "step" | "totalSteps"> {
	/** Why what was entered before was not taken; for the step that can mend it. */
	readonly problem: string | undefined;
	readonly unconfirmed: Unconfirmed;
}

/** One question of a sequence. It keeps what was answered itself, so that coming back finds it. */
export interface Step<Name extends string> {
	readonly name: Name;
	/** Whether the answers so far make it pointless. */
	readonly skip?: () => boolean;
	ask(frame: StepFrame): Promise<Answer<unknown>>;
}

/** A sequence of questions and what becomes of the answers. */
export interface Sequence<Name extends string, T> {
	readonly title: string;
	readonly steps: readonly Step<Name>[];
	/** Does what the answers say. What it or a question throws sends the person to the step that can mend it. */
	finish(): Promise<T>;
	/**
	 * What to say at the last question when the person has stopped what followed it, so that no answer is lost. Without
	 * it that ends the sequence: what was done may have been done all the same.
	 */
	readonly stopped?: string;
	/** Which step can mend what went wrong, and the sentence to show there. */
	mend(error: unknown): { readonly step: Name; readonly problem: string };
}

/**
 * Asks one question after the other, with a way back, and finishes; a failure leads back to the step that can mend it.
 * Resolves to undefined when the person leaves.
 */
export async function walk<Name extends string, T>(sequence: Sequence<Name, T>): Promise<T | undefined> {
	const { title, steps, finish, mend, stopped } = sequence;
	const unconfirmed = new Map(steps.map(({ name }) => [name, new Unconfirmed()]));
	let at = 0;
	let forward = true;
	let problem: string | undefined;
	const goTo = (error: unknown) => {
		const mending = mend(error);
		problem = mending.problem;
		at = Math.max(
			0,
			steps.findIndex(({ name }) => name === mending.step),
		);
		forward = true;
	};
	for (;;) {
		const step = steps[at];
		if (at < 0) return undefined;
		try {
			if (step === undefined) return await finish();
			if (step.skip?.() !== true) {
				const asked = steps.filter((each) => each === step || each.skip?.() !== true);
				const answer = await step.ask({
					title,
					step: asked.indexOf(step) + 1,
					totalSteps: asked.length,
					problem,
					unconfirmed: unconfirmed.get(step.name) ?? new Unconfirmed(),
				});
				problem = undefined;
				if (answer === undefined) return undefined;
				forward = answer !== BACK;
			}
			at += forward ? 1 : -1;
		} catch (error) {
			if (!(error instanceof ClientError && error.code === "aborted")) {
				goTo(error);
				continue;
			}
			if (error.reason !== "stopped" || stopped === undefined) return undefined;
			problem = stopped;
			at = steps.findLastIndex((each, index) => index < at && each.skip?.() !== true);
			forward = true;
		}
	}
}
