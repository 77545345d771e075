import * as vscode from "vscode";
import type { LocalEngine } from "#app/checks/local-engines.ts";
import type { Connection, ConnectionService } from "#app/connections/connection.ts";
import { usualAddress } from "#app/connections/fields.ts";
import type { ConnectionRegistry, SaveOptions } from "#app/connections/registry.ts";
import { identityOf, SERVICE_IDS, SERVICES } from "#app/connections/services.ts";
import { ClientError } from "#base/errors.ts";
import { withoutIcons } from "../kit/plain.ts";
import { type Answer, askChoice, type Choice, choose, notify } from "../kit/prompts.ts";
import { plainLine } from "../kit/text.ts";
import { type StepFrame, type WizardStep, walk } from "../kit/wizard.ts";
import { describeRefusal } from "../words/show-error.ts";
import {
	type Answers,
	changeOf,
	connectionDraftOf,
	defaultLabel,
	type Field,
	type Form,
	type FormTools,
	isMoved,
	isOfKind,
	ofNewSecret,
	STOPPED,
	secretsIn,
	stepOf,
	textAnswer,
	waits,
} from "./connect.ts";
import { saveOrAsk } from "./manage-connections.ts";
import { confirmReadable } from "./notices.ts";
import { answersOf, CONNECTED_SERVICES, noAnswers } from "./services.ts";

/** Dependencies of the wizard that adds a connection. */
export interface AddTools extends Pick<FormTools, "findApi">, Required<Pick<FormTools, "findInstallations">> {
	readonly registry: ConnectionRegistry;
	/** Starts the built-in sandbox if it is not running; resolves to the ids of its connections. */
	readonly trySandbox: () => Promise<Readonly<Record<ConnectionService, string>>>;
	/** Finds the model servers of this machine. Never rejects. */
	readonly findEngines: () => Promise<readonly LocalEngine[]>;
}

/** Result of adding a connection; the login is that of a token's owner. */
export interface Added {
	readonly id: string;
	readonly login?: string;
	/** True if the person saved it unchecked because the service did not answer. */
	readonly unasked?: boolean;
	/** True for a server that was found on this machine, and of which nothing was asked. */
	readonly isFound?: boolean;
	/** Secrets, by their fields, that it still lacks for a part of the service. */
	readonly lacks?: readonly string[];
}

/**
 * Wizard that adds a connection, to the service `only` where it is given. A refusal leads back to the step to fix, with its
 * answer. `tokensOnly` offers neither apps nor the sandbox. Resolves to undefined if the person leaves.
 */
export async function addByPrompts(
	{ registry, trySandbox, findInstallations, findApi, findEngines }: AddTools,
	only?: ConnectionService,
	{ tokensOnly = false } = {},
): Promise<Added | undefined> {
	const tools = { findInstallations, findApi, tokensOnly };
	const services = only === undefined ? SERVICE_IDS : [only];
	// It has a value for each of the names.
	const all = Object.fromEntries(services.map((id) => [id, noAnswers(id, tools)])) as Record<
		ConnectionService,
		Answers
	>;
	let service = only ?? "messages";
	const current = () => ({ answers: all[service], form: CONNECTED_SERVICES[service].form });
	const placeStep: WizardStep = {
		name: "place",
		async ask(frame) {
			const known = registry.list("messages").map(({ baseUrl }) => usualAddress(baseUrl));
			const found = services.includes("messages") ? await findEngines() : [];
			const engines = found.filter(({ baseUrl }) => !known.includes(baseUrl));
			const place = await askPlace({ ...frame, hasSandbox: !tokensOnly }, services, engines);
			if (typeof place !== "object") return place;
			({ service } = place);
			const answers = all[service];
			// A secret that was typed for one service is never sent to another.
			if (answers.profile !== place.profile || place.isFound) Object.assign(answers, noAnswers(service, tools), place);
			return place;
		},
	};
	const steps = services.flatMap((each) => {
		const answers = all[each];
		const isAsked = () => service === each && answers.profile !== "sandbox";
		return CONNECTED_SERVICES[each].form.fields.map((field) => stepOf(field, answers, isAsked));
	});
	const added = await askAndSave<Added>({
		title: "Add Connection",
		back: "Edit Address",
		isNew: true,
		steps: [placeStep, ...steps],
		current,
		async save(options) {
			const { answers, form } = current();
			if (answers.profile === "sandbox") return { id: (await trySandbox())[service] };
			let lacks: readonly string[] = [];
			const onLacking = (names: typeof lacks) => {
				lacks = names;
			};
			const draft = connectionDraftOf(answers, form);
			const { id } = await registry.add(draft, form.secretOf(answers), { ...options, onLacking });
			return { id, lacks, isFound: answers.isFound, ...(options.unasked && { unasked: true }) };
		},
	});
	const { id, lacks = [] } = added ?? {};
	const typed = current().form.fields.filter(({ name, canWait }) => canWait !== undefined && lacks.includes(name));
	const names = typed.map(({ name }) => name);
	if (id === undefined || names.length === 0) return added;
	const isGiven = await replaceSecretByPrompt(registry.require(id), registry, names);
	return { ...added, id, lacks: isGiven ? lacks.filter((name) => !names.includes(name)) : lacks };
}

