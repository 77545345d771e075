import * as vscode from "vscode";
import { appSecret } from "#app/codehost/secret.ts";
import type { Connection, PetstoreConnection } from "#app/connections/connection.ts";
import { headerValue } from "#app/connections/fields.ts";
import { pastedSecret, unquoted } from "#app/connections/pasted-secret.ts";
import type { ConnectionRegistry } from "#app/connections/registry.ts";
import { holderOf } from "#app/connections/told.ts";
import { bareToken, keptOf, petstoreSecret } from "#app/petstore/secret.ts";
import { ClientError, invalid } from "#base/errors.ts";
import { type Fields, givenSecret, optionalPassphrase, optionalSecret, optionalText } from "../arguments.ts";
import { plainLine } from "../kit/text.ts";
import { describeTokenRefusal } from "../petstore/words.ts";
import { withoutLinks } from "../plain.ts";
import { type Answer, askText, BACK, Unconfirmed } from "../prompts.ts";
import { describeRefusal } from "../report.ts";
import { endOf, mistakeInSecret, STOPPED } from "./answers.ts";
import { describeAppRefusal, fingerprintOf, namingApp, type RefusedApp } from "./app-refusal.ts";
import { KEY_FILE } from "./key-file.ts";
import { confirmReadable } from "./notices.ts";
import { saveOrAsk } from "./save-anyway.ts";
import { askExpiryDate } from "./token-steps.ts";

/** The fields of an argument that hold a secret: a key or a token, or the key of an app. */
const SECRET_FIELDS = ["key", "apiKey", "token", "privateKey", "passphrase"] as const;

/** The fields in which the secret of a connection can be given; the first is the one to be told of. */
export function secretFieldsOf(connection: Connection): readonly [string, ...string[]] {
	switch (connection.service) {
		case "messages":
			return ["key"];
		case "petstore":
			return ["apiKey", "token"];
		case "codehost":
			return connection.credential.kind === "app" ? ["privateKey", "passphrase"] : ["token", "key"];
	}
}

/**
 * The secret in an argument, as it is stored for this connection; undefined when there is none. Of a pet store's key and
 * token the one that is not given stays as it is in `stored`. Throws `invalid`.
 */
export function secretIn(
	fields: Fields,
	connection: Connection,
	{ stored }: { readonly stored: string | undefined },
): string | undefined {
	const isApp = connection.service === "codehost" && connection.credential.kind === "app";
	const wanted = secretFieldsOf(connection);
	for (const name of SECRET_FIELDS) {
		if (fields[name] === undefined || wanted.includes(name)) continue;
		throw invalid(connection.service, name, `does not belong to this connection; use ${wanted[0]}`);
	}
	if (connection.service === "petstore") return petstoreSecretIn(fields, stored);
	if (connection.service === "messages") return messagesKeyIn(fields);
	if (!isApp) return givenSecret(fields, "token") ?? givenSecret(fields, "key");
	const privateKey = optionalText(fields, "privateKey");
	return privateKey === undefined ? undefined : appSecret({ privateKey, passphrase: optionalPassphrase(fields) });
}

/** The key of a messages service in an argument; undefined when there is none. Throws `invalid` for `key`. */
export function messagesKeyIn(fields: Fields): string | undefined {
	const key = optionalSecret(fields, "key", unquoted);
	return key === undefined ? undefined : headerValue(key, { service: "messages", field: "key" });
}

function petstoreSecretIn(fields: Fields, stored: string | undefined): string | undefined {
	const { apiKey, token } = fields;
	if (apiKey === undefined && token === undefined) return undefined;
	const before = keptOf(stored);
	const value = optionalSecret(fields, "token");
	const secret = petstoreSecret({
		apiKey: apiKey === undefined ? before.apiKey : optionalSecret(fields, "apiKey"),
		token: token === undefined ? before.token : value === undefined ? undefined : bareToken(value),
	});
	if (secret === undefined) throw invalid("petstore", apiKey === undefined ? "token" : "apiKey", NOTHING_LEFT);
	return secret;
}

