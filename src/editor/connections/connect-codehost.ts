import { readFile } from "node:fs/promises";
import { posix } from "node:path";
import * as vscode from "vscode";
import { patKind, tokenProblem } from "#api/codehost/credential.ts";
import { readAppKey } from "#api/codehost/private-key.ts";
import { appSecret } from "#app/codehost/secret.ts";
import {
	type CodehostProfileSetting,
	codehostProfileOf,
	decodeCodehostProfile,
} from "#app/connections/codehost-profiles.ts";
import { decodeAppId, decodeComingExpiry, decodeInstallationId, exampleExpiry } from "#app/connections/connection.ts";
import { pastedSecret } from "#app/connections/fields.ts";
import { ClientError, invalid } from "#base/errors.ts";
import { LIMITS } from "#base/limits.ts";
import { APP_ADVICE } from "../codehost/words.ts";
import { givenSecret, optionalPassphrase, requiredText } from "../kit/arguments.ts";
import { withoutIcons } from "../kit/plain.ts";
import type { Choice } from "../kit/prompts.ts";
import { withProgress } from "../progress.ts";
import { describeRefusal } from "../report.ts";
import {
	type Answers,
	defaultLabel,
	type FieldName,
	type Form,
	type FormTools,
	type OwnField,
	STOPPED,
	secretPrompt,
	type TextField,
} from "./connect.ts";
import { askInstallation } from "./installations.ts";

const service = "codehost";

const KINDS: readonly Choice<string>[] = [
	{
		label: "$(key) Personal Access Token",
		description: "acts as you and ends with your access",
		detail: "The simple choice for your own work: no key to keep, and your own limit.",
		value: "pat",
	},
	{
		label: "$(organization) App",
		description: "acts as itself and outlives people",
		detail: "Shared and revoked centrally, with a limit of its own. Needs its private key.",
		value: "app",
	},
];

const isPat = ({ kind }: Answers) => kind === "pat";
const isApp = ({ kind }: Answers) => kind === "app";

const TOKEN: TextField = {
	name: "token",
	isSecret: true,
	when: isPat,
	placeholder: () => "Personal access token",
	prompt: secretPrompt,
	help: ({ tokenPage }) => tokenPage,
	decode(text) {
		const token = pastedSecret(text);
		if (token === "") throw new Error("The token is missing");
		const problem = tokenProblem(token);
		if (problem !== undefined) throw new Error(`This ${problem}`);
		return token;
	},
	remark: (text, answers) => (text.trim() === "" ? undefined : KIND_WORDS[kindOf(pastedSecret(text), answers)]),
};

const KIND_WORDS = {
	"fine-grained": "A fine-grained token: limited to chosen repositories and permissions.",
	classic: "A classic token: broad scopes, no end.",
	unknown: "Unrecognized token format. It will be used as is.",
};

const APP_ID: TextField = {
	name: "appId",
	when: isApp,
	placeholder: () => "123456",
	prompt: () => "The App ID, as the app's settings page shows it",
	help: ({ appPage }) => appPage,
	decode: (text) => decodeAppId(text, { service, field: "The App ID" }),
};

const PRIVATE_KEY: TextField = {
	name: "privateKey",
	isSecret: true,
	when: isApp,
	placeholder: () => "Private key (PEM)",
	prompt: (answers) => `Paste the key, or pick its file with the button above. ${secretPrompt(answers)}`,
	file: { tooltip: "Pick the .pem File", read: pickKeyFile },
	decode(text, answers) {
		const key = text.trim();
		if (key === "") throw new Error("The private key is missing");
		if (key !== answers.privateKey) answers.passphrase = "";
		try {
			readAppKey(key);
		} catch (error) {
			if (!isPassphraseNeeded(error)) throw new Error(describeRefusal(error, ""));
		}
		return key;
	},
};

const PASSPHRASE: TextField = {
	name: "passphrase",
	isSecret: true,
	when: (answers) => isApp(answers) && isEncrypted(answers.privateKey),
	placeholder: () => "Passphrase",
	prompt: () => "The key is encrypted. Its passphrase is kept beside it, so that you are asked once.",
	checkLate: true,
	decode(text, { privateKey }) {
		if (text === "") throw new Error("The passphrase is missing");
		try {
			readAppKey(privateKey, { passphrase: text });
		} catch (error) {
			throw new Error(describeRefusal(error, ""));
		}
		return text;
	},
};

