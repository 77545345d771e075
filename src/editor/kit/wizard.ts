import { ClientError } from "#base/errors.ts";
import { type Answer, BACK, type PromptFrame, type Unconfirmed } from "./prompts.ts";

/** Frame of a question within its sequence. */
export interface StepFrame extends Pick<PromptFrame, "title" | "step" | "totalSteps"> {
	/** Reason why an earlier entry was refused; for the step to fix it. */
	readonly problem: string | undefined;
	readonly unconfirmed: Unconfirmed | undefined;
}

/** Question of a wizard; keeps its own answer for a way back. */
export interface WizardStep {
	/** Unique among the steps that are not skipped. */
	readonly name: string;
	/** True to skip the question, given the answers so far. */
	readonly skip?: () => boolean;
	ask(frame: StepFrame): Promise<Answer<unknown>>;
}

/** Questions, and what is done with the answers. */
interface Sequence<T> {
	readonly title: string;
	readonly steps: readonly WizardStep[];
	/** True if the number of questions may change, so that no total is shown. */
	readonly isOpenEnded?: boolean;
	/** Applies the answers. An error leads to the step to fix. */
	finish(): Promise<T>;
	/** Problem at the last question after `finish` is canceled. Without it the wizard ends then. */
	readonly stopped?: string;
	/** Step to fix after an error, and the sentence to show there; without that step, the first one. */
	stepToFix(error: unknown): { readonly step: string; readonly problem: string | undefined };
}

/** Runs a wizard; a failure returns to the step to fix. Resolves to undefined if the person leaves. */
export async function walk<T>(sequence: Sequence<T>): Promise<T | undefined> {
	const { title, steps, isOpenEnded = false, finish, stepToFix, stopped } = sequence;
	const unconfirmed = new Map(steps.map((each): [WizardStep, Unconfirmed] => [each, { begun: "", typed: "" }]));
	let at = 0;
	let forward = true;
	let problem: string | undefined;
	for (;;) {
		const step = steps[at];
		if (at < 0) return undefined;
		try {
			if (step === undefined) return await finish();
			if (step.skip?.() !== true) {
				const asked = steps.filter((each) => each === step || each.skip?.() !== true);
				const counted = steps.length > 1 && { step: asked.indexOf(step) + 1 };
				const answer = await step.ask({
					title,
					...counted,
					...(counted && !isOpenEnded && { totalSteps: asked.length }),
					problem,
					unconfirmed: unconfirmed.get(step),
				});
				problem = undefined;
				if (answer === undefined) return undefined;
				forward = answer !== BACK;
			}
			at += forward ? 1 : -1;
		} catch (error) {
			forward = true;
			if (!(error instanceof ClientError && error.code === "aborted")) {
				const fix = stepToFix(error);
				problem = fix.problem;
				const isToFix = ({ name, skip }: WizardStep) => name === fix.step && skip?.() !== true;
				at = Math.max(0, steps.findIndex(isToFix));
				continue;
			}
			if (error.reason !== "stopped" || stopped === undefined) return undefined;
			problem = stopped;
			at = steps.findLastIndex((each, index) => index < at && each.skip?.() !== true);
		}
	}
}
