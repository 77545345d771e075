import type { InstallationListing } from "#api/codehost/model.ts";
import type { AccessToken } from "#api/petstore/credential.ts";
import { contractProfile } from "#api/petstore/model.ts";
import { CODEHOST_PRESETS, type CodehostPreset } from "#app/connections/codehost-profiles.ts";
import { type Connection, type ConnectionService, originOf } from "#app/connections/connection.ts";
import { BASE_URL, type Preset } from "#app/connections/fields.ts";
import { MESSAGES_PRESETS, type MessagesPreset } from "#app/connections/messages-profiles.ts";
import { PETSTORE_PRESETS } from "#app/connections/petstore-profiles.ts";
import type { PetstoreSecret } from "#app/connections/petstore-secret.ts";
import type { ConnectionChange } from "#app/connections/registry.ts";
import { SERVICES } from "#app/connections/services.ts";
import { ClientError, invalid } from "#base/errors.ts";
import { parse, type Schema, trimmed } from "#base/schema.ts";
import { sentence } from "../kit/error-words.ts";
import { type Answer, askChoice, askText, type Choice, type PromptFrame, type TextPrompt } from "../kit/prompts.ts";
import type { Fields } from "../kit/rows.ts";
import type { StepFrame, WizardStep } from "../kit/wizard.ts";
import { describeRefusal } from "../words/show-error.ts";

/** Preset of any service. */
type AnyPreset = Preset & Partial<Omit<MessagesPreset, "headers"> & Omit<CodehostPreset, "profile">>;

const PRESETS: Readonly<Record<ConnectionService, Readonly<Record<string, AnyPreset>>>> = {
	messages: MESSAGES_PRESETS,
	codehost: CODEHOST_PRESETS,
	petstore: PETSTORE_PRESETS,
};

/** Answers that are texts, before any question. Secrets are as they were typed; an empty text stands for no answer. */
const NO_TEXTS = {
	...{ label: "", baseUrl: "", key: "", model: "", format: "json", apiKey: "", token: "", how: "browser" },
	...{ authUrl: "", clientId: "", kind: "pat", appId: "", privateKey: "", passphrase: "", expiresAt: "" },
};

/** Answers about a connection that is added, edited or given another secret, by a person or by an argument. */
export interface Answers extends Record<keyof typeof NO_TEXTS, string> {
	service: ConnectionService;
	/** Name of a preset, or an object of what differs. */
	profile: unknown;
	/** The connection that is changed; undefined for a new one. */
	readonly before: Connection | undefined;
	/** Parts of a pet store's stored secret that stay where no other is given. */
	kept: PetstoreSecret;
	installationId: { readonly id: number; readonly account: string | null } | undefined;
	/** The installations that the service listed last. */
	installations: Pick<InstallationListing, "value" | "complete">;
	/** Token of a sign-in in the browser, and where it was made. */
	signedIn: { readonly at: string; readonly token: AccessToken } | undefined;
}

/** Answers before any question. */
export function noAnswers(service: ConnectionService, before?: Connection): Answers {
	return {
		...{ ...NO_TEXTS, service, before, profile: "custom", kept: {}, installationId: undefined, signedIn: undefined },
		installations: { value: [], complete: true },
	};
}

/** Name of a question, and of the answer in an argument. */
export type FieldName = keyof typeof NO_TEXTS | "service" | "profile" | "installationId" | "signIn";

interface AnyField {
	readonly name: FieldName;
	/** Kind of credential that it belongs to; absent for all. */
	readonly kind?: "pat" | "app";
	/** True if it is asked, by default always. */
	readonly when?: (answers: Answers) => boolean;
	/** Name in the list of what can be edited. */
	readonly title?: string;
	/** Part of the connection that the answer goes into; by default one of its own name. */
	readonly part?: "profile" | "credential";
}

/** A field that is typed. */
export interface TextField extends AnyField, Pick<TextPrompt, "file" | "checkLate"> {
	readonly name: keyof typeof NO_TEXTS;
	readonly isSecret?: true;
	readonly placeholder: (answers: Answers) => string;
	readonly prompt: (answers: Answers) => string;
	/** Name of the answer in a sentence about a mistake in it. */
	readonly said: string;
	/** Schema of the answer, whether it is typed or in an argument. */
	readonly schema: (answers: Answers) => Schema<string>;
	readonly remark?: (text: string, answers: Answers) => string | undefined;
	readonly help?: (preset: AnyPreset) => string | undefined;
}

/** A field that is chosen. */
interface ChoiceField extends AnyField {
	readonly name: keyof typeof NO_TEXTS;
	readonly placeholder: string;
	readonly choices: (answers: Answers) => readonly Choice<string>[];
}

