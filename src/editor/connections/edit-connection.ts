import {
	type CodehostCredential,
	type Connection,
	type ConnectionService,
	decodeComingExpiry,
	originOf,
} from "#app/connections/connection.ts";
import { decodeBaseUrl } from "#app/connections/fields.ts";
import { signInTargetOf } from "#app/connections/petstore-profiles.ts";
import type { ConnectionChange, ConnectionRegistry } from "#app/connections/registry.ts";
import { undated } from "#app/connections/told.ts";
import { ClientError, invalid } from "#base/errors.ts";
import { type Fields, optionalText, requiredText } from "../arguments.ts";
import { plainLine } from "../kit/text.ts";
import { withoutIcons } from "../plain.ts";
import { askChoice, askText, BACK } from "../prompts.ts";
import { describeRefusal, showError } from "../report.ts";
import { FORMAT_CHOICES } from "./add-petstore.ts";
import { endOf, STOPPED } from "./answers.ts";
import { editInstallation } from "./edit-installation.ts";
import type { FindInstallations } from "./installations.ts";
import { confirmReadable } from "./notices.ts";
import { saveOrAsk } from "./save-anyway.ts";
import {
	askNewExpiry,
	askSecret,
	refusalIn,
	refusalOf,
	secretFieldsOf,
	secretIn,
	shownAgain,
} from "./secret-prompts.ts";
import { askExpiryDate } from "./token-steps.ts";

/** The services that what only one of them has belongs to. */
const OWNERS: Readonly<Record<string, ConnectionService>> = { model: "messages", format: "petstore" };

/** Changes a connection as the argument says. */
export async function editFromArgument(fields: Fields, registry: ConnectionRegistry): Promise<{ id: string }> {
	const connection = registry.require(requiredText(fields, "connection"));
	const change: Record<string, unknown> = {};
	for (const name of ["label", "baseUrl", "model", "format"]) {
		const text = optionalText(fields, name);
		if (text === undefined) continue;
		const owner = OWNERS[name] ?? connection.service;
		if (owner !== connection.service) throw invalid(connection.service, name, `belongs to a ${owner} connection`);
		change[name] = text;
	}
	if (fields["profile"] !== undefined) change["profile"] = fields["profile"];
	if (connection.service === "codehost") {
		const credential = editedCredential(connection.credential, fields);
		if (credential !== undefined) change["credential"] = credential;
	}
	const stored = await storedFor(connection, { registry, change });
	const secret = secretIn(fields, connection, { stored });
	if (secret !== undefined && secret !== stored && connection.service === "codehost") {
		// What was said of the end of the old token is not true of another.
		change["credential"] ??= undated(connection.credential);
	}
	if (connection.service === "codehost" && secret === undefined && leadsElsewhere(connection, change)) {
		const [field] = secretFieldsOf(connection);
		const rule = `is missing: the stored one belongs to ${originOf(connection.baseUrl)} and is not sent anywhere else`;
		throw invalid("codehost", field, rule);
	}
	const { id } = await registry.edit(connection.id, change, { secret }).catch((error: unknown) => {
		throw secret === undefined ? error : refusalIn(error, connection, secret);
	});
	return { id };
}

/** The secret that a changed connection may keep: none where the address leads elsewhere. */
async function storedFor(
	connection: Connection,
	{ registry, change }: { readonly registry: ConnectionRegistry; readonly change: ConnectionChange },
): Promise<string | undefined> {
	if (leadsElsewhere(connection, change)) return undefined;
	const held = await registry.secret(connection);
	return held.state === "present" ? held.secret : undefined;
}

function leadsElsewhere({ service, baseUrl }: Connection, change: ConnectionChange): boolean {
	const wanted = decodeBaseUrl(change.baseUrl ?? baseUrl, { service, field: "baseUrl" });
	return originOf(wanted) !== originOf(baseUrl);
}

/**
 * What an argument says of a code host's credential beside its secret; undefined where it says nothing. Throws `invalid`
 * for a field of the other kind of credential, and for a date that is past. An empty date takes the one away that there is.
 */
export function editedCredential(credential: CodehostCredential, fields: Fields): object | undefined {
	const { expiresAt, installationId } = fields;
	if (credential.kind === "pat") {
		if (installationId !== undefined) throw invalid("codehost", "installationId", "belongs to an app, not to a token");
		if (expiresAt === undefined) return undefined;
		if (expiresAt === "") return undated(credential);
		const place = { service: "codehost", field: "expiresAt", now: Date.now() } as const;
		return { ...credential, expiresAt: decodeComingExpiry(expiresAt, place) };
	}
	if (expiresAt !== undefined) throw invalid("codehost", "expiresAt", "belongs to a personal token, not to an app");
	return installationId === undefined ? undefined : { ...credential, installationId };
}

type Editable = "label" | "baseUrl" | "model" | "format" | "authUrl" | "clientId" | "expiresAt" | "installation";

