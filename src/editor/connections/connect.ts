import type { InstallationListing } from "#api/codehost/model.ts";
import type { AccessToken } from "#api/petstore/credential.ts";
import { CODEHOST_PRESETS, type CodehostPreset } from "#app/connections/codehost-profiles.ts";
import { type Connection, type ConnectionService, originOf } from "#app/connections/connection.ts";
import { decodeBaseUrl } from "#app/connections/fields.ts";
import { MESSAGES_PRESETS, type MessagesPreset } from "#app/connections/messages-profiles.ts";
import { PETSTORE_PRESETS, type PetstorePreset } from "#app/connections/petstore-profiles.ts";
import type { PetstoreSecret } from "#app/petstore/secret.ts";
import type { Fields } from "../kit/arguments.ts";
import { type Answer, askChoice, askText, BACK, type Choice, type TextPrompt } from "../kit/prompts.ts";
import type { Step, StepFrame } from "../kit/wizard.ts";
import type { FindInstallations } from "./installations.ts";

/** Preset of any service. */
export type Preset = Pick<MessagesPreset, "label" | "detail" | "baseUrl"> &
	Partial<Omit<MessagesPreset, "headers"> & Omit<CodehostPreset, "profile"> & PetstorePreset>;

const PRESETS: Readonly<Record<ConnectionService, Readonly<Record<string, Preset>>>> = {
	messages: MESSAGES_PRESETS,
	codehost: CODEHOST_PRESETS,
	petstore: PETSTORE_PRESETS,
};

/** Answers that are texts. Secrets are as they were typed; an empty text stands for no answer. */
export interface TextAnswers {
	label: string;
	baseUrl: string;
	key: string;
	model: string;
	format: string;
	apiKey: string;
	token: string;
	how: string;
	authUrl: string;
	clientId: string;
	kind: string;
	appId: string;
	privateKey: string;
	passphrase: string;
	expiresAt: string;
}

/** Answers about a connection that is added, edited or given another secret, by a person or by an argument. */
export interface Answers extends TextAnswers {
	service: ConnectionService;
	/** Name of a preset, or an object of what differs. */
	profile: unknown;
	/** The connection that is changed; undefined for a new one. */
	readonly before: Connection | undefined;
	/** Parts of a pet store's stored secret that stay where no other is given. */
	kept: PetstoreSecret;
	installation: { readonly id: number; readonly account: string | null } | undefined;
	/** The installations that the service listed last. */
	installations: Pick<InstallationListing, "value" | "complete">;
	/** Token of a sign-in in the browser, and where it was made. */
	signedIn: { readonly at: string; readonly token: AccessToken } | undefined;
}

/** Answers before any question. */
export function noAnswers(service: ConnectionService, before?: Connection): Answers {
	return {
		...{ service, before, profile: "custom", label: "", baseUrl: "", key: "", model: "", format: "json", apiKey: "" },
		...{ token: "", how: "browser", authUrl: "", clientId: "", kind: "pat", appId: "", privateKey: "", passphrase: "" },
		...{ expiresAt: "", kept: {}, installation: undefined, signedIn: undefined },
		installations: { value: [], complete: true },
	};
}

/** Name of a question. */
export type FieldName = keyof TextAnswers | "service" | "profile" | "installation" | "signIn";

interface AnyField {
	readonly name: FieldName;
	/** True if it is asked, by default always. */
	readonly when?: (answers: Answers) => boolean;
	/** Name in the list of what can be edited. */
	readonly title?: string;
}

/** A field that is typed. */
export interface TextField extends AnyField, Pick<TextPrompt, "file" | "checkLate"> {
	readonly name: keyof TextAnswers;
	readonly isSecret?: boolean;
	readonly placeholder: (answers: Answers) => string;
	readonly prompt: (answers: Answers) => string;
	/** Reads what was typed. What it throws is shown below the box. */
	readonly decode: (text: string, answers: Answers) => string;
	readonly remark?: (text: string, answers: Answers) => string | undefined;
	readonly help?: (preset: Preset) => string | undefined;
}

/** A field that is chosen. */
export interface ChoiceField extends AnyField {
	readonly placeholder: string;
	readonly choices: (answers: Answers) => readonly Choice<string>[];
	readonly chosen: (answers: Answers) => string | undefined;
	readonly keep: (answers: Answers, value: string) => void;
}

/** A field with a dialog of its own. */
export interface OwnField extends AnyField {
	readonly ask: (answers: Answers, frame: StepFrame) => Promise<Answer<unknown>>;
}

/** A field of a connection: described once for adding, editing, replacing the secret and signing in. */
export type Field = TextField | ChoiceField | OwnField;