const NOTHING_LEFT = "must not be empty: nothing would be left; sign out instead";

/** How a secret is asked for. */
export interface SecretPrompt {
	readonly title: string;
	readonly prompt?: string;
	readonly mayBeEmpty?: boolean;
	readonly value?: string;
	readonly problem?: string | undefined;
	/** What is stored so far and may stay. */
	readonly stored?: string | undefined;
}

/** Asks for the secret of a connection, as it is stored; undefined when the person leaves. */
export async function askSecret(connection: Connection, options: SecretPrompt): Promise<string | undefined> {
	const { title, prompt, mayBeEmpty = false, value, problem } = options;
	if (connection.service === "petstore") return askPetstoreSecret(connection, options);
	const isApp = connection.service === "codehost" && connection.credential.kind === "app";
	const name = isApp ? "Private key (PEM)" : connection.service === "codehost" ? "Personal access token" : "API key";
	const frame = {
		title,
		placeholder: mayBeEmpty ? `${name}, or nothing if the service takes none` : name,
		prompt: prompt ?? `Kept in the editor's secret storage and sent to ${connection.baseUrl} only`,
		password: true,
		file: isApp ? KEY_FILE : undefined,
	};
	const answer = await askText({
		...frame,
		...(value === undefined ? {} : { value }),
		problem,
		check: (text) => (text.trim() === "" && !mayBeEmpty ? `${name} is missing.` : undefined),
	});
	if (typeof answer !== "string") return undefined;
	if (!isApp || answer.trim() === "") return (connection.service === "messages" ? unquoted : pastedSecret)(answer);
	try {
		return appSecret({ privateKey: answer });
	} catch (error) {
		if (!(error instanceof ClientError)) throw error;
		if (error.reason !== "passphrase-needed") {
			return askSecret(connection, { ...options, value: answer, problem: describeRefusal(error, connection.label) });
		}
	}
	return askPassphrase(answer, { title, label: connection.label });
}

/** Asks for key and token of a pet store; what is left empty stays as it is. The result is empty where there is neither. */
async function askPetstoreSecret(
	{ baseUrl }: PetstoreConnection,
	{ title, prompt, problem, stored, mayBeEmpty = false }: SecretPrompt,
): Promise<string | undefined> {
	const before = keptOf(stored);
	const unconfirmed = [new Unconfirmed(), new Unconfirmed()];
	const ask = async (name: string, { step, has, value = "" }: { step: 1 | 2; has: boolean; value?: string }) => {
		const answer = await askText({
			...{ title, step, totalSteps: 2, password: true },
			placeholder: has ? `${name}; nothing keeps the one that is stored` : `${name}, or nothing if there is none`,
			prompt: prompt ?? `Kept in the editor's secret storage and sent to ${baseUrl} only`,
			value,
			unconfirmed: unconfirmed[step - 1],
			problem: step === 1 ? problem : undefined,
			check: (text) => mistakeInSecret(text, step === 1 ? "The API key" : "The access token"),
		});
		return typeof answer === "string" ? pastedSecret(answer) : answer;
	};
	let apiKey: Answer<string> = "";
	for (;;) {
		apiKey = await ask("API key", { step: 1, has: before.apiKey !== undefined, value: apiKey });
		if (typeof apiKey !== "string") return undefined;
		const token = await ask("Access token (OAuth)", { step: 2, has: before.token !== undefined });
		if (token === BACK) continue;
		if (token === undefined) return undefined;
		const secret = petstoreSecret({
			apiKey: apiKey || before.apiKey,
			token: token === "" ? before.token : bareToken(token),
		});
		if (secret !== undefined || mayBeEmpty) return secret ?? "";
	}
}

