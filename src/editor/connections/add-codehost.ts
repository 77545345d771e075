import { readFile } from "node:fs/promises";
import * as vscode from "vscode";
import { patKind } from "#api/codehost/pat.ts";
import { readAppKey } from "#api/codehost/private-key.ts";
import { appSecret } from "#app/codehost/secret.ts";
import {
	CODEHOST_PRESETS,
	type CodehostPreset,
	type CodehostPresetName,
	codehostPreset,
	codehostProfileOf,
} from "#app/connections/codehost-profiles.ts";
import { type CodehostCredential, decodeAppId, decodeExpiry } from "#app/connections/connection.ts";
import { decodeBaseUrl } from "#app/connections/fields.ts";
import type { ConnectionRegistry } from "#app/connections/registry.ts";
import { ClientError } from "#base/errors.ts";
import { withProgress } from "../progress.ts";
import { type Answer, askChoice, askText, type Choice } from "../prompts.ts";
import { describeRefusal } from "../report.ts";
import type { Step, StepFrame } from "../wizard.ts";
import { kept, mistakeIn, unusedLabel } from "./answers.ts";
import { askInstallation, type FindInstallations } from "./installations.ts";

/** The questions about a code host. */
export type CodehostStep =
	| "host"
	| "hostAddress"
	| "kind"
	| "token"
	| "expiry"
	| "appId"
	| "privateKey"
	| "passphrase"
	| "installation";

/** What the person has said so far of a code host. */
export interface CodehostAnswers {
	host: CodehostPresetName;
	baseUrl: string;
	kind: "pat" | "app";
	token: string;
	expiresAt: string;
	appId: string;
	privateKey: string;
	passphrase: string;
	installation: number | undefined;
	account: string | undefined;
}

/** Nothing said yet. */
export function noCodehostAnswers(): CodehostAnswers {
	return {
		host: "custom",
		baseUrl: "",
		kind: "pat",
		token: "",
		expiresAt: "",
		appId: "",
		privateKey: "",
		passphrase: "",
		installation: undefined,
		account: undefined,
	};
}

/** What the questions need beside the answers. */
export interface CodehostQuestions {
	/** Whether the connection is to be of this kind. */
	readonly isAsked: () => boolean;
	readonly findInstallations: FindInstallations;
	/** Offers tokens only: what is asked for is an account, and an app is none. */
	readonly tokensOnly?: boolean | undefined;
}

const BASE_URL = { service: "codehost", field: "The base URL" } as const;

/** Where a failure of listing the installations is told: at the step that can mend it. */
class WrongStep extends Error {
	readonly step: CodehostStep;

	constructor(step: CodehostStep, problem: string) {
		super(problem);
		this.step = step;
	}
}

/** The questions, which keep their answers in `draft`. */
export function codehostSteps(draft: CodehostAnswers, questions: CodehostQuestions): readonly Step<CodehostStep>[] {
	const { isAsked, tokensOnly = false } = questions;
	const isSandbox = () => draft.host === "sandbox";
	const unlessApp = () => !isAsked() || isSandbox() || draft.kind !== "app";
	const unlessToken = () => !isAsked() || isSandbox() || draft.kind !== "pat";
	return [
		{ name: "host", skip: () => !isAsked(), ask: (frame) => askHost(draft, frame, tokensOnly) },
		{ name: "hostAddress", skip: () => !isAsked() || isSandbox(), ask: (frame) => askAddress(draft, frame) },
		{ name: "kind", skip: () => !isAsked() || isSandbox() || tokensOnly, ask: (frame) => askKind(draft, frame) },
		{ name: "token", skip: unlessToken, ask: (frame) => askToken(draft, frame) },
		{ name: "expiry", skip: unlessToken, ask: (frame) => askExpiry(draft, frame) },
		{ name: "appId", skip: unlessApp, ask: (frame) => askAppId(draft, frame) },
		{ name: "privateKey", skip: unlessApp, ask: (frame) => askPrivateKey(draft, frame) },
		{
			name: "passphrase",
			skip: () => unlessApp() || !isEncrypted(draft.privateKey),
			ask: (frame) => askPassphrase(draft, frame),
		},
		{
			name: "installation",
			skip: unlessApp,
			ask: (frame) => chooseInstallation(draft, frame, questions.findInstallations),
		},
	];
}