/** Fields of the connections to one service, and what their answers come to. */
export interface Form {
	/** Questions after the address, in their order. */
	readonly fields: readonly Field[];
	/** Names of the fields in which the secret is given; the first is the one to name in errors. */
	readonly secrets: (answers: Answers) => readonly [FieldName, ...FieldName[]];
	/** Names of the fields that can be edited beside label and address. */
	readonly editable: (answers: Answers) => readonly FieldName[];
	/** The secret as it is stored; undefined for none. Throws `invalid`. */
	readonly secretOf: (answers: Answers) => string | undefined;
	/** Parts of the connection that only this service has. Throws `invalid`. */
	readonly partsOf: (answers: Answers) => Readonly<Record<string, unknown>>;
	/** Reads the fields of an argument into the answers; all but label, address and profile. Throws `invalid`. */
	readonly read: (fields: Fields, answers: Answers) => void;
	/** The field to fix after an error, if it is not the address. */
	readonly fieldToFix: (error: unknown, answers: Answers) => FieldName | undefined;
	/** Words about why it was not taken. */
	readonly describe: (error: unknown, answers: Answers) => string;
}

/** Problem shown at the last question when the person has stopped the request to the service. */
export const STOPPED = "Stopped.";

/** The preset of the answers; for a profile that is written out, the custom one. */
export function presetOf({ service, profile }: Pick<Answers, "service" | "profile">): Preset {
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
		? `The stored secret belongs to ${originOf(before.baseUrl)} and is not sent anywhere else`
		: `Kept in the editor's secret storage and sent to ${baseUrl} only`;
}

/** Reads the address; errors name it as a person does. */
export function decodeAddress(text: string, { service }: Pick<Answers, "service">): string {
	return decodeBaseUrl(text, { service, field: "The base URL" });
}

const KINDS = { messages: "messages service", codehost: "code host", petstore: "pet store" } as const;

/** The choice of a preset, by which the address is known. */
export function profileField(service: ConnectionService, { sandbox }: { readonly sandbox: boolean }): ChoiceField {
	return {
		name: "profile",
		placeholder: `Which ${KINDS[service]}?`,
		choices: () =>
			Object.entries(PRESETS[service])
				.filter(([name]) => sandbox || name !== "sandbox")
				.map(([value, { label, detail }]) => ({ label, detail, value })),
		chosen: ({ profile, baseUrl }) => (typeof profile === "string" && baseUrl !== "" ? profile : undefined),
		keep(answers, value) {
			if (value === answers.profile) return;
			answers.profile = value;
			answers.baseUrl = presetOf(answers).baseUrl ?? "";
		},
	};
}

/** The address. */
export const ADDRESS_FIELD: TextField = {
	name: "baseUrl",
	title: "Base URL",
	placeholder: (answers) => presetOf(answers).exampleBaseUrl ?? "https://api.example.com",
	prompt(answers) {
		const { label, basePath, exampleBaseUrl } = presetOf(answers);
		if (answers.service === "codehost") return `Base URL of the API of ${label}, such as ${exampleBaseUrl}`;
		return `Base URL of ${label}${basePath === undefined ? "" : `; the API is below it at ${basePath}`}`;
	},
	decode: decodeAddress,
};

/** The label, which is asked for only when it is edited. */
export const LABEL_FIELD: TextField = {
	name: "label",
	title: "Name",
	placeholder: () => "Name",
	prompt: () => "Name of the connection",
	decode(text) {
		if (text.trim() === "") throw new Error("A connection needs a name");
		return text.trim();
	},
};

/** The question that asks for a field and keeps its answer; `isAsked` may leave it out. */
export function stepOf(field: Field, answers: Answers, isAsked: () => boolean = () => true): Step<FieldName> {
	return {
		name: field.name,
		skip: () => !isAsked() || field.when?.(answers) === false,
		ask: (frame) => ask(field, answers, frame),
	};
}

async function ask(field: Field, answers: Answers, frame: StepFrame): Promise<Answer<unknown>> {
	if ("ask" in field) return field.ask(answers, frame);
	if ("choices" in field) {
		const chosen = field.chosen(answers);
		const choices = field.choices(answers).map((each) => ({ ...each, active: each.value === chosen }));
		const answer = await askChoice({ ...frame, placeholder: field.placeholder }, choices);
		if (answer !== undefined && answer !== BACK) field.keep(answers, answer);
		return answer;
	}
	const { name, isSecret, placeholder, prompt, decode, remark, help, file, checkLate } = field;
	const answer = await askText({
		...frame,
		placeholder: placeholder(answers),
		prompt: prompt(answers),
		value: answers[name],
		password: isSecret ?? false,
		help: help?.(presetOf(answers)),
		check: (text) => mistakeIn(() => decode(text, answers)),
		...(remark && { remark: (text: string) => remark(text, answers) }),
		...{ file, checkLate: checkLate ?? false },
	});
	if (typeof answer === "string") answers[name] = decode(answer, answers);
	return answer;
}

function mistakeIn(decode: () => unknown): string | undefined {
	try {
		decode();
		return undefined;
	} catch (error) {
		if (!(error instanceof Error)) return String(error);
		return /[.!?]$/.test(error.message) ? error.message : `${error.message}.`;
	}
}

/** Rooms that the forms work with. */
export interface FormTools {
	readonly findInstallations: FindInstallations;
}
