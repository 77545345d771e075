import type { Connection, ConnectionService } from "#app/connections/connection.ts";
import { holderOf } from "#app/connections/credential-identity.ts";
import { signInTargetOf } from "#app/connections/petstore-profiles.ts";
import { keptOf } from "#app/connections/petstore-secret.ts";
import type { ConnectionRegistry, SaveOptions } from "#app/connections/registry.ts";
import { closedBy, closedError } from "#app/connections/vault.ts";
import { withoutIcons } from "../kit/plain.ts";
import { askChoice, type Choice, choose, notify } from "../kit/prompts.ts";
import { plainLine } from "../kit/text.ts";
import { type WizardStep, walk } from "../kit/wizard.ts";
import {
	ADDRESS_FIELD,
	type Answers,
	changeOf,
	connectionDraftOf,
	defaultLabel,
	type Field,
	type FieldName,
	type Form,
	isMoved,
	isOfKind,
	LABEL_FIELD,
	noAnswers,
	type OwnField,
	profileField,
	STOPPED,
	secretsIn,
	stepOf,
} from "./connect.ts";
import { codehostForm, EXPIRY_FIELD, type FindInstallations, findInto } from "./connect-codehost.ts";
import { MESSAGES_FORM } from "./connect-messages.ts";
import { PETSTORE_FORM } from "./connect-petstore.ts";
import { saveOrAsk } from "./manage-connections.ts";
import { AddressUnwanted, confirmReadable } from "./notices.ts";

/** Rooms that adding a connection works with. */
export interface AddTools {
	readonly registry: ConnectionRegistry;
	/** Starts the built-in sandbox if it is not running; resolves to the ids of its connections. */
	readonly trySandbox: () => Promise<Readonly<Record<ConnectionService, string>>>;
	readonly findInstallations: FindInstallations;
}

/** Result of adding a connection; the login is that of a token's owner. */
export interface Added {
	readonly id: string;
	readonly login?: string;
	/** True if a person has saved it though its service was not there. */
	readonly unasked?: boolean;
}

const SERVICES: readonly Choice<ConnectionService>[] = [
	{
		label: "$(repo) Code Host",
		detail: "Repositories and issues, with a personal access token or as an app",
		value: "codehost",
	},
	{
		label: "$(package) Pet Store",
		detail: "Pets, orders and users, with an API key, an access token or neither",
		value: "petstore",
	},
	{
		label: "$(comment-discussion) Messages",
		detail: "A chat with a model that streams its replies",
		value: "messages",
	},
];

/**
 * Asks for a connection step by step and adds it; for one to `only`, where there is nothing to choose. When the service
 * does not take it, the step to fix comes back with the answer and the reason. With `tokensOnly` neither an app nor the
 * sandbox is offered. Resolves to undefined when the person leaves.
 */
export async function addByPrompts(
	{ registry, trySandbox, findInstallations }: AddTools,
	only?: ConnectionService,
	{ tokensOnly = false } = {},
): Promise<Added | undefined> {
	const all = {
		messages: { answers: noAnswers("messages"), form: MESSAGES_FORM },
		codehost: { answers: noAnswers("codehost"), form: codehostForm(findInstallations, { tokensOnly }) },
		petstore: { answers: noAnswers("petstore"), form: PETSTORE_FORM },
	};
	let service = only ?? "messages";
	const serviceField: OwnField = {
		name: "service",
		async ask(_, frame) {
			const answer = await askChoice({ ...frame, placeholder: "Which kind of service?" }, SERVICES);
			if (typeof answer === "string") service = answer;
			return answer;
		},
	};
	const steps = SERVICES.flatMap(({ value: each }) => {
		const { answers, form } = all[each];
		const isAsked = () => service === each;
		const isOwn = () => isAsked() && answers.profile !== "sandbox";
		return [
			stepOf(profileField(each, { sandbox: !tokensOnly }), answers, isAsked),
			...[ADDRESS_FIELD, ...form.fields].map((field) => stepOf(field, answers, isOwn)),
		];
	});
	const added = await askAndSave<Added>({
		...{ title: "Add Connection", back: "Edit Address", isNew: true, isOpenEnded: true },
		steps: [stepOf(serviceField, all.messages.answers, () => only === undefined), ...steps],
		current: () => all[service],
		async save(options) {
			const { answers, form } = all[service];
			if (answers.profile === "sandbox") return { id: (await trySandbox())[service] };
			const { id } = await registry.add(connectionDraftOf(answers, form), form.secretOf(answers), options);
			return options.unasked === true ? { id, unasked: true } : { id };
		},
	});
	if (added !== undefined && !registry.isEphemeral(added.id)) await askExpiry(added.id, registry);
	return added;
}

