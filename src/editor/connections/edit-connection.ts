import * as vscode from "vscode";
import type { Connection, ConnectionService } from "#app/connections/connection.ts";
import { holderOf, undated } from "#app/connections/credential-identity.ts";
import { decodeBaseUrl } from "#app/connections/fields.ts";
import { closedBy, closedError } from "#app/connections/missing-secret.ts";
import { signInTargetOf } from "#app/connections/petstore-profiles.ts";
import type { ConnectionChange, ConnectionRegistry, SaveOptions } from "#app/connections/registry.ts";
import { keptOf } from "#app/petstore/secret.ts";
import { invalid } from "#base/errors.ts";
import { type Fields, optionalText, requiredText } from "../kit/arguments.ts";
import { withoutIcons, withoutLinks } from "../kit/plain.ts";
import { askChoice, BACK } from "../kit/prompts.ts";
import { plainLine } from "../kit/text.ts";
import { walk } from "../kit/wizard.ts";
import {
	ADDRESS_FIELD,
	type Answers,
	type Field,
	type FieldName,
	type Form,
	type FormTools,
	isMoved,
	LABEL_FIELD,
	noAnswers,
	STOPPED,
	stepOf,
} from "./connect.ts";
import { codehostForm, EXPIRY_FIELD, findInto, namingApp, readCredential } from "./connect-codehost.ts";
import { MESSAGES_FORM } from "./connect-messages.ts";
import { PETSTORE_FORM } from "./connect-petstore.ts";
import { AddressUnwanted, confirmReadable } from "./notices.ts";
import { saveOrAsk } from "./save-connection.ts";

/** Fields of an argument that hold a secret. */
const SECRET_FIELDS = ["key", "apiKey", "token", "privateKey", "passphrase"] as const;

/** Services that a field belongs to which only one of them has. */
const OWNERS: Readonly<Record<string, ConnectionService>> = { model: "messages", format: "petstore" };

/** Changes a connection as the argument says. */
export async function editFromArgument(fields: Fields, registry: ConnectionRegistry): Promise<{ id: string }> {
	const connection = registry.require(requiredText(fields, "connection"));
	const { id, service } = connection;
	const { answers, form, stored } = await answersOf(connection, registry);
	const change: Record<string, unknown> = {};
	for (const name of ["label", "baseUrl", "model", "format"]) {
		const text = optionalText(fields, name);
		if (text === undefined) continue;
		const owner = OWNERS[name] ?? service;
		if (owner !== service) throw invalid(service, name, `belongs to a ${owner} connection`);
		change[name] = text;
	}
	if (fields["profile"] !== undefined) change["profile"] = fields["profile"];
	answers.baseUrl = decodeBaseUrl(change["baseUrl"] ?? answers.baseUrl, { service, field: "baseUrl" });
	if (isMoved(answers)) answers.kept = {};
	const secret = secretIn(fields, { answers, form });
	if (service === "codehost") {
		const isOther = secret !== undefined && secret !== stored;
		const credential =
			credentialIn(fields, connection, answers) ?? (isOther ? undated(connection.credential) : undefined);
		if (credential !== undefined) change["credential"] = credential;
		if (secret === undefined && isMoved(answers)) {
			const rule = `is missing: the stored one belongs to ${new URL(connection.baseUrl).origin} and is not sent anywhere else`;
			throw invalid(service, form.secrets(answers)[0], rule);
		}
	}
	await registry.edit(id, change, { secret }).catch((error: unknown) => {
		throw secret === undefined ? error : namingApp(error, answers);
	});
	return { id };
}

/** Replaces the secret of a connection as the argument says. */
export async function replaceFromArgument(fields: Fields, registry: ConnectionRegistry): Promise<{ id: string }> {
	const connection = registry.require(requiredText(fields, "connection"));
	const { id } = connection;
	const { answers, form } = await answersOf(connection, registry);
	const secret = secretIn(fields, { answers, form }) ?? requiredText(fields, form.secrets(answers)[0]);
	const credential = connection.service === "codehost" ? credentialIn(fields, connection, answers) : undefined;
	const saved =
		credential === undefined ? registry.replaceSecret(id, secret) : registry.edit(id, { credential }, { secret });
	await saved.catch((error: unknown) => {
		throw namingApp(error, answers);
	});
	return { id };
}

