import { readFile } from "node:fs/promises";
import { posix } from "node:path";
import * as vscode from "vscode";
import { tokenProblem } from "#api/codehost/credential.ts";
import type { Installation, InstallationListing } from "#api/codehost/model.ts";
import { readAppKey } from "#api/codehost/private-key.ts";
import { CODEHOST_PROFILE, type CodehostProfileSetting } from "#app/connections/codehost-profiles.ts";
import { appSecret } from "#app/connections/codehost-secret.ts";
import {
	APP_ID,
	type CodehostConnection,
	exampleExpiry,
	expiry,
	INSTALLATION_ID,
	originOf,
} from "#app/connections/connection.ts";
import { pastedSecret } from "#app/connections/fields.ts";
import type { Asking } from "#app/connections/probe-result.ts";
import { identityOf } from "#app/connections/services.ts";
import { closedError, type Held } from "#app/connections/vault.ts";
import { ClientError, invalid } from "#base/errors.ts";
import { LIMITS } from "#base/limits.ts";
import { convert, refine, text } from "#base/schema.ts";
import { withoutIcons } from "../kit/plain.ts";
import { type Answer, askChoice } from "../kit/prompts.ts";
import { joinParts, plainLine } from "../kit/text.ts";
import type { StepFrame } from "../kit/wizard.ts";
import { withProgress } from "../progress.ts";
import { INCOMPLETE } from "../words/codehost-words.ts";
import { APP_ADVICE } from "../words/failures.ts";
import {
	type Answers,
	addressField,
	defaultLabel,
	type Form,
	type FormTools,
	LABEL_FIELD,
	type OwnField,
	presetOf,
	secretPrompt,
	type TextField,
} from "./connect.ts";

const service = "codehost";

function own(before: CodehostConnection | undefined, held: Held | undefined, tools: FormTools) {
	const { credential } = before ?? {};
	const app = credential?.kind === "app" ? credential : undefined;
	const installations: InstallationListing = { value: [], complete: true };
	return {
		before,
		held,
		tools,
		kind: credential?.kind ?? "pat",
		/** Token or private key of a new connection, as it was pasted. */
		secret: "",
		token: "",
		appId: app?.appId ?? "",
		privateKey: "",
		passphrase: "",
		expiresAt: (credential?.kind === "pat" && credential.expiresAt?.slice(0, 10)) || "",
		installationId: app && { id: app.installationId, account: app.account ?? null },
		/** The installations that the service listed last. */
		installations,
	};
}

type CodehostAnswers = Answers & ReturnType<typeof own>;

/** Takes the address of the API in place of that of the pages. Rejects with ClientError. */
async function findAddress(answers: CodehostAnswers, wizard?: string): Promise<void> {
	const { baseUrl, tools } = answers;
	const draft = { baseUrl, profile: codehostProfile(answers) };
	const find = async (signal: AbortSignal) => tools.findApi?.(draft, signal) ?? baseUrl;
	answers.baseUrl = await withProgress(`Looking for the API at ${baseUrl}...`, find, { wizard });
}

/** Lists the installations of the app in the answers. Rejects with ClientError. */
function listed(answers: CodehostAnswers, secret: string, doing: Asking = {}): Promise<InstallationListing> {
	const { appId, baseUrl, tools } = answers;
	const draft = { label: defaultLabel(answers), baseUrl, profile: codehostProfile(answers), appId };
	if (tools.findInstallations === undefined) throw new Error("There is nothing to list installations with");
	return tools.findInstallations(draft, { ...doing, secret });
}

/** Lists the installations into the answers, with progress. Rejects with ClientError. */
async function listInto(answers: CodehostAnswers, secret: string, wizard: string): Promise<void> {
	const [title, label] = ["Looking for the app's installations...", defaultLabel(answers)];
	answers.installations = await withProgress(title, (_, doing) => listed(answers, secret, doing), { label, wizard });
}

const INSTALLATION_FIELD: OwnField<CodehostAnswers> = {
	name: "installationId",
	title: "Installation",
	kind: "app",
	given: "optional",
	part: "credential",
	schema: INSTALLATION_ID,
	present: ({ installationId }) => plainLine(installationId?.account, `${installationId?.id}`),
	keep(answers, id) {
		answers.installationId = { id: Number(id), account: null };
	},
	async ask(answers, frame) {
		// In an edit they were listed before.
		if (answers.before === undefined) {
			await listInto(answers, secretOf(answers), frame.title);
			const { value, complete } = answers.installations;
			const [first, ...others] = value.filter(({ suspended }) => !suspended);
			if (complete && first === undefined) {
				const why =
					"The app has no installation that can be used. Install it on an account, or have a suspension ended.";
				throw new ClientError(service, "invalid", why, { field: "appId" });
			}
			// After a refusal even a single one is shown, with the reason.
			if (complete && others.length === 0 && frame.problem === undefined) {
				answers.installationId = first;
				return first;
			}
		}
		const answer = await askInstallation(frame, answers.installations, answers.installationId?.id);
		if (typeof answer === "object") answers.installationId = answer;
		return answer;
	},
};

