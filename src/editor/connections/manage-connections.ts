import * as vscode from "vscode";
import {
	type CodehostCredential,
	type Connection,
	decodeComingExpiry,
	exampleExpiry,
	originOf,
} from "#app/connections/connection.ts";
import { decodeBaseUrl } from "#app/connections/fields.ts";
import { signInTargetOf } from "#app/connections/petstore-profiles.ts";
import type { ConnectionChange, ConnectionRegistry } from "#app/connections/registry.ts";
import { COMMANDS } from "#app/contributions.ts";
import { ClientError, invalid } from "#base/errors.ts";
import { type Fields, optionalText, requiredText } from "../arguments.ts";
import { leadTo } from "../next-step.ts";
import { withoutIcons } from "../plain.ts";
import { plainLine } from "../plain-line.ts";
import { askChoice, askText, BACK } from "../prompts.ts";
import { describeRefusal, showError } from "../report.ts";
import { FORMAT_CHOICES } from "./add-petstore.ts";
import { endOf, STOPPED } from "./answers.ts";
import { noteConnection } from "./choosing.ts";
import { editInstallation } from "./edit-installation.ts";
import type { FindInstallations } from "./installations.ts";
import { confirmReadable } from "./notices.ts";
import { saveOrAsk } from "./save-anyway.ts";
import { askSecret, secretIn } from "./secret-prompts.ts";

/** Lets the person choose among connections; with only one there is nothing to choose, with none nothing to do. */
export async function pickConnection(
	connections: readonly Connection[],
	title: string,
): Promise<Connection | undefined> {
	if (connections.length === 0) {
		const step = { label: "Add Connection...", command: COMMANDS.addConnection };
		leadTo("There is no connection of your own yet.", step);
		return undefined;
	}
	const picked = await pickAmong(connections, title);
	if (picked !== undefined) noteConnection(picked.id);
	return picked;
}

async function pickAmong(connections: readonly Connection[], title: string): Promise<Connection | undefined> {
	if (connections.length === 1) return connections[0];
	const choices = connections.map((each) => ({
		label: withoutIcons(each.label),
		description: withoutIcons(each.baseUrl),
		value: each,
	}));
	const answer = await askChoice({ title, placeholder: "Which connection?" }, choices);
	return answer === BACK ? undefined : answer;
}

/** Changes a connection as the argument says. */
export async function editFromArgument(fields: Fields, registry: ConnectionRegistry): Promise<{ id: string }> {
	const connection = registry.require(requiredText(fields, "connection"));
	const change: Record<string, unknown> = {};
	for (const name of ["label", "baseUrl", "model", "format"]) {
		const text = optionalText(fields, name);
		if (text !== undefined) change[name] = text;
	}
	if (fields["profile"] !== undefined) change["profile"] = fields["profile"];
	if (connection.service === "codehost") {
		const credential = editedCredential(connection.credential, fields);
		if (credential !== undefined) change["credential"] = credential;
	}
	const secret = secretIn(fields, connection, { stored: await storedFor(connection, { registry, change }) });
	const { id } = await registry.edit(connection.id, change, { secret });
	return { id };
}

/** The secret that a changed connection may keep: none where the address leads elsewhere. */
async function storedFor(
	connection: Connection,
	{ registry, change }: { readonly registry: ConnectionRegistry; readonly change: ConnectionChange },
): Promise<string | undefined> {
	const place = { service: connection.service, field: "baseUrl" };
	const baseUrl = decodeBaseUrl(change.baseUrl ?? connection.baseUrl, place);
	if (originOf(baseUrl) !== originOf(connection.baseUrl)) return undefined;
	const held = await registry.secret(connection);
	return held.state === "present" ? held.secret : undefined;
}

/**
 * What an argument says of a code host's credential beside its secret; undefined where it says nothing. Throws `invalid`
 * for a field of the other kind of credential, and for a date that is past.
 */
export function editedCredential(credential: CodehostCredential, fields: Fields): object | undefined {
	const { expiresAt, installationId } = fields;
	if (credential.kind === "pat") {
		if (installationId !== undefined) throw invalid("codehost", "installationId", "belongs to an app, not to a token");
		if (expiresAt === undefined) return undefined;
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
	let value = editable(connection).find(([name]) => name === field)?.[2] ?? "";
	const placeholder = field === "expiresAt" ? exampleExpiry(Date.now()) : value;
	let problem: string | undefined;
	for (;;) {
		const answer = await askText({ title, placeholder, value, problem });
		if (typeof answer !== "string") return undefined;
		value = answer;
		try {
			const change = await changeWithSecret(connection, field, answer.trim());
			if (change === undefined) return undefined;
			const { id } = await saveOrAsk({ ...connection, title, back: "Edit It Again" }, (options) =>
				registry.edit(connection.id, change.change, { ...options, secret: change.secret }),
			);
			return { id };
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

/** A secret stays with its address: for another one the person is asked for the one that belongs there. */
async function changeWithSecret(
	connection: Connection,
	field: Editable,
	value: string,
): Promise<{ change: ConnectionChange; secret: string | undefined } | undefined> {
	if (field === "expiresAt" && connection.service === "codehost") {
		const { expiresAt: _, ...credential } = { expiresAt: undefined, ...connection.credential };
		return {
			change: { credential: value === "" ? credential : { ...credential, expiresAt: value } },
			secret: undefined,
		};
	}
	if ((field === "authUrl" || field === "clientId") && connection.service === "petstore") {
		const before = typeof connection.profile === "string" ? {} : connection.profile;
		return { change: { profile: { ...before, [field]: value } }, secret: undefined };
	}
	if (field !== "baseUrl") return { change: { [field]: value }, secret: undefined };
	const baseUrl = decodeBaseUrl(value, { service: connection.service, field: "The base URL" });
	if (originOf(baseUrl) === originOf(connection.baseUrl)) return { change: { baseUrl }, secret: undefined };
	const secret = await askSecret(connection, {
		title: `Edit ${connection.label}`,
		prompt: `The stored secret belongs to ${originOf(connection.baseUrl)} and is not sent anywhere else`,
		mayBeEmpty: connection.service !== "codehost",
	});
	if (secret === undefined) return undefined;
	await confirmReadable(baseUrl, { service: connection.service, secret });
	return { change: { baseUrl }, secret: secret === "" ? undefined : secret };
}

/** Signs out once the person has confirmed it. */
export async function signOutByPrompt(connection: Connection, registry: ConnectionRegistry): Promise<boolean> {
	const signOut = "Sign Out";
	const choice = await vscode.window.showWarningMessage(
		`Sign out of ${connection.label}?`,
		{
			modal: true,
			detail: "Its secret is deleted from the editor's secret storage. The connection and what belongs to it stay.",
		},
		signOut,
	);
	if (choice !== signOut) return false;
	await registry.signOut(connection.id);
	return true;
}

/** Removes a connection once the person has confirmed it. */
export async function removeByPrompt(connection: Connection, registry: ConnectionRegistry): Promise<boolean> {
	const remove = "Remove";
	const choice = await vscode.window.showWarningMessage(
		`Remove the connection ${connection.label}?`,
		{ modal: true, detail: "Its secret is deleted from the editor's secret storage. Conversations stay." },
		remove,
	);
	if (choice !== remove) return false;
	await registry.remove(connection.id);
	return true;
}