/** Lets a person change one field of a connection; with another origin also the secret, which stays with its own. */
export async function editByPrompts(
	connection: Connection,
	registry: ConnectionRegistry,
	tools?: FormTools,
): Promise<{ id: string } | undefined> {
	const { id, label } = connection;
	const title = `Edit ${label}`;
	const { answers, form, stored, held } = await answersOf(connection, registry, tools);
	const fields: readonly Field[] = [...form.fields, EXPIRY_FIELD];
	const offered = form.editable(answers).flatMap((name) => fields.filter((each) => each.name === name));
	const field = await askChoice<Field>(
		{ title, placeholder: "What do you want to change?" },
		[LABEL_FIELD, ADDRESS_FIELD, ...offered].map((value) => ({
			label: value.title ?? "",
			description: withoutIcons(presentValue(answers, value.name)),
			value,
		})),
	);
	if (field === undefined || field === BACK) return undefined;
	if (field.name === "installation" && tools !== undefined) {
		if (stored === undefined) throw closedError(connection, { field: "key", closed: closedBy(held) ?? "lost" });
		await findInto(answers, stored, tools);
	}
	const edited = await walkAndSave(connection, {
		...{ title, answers, form, registry, back: "Edit It Again" },
		fields: field === ADDRESS_FIELD ? [field, ...secretFields(form, answers)] : [field],
		save: (options) => {
			const secret = isMoved(answers) ? form.secretOf({ ...answers, kept: {} }) : undefined;
			return registry.edit(id, changeOf(connection, answers, field.name), { ...options, secret });
		},
	});
	if (!edited) return undefined;
	if (isMoved(answers)) await askExpiry(connection, registry);
	return { id };
}

/** Asks for a new secret until the service takes one or the person leaves. */
export async function replaceSecretByPrompt(connection: Connection, registry: ConnectionRegistry): Promise<boolean> {
	const { id, label, service } = connection;
	const { answers, form, held } = await answersOf(connection, registry);
	const isOut = held.state === "absent" && held.signedOut;
	const word =
		service === "petstore" ? "Key or Token" : service === "codehost" && answers.kind === "pat" ? "Token" : "Key";
	const isReplaced = await walkAndSave(connection, {
		title: isOut ? `Sign In to ${label}` : `Replace the ${word} of ${label}`,
		...{ answers, form, registry, back: "Enter Another", fields: secretFields(form, answers) },
		isFirst: held.state === "absent",
		save: (options) => registry.replaceSecret(id, form.secretOf(answers) ?? "", options),
	});
	if (!isReplaced) return false;
	tellOther(connection, registry);
	await askExpiry(connection, registry);
	return true;
}

/** Asks when a token expires that was just taken, unless that is known: its service may have told it. */
export async function askExpiry({ id, label }: Connection, registry: ConnectionRegistry): Promise<void> {
	const now = registry.get(id, "codehost");
	if (now?.credential.kind !== "pat" || now.credential.expiresAt !== undefined) return;
	const { credential } = now;
	const answers = noAnswers("codehost", now);
	await walk({
		title: `Expiry Date of the Token of ${label}`,
		steps: [stepOf(EXPIRY_FIELD, answers)],
		async finish() {
			const { expiresAt } = answers;
			if (expiresAt !== "") await registry.edit(id, { credential: { ...credential, expiresAt } });
			return true;
		},
		stepToFix: (error) => ({ step: "expiresAt", problem: error instanceof Error ? error.message : String(error) }),
	});
}

interface Edit {
	readonly title: string;
	readonly answers: Answers;
	readonly form: Form;
	readonly registry: ConnectionRegistry;
	readonly fields: readonly Field[];
	/** Choice that leads back to what was entered. */
	readonly back: string;
	/** True if there is no secret yet: nobody has confirmed where it goes. */
	readonly isFirst?: boolean;
	readonly save: (options: SaveOptions) => Promise<unknown>;
}

async function walkAndSave(connection: Connection, edit: Edit): Promise<boolean> {
	const { title, answers, form, fields, back, isFirst = false, save } = edit;
	const { service } = connection;
	let confirmed = "";
	const isDone = await walk<FieldName, boolean>({
		title,
		// The secret is asked for when another address is given, or when it is to be replaced.
		steps: fields.map((field) =>
			stepOf(field, answers, () => fields[0] !== ADDRESS_FIELD || field === ADDRESS_FIELD || isMoved(answers)),
		),
		isOpenEnded: fields[0] === ADDRESS_FIELD,
		async finish() {
			const { baseUrl } = answers;
			if ((isFirst || isMoved(answers)) && baseUrl !== confirmed) {
				const secret = form.secretOf(answers);
				await confirmReadable(baseUrl, { service, secret });
				// Of no secret nothing was asked.
				if (secret !== undefined) confirmed = baseUrl;
			}
			await saveOrAsk({ ...connection, title, back }, save);
			return true;
		},
		stopped: STOPPED,
		stepToFix: (error) =>
			error instanceof AddressUnwanted
				? { step: "baseUrl", problem: error.message }
				: { step: form.fieldToFix(error, answers) ?? "baseUrl", problem: form.describe(error, answers) },
	});
	return isDone === true;
}