/** The expiry date of a token, which may be left open. */
export const EXPIRY_FIELD: TextField = {
	name: "expiresAt",
	title: "Expiry Date of the Token",
	placeholder: () => exampleExpiry(Date.now()),
	prompt: () => "Expiry date (YYYY-MM-DD), for a warning a week ahead. Leave empty if you don't know.",
	decode(text) {
		const date = text.trim();
		if (date === "") return "";
		if (!/^\d{4}-\d\d-\d\d$/.test(date)) throw new Error("Write it as YYYY-MM-DD, or nothing");
		return decodeComingExpiry(date, { service, field: "The date", now: Date.now() });
	},
};

/** Failure of listing the installations, and the step to fix. */
class WrongStep extends Error {
	readonly step: FieldName;

	constructor(step: FieldName, problem: string) {
		super(problem);
		this.step = step;
	}
}

/** Lists the app's installations into the answers. Rejects with ClientError. */
export async function findInto(answers: Answers, secret: string, { findInstallations }: FormTools): Promise<void> {
	const { appId, baseUrl } = answers;
	const label = answers.before?.label ?? new URL(baseUrl).host;
	const profile = codehostProfile(answers);
	answers.installations = await withProgress(
		"Looking for the app's installations...",
		(_, doing) => findInstallations({ label, baseUrl, profile, appId }, { ...doing, secret }),
		{ label },
	);
}

function installationField(tools: FormTools): OwnField {
	return {
		name: "installation",
		title: "Installation",
		when: isApp,
		async ask(answers, frame) {
			// The list is still fresh after a stop, and one that is edited was listed before.
			if (answers.before === undefined && frame.problem !== STOPPED) await findInto(answers, secretOf(answers), tools);
			const { value, complete } = answers.installations;
			if (answers.before === undefined && complete && value.every(({ suspended }) => suspended)) {
				const why =
					value.length === 0
						? "The app is not installed anywhere yet. Install it on an account first."
						: "Every installation of the app is suspended. The owner of one of the accounts has to lift that.";
				throw new WrongStep("appId", why);
			}
			const answer = await askInstallation(frame, answers.installations, answers.installation?.id);
			if (typeof answer === "object") answers.installation = answer;
			return answer;
		},
	};
}

/** Connections to code hosts; with `tokensOnly` only by token, for an account of the editor, which an app is not. */
export function codehostForm(tools: FormTools, { tokensOnly = false }: { readonly tokensOnly?: boolean } = {}): Form {
	return {
		fields: [
			{
				name: "kind",
				when: () => !tokensOnly,
				placeholder: "As whom?",
				choices: () => KINDS,
				chosen: ({ kind }) => kind,
				keep(answers, kind) {
					answers.kind = kind;
				},
			},
			...[TOKEN, APP_ID, PRIVATE_KEY, PASSPHRASE],
			installationField(tools),
		],
		secrets: (answers) => (isApp(answers) ? ["privateKey", "passphrase"] : ["token", "key"]),
		editable: (answers) => (isApp(answers) ? ["installation"] : ["expiresAt"]),
		secretOf,
		partsOf: (answers) => ({ credential: credentialOf(answers) }),
		read(fields, answers) {
			const token = givenSecret(fields, "token") ?? givenSecret(fields, "key");
			const hasApp = ["appId", "privateKey", "passphrase", "installationId"].some((name) => fields[name] !== undefined);
			if (answers.before === undefined) {
				if (token !== undefined && hasApp)
					throw invalid(service, "token", "cannot be given together with an app's key");
				if (token === undefined && !hasApp) throw invalid(service, "token", "is missing; or use appId and privateKey");
				answers.kind = hasApp ? "app" : "pat";
				readCredential(fields, answers);
				if (hasApp) answers.appId = decodeAppId(fields["appId"], { service, field: "appId" });
			}
			answers.token = token ?? "";
			if (isPat(answers)) return;
			answers.privateKey = requiredText(fields, "privateKey");
			answers.passphrase = optionalPassphrase(fields) ?? "";
		},
		fieldToFix(error, answers) {
			if (error instanceof WrongStep) return error.step;
			if (!(error instanceof ClientError)) return undefined;
			const { field, reason, code } = error;
			if (field === "private_key") return "privateKey";
			if (field === "passphrase") return "passphrase";
			if (field === "installation_id" || reason === "suspended" || reason === "not-installed") return "installation";
			// A used up limit needs time: a person who waits goes on from the credential that it belongs to.
			const isOfCredential = ["unauthorized", "forbidden", "rate-limited"].includes(code) || reason === "app-refused";
			if (!isOfCredential) return undefined;
			return isPat(answers) ? "token" : answers.before === undefined ? "appId" : "privateKey";
		},
		describe(error, answers) {
			const { before } = answers;
			return describeOf(error, { ...answers, label: before?.label ?? new URL(answers.baseUrl).host });
		},
	};
}

