import type { InstallationListing } from "#api/codehost/model.ts";
import type { AppDraft } from "#app/codehost/clients.ts";
import {
	type CodehostConnection,
	type Connection,
	type ConnectionService,
	LABEL,
	originOf,
} from "#app/connections/connection.ts";
import { isThisMachine, type Preset, usualAddress } from "#app/connections/fields.ts";
import type { Asking } from "#app/connections/probe-result.ts";
import type { ConnectionChange } from "#app/connections/registry.ts";
import { SERVICES } from "#app/connections/services.ts";
import type { Held } from "#app/connections/vault.ts";
import { ClientError, invalid } from "#base/errors.ts";
import { parse, type Schema } from "#base/schema.ts";
import { sentence } from "../kit/error-words.ts";
import { type Answer, askChoice, askText, type Choice, type TextPrompt } from "../kit/prompts.ts";
import type { Fields } from "../kit/rows.ts";
import type { StepFrame, WizardStep } from "../kit/wizard.ts";
import { describeRefusal } from "../words/show-error.ts";

/** Answers of a wizard or an argument; each form adds its own. Text is as typed, and empty text means none. */
export interface Answers {
	readonly service: ConnectionService;
	label: string;
	baseUrl: string;
	/** Name of a preset, or an object of what differs. */
	profile: unknown;
	/** Kind of credential, where a service has several. */
	kind?: string;
	/** The connection that is changed; undefined for a new one. */
	readonly before: Connection | undefined;
	/** True if the service was found on this machine. */
	isFound: boolean;
	/** Names of the fields without which the service refused a new connection. */
	readonly refused: Set<string>;
}

/** Dependencies and options of a form. */
export interface FormTools {
	/** Lists the installations of an app before it is a connection; `secret` holds its key. Rejects with ClientError. */
	readonly findInstallations?: (
		draft: AppDraft,
		options: Asking & { readonly secret: string },
	) => Promise<InstallationListing>;
	/** Finds the base URL of the API of a code host, given that of its pages. Rejects with ClientError. */
	readonly findApi?:
		| ((draft: Pick<CodehostConnection, "baseUrl" | "profile">, signal: AbortSignal) => Promise<string>)
		| undefined;
	/** True to offer only tokens: an app cannot be an account of the editor. */
	readonly tokensOnly?: boolean;
}

interface AnyField<A extends Answers> {
	/** Name of the answer, and of the field in an argument. */
	readonly name: string;
	/** Kind of credential that it belongs to; absent for all. */
	readonly kind?: string;
	/** True if it is asked, by default always. */
	when?(answers: A): boolean;
	/** True if a new connection may do without it: it is asked only once the service refused. */
	canWait?(answers: A): boolean;
	/** Name in the list of what can be edited. */
	readonly title?: string;
	/** Present value in that list, by default the answer. */
	present?(answers: A): string;
	/** Part of the connection that the answer goes into; by default one of its own name. */
	readonly part?: "profile" | "credential" | "limits";
	readonly schema?: Schema<unknown>;
	/** Use in an argument; `once` is needed to add and refused later. Absent for interactive fields. */
	readonly given?: "needed" | "optional" | "once";
	/** True for a fact about the secret, which is forgotten with it. */
	readonly isOfSecret?: true;
}

/** A field that is typed. */
export interface TextField<A extends Answers = Answers> extends AnyField<A>, Pick<TextPrompt, "file" | "checkLate"> {
	readonly isSecret?: true;
	placeholder(answers: A): string;
	prompt(answers: A): string;
	/** Subject of a sentence about a mistake in it. */
	readonly said: string;
	readonly schema: Schema<string>;
	/** Rule that the answer breaks in view of the others; undefined for none. */
	check?(text: string, answers: A): string | undefined;
	help?(answers: A): string | undefined;
	/** Asks the service about the answer, and may complete it; `wizard` is the title of its questions. Rejects with ClientError. */
	settle?(answers: A, wizard?: string): Promise<void>;
}

interface ChoiceField<A extends Answers> extends AnyField<A> {
	readonly placeholder: string;
	choices(answers: A): readonly Choice<string>[];
}

/** A field with a dialog of its own. */
export interface OwnField<A extends Answers = Answers> extends AnyField<A> {
	/** Takes the answer from an argument. */
	keep?(answers: A, value: unknown): void;
	ask(answers: A, frame: StepFrame): Promise<Answer<unknown>>;
}

/** Field of a connection, shared by adding, editing, replacing the secret and signing in. */
export type Field<A extends Answers = Answers> = TextField<A> | ChoiceField<A> | OwnField<A>;