/** Lets a person change one field of a connection; with another origin also the secret, which stays with its own. */
export async function editByPrompts(
	connection: Connection,
	registry: ConnectionRegistry,
	find?: FindInstallations,
): Promise<{ id: string } | undefined> {
	const { id, label } = connection;
	const title = `Edit ${label}`;
	const { answers, form, stored, held } = await answersOf(connection, registry);
	const field = await choose<Field>(
		{ title, placeholder: "What do you want to change?" },
		[LABEL_FIELD, ADDRESS_FIELD, ...form.fields].flatMap((value) => {
			const { title: label, name } = value;
			if (label === undefined || !isOfKind(value, answers)) return [];
			return [{ label, description: withoutIcons(presentValue(answers, name)), value }];
		}),
	);
	if (field === undefined) return undefined;
	if (field.name === "installationId" && find !== undefined) {
		if (stored === undefined) throw closedError(connection, "key", closedBy(held) ?? "lost");
		await findInto(answers, stored, find);
	}
	const isAddress = field === ADDRESS_FIELD;
	const edited = await askAndSave({
		...{ title, back: "Edit Again", isOpenEnded: isAddress },
		steps: [
			stepOf(field, answers),
			// The secret is asked for when another address is given.
			...(isAddress ? secretSteps(form, answers, () => isMoved(answers)) : []),
		],
		current: () => ({ answers, form }),
		save(options) {
			if (!isMoved(answers)) return registry.edit(id, changeOf(answers, form, [field.name]), options);
			const secret = form.secretOf({ ...answers, kept: {} });
			// The expiry date of the old token is not that of the new one.
			const change = changeOf({ ...answers, expiresAt: "" }, form, [
				field.name,
				...secretsIn(form, answers).map(({ name }) => name),
			]);
			return registry.edit(id, change, { ...options, secret });
		},
	});
	if (edited === undefined) return undefined;
	if (isMoved(answers)) await askExpiry(id, registry);
	return { id };
}

/** Asks for a new secret until the service takes one or the person leaves. */
export async function replaceSecretByPrompt(connection: Connection, registry: ConnectionRegistry): Promise<boolean> {
	const { id, label, service } = connection;
	const { answers, form, held } = await answersOf(connection, registry);
	const isOut = held.state === "absent" && held.signedOut;
	const word =
		service === "petstore" ? "Key or Token" : service === "codehost" && answers.kind === "pat" ? "Token" : "Key";
	const replaced = await askAndSave({
		title: isOut ? `Sign In to ${label}` : `Replace the ${word} of ${label}`,
		back: "Enter Another",
		steps: secretSteps(form, answers),
		current: () => ({ answers, form }),
		// The destination of a first secret was not confirmed yet.
		isNew: held.state === "absent",
		save: (options) => registry.replaceSecret(id, form.secretOf(answers) ?? "", options),
	});
	if (replaced === undefined) return false;
	tellOther(connection, replaced);
	await askExpiry(id, registry);
	return true;
}