/** Answer to the first question about a new connection. */
type Place = Pick<Answers, "service" | "profile" | "baseUrl" | "isFound">;

/** Asks what to connect to: an engine that runs on this machine, a preset of the services, or the sandbox. */
async function askPlace(
	{ hasSandbox, ...frame }: StepFrame & { readonly hasSandbox: boolean },
	services: readonly ConnectionService[],
	engines: readonly LocalEngine[],
): Promise<Answer<Place | undefined>> {
	const heading = (label: string) => ({ label, kind: vscode.QuickPickItemKind.Separator, value: undefined });
	const found = engines.map(({ label, models, ...engine }): Choice<Place> => {
		const count = models === 1 ? "1 model" : `${models === 0 ? "no" : models} models`;
		const value = { ...engine, service: "messages", isFound: true } as const;
		return { label: `${label}: ${count}`, detail: `Runs at ${engine.baseUrl}`, value };
	});
	const groups = services.map((service) => {
		const rows = Object.entries(SERVICES[service].presets).map(([profile, preset]): Choice<Place> => {
			const { label, baseUrl = "", detail = baseUrl } = preset;
			return { label, detail, value: { service, profile, baseUrl, isFound: false } };
		});
		return [heading(CONNECTED_SERVICES[service].heading), ...rows.filter(({ value }) => value.profile !== "sandbox")];
	});
	const [service = "messages"] = services;
	const { label, detail = "" } = SERVICES.messages.presets["sandbox"] ?? { label: "" };
	const trial = { label, detail, value: { service, profile: "sandbox", baseUrl: "", isFound: false } };
	return askChoice<Place | undefined>({ ...frame, placeholder: "Which service?" }, [
		...(found.length > 0 ? [heading("On This Machine"), ...found] : []),
		...groups.flat(),
		...(hasSandbox ? [heading("To Try"), trial] : []),
	]);
}

/** Wizard that changes one field, `named` or chosen; another origin asks for the secret too, which is bound to its own. */
export async function editByPrompts(
	connection: Connection,
	registry: ConnectionRegistry,
	tools?: FormTools,
	named?: unknown,
): Promise<{ id: string } | undefined> {
	const { id, label } = connection;
	const title = `Edit ${label}`;
	const { answers, form } = await answersOf(connection, registry, tools);
	const choices = form.fields.flatMap((value) => {
		const { title: label, name } = value;
		if (label === undefined || !isOfKind(value, answers)) return [];
		const present = value.present?.(answers) ?? (textAnswer(answers, name) || "not known");
		return [{ label, description: withoutIcons(present), value }];
	});
	const frame = { title, placeholder: "What do you want to change?" };
	const field = form.fields.find(({ name }) => name === named) ?? (await choose<Field>(frame, choices));
	if (field === undefined) return undefined;
	await form.prepare?.(answers, field.name);
	const isAddress = field.name === "baseUrl";
	const edited = await askAndSave({
		title,
		back: "Edit Again",
		steps: [
			stepOf(field, answers),
			// The secret is asked for when another address is given.
			...(isAddress ? secretSteps(form, answers, () => isMoved(answers)) : []),
		],
		current: () => ({ answers, form }),
		save(options) {
			if (!isMoved(answers)) return registry.edit(id, changeOf(answers, form, [field.name]), options);
			const names = [field.name, ...secretsIn(form, answers).map(({ name }) => name)];
			const change = changeOf(ofNewSecret(answers, form), form, names);
			return registry.edit(id, change, { ...options, secret: form.secretOf(answers) });
		},
	});
	return edited && { id };
}