/** Fields of the connections to one service, and the connection that their answers make. */
export interface Form<A extends Answers = Answers> {
	/** Initial answers: empty, or those of a connection and its stored secret. */
	own(
		before: A["before"],
		held: Held | undefined,
		tools: FormTools,
	): Omit<A, Exclude<keyof Answers, "before" | "kind">>;
	/** Fields in the order of their questions. */
	readonly fields: readonly Field<A>[];
	/** Name of the secret in a title. */
	secretName(answers: A): string;
	/** The secret as it is stored; undefined for none. Throws `invalid`. */
	secretOf(answers: A): string | undefined;
	/** Parts of the connection that only this service has. Throws `invalid`. */
	partsOf(answers: A): Readonly<Record<string, unknown>>;
	/** The field to fix after an error, if it is not the address. */
	fieldToFix(error: ClientError, answers: A): string | undefined;
	/** Words for a refusal that need what was entered; undefined to use those of any failure. */
	words?(error: ClientError, answers: A): string | undefined;
	/** Asks the service for the choices of a field before it is edited. */
	prepare?(answers: A, field: string): Promise<void>;
	/** Sets the answers that depend on which fields an argument has. Throws `invalid` for a wrong combination. */
	begin?(answers: A, given: Fields): void;
	/** Fills in what an argument leaves out by asking the service. */
	complete?(answers: A): Promise<void>;
}

/** Problem at the last question after the person stopped the request to the service. */
export const STOPPED = "Stopped.";

/** The preset of the answers; the custom one for a profile that is written out. */
export function presetOf({ service, profile }: Pick<Answers, "service" | "profile">): Preset {
	const { presets } = SERVICES[service];
	const name = typeof profile === "string" && Object.hasOwn(presets, profile) ? profile : "custom";
	return presets[name] ?? { label: "" };
}

/** Default label: the preset's, and with its host a service at another address than the preset's. */
export function defaultLabel(answers: Answers): string {
	const { before, kind, baseUrl } = answers;
	if (before !== undefined) return before.label;
	const preset = presetOf(answers);
	const isUsual = [preset.baseUrl, preset.otherBaseUrl].includes(usualAddress(baseUrl));
	const name = isUsual ? preset.label : `${preset.shortLabel ?? preset.label} on ${URL.parse(baseUrl)?.host}`;
	return answers.label || (kind === "app" ? `${name} app` : name);
}

/** True if the address has another origin than the stored secret, which is not sent there. */
export function isMoved({ before, baseUrl }: Answers): boolean {
	return before !== undefined && originOf(baseUrl) !== originOf(before.baseUrl);
}

/** Prompt of a secret: its destination, or why a new one is needed. */
export function secretPrompt(answers: Answers): string {
	const { before, baseUrl } = answers;
	return before !== undefined && isMoved(answers)
		? `The stored credential belongs to ${originOf(before.baseUrl)} and is not sent anywhere else`
		: `Kept in the editor's secret storage and sent to ${originOf(baseUrl)} only`;
}

/** Field of the address. */
export function addressField(service: ConnectionService): TextField {
	const { name, presets, schema } = SERVICES[service];
	return {
		name: "baseUrl",
		title: "Base URL",
		placeholder(answers) {
			const { baseUrl = "https://api.example.com", exampleBaseUrl = baseUrl } = presetOf(answers);
			return exampleBaseUrl;
		},
		prompt(answers) {
			const preset = presetOf(answers);
			return `Address of ${preset === presets["custom"] ? `your ${name}` : preset.label}`;
		},
		said: "The base URL",
		schema: schema.fields.baseUrl,
		given: "needed",
		canWait(answers) {
			const { baseUrl } = presetOf(answers);
			return answers.isFound || (baseUrl !== undefined && !isThisMachine(new URL(baseUrl)));
		},
	};
}

/** Field of the label, asked for only in an edit. */
export const LABEL_FIELD: TextField = {
	name: "label",
	title: "Name",
	when: ({ before }) => before !== undefined,
	placeholder: () => "Name",
	prompt: () => "Name of the connection",
	said: "The name",
	schema: LABEL,
	given: "needed",
};

/** Wizard step that asks for a field and keeps its answer. */
export function stepOf(field: Field, answers: Answers, isAsked: () => boolean = () => true): WizardStep {
	return {
		name: field.name,
		skip: () => !isAsked() || !isOfKind(field, answers) || field.when?.(answers) === false || waits(field, answers),
		ask: (frame) => ask(field, answers, frame),
	};
}

/** True if a question about a new connection waits for the service to refuse without its answer. */
export function waits(field: Field, answers: Answers): boolean {
	const isAsked = answers.before !== undefined || answers.refused.has(field.name) || field.when?.(answers) === false;
	return !isAsked && field.canWait?.(answers) === true;
}