/** A field with a dialog of its own. */
export interface OwnField extends AnyField {
	/** Takes the answer from an argument. Throws `invalid`. */
	readonly keep?: (answers: Answers, value: unknown) => void;
	readonly ask: (answers: Answers, frame: StepFrame) => Promise<Answer<unknown>>;
}

/** A field of a connection: described once for adding, editing, replacing the secret and signing in. */
export type Field = TextField | ChoiceField | OwnField;

/** Fields of the connections to one service, and what their answers come to. */
export interface Form {
	/** Questions after the address, in their order. */
	readonly fields: readonly Field[];
	/** The secret as it is stored; undefined for none. Throws `invalid`. */
	readonly secretOf: (answers: Answers) => string | undefined;
	/** Parts of the connection that only this service has. Throws `invalid`. */
	readonly partsOf: (answers: Answers) => Readonly<Record<string, unknown>>;
	/** The field to fix after an error, if it is not the address. */
	readonly fieldToFix: (error: unknown, answers: Answers) => FieldName | undefined;
	/** Words about why it was not taken. */
	readonly describe: (error: unknown, answers: Answers) => string;
}

/** Problem shown at the last question when the person has stopped the request to the service. */
export const STOPPED = "Stopped.";

/** The preset of the answers; for a profile that is written out, the custom one. */
export function presetOf({ service, profile }: Pick<Answers, "service" | "profile">): AnyPreset {
	const presets = PRESETS[service];
	const named = typeof profile === "string" && Object.hasOwn(presets, profile) ? presets[profile] : presets["custom"];
	return named ?? { label: "", detail: "" };
}

/** The label of a new connection, unless the person says otherwise. */
export function defaultLabel({ before, kind, ...answers }: Answers): string {
	if (before !== undefined) return before.label;
	const { label, baseUrl } = presetOf(answers);
	const name = baseUrl === undefined ? (URL.parse(answers.baseUrl)?.host ?? "") : label;
	return answers.label || (answers.service === "codehost" && kind === "app" ? `${name} app` : name);
}

/** True if the address leads to another origin than that of the stored secret, which is not sent there. */
export function isMoved({ before, baseUrl }: Answers): boolean {
	return before !== undefined && originOf(baseUrl) !== originOf(before.baseUrl);
}

/** Prompt of a secret: who will be sent it, or why another one is needed. */
export function secretPrompt(answers: Answers): string {
	const { before, baseUrl } = answers;
	return before !== undefined && isMoved(answers)
		? `The stored credential belongs to ${originOf(before.baseUrl)} and is not sent anywhere else`
		: `Kept in the editor's secret storage and sent to ${baseUrl} only`;
}

/** The choice of a preset, by which the address is known. */
export function profileField(service: ConnectionService, { sandbox }: { readonly sandbox: boolean }): OwnField {
	const choices = Object.entries(PRESETS[service])
		.filter(([name]) => sandbox || name !== "sandbox")
		.map(([value, { label, detail }]) => ({ label, detail, value }));
	return {
		name: "profile",
		async ask(answers, frame) {
			const current = typeof answers.profile === "string" && answers.baseUrl !== "" ? answers.profile : undefined;
			const answer = await askAmong({ ...frame, placeholder: `Which ${SERVICES[service].name}?` }, choices, current);
			if (typeof answer === "string" && answer !== answers.profile) {
				answers.profile = answer;
				const { baseUrl = "", tokensOnly } = presetOf(answers);
				answers.baseUrl = baseUrl;
				if (tokensOnly) answers.kind = "pat";
			}
			return answer;
		},
	};
}

/** Asks for one of some choices, with the present one chosen. */
function askAmong<T extends string>(
	frame: PromptFrame,
	choices: readonly Choice<T>[],
	current: string | undefined,
): Promise<Answer<T>> {
	return askChoice(
		frame,
		choices.map((each) => ({ ...each, active: each.value === current })),
	);
}

/** Example of an address, of the preset where there is one. */
function exampleOf(answers: Answers): string {
	const { baseUrl = "https://api.example.com", exampleBaseUrl = baseUrl } = presetOf(answers);
	return exampleBaseUrl;
}

/** The address. */
export const ADDRESS_FIELD: TextField = {
	name: "baseUrl",
	title: "Base URL",
	placeholder: (answers) => exampleOf(answers),
	prompt(answers) {
		const { service } = answers;
		const preset = presetOf(answers);
		const whose = preset === PRESETS[service]["custom"] ? `your ${SERVICES[service].name}` : preset.label;
		if (service === "codehost") return `Base URL of the API of ${whose}, such as ${exampleOf(answers)}`;
		return `Base URL of ${whose}${service === "petstore" ? `; the API is below it at ${contractProfile.basePath}` : ""}`;
	},
	said: "The base URL",
	schema: () => BASE_URL,
};

