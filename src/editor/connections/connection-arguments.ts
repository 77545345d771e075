import type { Connection, ConnectionService } from "#app/connections/connection.ts";
import type { ConnectionRegistry } from "#app/connections/registry.ts";
import { identityOf, SERVICES } from "#app/connections/services.ts";
import { ClientError, invalid } from "#base/errors.ts";
import { type OptionalField, optional, type SchemaFields } from "#base/schema.ts";
import type { Fields } from "../kit/rows.ts";
import type { Added, AddTools } from "./ask-connection.ts";
import {
	type Answers,
	changeOf,
	connectionDraftOf,
	type Field,
	type Form,
	isMoved,
	ofNewSecret,
	presetOf,
	secretsIn,
	takeFields,
} from "./connect.ts";
import { answersOf, CONNECTED_SERVICES, noAnswers } from "./services.ts";

/** Purpose of an argument about a connection. */
type Use = "add" | "edit" | "replace";

/** Fields of a form that an argument may have for some use. */
function fieldsFor(use: Use, service: ConnectionService): readonly Field[] {
	return CONNECTED_SERVICES[service].form.fields.filter((field) => {
		if (field.given === undefined || (field.given === "once" && use !== "add")) return false;
		return use !== "replace" || "isSecret" in field || field.isOfSecret === true;
	});
}

/** Fields of an argument, parsed by the form of the connection's service, and its forms in the reference. */
export function argumentFor<F extends SchemaFields>(use: Use, own: F, services: readonly ConnectionService[]) {
	const fields = services.flatMap((service) => fieldsFor(use, service));
	const names = [...fields.map(({ name }) => name), ...(use === "replace" ? [] : ["profile"])];
	const input: Readonly<Record<string, OptionalField<unknown>>> = Object.fromEntries(
		names.map((name) => [name, optional(byService(name))]),
	);
	const takes = services.flatMap((service) =>
		formsFor(use, service).map((form) => [
			...Object.keys(own).map((name) => (name === "service" ? `service: "${service}"` : name)),
			...form,
		]),
	);
	return { input: { ...input, ...own }, takes: takes.map((form) => `{${form.join(", ")}}`) };
}

/** Forms of an argument in the notation of the reference. */
function formsFor(use: Use, service: ConnectionService): readonly (readonly string[])[] {
	const fields = fieldsFor(use, service);
	const kinds = new Set(fields.flatMap(({ kind }) => kind ?? []));
	return (kinds.size === 0 ? [undefined] : [...kinds]).map((own) => {
		const names = fields
			.filter(({ kind }) => kind === undefined || kind === own)
			.map(({ name, given }, _, all) => {
				const isNeeded = use !== "edit" && (given !== "optional" || (use === "replace" && all.length === 1));
				return isNeeded ? name : `${name}?`;
			});
		return use === "replace" ? names : names.toSpliced(2, 0, "profile?");
	});
}

/** Schema of an argument's field for the service of its connection; unknown fields are refused later. */
function byService(name: string): OptionalField<unknown> {
	return optional({
		json: {},
		read(value, place) {
			const { form } = CONNECTED_SERVICES[place.service];
			const { profile } = SERVICES[place.service].schema.fields;
			const schema = name === "profile" ? profile : form.fields.find((field) => field.name === name)?.schema;
			return schema === undefined ? value : schema.read(value, place);
		},
	});
}

/** Adds a connection as the argument says. Throws `invalid` naming the field, or the service's refusal. */
export async function addFromArgument(service: ConnectionService, fields: Fields, tools: AddTools): Promise<Added> {
	const { form } = CONNECTED_SERVICES[service];
	const answers = noAnswers(service, tools);
	answers.profile = fields["profile"] ?? "custom";
	const baseUrl = fields["baseUrl"] ?? presetOf(answers).baseUrl;
	if (baseUrl === undefined) throw invalid(service, "baseUrl", "is missing");
	takeFields({ ...fields, baseUrl }, answers, form);
	const { label } = answers;
	const address = form.fields.find(({ name }) => name === "baseUrl");
	const { apiPath = "" } = presetOf(answers);
	try {
		if (address !== undefined && "settle" in address && !answers.baseUrl.endsWith(apiPath))
			await address.settle?.(answers);
		await form.complete?.(answers);
		const added = await tools.registry.add({ ...connectionDraftOf(answers, form), label }, form.secretOf(answers));
		const { kind, holder } = identityOf(added);
		return kind !== "pat" || holder === undefined ? { id: added.id } : { id: added.id, login: holder };
	} catch (error) {
		throw inWords(error, answers, form);
	}
}

/** Error in the form's own words, where it has some: no view shows a key that was in an argument. */
function inWords(error: unknown, answers: Answers, form: Form): unknown {
	const words = error instanceof ClientError ? form.words?.(error, answers) : undefined;
	if (!(error instanceof ClientError) || words === undefined) return error;
	return new ClientError(answers.service, error.code, words, { reason: error.reason, cause: error });
}

/** Changes a connection as the argument says; with `replaces` it must bring a secret. */
export async function editFromArgument(
	connection: Connection,
	fields: Fields,
	registry: ConnectionRegistry,
	{ replaces = false } = {},
): Promise<{ id: string }> {
	const { id, service } = connection;
	const { answers, form, held } = await answersOf(connection, registry);
	const secrets = secretsIn(form, answers).map(({ name }) => name);
	const [first = "key"] = secrets;
	const given = secrets.find((name) => fields[name] !== undefined);
	takeFields(fields, answers, form);
	const secret = given === undefined ? undefined : form.secretOf(answers);
	if (given !== undefined && secret === undefined) {
		throw invalid(service, given, "must not be empty: nothing would be left");
	}
	if (secret === undefined && SERVICES[service].needsSecret && isMoved(answers)) {
		const rule = `is missing: the stored one belongs to ${new URL(connection.baseUrl).origin} and is not sent anywhere else`;
		throw invalid(service, first, rule);
	}
	if (secret === undefined && replaces) throw invalid(service, first, "is missing");
	const isOther = secret !== undefined && (replaces || secret !== held.secret);
	const said = isOther ? ofNewSecret(answers, form, fields) : answers;
	const { profile } = fields;
	const change = { ...changeOf(said, form, Object.keys(fields)), ...(profile !== undefined && { profile }) };
	await registry.edit(id, change, { secret }).catch((error: unknown) => {
		throw secret === undefined ? error : inWords(error, answers, form);
	});
	return { id };
}