const TOKEN_FIELD: TextField<CodehostAnswers> = {
	name: "token",
	isSecret: true,
	kind: "pat",
	given: "needed",
	when: ({ before }) => before !== undefined,
	placeholder: () => "Personal access token",
	prompt: secretPrompt,
	help: (answers) => presetOf(answers).keyPage,
	said: "The token",
	part: "credential",
	schema: refine(convert(text(), pastedSecret), (token) => (token === "" ? "is missing" : tokenProblem(token))),
};

const KEY_FIELD: TextField<CodehostAnswers> = {
	name: "privateKey",
	isSecret: true,
	kind: "app",
	given: "needed",
	when: ({ before }) => before !== undefined,
	placeholder: () => "Private key (PEM)",
	prompt: () => "Paste the key, or pick its file with the button above. It signs requests and is never sent.",
	file: { tooltip: "Pick the .pem File", read: pickKeyFile },
	said: "The private key",
	part: "credential",
	schema: refine(
		convert(text(), (typed) => typed.trim()),
		(key) => {
			if (key === "") return "is missing";
			isEncrypted(key);
			return undefined;
		},
	),
};

/** Token or key of a new connection, which shows by itself what it is. */
const EITHER_FIELD: TextField<CodehostAnswers> = {
	name: "secret",
	isSecret: true,
	when: ({ before }) => before === undefined,
	placeholder: (answers) => (takesApps(answers) ? "Token, or an app's private key (PEM)" : "Personal access token"),
	prompt: (answers) =>
		takesApps(answers)
			? `A token is sent to ${originOf(answers.baseUrl)} only. An app's key signs and is never sent; pick its file above.`
			: secretPrompt(answers),
	help: (answers) => presetOf(answers).keyPage,
	file: { tooltip: "Pick the .pem File of an App", read: pickKeyFile },
	said: "The token",
	schema: { json: {}, read: (typed, place) => (isKey(typed) ? KEY_FIELD : TOKEN_FIELD).schema.read(typed, place) },
	check: (typed, answers) => (takesApps(answers) ? undefined : tokenProblem(typed)),
	async settle(answers) {
		const { secret } = answers;
		Object.assign(answers, isKey(secret) ? { kind: "app", privateKey: secret } : { kind: "pat", token: secret });
	},
};