/** The label, which is asked for only when it is edited. */
export const LABEL_FIELD: TextField = {
	name: "label",
	title: "Name",
	placeholder: () => "Name",
	prompt: () => "Name of the connection",
	said: "The name",
	schema: () => trimmed(),
};

/** The question that asks for a field and keeps its answer; `isAsked` may leave it out. */
export function stepOf(field: Field, answers: Answers, isAsked: () => boolean = () => true): WizardStep<FieldName> {
	return {
		name: field.name,
		skip: () => !isAsked() || !isOfKind(field, answers) || field.when?.(answers) === false,
		ask: (frame) => ask(field, answers, frame),
	};
}

async function ask(field: Field, answers: Answers, frame: StepFrame): Promise<Answer<unknown>> {
	if ("ask" in field) return field.ask(answers, frame);
	if ("choices" in field) {
		const { name, placeholder, choices } = field;
		const answer = await askAmong({ ...frame, placeholder }, choices(answers), answers[name]);
		if (typeof answer === "string") answers[name] = answer;
		return answer;
	}
	const { name, isSecret, placeholder, prompt, schema, said, remark, help, file, checkLate } = field;
	const decode = (text: string) => parse(schema(answers), text, answers.service, said);
	const answer = await askText({
		...frame,
		placeholder: placeholder(answers),
		prompt: prompt(answers),
		value: answers[name],
		password: isSecret ?? false,
		help: help?.(presetOf(answers)),
		check: (text) => mistakeIn(() => decode(text)),
		...(remark && { remark: (text: string) => remark(text, answers) }),
		...{ file, checkLate: checkLate ?? false },
	});
	if (typeof answer === "string") answers[name] = decode(answer);
	return answer;
}

/** The mistake for which a text cannot be decoded, in one sentence; undefined when it can. */
export function mistakeIn(decode: () => unknown): string | undefined {
	try {
		decode();
		return undefined;
	} catch (error) {
		const isOfKey = error instanceof ClientError && error.service === "codehost";
		return isOfKey ? describeRefusal(error, "") : sentence(error instanceof Error ? error.message : String(error));
	}
}

/** True if a field is for the kind of credential of the answers. */
export function isOfKind({ kind }: Field, answers: Answers): boolean {
	return kind === undefined || kind === answers.kind;
}

/** Fields in which the secret is given; the first is the one to name in errors. */
export function secretsIn(form: Form, answers: Answers): readonly Field[] {
	return form.fields.filter((each) => "isSecret" in each && isOfKind(each, answers));
}

/** Reads the fields of an argument into the answers. Throws `invalid` for one that is wrong or belongs elsewhere. */
export function readFields(given: Fields, answers: Answers, form: Form): void {
	const { service } = answers;
	// The commands take none of the fields that only a person is asked for.
	const fields = [LABEL_FIELD, ADDRESS_FIELD, ...form.fields.filter((each) => isOfKind(each, answers))];
	const values = Object.entries(given).filter(
		([name, value]) => value !== undefined && value !== null && !["connection", "service", "profile"].includes(name),
	);
	const strange = values.find(([name]) => !fields.some((each) => each.name === name))?.[0];
	if (strange !== undefined)
		throw invalid(service, strange, `does not belong to this connection; use ${secretsIn(form, answers)[0]?.name}`);
	for (const field of fields) {
		const value = given[field.name] ?? undefined;
		if (value === undefined) continue;
		const { name } = field;
		if ("schema" in field) answers[field.name] = field.schema(answers).read(value, { service, field: name });
		else if ("choices" in field) answers[field.name] = String(value);
		else field.keep?.(answers, value);
		// An empty secret takes away what is stored.
		if (name === "apiKey" || name === "token") answers.kept = { ...answers.kept, [name]: undefined };
	}
}

/** Public side of the connection that the answers come to. Throws `invalid`. */
export function connectionDraftOf(answers: Answers, form: Form) {
	const { service, baseUrl, profile } = answers;
	return { service, label: answers.label || defaultLabel(answers), baseUrl, profile, ...form.partsOf(answers) };
}

/** Changed parts of a connection: those that the answers to some questions go into. Throws `invalid`. */
export function changeOf(answers: Answers, form: Form, names: readonly string[]): ConnectionChange {
	const draft: Readonly<Record<string, unknown>> = connectionDraftOf(answers, form);
	const asked = [LABEL_FIELD, ADDRESS_FIELD, ...form.fields].filter(({ name }) => names.includes(name));
	return Object.fromEntries(asked.map(({ name, part = name }) => [part, draft[part]]));
}