/** Asks for the expiry of a new token, unless the service has reported it. */
async function askExpiry(id: string, registry: ConnectionRegistry): Promise<void> {
	const now = registry.get(id, "codehost");
	if (now?.credential.kind !== "pat" || now.credential.expiresAt !== undefined) return;
	const { credential, label } = now;
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

/** Questions about a connection, and what becomes of the answers. */
interface Questions<T> {
	readonly title: string;
	readonly steps: readonly WizardStep<FieldName>[];
	readonly isOpenEnded?: boolean;
	/** Choice that leads back to what was entered. */
	readonly back: string;
	/** True if there is no secret yet, so that its destination was never confirmed. */
	readonly isNew?: boolean;
	/** The answers that count, and the form that they are in. */
	readonly current: () => { readonly answers: Answers; readonly form: Form };
	readonly save: (options: SaveOptions) => Promise<T>;
}

async function askAndSave<T>(questions: Questions<T>): Promise<T | undefined> {
	const { title, steps, isOpenEnded = false, back, isNew = false, current, save } = questions;
	let confirmed = "";
	return walk<FieldName, T>({
		...{ title, steps, isOpenEnded, stopped: STOPPED },
		async finish() {
			const { answers, form } = current();
			const { service, baseUrl } = answers;
			if ((isNew || isMoved(answers)) && baseUrl !== confirmed) {
				const secret = form.secretOf(answers);
				await confirmReadable(baseUrl, { service, secret });
				// Of no secret nothing was asked.
				if (secret !== undefined) confirmed = baseUrl;
			}
			return saveOrAsk({ service, label: defaultLabel(answers), baseUrl, title, back }, save);
		},
		stepToFix(error) {
			const { answers, form } = current();
			return error instanceof AddressUnwanted
				? { step: "baseUrl", problem: error.message }
				: { step: form.fieldToFix(error, answers) ?? "baseUrl", problem: form.describe(error, answers) };
		},
	});
}

/** The form of the connections to a service. */
export function formOf(service: ConnectionService, find: FindInstallations): Form {
	return service === "messages" ? MESSAGES_FORM : service === "petstore" ? PETSTORE_FORM : codehostForm(find);
}

/** The answers that a connection stands for, with what is stored of its secret. */
export async function answersOf(connection: Connection, registry: ConnectionRegistry) {
	const { service, label, baseUrl, profile } = connection;
	const answers = Object.assign(noAnswers(service, connection), { label, baseUrl, profile });
	const held = await registry.secret(connection);
	const stored = held.state === "present" ? held.secret : undefined;
	if (service === "messages") answers.model = connection.model ?? "";
	else if (service === "petstore") {
		const signIn = signInTargetOf(connection.profile, baseUrl);
		Object.assign(answers, { ...signIn, format: connection.format, kept: keptOf(stored) });
	} else {
		const { credential } = connection;
		answers.kind = credential.kind;
		if (credential.kind === "pat") answers.expiresAt = credential.expiresAt?.slice(0, 10) ?? "";
		else {
			const { appId, installationId: id, account = null } = credential;
			Object.assign(answers, { appId, installationId: { id, account } });
		}
	}
	// Installations are listed before they are asked for here.
	const form = formOf(service, () => Promise.reject(new Error("There is nothing to list")));
	return { answers, form, held, stored };
}

function secretSteps(form: Form, answers: Answers, isAsked?: () => boolean): readonly WizardStep<FieldName>[] {
	return secretsIn(form, answers).map((field) => stepOf(field, answers, isAsked));
}

function presentValue(answers: Answers, name: FieldName): string {
	if (name === "installationId") {
		return plainLine(answers.installationId?.account, `${answers.installationId?.id}`);
	}
	if (name === "service" || name === "profile" || name === "signIn") return "";
	if (name === "format") return answers.format === "xml" ? "XML" : "JSON";
	return answers[name] || (name === "model" ? "the first that is listed" : "not known");
}

/** Warns if the new secret belongs to another owner: it may have been copied from the wrong place. */
function tellOther(before: Connection, after: Connection): void {
	const [was, is] = [before, after].map((each) => plainLine(holderOf(each)));
	if (was === "" || is === "" || was === is) return;
	const words = `${before.label} is now used as ${is} instead of ${was}. Replace the credential again to go back.`;
	void notify("Information", words);
}