async function askPassphrase(
	privateKey: string,
	{ title, label }: { readonly title: string; readonly label: string },
): Promise<string | undefined> {
	let problem: string | undefined;
	for (;;) {
		const passphrase = await askText({
			title,
			placeholder: "Passphrase",
			prompt: "The key is encrypted. Its passphrase is kept beside it, so that you are asked once.",
			password: true,
			problem,
		});
		if (typeof passphrase !== "string") return undefined;
		try {
			return appSecret({ privateKey, passphrase });
		} catch (error) {
			problem = describeRefusal(error, label);
		}
	}
}

/** Why the service did not take a secret, in words for the box in which it was typed. */
export function refusalOf(error: unknown, connection: Connection, secret: string): string {
	const { label } = connection;
	const isTyped = connection.service === "petstore" && keptOf(secret).token !== undefined;
	if (isTyped && error instanceof ClientError && error.reason === "sign-in-needed") {
		return describeTokenRefusal(error, label);
	}
	const app = appOf(connection, secret);
	return app === undefined ? describeRefusal(error, label) : describeAppRefusal(error, app);
}

/** The same as an error, for whoever has brought the secret in an argument: {@link namingApp}. */
export function refusalIn(error: unknown, connection: Connection, secret: string): unknown {
	const app = appOf(connection, secret);
	return app === undefined ? error : namingApp(error, app);
}

function appOf(connection: Connection, secret: string): RefusedApp | undefined {
	if (connection.service !== "codehost" || connection.credential.kind !== "app") return undefined;
	const { label, credential } = connection;
	return { label, appId: credential.appId, fingerprint: () => fingerprintOf(secret) };
}

/** What stands in the box when a secret was not taken: an app's and a store's are not stored as they were typed. */
export function shownAgain(secret: string): string {
	return secret.startsWith("{") ? "" : secret;
}

/** What was said of the old token's end went with it: without a date nobody is warned of the new one's. */
export async function askNewExpiry({ id, label }: Connection, registry: ConnectionRegistry): Promise<void> {
	const answer = await askExpiryDate({ title: `Expiry Date of the New Token of ${label}` });
	const replaced = registry.get(id, "codehost");
	if (typeof answer !== "string" || answer.trim() === "" || replaced === undefined) return;
	await registry.edit(id, { credential: { ...replaced.credential, expiresAt: answer.trim() } });
}

/** Says whose the new secret is where that is somebody else: it was perhaps copied from the wrong place. */
function tellOther(before: Connection, registry: ConnectionRegistry): void {
	const [was, is] = [before, registry.get(before.id) ?? before].map((each) => plainLine(holderOf(each) ?? null));
	if (was === "" || is === "" || was === is) return;
	const words = `${before.label} is used as ${is} from now on, and not as ${was} any more. Replace it again to go back.`;
	void vscode.window.showInformationMessage(withoutLinks(words));
}

/** Asks for a new secret until the service takes one or the person leaves. */
export async function replaceSecretByPrompt(connection: Connection, registry: ConnectionRegistry): Promise<boolean> {
	let problem: string | undefined;
	let value = "";
	const held = await registry.secret(connection);
	const isFirst = held.state === "absent";
	const isOut = held.state === "absent" && held.signedOut;
	const stored = held.state === "present" ? held.secret : undefined;
	for (;;) {
		const isPat = connection.service === "codehost" && connection.credential.kind === "pat";
		const word = connection.service === "petstore" ? "Key or Token" : isPat ? "Token" : "Key";
		const { label } = connection;
		const title = isOut ? `Sign In to ${label}` : `Replace the ${word} of ${label}`;
		const secret = await askSecret(connection, { title, value, problem, stored });
		if (secret === undefined) return false;
		value = shownAgain(secret);
		try {
			if (isFirst) await confirmReadable(connection.baseUrl, { service: connection.service, secret });
			await saveOrAsk({ ...connection, title, back: "Enter Another" }, (options) =>
				registry.replaceSecret(connection.id, secret, options),
			);
			tellOther(connection, registry);
			if (isPat) await askNewExpiry(connection, registry);
			return true;
		} catch (error) {
			const end = endOf(error);
			if (end === "left") return false;
			problem = end === "stopped" ? STOPPED : refusalOf(error, connection, secret);
		}
	}
}