async function askHost(draft: CodehostAnswers, frame: StepFrame, tokensOnly: boolean): Promise<Answer<unknown>> {
	const names = Object.keys(CODEHOST_PRESETS).filter(
		(name): name is CodehostPresetName => codehostPreset(name) !== undefined,
	);
	const answer = await askChoice(
		{ ...frame, placeholder: "Which code host?" },
		names
			.filter((name) => !(tokensOnly && name === "sandbox"))
			.map((name) => ({ label: CODEHOST_PRESETS[name].label, detail: CODEHOST_PRESETS[name].detail, value: name })),
	);
	return kept(answer, (name) => {
		if (name === draft.host) return;
		draft.host = name;
		draft.baseUrl = codehostPreset(name)?.baseUrl ?? "";
	});
}

async function askAddress(draft: CodehostAnswers, frame: StepFrame): Promise<Answer<unknown>> {
	const preset: CodehostPreset = CODEHOST_PRESETS[draft.host];
	const answer = await askText({
		...frame,
		placeholder: preset.exampleBaseUrl,
		prompt: `Base URL of the API of ${preset.label}, such as ${preset.exampleBaseUrl}`,
		value: draft.baseUrl,
		check: (text) => mistakeIn(() => decodeBaseUrl(text, BASE_URL)),
	});
	return kept(answer, (text) => {
		draft.baseUrl = decodeBaseUrl(text, BASE_URL);
	});
}

