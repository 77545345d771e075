import { readFile } from "node:fs/promises";
import { posix } from "node:path";
import * as vscode from "vscode";
import { patKind, tokenProblem } from "#api/codehost/credential.ts";
import type { Installation, InstallationListing } from "#api/codehost/model.ts";
import { readAppKey } from "#api/codehost/private-key.ts";
import type { AppDraft } from "#app/codehost/clients.ts";
import {
	CODEHOST_PROFILE,
	type CodehostProfileSetting,
	codehostProfileOf,
} from "#app/connections/codehost-profiles.ts";
import { appSecret } from "#app/connections/codehost-secret.ts";
import { APP_ID, exampleExpiry, expiry, INSTALLATION_ID } from "#app/connections/connection.ts";
import { undated } from "#app/connections/credential-identity.ts";
import { pastedSecret } from "#app/connections/fields.ts";
import type { Asking } from "#app/connections/probe-result.ts";
import { ClientError, invalid } from "#base/errors.ts";
import { LIMITS } from "#base/limits.ts";
import { convert, refine, text } from "#base/schema.ts";
import { withoutIcons } from "../kit/plain.ts";
import { type Answer, askChoice, type Choice, type PromptFrame } from "../kit/prompts.ts";
import type { Fields } from "../kit/rows.ts";
import { joinParts, plainLine } from "../kit/text.ts";
import { withProgress } from "../progress.ts";
import { APP_ADVICE, INCOMPLETE } from "../words/codehost-words.ts";
import { describeRefusal } from "../words/show-error.ts";
import {
	type Answers,
	defaultLabel,
	type Form,
	type OwnField,
	presetOf,
	STOPPED,
	secretPrompt,
	type TextField,
} from "./connect.ts";

const service = "codehost";

const KINDS: readonly Choice<string>[] = [
	{
		label: "$(key) Personal Access Token",
		description: "acts as you and ends with your access",
		detail: "Simplest for your own work: no key file, and your own rate limit.",
		value: "pat",
	},
	{
		label: "$(organization) App",
		description: "acts as itself, independent of any person",
		detail: "Shared and revoked centrally, with its own rate limit. Needs its private key.",
		value: "app",
	},
];

const TOKEN: TextField = {
	name: "token",
	isSecret: true,
	kind: "pat",
	placeholder: () => "Personal access token",
	prompt: secretPrompt,
	help: ({ tokenPage }) => tokenPage,
	said: "The token",
	part: "credential",
	schema: () => refine(convert(text(), pastedSecret), (token) => (token === "" ? "is missing" : tokenProblem(token))),
	remark: (text, answers) => (text.trim() === "" ? undefined : KIND_WORDS[kindOf(pastedSecret(text), answers)]),
};

const KIND_WORDS = {
	"fine-grained": "A fine-grained token: limited to chosen repositories and permissions.",
	classic: "A classic token: broad scopes, and it may never expire.",
	unknown: "Unrecognized token format. It will be used as is.",
};

const APP_ID_FIELD: TextField = {
	name: "appId",
	kind: "app",
	placeholder: () => "123456",
	prompt: () => "The App ID, as the app's settings page shows it",
	help: ({ appPage }) => appPage,
	said: "The App ID",
	schema: () => APP_ID,
};

const PRIVATE_KEY: TextField = {
	name: "privateKey",
	isSecret: true,
	kind: "app",
	placeholder: () => "Private key (PEM)",
	prompt: () => "Paste the key, or pick its file with the button above. It signs requests and is never sent.",
	file: { tooltip: "Pick the .pem File", read: pickKeyFile },
	said: "The private key",
	part: "credential",
	schema: () =>
		refine(
			convert(text(), (typed) => typed.trim()),
			(key) => {
				if (key === "") return "is missing";
				isEncrypted(key);
				return undefined;
			},
		),
};

const PASSPHRASE: TextField = {
	name: "passphrase",
	isSecret: true,
	kind: "app",
	when: ({ privateKey }) => privateKey !== "" && isEncrypted(privateKey),
	placeholder: () => "Passphrase",
	prompt: () => "The key is encrypted. Its passphrase is stored with it, so you enter it only once.",
	checkLate: true,
	said: "The passphrase",
	part: "credential",
	schema: ({ privateKey }) =>
		refine(text(), (passphrase) => {
			if (passphrase === "") return "is missing";
			if (privateKey !== "") readAppKey(privateKey, { passphrase });
			return undefined;
		}),
};