/** Answer to a question that is typed or chosen. */
export function textAnswer(answers: Answers, name: string): string {
	const text: unknown = Reflect.get(answers, name);
	return typeof text === "string" ? text : "";
}

async function ask(field: Field, answers: Answers, frame: StepFrame): Promise<Answer<unknown>> {
	if ("ask" in field) return field.ask(answers, frame);
	const { name } = field;
	const value = textAnswer(answers, name);
	if ("choices" in field) {
		const choices = field.choices(answers).map((each) => ({ ...each, active: each.value === value }));
		const answer = await askChoice({ ...frame, placeholder: field.placeholder }, choices);
		if (typeof answer === "string") Object.assign(answers, { [name]: answer });
		return answer;
	}
	const { isSecret, schema, said, file, checkLate } = field;
	const decode = (typed: string) => {
		const text = parse(schema, typed, answers.service, said);
		checkAnswer(field, text, answers, said);
		return text;
	};
	const answer = await askText({
		...frame,
		placeholder: field.placeholder(answers),
		prompt: field.prompt(answers),
		value,
		password: isSecret ?? false,
		help: field.help?.(answers),
		check: (text) => mistakeIn(() => decode(text), said),
		file,
		checkLate: checkLate ?? false,
	});
	if (typeof answer === "string") {
		Object.assign(answers, { [name]: decode(answer) });
		try {
			await field.settle?.(answers, frame.title);
		} catch (error) {
			if (!(error instanceof ClientError && error.reason === "stopped")) throw error;
			return ask(field, answers, { ...frame, problem: STOPPED });
		}
	}
	return answer;
}

function checkAnswer(field: TextField, text: string, answers: Answers, name: string): void {
	const mistake = field.check?.(text, answers);
	if (mistake !== undefined) throw invalid(answers.service, name, mistake);
}

/** Mistake in a text, in one sentence. An error with another field than `said` is about a part of it, such as a key. */
export function mistakeIn(decode: () => unknown, said?: string): string | undefined {
	try {
		decode();
		return undefined;
	} catch (error) {
		const isOfPart = error instanceof ClientError && error.field !== said;
		return isOfPart ? describeRefusal(error, "") : sentence(error instanceof Error ? error.message : String(error));
	}
}

/** True if a field is for the kind of credential of the answers. */
export function isOfKind({ kind }: Pick<Field, "kind">, answers: Answers): boolean {
	return kind === undefined || kind === answers.kind;
}

/** Fields in which the secret is given; the first is the one to name in errors. */
export function secretsIn(form: Form, answers: Answers): readonly Field[] {
	return form.fields.filter((each) => "isSecret" in each && each.given !== undefined && isOfKind(each, answers));
}

/** Applies the parsed fields of an argument. Throws `invalid` for one that belongs elsewhere. */
export function takeFields(given: Fields, answers: Answers, form: Form): void {
	const { service } = answers;
	form.begin?.(answers, given);
	const fields = form.fields.filter((each) => each.given !== undefined && isOfKind(each, answers));
	const values = Object.entries(given).filter(
		([name, value]) => value !== undefined && value !== null && !["connection", "service", "profile"].includes(name),
	);
	const strange = values.find(([name]) => !fields.some((each) => each.name === name))?.[0];
	if (strange !== undefined)
		throw invalid(service, strange, `does not belong to this connection; use ${secretsIn(form, answers)[0]?.name}`);
	for (const field of fields) {
		const { name } = field;
		const value = given[name] ?? undefined;
		if (value === undefined) continue;
		if ("keep" in field) field.keep?.(answers, value);
		else Object.assign(answers, { [name]: value });
		if ("prompt" in field) checkAnswer(field, String(value), answers, name);
	}
}

/** Public part of the connection that the answers describe. Throws `invalid`. */
export function connectionDraftOf(answers: Answers, form: Form) {
	const { service, baseUrl, profile } = answers;
	return { service, label: answers.label || defaultLabel(answers), baseUrl, profile, ...form.partsOf(answers) };
}

/** Parts of the connection that the named answers change. Throws `invalid`. */
export function changeOf(answers: Answers, form: Form, names: readonly string[]): ConnectionChange {
	const draft: Readonly<Record<string, unknown>> = connectionDraftOf(answers, form);
	const asked = form.fields.filter(({ name }) => names.includes(name));
	return Object.fromEntries(asked.map(({ name, part = name }) => [part, draft[part]]));
}

/** Answers without facts about the old secret, such as its expiry, unless they are given anew. */
export function ofNewSecret(answers: Answers, form: Form, said: Fields = {}): Answers {
	const old = form.fields.filter(({ isOfSecret, name }) => isOfSecret === true && said[name] === undefined);
	return Object.assign({ ...answers }, Object.fromEntries(old.map(({ name }) => [name, ""])));
}