async function askKind(draft: CodehostAnswers, frame: StepFrame): Promise<Answer<unknown>> {
	const choices: readonly Choice<"pat" | "app">[] = [
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
	const answer = await askChoice({ ...frame, placeholder: "As whom?" }, choices);
	return kept(answer, (kind) => {
		draft.kind = kind;
	});
}

async function askToken(draft: CodehostAnswers, frame: StepFrame): Promise<Answer<unknown>> {
	const preset: CodehostPreset = CODEHOST_PRESETS[draft.host];
	const begins = preset.profile.patPrefixes?.fineGrained[0];
	const answer = await askText({
		...frame,
		placeholder: begins === undefined ? "Personal access token" : `Personal access token, such as ${begins}...`,
		prompt: `Kept in the editor's secret storage and sent to ${new URL(draft.baseUrl).host} only`,
		value: draft.token,
		password: true,
		help: preset.tokenPage,
		check: (text) => {
			if (text.trim() === "") return "The token is missing.";
			return /^[\x21-\x7e]+$/.test(text.trim()) ? undefined : "A token has no spaces and no letters with marks.";
		},
		remark: (text) => (text.trim() === "" ? undefined : kindWords(draft, text)),
	});
	return kept(answer, (text) => {
		draft.token = text.trim();
	});
}

function kindWords(draft: CodehostAnswers, token: string): string {
	const kind = patKind(token, codehostProfileOf(draft.host));
	if (kind === "fine-grained") return "A fine-grained token: limited to chosen repositories and permissions.";
	if (kind === "classic") return "A classic token: broad scopes, no end.";
	return "A token of an unknown kind, which is as good as any other.";
}

async function askExpiry(draft: CodehostAnswers, frame: StepFrame): Promise<Answer<unknown>> {
	const place = { service: "codehost", field: "The date" } as const;
	const answer = await askText({
		...frame,
		placeholder: "2026-05-31",
		prompt:
			"The day the token expires (YYYY-MM-DD), to be warned a week ahead; the service does not tell. Empty: not known.",
		value: draft.expiresAt,
		check: (text) => {
			if (text.trim() === "") return undefined;
			if (!/^\d{4}-\d\d-\d\d$/.test(text.trim())) return "Write it as YYYY-MM-DD, or nothing.";
			return mistakeIn(() => decodeExpiry(text, place));
		},
	});
	return kept(answer, (text) => {
		draft.expiresAt = text.trim();
	});
}

async function askAppId(draft: CodehostAnswers, frame: StepFrame): Promise<Answer<unknown>> {
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

async function askPrivateKey(draft: CodehostAnswers, frame: StepFrame): Promise<Answer<unknown>> {
	const answer = await askText({
		...frame,
		placeholder: "-----BEGIN RSA PRIVATE KEY-----...",
		prompt:
			"Paste the app's private key (PEM), or pick its file with the button above. It is kept in the editor's secret storage.",
		value: draft.privateKey,
		password: true,
		check: (text) => (text.trim() === "" ? "The private key is missing." : keyProblem(text)),
		file: { tooltip: "Pick the .pem File", read: pickKeyFile },
	});
	return kept(answer, (text) => {
		if (text.trim() !== draft.privateKey) draft.passphrase = "";
		draft.privateKey = text.trim();
	});
}

/** A key file is small; anything larger was picked by mistake. Bytes. */
const LARGEST_KEY_FILE = 64 * 1024;

async function pickKeyFile(): Promise<string | undefined> {
	const [file] =
		(await vscode.window.showOpenDialog({
			title: "Private Key of the App",
			openLabel: "Use This Key",
			filters: { "Private keys": ["pem", "key"], "All files": ["*"] },
		})) ?? [];
	if (file === undefined) return undefined;
	const bytes = file.scheme === "file" ? await readFile(file.fsPath) : await vscode.workspace.fs.readFile(file);
	if (bytes.length > LARGEST_KEY_FILE) return undefined;
	return new TextDecoder().decode(bytes);
}

async function askPassphrase(draft: CodehostAnswers, frame: StepFrame): Promise<Answer<unknown>> {
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

function isEncrypted(privateKey: string): boolean {
	try {
		readAppKey(privateKey);
		return false;
	} catch (error) {
		return error instanceof ClientError && error.reason === "passphrase-needed";
	}
}

/** Asks the service and keeps the connection; resolves to its id. */
export async function saveCodehost(draft: CodehostAnswers, registry: ConnectionRegistry): Promise<string> {
	const { host: profile, baseUrl } = draft;
	const name = profile === "github" ? CODEHOST_PRESETS.github.label : new URL(baseUrl).host;
	const isApp = draft.kind === "app";
	const secret = isApp ? secretOf(draft) : draft.token;
	const credential = isApp ? appOf(draft) : patOf(draft);
	const label = unusedLabel(isApp ? `${name} app` : name, registry);
	const connection = await withProgress(`Checking ${label}...`, (signal) =>
		registry.add({ service: "codehost", label, baseUrl, profile, credential }, secret, signal),
	);
	return connection.id;
}

function patOf({ token, expiresAt, host }: CodehostAnswers): CodehostCredential {
	const kind = patKind(token, codehostProfileOf(host));
	return { kind: "pat", patKind: kind, ...(expiresAt === "" ? {} : { expiresAt }) };
}

function appOf({ appId, installation, account }: CodehostAnswers): CodehostCredential {
	const told = account === undefined ? {} : { account };
	return { kind: "app", appId, installationId: installation ?? 0, ...told };
}

async function chooseInstallation(
	draft: CodehostAnswers,
	frame: StepFrame,
	find: FindInstallations,
): Promise<Answer<unknown>> {
	const { appId, baseUrl, host: profile } = draft;
	const secret = secretOf(draft);
	const installations = await withProgress("Looking for the app's installations...", (signal) =>
		find({ label: new URL(baseUrl).host, baseUrl, profile, appId }, { secret, signal }),
	);
	if (installations.every(({ suspended }) => suspended)) {
		const why =
			installations.length === 0
				? "The app is not installed anywhere yet. Install it on an account first."
				: "Every installation of the app is suspended. The owner of one of the accounts has to lift that.";
		throw new WrongStep("appId", why);
	}
	return kept(await askInstallation(frame, installations), ({ id, account }) => {
		draft.installation = id;
		draft.account = account ?? undefined;
	});
}

function secretOf({ privateKey, passphrase }: CodehostAnswers): string {
	return appSecret({ privateKey, ...(passphrase === "" ? {} : { passphrase }) });
}

/** Which question can mend what went wrong, and the sentence to show there. */
export function mendCodehost(error: unknown, draft: CodehostAnswers): { step: CodehostStep; problem: string } {
	if (error instanceof WrongStep) return { step: error.step, problem: error.message };
	const host = URL.parse(draft.baseUrl)?.host ?? "";
	const problem = describeRefusal(error, host);
	if (!(error instanceof ClientError)) return { step: "hostAddress", problem };
	if (error.field === "private_key") return { step: "privateKey", problem };
	if (error.field === "passphrase") return { step: "passphrase", problem };
	if (error.field === "installation_id" || error.reason === "suspended" || error.reason === "not-installed") {
		return { step: "installation", problem };
	}
	if (error.code !== "unauthorized" && error.code !== "forbidden") return { step: "hostAddress", problem };
	return { step: draft.kind === "pat" ? "token" : "appId", problem };
}