/** Reads what an argument says of the credential beside its secret. Throws `invalid` for fields of the other kind. */
export function readCredential(
	{ expiresAt, installationId }: Readonly<Record<string, unknown>>,
	answers: Answers,
): void {
	if (isPat(answers)) {
		if (installationId !== undefined) throw invalid(service, "installationId", "belongs to an app, not to a token");
		if (expiresAt === undefined) return;
		const place = { service, field: "expiresAt", now: Date.now() } as const;
		answers.expiresAt = expiresAt === "" && answers.before !== undefined ? "" : decodeComingExpiry(expiresAt, place);
		return;
	}
	if (expiresAt !== undefined) throw invalid(service, "expiresAt", "belongs to a personal token, not to an app");
	if (installationId === undefined) return;
	answers.installation = {
		id: decodeInstallationId(installationId, { service, field: "installationId" }),
		account: null,
	};
}

/** Copy of an error with the words of a refused app, if it is one: no view shows a key that was only in an argument. */
export function namingApp(error: unknown, answers: Answers): unknown {
	if (answers.service !== "codehost" || !isApp(answers) || !isAppRefusal(error)) return error;
	const { code, reason = "app-refused" } = error;
	return new ClientError(service, code, describeOf(error, answers), { reason, cause: error });
}

function secretOf({ kind, token, privateKey, passphrase }: Answers): string {
	return kind === "app" ? appSecret({ privateKey, ...(passphrase !== "" && { passphrase }) }) : token;
}

function credentialOf(answers: Answers): object {
	const { kind, appId, installation, token, expiresAt } = answers;
	if (kind === "pat") return { kind, patKind: kindOf(token, answers), ...(expiresAt !== "" && { expiresAt }) };
	const { id: installationId, account } = installation ?? { id: 0, account: null };
	return { kind, appId, installationId, ...(account !== null && { account }) };
}

function kindOf(token: string, answers: Answers) {
	return patKind(token, codehostProfileOf(codehostProfile(answers)));
}

/** The profile of the answers. Throws `invalid`. */
export function codehostProfile({ profile }: Answers): CodehostProfileSetting {
	return decodeCodehostProfile(profile, { service, field: "profile" });
}

/** Words about a failure; of a refused app, App ID and key are named side by side, to be compared with the app's page. */
function describeOf(error: unknown, answers: Answers): string {
	const { appId, privateKey, passphrase } = answers;
	const label = answers.label || defaultLabel(answers);
	if (!isApp(answers) || !isAppRefusal(error)) return describeRefusal(error, label);
	const status = error.status === undefined ? "" : ` (${error.status})`;
	const { fingerprint } = readAppKey(privateKey, { passphrase });
	return `${label} refused App ID ${appId} with the key ${fingerprint}${status}. ${APP_ADVICE}`;
}

function isAppRefusal(error: unknown): error is ClientError {
	return error instanceof ClientError && error.reason === "app-refused";
}

function isEncrypted(privateKey: string): boolean {
	try {
		readAppKey(privateKey);
		return false;
	} catch (error) {
		return isPassphraseNeeded(error);
	}
}

function isPassphraseNeeded(error: unknown): boolean {
	return error instanceof ClientError && error.reason === "passphrase-needed";
}

async function pickKeyFile(): Promise<string | undefined> {
	const [file] =
		(await vscode.window.showOpenDialog({
			title: "Private Key of the App",
			openLabel: "Use This Key",
			filters: { "Private keys": ["pem", "key"], "All files": ["*"] },
		})) ?? [];
	if (file === undefined) return undefined;
	const name = withoutIcons(posix.basename(file.path));
	const { size } = await vscode.workspace.fs.stat(file);
	if (size > LIMITS.pemCharacters) {
		const most = LIMITS.pemCharacters / 1024;
		throw new Error(`${name} was not taken: it has ${Math.ceil(size / 1024)} KB, and a private key at most ${most}.`);
	}
	const bytes = file.scheme === "file" ? await readFile(file.fsPath) : await vscode.workspace.fs.readFile(file);
	const text = new TextDecoder().decode(bytes);
	if (text.trim() === "") throw new Error(`${name} was not taken: it is empty.`);
	return text;
}