/** The answers that a connection stands for, with what is stored of its secret. */
async function answersOf(connection: Connection, registry: ConnectionRegistry, tools = NO_TOOLS) {
	const { service, label, baseUrl, profile } = connection;
	const answers = Object.assign(noAnswers(service, connection), { label, baseUrl, profile });
	const held = await registry.secret(connection);
	const stored = held.state === "present" ? held.secret : undefined;
	if (service === "messages")
		return { answers: Object.assign(answers, { model: connection.model ?? "" }), form: MESSAGES_FORM, held, stored };
	if (service === "petstore") {
		const signIn = signInTargetOf(connection.profile, baseUrl);
		Object.assign(answers, { ...signIn, format: connection.format, kept: keptOf(stored) });
		return { answers, form: PETSTORE_FORM, held, stored };
	}
	const { credential } = connection;
	const own =
		credential.kind === "pat"
			? { expiresAt: credential.expiresAt?.slice(0, 10) ?? "" }
			: {
					appId: credential.appId,
					installation: { id: credential.installationId, account: credential.account ?? null },
				};
	return {
		answers: Object.assign(answers, { kind: credential.kind, ...own }),
		form: codehostForm(tools),
		held,
		stored,
	};
}

const NO_TOOLS: FormTools = { findInstallations: () => Promise.reject(new Error("There is nothing to list")) };

function secretFields(form: Form, answers: Answers): readonly Field[] {
	const names = form.secrets(answers);
	return form.fields.filter(({ name }) => names.includes(name));
}

function presentValue(answers: Answers, name: FieldName): string {
	if (name === "installation") return plainLine(answers.installation?.account ?? null, `${answers.installation?.id}`);
	if (name === "service" || name === "profile" || name === "signIn") return "";
	if (name === "format") return answers.format === "xml" ? "XML" : "JSON";
	return answers[name] || (name === "model" ? "the one in the settings" : "not known");
}

/** The change that the edited field stands for. */
function changeOf(connection: Connection, answers: Answers, name: FieldName): ConnectionChange {
	const { label, baseUrl, model, format, installation, expiresAt } = answers;
	const credential = connection.service === "codehost" ? connection.credential : undefined;
	switch (name) {
		case "baseUrl":
			// The expiry date of the old token is not that of the new one.
			return isMoved(answers) && credential !== undefined ? { baseUrl, credential: undated(credential) } : { baseUrl };
		case "expiresAt":
			return credential === undefined
				? {}
				: { credential: { ...undated(credential), ...(expiresAt && { expiresAt }) } };
		case "installation":
			return { credential: { kind: "app", appId: answers.appId, installationId: installation?.id } };
		case "authUrl":
		case "clientId":
			return { profile: PETSTORE_FORM.partsOf(answers)["profile"] };
		default:
			return {
				...(name === "label" && { label }),
				...(name === "model" && { model }),
				...(name === "format" && { format }),
			};
	}
}

/** The secret in an argument, as it is stored; undefined when there is none. Throws `invalid`. */
function secretIn(
	fields: Fields,
	{ answers, form }: { readonly answers: Answers; readonly form: Form },
): string | undefined {
	const { service } = answers;
	const wanted = form.secrets(answers);
	const given = SECRET_FIELDS.filter((name) => fields[name] !== undefined);
	const strange = given.find((name) => !wanted.includes(name));
	if (strange !== undefined) throw invalid(service, strange, `does not belong to this connection; use ${wanted[0]}`);
	if (given.length === 0) return undefined;
	form.read(fields, answers);
	const secret = form.secretOf(answers);
	if (secret === undefined) throw invalid(service, given[0] ?? wanted[0], "must not be empty: nothing would be left");
	return secret;
}

/** The credential that an argument changes beside its secret; undefined where it says nothing of it. */
function credentialIn(
	fields: Fields,
	{ credential }: Extract<Connection, { service: "codehost" }>,
	answers: Answers,
): object | undefined {
	readCredential(fields, answers);
	if (fields["expiresAt"] !== undefined) {
		return { ...undated(credential), ...(answers.expiresAt && { expiresAt: answers.expiresAt }) };
	}
	if (fields["installationId"] === undefined) return undefined;
	return { ...credential, installationId: answers.installation?.id };
}

/** Says whose the new secret is where that is somebody else: it was perhaps copied from the wrong place. */
function tellOther(before: Connection, registry: ConnectionRegistry): void {
	const [was, is] = [before, registry.get(before.id) ?? before].map((each) => plainLine(holderOf(each) ?? null));
	if (was === "" || is === "" || was === is) return;
	const words = `${before.label} is used as ${is} from now on, and not as ${was} any more. Replace it again to go back.`;
	void vscode.window.showInformationMessage(withoutLinks(words));
}