/** Connections to code hosts. */
export const CODEHOST_FORM: Form<CodehostAnswers> = {
	own,
	fields: [
		LABEL_FIELD,
		{ ...addressField(service), settle: findAddress },
		EITHER_FIELD,
		TOKEN_FIELD,
		{
			name: "appId",
			kind: "app",
			given: "once",
			placeholder: () => "123456",
			prompt: () => "The App ID or client ID, as the app's settings page shows it",
			help: (answers) => presetOf(answers).appPage,
			said: "The App ID",
			schema: APP_ID,
		},
		KEY_FIELD,
		{
			name: "passphrase",
			isSecret: true,
			kind: "app",
			given: "optional",
			when: ({ privateKey }) => privateKey !== "" && isEncrypted(privateKey),
			placeholder: () => "Passphrase",
			prompt: () => "The key is encrypted. Its passphrase is stored with it, so you enter it only once.",
			checkLate: true,
			said: "The passphrase",
			part: "credential",
			schema: refine(text(), (passphrase) => (passphrase === "" ? "is missing" : undefined)),
			check(passphrase, { privateKey }) {
				if (privateKey !== "") readAppKey(privateKey, { passphrase });
				return undefined;
			},
		},
		{
			name: "expiresAt",
			title: "Expiry Date of the Token",
			placeholder: () => exampleExpiry(Date.now()),
			prompt: () => "Expiry date (YYYY-MM-DD), for a warning a week ahead. Leave empty if you don't know.",
			kind: "pat",
			given: "optional",
			isOfSecret: true,
			when: ({ before }) => before !== undefined,
			part: "credential",
			said: "The date",
			schema: convert(text(), (date, place) => (date.trim() === "" ? "" : expiry(Date.now()).read(date, place))),
		},
		INSTALLATION_FIELD,
	],
	secretName: ({ kind }) => (kind === "pat" ? "Token" : "Key"),
	secretOf,
	partsOf(answers) {
		const { before, kind, appId, installationId, expiresAt } = answers;
		const own = before && identityOf(before).undated;
		if (kind === "pat") return { credential: { ...own, kind, ...(expiresAt !== "" && { expiresAt }) } };
		const { id, account } = installationId ?? { id: 0, account: null };
		const label = before === undefined &&
			answers.label === "" &&
			account !== null && { label: `${plainLine(account)} app` };
		return { ...label, credential: { ...own, kind, appId, installationId: id, ...(account !== null && { account }) } };
	},
	fieldToFix({ field, reason, code }, answers) {
		const isNew = answers.before === undefined;
		const secret = isNew ? "secret" : answers.kind === "pat" ? "token" : "privateKey";
		if (field === "private_key") return secret;
		if (field === "passphrase" || (field === "appId" && code === "invalid")) return field;
		if (field === "installation_id" || reason === "suspended" || reason === "not-installed") return "installationId";
		// A rate limit ends by itself: Retry continues from the credential that it belongs to.
		const isOfCredential = ["unauthorized", "forbidden", "rate-limited"].includes(code) || reason === "app-refused";
		if (!isOfCredential) return undefined;
		return isNew && answers.kind === "app" ? "appId" : secret;
	},
	words(error, answers) {
		const { kind, appId, privateKey, passphrase } = answers;
		if (kind !== "app" || error.reason !== "app-refused") return undefined;
		const status = error.status === undefined ? "" : ` (${error.status})`;
		// Side by side, to be compared with the app's page.
		const { fingerprint } = readAppKey(privateKey, { passphrase });
		return `${defaultLabel(answers)} refused App ID ${appId} with the key ${fingerprint}${status}. ${APP_ADVICE}`;
	},
	async prepare(answers, field) {
		const { before, held } = answers;
		if (field !== INSTALLATION_FIELD.name || before === undefined) return;
		if (held?.secret === undefined) throw closedError(before, "key", held?.closed ?? "lost");
		await listInto(answers, held.secret, `Edit ${before.label}`);
	},
	begin(answers, given) {
		if (answers.before !== undefined) return;
		const isOfApp = ["appId", "privateKey", "passphrase", "installationId"].some((name) => given[name] !== undefined);
		// A new one has either a token or the fields of an app.
		const rule = isOfApp ? "cannot be given together with an app's key" : "is missing; or use appId and privateKey";
		if (isOfApp !== (given["token"] === undefined)) throw invalid(service, "token", rule);
		answers.kind = isOfApp ? "app" : "pat";
	},
	async complete(answers) {
		if (answers.kind === "pat") return;
		if (answers.appId === "") throw invalid(service, "appId", "is missing");
		answers.installationId ??= onlyInstallation(await listed(answers, secretOf(answers)));
	},
};

/** True if a new connection may be one of an app. */
function takesApps(answers: CodehostAnswers): boolean {
	return answers.tools.tokensOnly !== true && presetOf(answers).kind !== "pat";
}

/** True for a private key, whole or begun. */
function isKey(text: unknown): boolean {
	return typeof text === "string" && text.includes("-----BEGIN");
}

function secretOf({ kind, token, privateKey, passphrase }: CodehostAnswers): string {
	if (kind !== "app") return token;
	return appSecret({ privateKey, ...(passphrase !== "" && isEncrypted(privateKey) && { passphrase }) });
}

/** The profile of the answers. Throws `invalid`. */
function codehostProfile({ profile }: Answers): CodehostProfileSetting {
	return CODEHOST_PROFILE.read(profile, { service, field: "profile" });
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

/** Prompts for an installation. Suspended ones are listed but cannot be chosen. */
async function askInstallation(
	frame: StepFrame,
	{ value: installations, complete }: InstallationListing,
	chosen?: number,
): Promise<Answer<Installation>> {
	const choices = installations.map((each) => ({
		label: `$(${each.suspended ? "circle-slash" : "organization"}) ${withoutIcons(accountOf(each))}`,
		description: each.suspended
			? "suspended, cannot be used"
			: joinParts([`installation ${each.id}`, each.id === chosen ? "in use" : ""], ", "),
		value: each,
		active: each.id === chosen,
	}));
	let placeholder = complete ? "Which account should the app work on?" : INCOMPLETE;
	for (;;) {
		const answer = await askChoice({ ...frame, placeholder }, choices);
		if (typeof answer !== "object" || !answer.suspended) return answer;
		placeholder = `${accountOf(answer)} is suspended. Choose another one.`;
	}
}

function accountOf({ account }: Pick<Installation, "account">): string {
	return plainLine(account, "Unknown account");
}

/** The only usable installation. Throws `invalid` naming them all if there is not exactly one. */
function onlyInstallation({ value, complete }: InstallationListing): Installation {
	const usable = value.filter(({ suspended }) => !suspended);
	const [only] = usable;
	if (only !== undefined && usable.length === 1 && complete) return only;
	const list = usable.map(({ id, account }) => `${id} (${plainLine(account, "unknown account")})`).join(", ");
	const rule = list === "" ? "cannot be found: the app has none that can be used" : `is missing; use one of ${list}`;
	throw invalid("codehost", "installationId", complete ? rule : `${rule}; the service's list is not complete`);
}
