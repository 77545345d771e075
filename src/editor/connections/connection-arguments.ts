import type { Installation, InstallationListing } from "#api/codehost/model.ts";
import type { Connection, ConnectionService } from "#app/connections/connection.ts";
import type { ConnectionRegistry } from "#app/connections/registry.ts";
import { invalid } from "#base/errors.ts";
import type { Fields } from "../kit/rows.ts";
import { plainLine } from "../kit/text.ts";
import { type Added, type AddTools, answersOf, formOf } from "./ask-connection.ts";
import { changeOf, connectionDraftOf, isMoved, noAnswers, presetOf, readFields, secretsIn } from "./connect.ts";
import { codehostProfile, kindIn, namingApp } from "./connect-codehost.ts";

/** Adds a connection as the argument says. Throws `invalid` naming the field, or the service's refusal. */
export async function addFromArgument(service: ConnectionService, fields: Fields, tools: AddTools): Promise<Added> {
	const form = formOf(service, tools.findInstallations);
	const answers = noAnswers(service);
	const { profile = "custom" } = fields;
	Object.assign(answers, { profile, how: fields["token"] ? "token" : "none" });
	if (service === "codehost") answers.kind = kindIn(fields);
	readFields({ ...fields, baseUrl: fields["baseUrl"] ?? presetOf(answers).baseUrl ?? "" }, answers, form);
	const { label, baseUrl, appId } = answers;
	if (answers.kind === "app" && appId === "") throw invalid(service, "appId", "is missing");
	const secret = form.secretOf(answers);
	try {
		if (answers.kind === "app" && answers.installationId === undefined) {
			const app = { label, baseUrl, profile: codehostProfile(answers), appId };
			answers.installationId = onlyInstallation(await tools.findInstallations(app, { secret: secret ?? "" }));
		}
		const added = await tools.registry.add({ ...connectionDraftOf(answers, form), label }, secret);
		const login = added.service === "codehost" && added.credential.kind === "pat" ? added.credential.login : undefined;
		return login === undefined ? { id: added.id } : { id: added.id, login };
	} catch (error) {
		throw namingApp(error, answers);
	}
}

/** Changes a connection as the argument says; with `replaces` it must bring a secret. */
export async function editFromArgument(
	connection: Connection,
	fields: Fields,
	registry: ConnectionRegistry,
	{ replaces = false } = {},
): Promise<{ id: string }> {
	const { id, service } = connection;
	const { answers, form, stored } = await answersOf(connection, registry);
	const secrets = secretsIn(form, answers).map(({ name }) => name);
	const [first = "key"] = secrets;
	const given = secrets.find((name) => fields[name] !== undefined);
	readFields(fields, answers, form);
	if (isMoved(answers)) answers.kept = {};
	const secret = given === undefined ? undefined : form.secretOf(answers);
	if (given !== undefined && secret === undefined) {
		throw invalid(service, given, "must not be empty: nothing would be left");
	}
	if (secret === undefined && service === "codehost" && isMoved(answers)) {
		const rule = `is missing: the stored one belongs to ${new URL(connection.baseUrl).origin} and is not sent anywhere else`;
		throw invalid(service, first, rule);
	}
	if (secret === undefined && replaces) throw invalid(service, first, "is missing");
	const isOther = secret !== undefined && (replaces || secret !== stored);
	// The expiry date of the old token is not that of another one.
	if (isOther && fields["expiresAt"] === undefined) answers.expiresAt = "";
	const { profile } = fields;
	const change = { ...changeOf(answers, form, Object.keys(fields)), ...(profile !== undefined && { profile }) };
	await registry.edit(id, change, { secret }).catch((error: unknown) => {
		throw secret === undefined ? error : namingApp(error, answers);
	});
	return { id };
}

/** The installation to use where none was named: the only one that can be used. Throws `invalid` naming them all. */
function onlyInstallation({ value, complete }: InstallationListing): Installation {
	const usable = value.filter(({ suspended }) => !suspended);
	const [only] = usable;
	if (only !== undefined && usable.length === 1 && complete) return only;
	const list = usable.map(({ id, account }) => `${id} (${plainLine(account, "unknown account")})`).join(", ");
	const rule = list === "" ? "cannot be found: the app has none that can be used" : `is missing; use one of ${list}`;
	const doubt = complete ? "" : "; the service's list is not complete";
	throw invalid("codehost", "installationId", rule + doubt);
}
