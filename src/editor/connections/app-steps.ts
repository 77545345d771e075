import { readAppKey } from "#api/codehost/private-key.ts";
import { appSecret } from "#app/codehost/secret.ts";
import { CODEHOST_PRESETS, type CodehostPreset } from "#app/connections/codehost-profiles.ts";
import { decodeAppId } from "#app/connections/connection.ts";
import { ClientError } from "#base/errors.ts";
import { withProgress } from "../progress.ts";
import { type Answer, askText } from "../prompts.ts";
import { describeRefusal } from "../report.ts";
import type { StepFrame } from "../wizard.ts";
import { kept, mistakeIn, STOPPED } from "./answers.ts";
import type { CodehostAnswers, CodehostStep } from "./codehost-answers.ts";
import { askInstallation, type FindInstallations } from "./installations.ts";
import { KEY_FILE } from "./key-file.ts";

/** Where a failure of listing the installations is told: at the step that can mend it. */
export class WrongStep extends Error {
	readonly step: CodehostStep;

	constructor(step: CodehostStep, problem: string) {
		super(problem);
		this.step = step;
	}
}

/** Asks for the id of an app. */
export async function askAppId(draft: CodehostAnswers, frame: StepFrame): Promise<Answer<unknown>> {
	const preset: CodehostPreset = CODEHOST_PRESETS[draft.host];
	const place = { service: "codehost", field: "The App ID" } as const;
	const answer = await askText({
		...frame,
		placeholder: "123456",
		prompt: "The App ID, as the app's settings page shows it",
		value: draft.appId,
		help: preset.appPage,
		check: (text) => mistakeIn(() => decodeAppId(text, place)),
	});
	return kept(answer, (text) => {
		draft.appId = decodeAppId(text, place);
	});
}

/** Asks for the private key of an app: pasted, or read from a file. */
export async function askPrivateKey(draft: CodehostAnswers, frame: StepFrame): Promise<Answer<unknown>> {
	const answer = await askText({
		...frame,
		placeholder: "-----BEGIN RSA PRIVATE KEY-----...",
		prompt:
			"Paste the app's private key (PEM), or pick its file with the button above. It is kept in the editor's secret storage.",
		value: draft.privateKey,
		password: true,
		check: (text) => (text.trim() === "" ? "The private key is missing." : keyProblem(text)),
		file: KEY_FILE,
	});
	return kept(answer, (text) => {
		if (text.trim() !== draft.privateKey) draft.passphrase = "";
		draft.privateKey = text.trim();
	});
}

/** Asks for the passphrase of an app's encrypted key. */
export async function askPassphrase(draft: CodehostAnswers, frame: StepFrame): Promise<Answer<unknown>> {
	const answer = await askText({
		...frame,
		placeholder: "Passphrase",
		prompt: "The key is encrypted. Its passphrase is kept beside it, so that you are asked once.",
		value: draft.passphrase,
		password: true,
		check: (text) => {
			try {
				readAppKey(draft.privateKey, { passphrase: text });
				return undefined;
			} catch (error) {
				return text === "" ? "The passphrase is missing." : describeRefusal(error, "");
			}
		},
		checkLate: true,
	});
	return kept(answer, (text) => {
		draft.passphrase = text;
	});
}

function keyProblem(text: string): string | undefined {
	try {
		readAppKey(text);
		return undefined;
	} catch (error) {
		if (error instanceof ClientError && error.reason === "passphrase-needed") return undefined;
		return describeRefusal(error, "");
	}
}

/** Whether a private key can only be read with a passphrase. */
export function isEncrypted(privateKey: string): boolean {
	try {
		readAppKey(privateKey);
		return false;
	} catch (error) {
		return error instanceof ClientError && error.reason === "passphrase-needed";
	}
}

/**
 * Lets the person choose among the installations that the service lists. Throws {@link WrongStep} where there is none
 * to choose.
 */
export async function chooseInstallation(
	draft: CodehostAnswers,
	frame: StepFrame,
	find: FindInstallations,
): Promise<Answer<unknown>> {
	// Who has stopped what came after the choice made it a moment ago.
	if (frame.problem !== STOPPED) draft.installations = await listInstallations(draft, find);
	const { installations } = draft;
	if (installations.complete && installations.value.every(({ suspended }) => suspended)) {
		const why =
			installations.value.length === 0
				? "The app is not installed anywhere yet. Install it on an account first."
				: "Every installation of the app is suspended. The owner of one of the accounts has to lift that.";
		throw new WrongStep("appId", why);
	}
	return kept(await askInstallation(frame, installations, draft.installation), ({ id, account }) => {
		draft.installation = id;
		draft.account = account ?? undefined;
	});
}

function listInstallations(draft: CodehostAnswers, find: FindInstallations) {
	const { appId, baseUrl, host: profile } = draft;
	const secret = secretOf(draft);
	const label = new URL(baseUrl).host;
	return withProgress(
		"Looking for the app's installations...",
		(_, doing) => find({ label, baseUrl, profile, appId }, { ...doing, secret }),
		{ label },
	);
}

/** The key and passphrase of an app as they are stored. Throws ClientError `invalid` for what is wrong with them. */
export function secretOf({ privateKey, passphrase }: CodehostAnswers): string {
	return appSecret({ privateKey, ...(passphrase === "" ? {} : { passphrase }) });
}