/**
 * Prompts for a new secret, or the part that a new connection lacks, until the service takes it or the person leaves. With
 * `isOnly` it rejects with an error that another secret does not fix.
 */
export async function replaceSecretByPrompt(
	connection: Connection,
	registry: ConnectionRegistry,
	lacks?: readonly string[],
	{ isOnly = false } = {},
): Promise<boolean> {
	const { id, label } = connection;
	const { answers, form, held } = await answersOf(connection, registry);
	const words =
		held.closed === "signed-out" ? `Sign In to ${label}` : `Replace the ${form.secretName(answers)} of ${label}`;
	const replaced = await askAndSave({
		title: lacks === undefined ? words : `${label} Needs an API Key`,
		back: "Enter Another",
		steps: secretSteps(form, answers).filter(({ name }) => lacks?.includes(name) ?? true),
		current: () => ({ answers, form }),
		// The destination of a first secret was not confirmed yet.
		isNew: held.closed === "signed-out" || held.closed === "lost",
		isOnly,
		async save(options) {
			const secret = form.secretOf(answers);
			return secret === undefined ? connection : registry.replaceSecret(id, secret, options);
		},
	});
	if (replaced === undefined || replaced === connection) return false;
	const [was, is] = [connection, replaced].map((each) => plainLine(identityOf(each).holder));
	// A secret of another owner may have been copied from the wrong place.
	if (was !== "" && is !== "" && was !== is) {
		const words = `${label} is now used as ${is} instead of ${was}. Replace the credential again to go back.`;
		void notify("Information", words);
	}
	return true;
}

/** Questions about a connection, and the call that saves the answers. */
interface Questions<T> {
	readonly title: string;
	readonly steps: readonly WizardStep[];
	/** Label of the choice that returns to the answers. */
	readonly back: string;
	/** True if no secret is stored yet, so that its destination was never confirmed. */
	readonly isNew?: boolean;
	/** True to end with an error that no answer fixes. */
	readonly isOnly?: boolean;
	readonly current: () => { readonly answers: Answers; readonly form: Form };
	readonly save: (options: SaveOptions) => Promise<T>;
}

async function askAndSave<T>(questions: Questions<T>): Promise<T | undefined> {
	const { title, steps, back, isNew = false, isOnly = false, current, save } = questions;
	let confirmed = "";
	return walk<T>({
		title,
		steps,
		isOpenEnded: true,
		stopped: STOPPED,
		async finish() {
			const { answers, form } = current();
			const { service, baseUrl } = answers;
			if ((isNew || isMoved(answers)) && baseUrl !== confirmed) {
				const secret = form.secretOf(answers);
				await confirmReadable(baseUrl, { service, secret });
				// Without a secret there was nothing to confirm.
				if (secret !== undefined) confirmed = baseUrl;
			}
			return saveOrAsk({ service, label: defaultLabel(answers), baseUrl, title, back }, save);
		},
		stepToFix(error) {
			const { answers, form } = current();
			const isOurs = error instanceof ClientError;
			const own = isOurs ? form.fieldToFix(error, answers) : undefined;
			if (isOnly && own === undefined) throw error;
			const step = own ?? "baseUrl";
			const field = form.fields.find(({ name }) => name === step);
			const isFirst = step !== "baseUrl" && field !== undefined && waits(field, answers);
			answers.refused.add(step);
			// What was not asked yet is no mistake.
			if (isFirst) return { step, problem: undefined };
			const words = isOurs ? form.words?.(error, answers) : undefined;
			return { step, problem: words ?? describeRefusal(error, defaultLabel(answers)) };
		},
	});
}

function secretSteps(form: Form, answers: Answers, isAsked?: () => boolean): readonly WizardStep[] {
	return secretsIn(form, answers).map((field) => stepOf(field, answers, isAsked));
}