/** Lets the person change what a connection is made of, one field at a time. */
export async function editByPrompts(
	connection: Connection,
	registry: ConnectionRegistry,
	{ findInstallations }: { readonly findInstallations?: FindInstallations } = {},
): Promise<{ id: string } | undefined> {
	const title = `Edit ${connection.label}`;
	const field = await askChoice<Editable>(
		{ title, placeholder: "What do you want to change?" },
		editable(connection).map(([value, label, present, none]) => ({
			label,
			description: withoutIcons(present || none),
			value,
		})),
	);
	if (field === undefined || field === BACK) return undefined;
	if (field === "installation") {
		if (connection.service !== "codehost" || connection.credential.kind !== "app" || findInstallations === undefined) {
			return undefined;
		}
		// The command may have been called on nothing that names the connection.
		return editInstallation(connection, connection.credential, { registry, findInstallations }).catch(
			(error: unknown) => {
				if (!(error instanceof ClientError && error.code === "aborted")) void showError(error, { connection });
				return undefined;
			},
		);
	}
	if (field === "format") return editFormat(connection, registry);
	const before = editable(connection).find(([name]) => name === field)?.[2] ?? "";
	const ask = (frame: { readonly value: string; readonly problem: string | undefined }) =>
		field === "expiresAt"
			? askExpiryDate({ title, problem: frame.problem }, frame.value.slice(0, 10))
			: askText({ title, placeholder: before, ...frame, check: (text) => mistakeInField(field, text) });
	const save = (change: ConnectionChange, secret?: string) =>
		saveOrAsk({ ...connection, title, back: "Edit It Again" }, async (options) => {
			const { id } = await registry.edit(connection.id, change, { ...options, secret });
			return { id };
		});
	let value = before;
	let problem: string | undefined;
	for (;;) {
		const answer = await ask({ value, problem });
		if (typeof answer !== "string") return undefined;
		value = answer;
		try {
			if (field === "baseUrl") return await editAddress(connection, value.trim(), { registry, save });
			return await save(changeOf(connection, field, value.trim()));
		} catch (error) {
			const end = endOf(error);
			if (end === "left") return undefined;
			problem = end === "stopped" ? STOPPED : describeRefusal(error, connection.label);
		}
	}
}

async function editFormat(connection: Connection, registry: ConnectionRegistry): Promise<{ id: string } | undefined> {
	const { id } = connection;
	const title = `Edit ${connection.label}`;
	const answer = await askChoice({ title, placeholder: "In which format?" }, FORMAT_CHOICES);
	if (answer === undefined || answer === BACK) return undefined;
	await saveOrAsk({ ...connection, title }, (options) => registry.edit(id, { format: answer }, options));
	return { id };
}

/** Field, its name, its value, and what to say where it has none. */
function editable(connection: Connection): readonly (readonly [Editable, string, string, string])[] {
	const common = [
		["label", "Name", connection.label, ""],
		["baseUrl", "Base URL", connection.baseUrl, ""],
	] as const;
	if (connection.service === "messages") {
		return [...common, ["model", "Model", connection.model ?? "", "the one in the settings"]];
	}
	if (connection.service === "petstore") {
		const { authUrl, clientId } = signInTargetOf(connection.profile, connection.baseUrl);
		return [
			...common,
			["format", "Format", connection.format === "xml" ? "XML" : "JSON", ""],
			["authUrl", "Sign-In Address", authUrl, ""],
			["clientId", "Client ID for the Sign-In", clientId, ""],
		];
	}
	const { credential } = connection;
	if (credential.kind === "app") {
		const { account, installationId } = credential;
		return [...common, ["installation", "Installation", plainLine(account ?? null, `${installationId}`), ""]];
	}
	return [...common, ["expiresAt", "Expiry Date of the Token", credential.expiresAt ?? "", "not known"]];
}

function mistakeInField(field: Editable, text: string): string | undefined {
	return field === "label" && text.trim() === "" ? "A connection needs a name." : undefined;
}

function changeOf(connection: Connection, field: Editable, value: string): ConnectionChange {
	if (field === "expiresAt" && connection.service === "codehost") {
		const credential = undated(connection.credential);
		return { credential: value === "" ? credential : { ...credential, expiresAt: value } };
	}
	if ((field === "authUrl" || field === "clientId") && connection.service === "petstore") {
		const before = typeof connection.profile === "string" ? {} : connection.profile;
		return { profile: { ...before, [field]: value } };
	}
	return { [field]: value };
}

/**
 * Changes the address. A secret stays with its own: for another one the person is asked for the one that belongs there,
 * until the service takes one, or something is wrong with the address. Undefined when they leave.
 */
async function editAddress(
	connection: Connection,
	value: string,
	{
		registry,
		save,
	}: {
		readonly registry: ConnectionRegistry;
		readonly save: (change: ConnectionChange, secret?: string) => Promise<{ id: string }>;
	},
): Promise<{ id: string } | undefined> {
	const { service } = connection;
	const baseUrl = decodeBaseUrl(value, { service, field: "The base URL" });
	if (!leadsElsewhere(connection, { baseUrl })) return save({ baseUrl });
	const isPat = connection.service === "codehost" && connection.credential.kind === "pat";
	// What was said of the end of the old token is not true of the new one.
	const change = isPat ? { baseUrl, credential: undated(connection.credential) } : { baseUrl };
	let typed = "";
	let mayGo = false;
	let problem: string | undefined;
	for (;;) {
		const secret = await askSecret(connection, {
			title: `Edit ${connection.label}`,
			prompt: `The stored secret belongs to ${originOf(connection.baseUrl)} and is not sent anywhere else`,
			mayBeEmpty: service !== "codehost",
			...{ value: typed, problem },
		});
		if (secret === undefined) return undefined;
		// Once is enough; of no secret nothing was asked.
		if (!mayGo) await confirmReadable(baseUrl, { service, secret });
		mayGo ||= secret !== "";
		typed = shownAgain(secret);
		try {
			const moved = await save(change, secret === "" ? undefined : secret);
			if (isPat) await askNewExpiry(connection, registry);
			return moved;
		} catch (error) {
			if (!(error instanceof ClientError)) throw error;
			const isOfSecret = ["unauthorized", "forbidden"].includes(error.code) || error.reason === "app-refused";
			if (!isOfSecret) throw error;
			problem = refusalOf(error, connection, secret);
		}
	}
}