/** The expiry date of a token, which may be left open. */
export const EXPIRY_FIELD: TextField = {
	name: "expiresAt",
	title: "Expiry Date of the Token",
	placeholder: () => exampleExpiry(Date.now()),
	prompt: () => "Expiry date (YYYY-MM-DD), for a warning a week ahead. Leave empty if you don't know.",
	kind: "pat",
	when: ({ before }) => before !== undefined,
	part: "credential",
	said: "The date",
	schema: () => convert(text(), (date, place) => (date.trim() === "" ? "" : expiry(Date.now()).read(date, place))),
};

/** Lists the installations of an app that is not a connection yet; `secret` holds its key. */
export type FindInstallations = (
	draft: AppDraft,
	options: Asking & { readonly secret: string },
) => Promise<InstallationListing>;

/** Lists the app's installations into the answers. Rejects with ClientError. */
export async function findInto(answers: Answers, secret: string, find: FindInstallations): Promise<void> {
	const { appId, baseUrl } = answers;
	const label = defaultLabel(answers);
	const profile = codehostProfile(answers);
	answers.installations = await withProgress(
		"Looking for the app's installations...",
		(_, doing) => find({ label, baseUrl, profile, appId }, { ...doing, secret }),
		{ label },
	);
}

function installationField(find: FindInstallations): OwnField {
	return {
		name: "installationId",
		title: "Installation",
		kind: "app",
		part: "credential",
		keep(answers, value) {
			const id = INSTALLATION_ID.read(value, { service, field: "installationId" });
			answers.installationId = { id, account: null };
		},
		async ask(answers, frame) {
			// The list is still fresh after a stop, and one that is edited was listed before.
			if (answers.before === undefined && frame.problem !== STOPPED) await findInto(answers, secretOf(answers), find);
			const { value, complete } = answers.installations;
			if (answers.before === undefined && complete && value.every(({ suspended }) => suspended)) {
				const why =
					value.length === 0
						? "The app is not installed anywhere yet. Install it on an account first."
						: "Every installation of the app is suspended. Ask the owner of one account to end the suspension.";
				throw new ClientError(service, "invalid", why, { field: "appId" });
			}
			const answer = await askInstallation(frame, answers.installations, answers.installationId?.id);
			if (typeof answer === "object") answers.installationId = answer;
			return answer;
		},
	};
}

/** Lets the person choose an installation, `chosen` to begin with; suspended ones are listed, and cannot be chosen. */
async function askInstallation(
	frame: Omit<PromptFrame, "placeholder">,
	{ value: installations, complete }: Pick<InstallationListing, "value" | "complete">,
	chosen?: number,
): Promise<Answer<Installation>> {
	let placeholder = complete ? "Which account should the app work on?" : INCOMPLETE;
	for (;;) {
		const answer = await askChoice({ ...frame, placeholder }, installationChoices(installations, chosen));
		if (typeof answer !== "object" || !answer.suspended) return answer;
		placeholder = `${accountOf(answer)} is suspended. Choose another one.`;
	}
}

/** Installations to choose from, `used` to begin with. */
export function installationChoices<I extends Omit<Installation, "raw">>(
	all: readonly I[],
	used?: number,
): readonly Choice<I>[] {
	return all.map((each) => ({
		label: `$(${each.suspended ? "circle-slash" : "organization"}) ${withoutIcons(accountOf(each))}`,
		description: each.suspended
			? "suspended, cannot be used"
			: joinParts([`installation ${each.id}`, each.id === used ? "in use" : ""], ", "),
		value: each,
		active: each.id === used,
	}));
}

function accountOf({ account }: Pick<Installation, "account">): string {
	return plainLine(account, "Unknown account");
}

