import { type ConnectionService, decodeService } from "#app/connections/connection.ts";
import { decodeBaseUrl } from "#app/connections/fields.ts";
import type { ConnectionRegistry } from "#app/connections/registry.ts";
import { type Fields, requiredText } from "../kit/arguments.ts";
import type { Choice } from "../kit/prompts.ts";
import { walk } from "../kit/wizard.ts";
import {
	ADDRESS_FIELD,
	type Answers,
	type ChoiceField,
	defaultLabel,
	type FieldName,
	type Form,
	type FormTools,
	noAnswers,
	presetOf,
	profileField,
	STOPPED,
	stepOf,
} from "./connect.ts";
import { codehostForm, codehostProfile, namingApp } from "./connect-codehost.ts";
import { MESSAGES_FORM } from "./connect-messages.ts";
import { PETSTORE_FORM } from "./connect-petstore.ts";
import { askExpiry } from "./edit-connection.ts";
import { onlyInstallation } from "./installations.ts";
import { AddressUnwanted, confirmReadable } from "./notices.ts";
import { saveOrAsk } from "./save-connection.ts";

/** Rooms that adding a connection works with. */
export interface AddParts extends FormTools {
	readonly registry: ConnectionRegistry;
	/** Starts the built-in sandbox; resolves to the ids of its connections. */
	readonly trySandbox: () => Promise<Readonly<Record<ConnectionService, string>>>;
}

/** Result of adding a connection; the login is that of a token's owner. */
export interface Added {
	readonly id: string;
	readonly login?: string;
	/** True if a person has saved it though its service was not there. */
	readonly unasked?: boolean;
}

/** Restrictions of the questions. */
export interface AddOptions {
	/** The service, where there is nothing to choose. */
	readonly service?: ConnectionService | undefined;
	/** Offers only tokens of code hosts, and not the sandbox. */
	readonly tokensOnly?: boolean | undefined;
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
 * Asks for a connection step by step and adds it. When the service does not take it, the step to fix comes back with the
 * answer and the reason. Resolves to undefined when the person leaves.
 */
export async function addByPrompts(parts: AddParts, options: AddOptions = {}): Promise<Added | undefined> {
	const { registry, trySandbox } = parts;
	const { tokensOnly = false } = options;
	const forms = formsOf(parts, tokensOnly);
	const all: Readonly<Record<ConnectionService, Answers>> = {
		messages: noAnswers("messages"),
		codehost: noAnswers("codehost"),
		petstore: noAnswers("petstore"),
	};
	let service: ConnectionService = options.service ?? "messages";
	const serviceField: ChoiceField = {
		name: "service",
		placeholder: "To which kind of service?",
		choices: () => SERVICES,
		chosen: () => undefined,
		keep(_, value) {
			service = decodeService(value, "service");
		},
	};
	const steps = (["messages", "codehost", "petstore"] as const).flatMap((each) => {
		const answers = all[each];
		const isAsked = () => service === each;
		const isOwn = () => isAsked() && answers.profile !== "sandbox";
		return [
			stepOf(profileField(each, { sandbox: !tokensOnly }), answers, isAsked),
			...[ADDRESS_FIELD, ...forms[each].fields].map((field) => stepOf(field, answers, isOwn)),
		].map((step) => ({ ...step, name: `${each} ${step.name}` as const }));
	});
	const name = (field: FieldName) => `${service} ${field}` as const;
	const title = "Add Connection";
	const added = await walk<string, Added>({
		title,
		steps: [{ ...stepOf(serviceField, all.messages, () => options.service === undefined), name: "service" }, ...steps],
		isOpenEnded: true,
		async finish() {
			const answers = all[service];
			if (answers.profile === "sandbox") return { id: (await trySandbox())[service] };
			const { baseUrl, profile } = answers;
			const secret = forms[service].secretOf(answers);
			await confirmReadable(baseUrl, { service, secret });
			const draft = { service, label: defaultLabel(answers), baseUrl, profile, ...forms[service].partsOf(answers) };
			let unasked = false;
			const { id } = await saveOrAsk({ ...draft, title, back: "Edit Address" }, (save) => {
				unasked = save.unasked === true;
				return registry.add(draft, secret, save);
			});
			return unasked ? { id, unasked } : { id };
		},
		stopped: STOPPED,
		stepToFix(error) {
			if (error instanceof AddressUnwanted) return { step: name("baseUrl"), problem: error.message };
			const form = forms[service];
			const answers = all[service];
			return { step: name(form.fieldToFix(error, answers) ?? "baseUrl"), problem: form.describe(error, answers) };
		},
	});
	const connection = added === undefined ? undefined : registry.get(added.id);
	if (connection !== undefined && !registry.isPassing(connection.id)) await askExpiry(connection, registry);
	return added;
}

/** Adds a connection as the argument says. Throws `invalid` naming the field, or the service's refusal. */
export async function addFromArgument(service: ConnectionService, fields: Fields, parts: AddParts): Promise<Added> {
	const form = formsOf(parts)[service];
	const { profile = "custom" } = fields;
	const answers = noAnswers(service);
	const label = requiredText(fields, "label");
	Object.assign(answers, { label, profile });
	const baseUrl = decodeBaseUrl(fields["baseUrl"] ?? presetOf(answers).baseUrl, { service, field: "baseUrl" });
	answers.baseUrl = baseUrl;
	form.read(fields, answers);
	const secret = form.secretOf(answers);
	try {
		if (service === "codehost" && answers.kind === "app" && answers.installation === undefined) {
			const app = { label, baseUrl, profile: codehostProfile(answers), appId: answers.appId };
			answers.installation = onlyInstallation(await parts.findInstallations(app, { secret: secret ?? "" }));
		}
		const added = await parts.registry.add({ service, label, baseUrl, profile, ...form.partsOf(answers) }, secret);
		const login = added.service === "codehost" && added.credential.kind === "pat" ? added.credential.login : undefined;
		return login === undefined ? { id: added.id } : { id: added.id, login };
	} catch (error) {
		throw namingApp(error, answers);
	}
}

function formsOf(tools: FormTools, tokensOnly = false): Readonly<Record<ConnectionService, Form>> {
	return { messages: MESSAGES_FORM, codehost: codehostForm(tools, { tokensOnly }), petstore: PETSTORE_FORM };
}
