import { appSecret } from "#app/codehost/secret.ts";
import type { Connection } from "#app/connections/connection.ts";
import type { ConnectionRegistry } from "#app/connections/registry.ts";
import { ClientError, invalid } from "#base/errors.ts";
import { type Fields, optionalText } from "../arguments.ts";
import { withProgress } from "../progress.ts";
import { askText } from "../prompts.ts";
import { describeRefusal } from "../report.ts";
import { confirmReadable } from "./notices.ts";

/** The fields of an argument that hold a secret: a key or a token, or the key of an app. */
const SECRET_FIELDS = ["key", "token", "privateKey", "passphrase"] as const;

/** The secret in an argument, as it is stored for this connection; undefined when there is none. Throws `invalid`. */
export function secretIn(fields: Fields, connection: Connection): string | undefined {
	const isApp = connection.service === "codehost" && connection.credential.kind === "app";
	const wanted = isApp ? ["privateKey", "passphrase"] : connection.service === "codehost" ? ["token", "key"] : ["key"];
	for (const name of SECRET_FIELDS) {
		if (fields[name] === undefined || wanted.includes(name)) continue;
		throw invalid(connection.service, name, `does not belong to this connection; use ${wanted[0]}`);
	}
	if (!isApp) return optionalText(fields, "token") ?? optionalText(fields, "key");
	const privateKey = optionalText(fields, "privateKey");
	return privateKey === undefined
		? undefined
		: appSecret({ privateKey, passphrase: optionalText(fields, "passphrase") });
}

/** How a secret is asked for. */
export interface SecretPrompt {
	readonly title: string;
	readonly prompt?: string;
	readonly mayBeEmpty?: boolean;
	readonly value?: string;
	readonly problem?: string | undefined;
}

/** Asks for the secret of a connection, as it is stored; undefined when the person leaves. */
export async function askSecret(connection: Connection, options: SecretPrompt): Promise<string | undefined> {
	const { title, prompt, mayBeEmpty = false, value, problem } = options;
	const isApp = connection.service === "codehost" && connection.credential.kind === "app";
	const name = isApp ? "Private key (PEM)" : connection.service === "codehost" ? "Personal access token" : "API key";
	const frame = {
		title,
		placeholder: mayBeEmpty ? `${name}, or nothing if the service takes none` : name,
		prompt: prompt ?? `Kept in the editor's secret storage and sent to ${connection.baseUrl} only`,
		password: true,
	};
	const answer = await askText({
		...frame,
		...(value === undefined ? {} : { value }),
		problem,
		check: (text) => (text.trim() === "" && !mayBeEmpty ? `${name} is missing.` : undefined),
	});
	if (typeof answer !== "string") return undefined;
	if (!isApp || answer.trim() === "") return answer.trim();
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

/** Asks for a new secret until the service takes one or the person leaves. */
export async function replaceSecretByPrompt(connection: Connection, registry: ConnectionRegistry): Promise<boolean> {
	let problem: string | undefined;
	let value = "";
	const isFirst = (await registry.secret(connection)).state === "absent";
	for (;;) {
		const isToken = connection.service === "codehost" && connection.credential.kind === "pat";
		const word = isToken ? "Token" : "Key";
		const secret = await askSecret(connection, { title: `Replace the ${word} of ${connection.label}`, value, problem });
		if (secret === undefined) return false;
		// An app's key is not shown again for editing: what is stored of it is not what was typed.
		value = secret.startsWith("{") ? "" : secret;
		try {
			if (isFirst) await confirmReadable(connection.baseUrl, { service: connection.service, secret });
			await withProgress(`Checking ${connection.label}...`, (signal) =>
				registry.replaceSecret(connection.id, secret, signal),
			);
			return true;
		} catch (error) {
			if (error instanceof ClientError && error.code === "aborted") return false;
			problem = describeRefusal(error, connection.label);
		}
	}
}