/** Connections to code hosts; with `tokensOnly` only by token, for an account of the editor, which an app is not. */
export function codehostForm(find: FindInstallations, { tokensOnly = false } = {}): Form {
	return {
		fields: [
			{
				name: "kind",
				when: (answers) => !(tokensOnly || presetOf(answers).tokensOnly),
				placeholder: "Which kind of credential?",
				choices: () => KINDS,
			},
			...[TOKEN, APP_ID_FIELD, PRIVATE_KEY, PASSPHRASE, EXPIRY_FIELD],
			installationField(find),
		],
		secretOf,
		partsOf: (answers) => ({ credential: credentialOf(answers) }),
		fieldToFix(error, answers) {
			if (!(error instanceof ClientError)) return undefined;
			const { field, reason, code } = error;
			if (field === "private_key") return "privateKey";
			if (field === "passphrase" || (field === "appId" && code === "invalid")) return field;
			if (field === "installation_id" || reason === "suspended" || reason === "not-installed") return "installationId";
			// A used up limit needs time: a person who waits goes on from the credential that it belongs to.
			const isOfCredential = ["unauthorized", "forbidden", "rate-limited"].includes(code) || reason === "app-refused";
			if (!isOfCredential) return undefined;
			return answers.kind === "pat" ? "token" : answers.before === undefined ? "appId" : "privateKey";
		},
		describe: describeOf,
	};
}

/** Kind of the credential of a new connection, by the fields of an argument. Throws `invalid` for fields of both or none. */
export function kindIn(fields: Fields): string {
	const isOfApp = ["appId", "privateKey", "passphrase", "installationId"].some((name) => fields[name] !== undefined);
	if (isOfApp === (fields["token"] === undefined)) return isOfApp ? "app" : "pat";
	const rule = isOfApp ? "cannot be given together with an app's key" : "is missing; or use appId and privateKey";
	throw invalid(service, "token", rule);
}

/** Copy of an error with the words of a refused app, if it is one: no view shows a key that was only in an argument. */
export function namingApp(error: unknown, answers: Answers): unknown {
	if (answers.service !== "codehost" || answers.kind !== "app" || !isAppRefusal(error)) return error;
	const { code, reason = "app-refused" } = error;
	return new ClientError(service, code, describeOf(error, answers), { reason, cause: error });
}

function secretOf({ kind, token, privateKey, passphrase }: Answers): string {
	if (kind !== "app") return token;
	return appSecret({ privateKey, ...(passphrase !== "" && isEncrypted(privateKey) && { passphrase }) });
}

/** The credential of before, or that of a new connection, with what was answered. */
function credentialOf({ before, kind, appId, installationId, expiresAt }: Answers): object {
	const own = before?.service === "codehost" ? undated(before.credential) : {};
	if (kind === "pat") return { ...own, kind, ...(expiresAt !== "" && { expiresAt }) };
	const { id, account } = installationId ?? { id: 0, account: null };
	return { ...own, kind, appId, installationId: id, ...(account !== null && { account }) };
}

function kindOf(token: string, answers: Answers) {
	return patKind(token, codehostProfileOf(codehostProfile(answers)));
}

/** The profile of the answers. Throws `invalid`. */
export function codehostProfile({ profile }: Answers): CodehostProfileSetting {
	return CODEHOST_PROFILE.read(profile, { service, field: "profile" });
}

/** Words about a failure; of a refused app, App ID and key are named side by side, to be compared with the app's page. */
function describeOf(error: unknown, answers: Answers): string {
	const { appId, privateKey, passphrase } = answers;
	const label = defaultLabel(answers);
	if (answers.kind !== "app" || !isAppRefusal(error)) return describeRefusal(error, label);
	const status = error.status === undefined ? "" : ` (${error.status})`;
	const { fingerprint } = readAppKey(privateKey, { passphrase });
	return `${label} refused App ID ${appId} with the key ${fingerprint}${status}. ${APP_ADVICE}`;
}

function isAppRefusal(error: unknown): error is ClientError {
	return error instanceof ClientError && error.reason === "app-refused";
}

/** True if a key needs a passphrase. Throws `invalid` for a text that is no key. */
function isEncrypted(privateKey: string): boolean {
	try {
		readAppKey(privateKey);
		return false;
	} catch (error) {
		if (error instanceof ClientError && error.reason === "passphrase-needed") return true;
		throw error;
	}
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
		throw new Error(`${name} has ${Math.ceil(size / 1024)} KB. Choose a private key of at most ${most} KB.`);
	}
	const bytes = file.scheme === "file" ? await readFile(file.fsPath) : await vscode.workspace.fs.readFile(file);
	const text = new TextDecoder().decode(bytes);
	if (text.trim() === "") throw new Error(`${name} is empty. Choose another file.`);
	return text;
}
