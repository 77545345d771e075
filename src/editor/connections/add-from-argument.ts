import { patKind } from "#api/codehost/pat.ts";
import type { CodehostDraft } from "#app/codehost/access.ts";
import { appSecret } from "#app/codehost/secret.ts";
import { ARGUMENTS } from "#app/command-arguments.ts";
import { codehostPreset, codehostProfileOf, decodeCodehostProfile } from "#app/connections/codehost-profiles.ts";
import {
	type CodehostCredential,
	type ConnectionService,
	decodeAppId,
	decodeComingExpiry,
	decodeInstallationId,
	decodeService,
} from "#app/connections/connection.ts";
import { decodeBaseUrl } from "#app/connections/fields.ts";
import { decodeMessagesProfile, messagesPreset } from "#app/connections/messages-profiles.ts";
import { decodePetstoreFormat, decodePetstoreProfile, petstorePreset } from "#app/connections/petstore-profiles.ts";
import type { ConnectionRegistry } from "#app/connections/registry.ts";
import { COMMANDS } from "#app/contributions.ts";
import { bareToken, petstoreSecret } from "#app/petstore/secret.ts";
import { invalid } from "#base/errors.ts";
import {
	type Fields,
	givenSecret,
	optionalPassphrase,
	optionalSecret,
	optionalText,
	requiredText,
} from "../arguments.ts";
import { fingerprintOf, namingApp } from "./app-refusal.ts";
import { type FindInstallations, onlyInstallation } from "./installations.ts";
import type { Added } from "./save-anyway.ts";
import { messagesKeyIn } from "./secret-prompts.ts";

/** What adding a connection as an argument says works with. */
export interface ArgumentParts {
	readonly registry: ConnectionRegistry;
	readonly findInstallations: FindInstallations;
}

/** Adds a connection as the argument says. Throws `invalid` naming the field, or the service's refusal. */
export async function addFromArgument(fields: Fields, parts: ArgumentParts): Promise<Added> {
	requiredText(fields, "service");
	const service = decodeService(fields["service"], "service");
	refuseOthers(fields, service);
	switch (service) {
		case "codehost":
			return addCodehost(fields, parts);
		case "petstore":
			return addPetstore(fields, parts.registry);
		case "messages":
			return addMessages(fields, parts.registry);
	}
}

async function addMessages(fields: Fields, registry: ConnectionRegistry): Promise<Added> {
	const service = "messages";
	const profile = decodeMessagesProfile(fields["profile"], { service, field: "profile" });
	const preset = typeof profile === "string" ? messagesPreset(profile) : undefined;
	const model = optionalText(fields, "model");
	const draft = {
		service,
		label: requiredText(fields, "label"),
		baseUrl: decodeBaseUrl(fields["baseUrl"] ?? preset?.baseUrl, { service, field: "baseUrl" }),
		profile,
		...(model === undefined ? {} : { model }),
	} as const;
	const { id } = await registry.add(draft, messagesKeyIn(fields));
	return { id };
}

async function addPetstore(fields: Fields, registry: ConnectionRegistry): Promise<Added> {
	const service = "petstore";
	const profile = decodePetstoreProfile(fields["profile"], { service, field: "profile" });
	const preset = typeof profile === "string" ? petstorePreset(profile) : undefined;
	const token = optionalSecret(fields, "token");
	const draft = {
		service,
		label: requiredText(fields, "label"),
		baseUrl: decodeBaseUrl(fields["baseUrl"] ?? preset?.baseUrl, { service, field: "baseUrl" }),
		profile,
		format: decodePetstoreFormat(fields["format"], { service, field: "format" }),
	} as const;
	const secret = petstoreSecret({
		apiKey: optionalSecret(fields, "apiKey"),
		token: token === undefined ? undefined : bareToken(token),
	});
	const { id } = await registry.add(draft, secret);
	return { id };
}

async function addCodehost(fields: Fields, parts: ArgumentParts): Promise<Added> {
	const service = "codehost";
	const profile = decodeCodehostProfile(fields["profile"], { service, field: "profile" });
	const preset = typeof profile === "string" ? codehostPreset(profile) : undefined;
	const host: CodehostPlace = {
		service,
		label: requiredText(fields, "label"),
		baseUrl: decodeBaseUrl(fields["baseUrl"] ?? preset?.baseUrl, { service, field: "baseUrl" }),
		profile,
	};
	const token = givenSecret(fields, "token");
	const hasApp = ["appId", "privateKey", "passphrase", "installationId"].some((name) => fields[name] !== undefined);
	if (token !== undefined && hasApp) throw invalid(service, "token", "cannot be given together with an app's key");
	if (token !== undefined) return addToken(fields, { host, token, registry: parts.registry });
	if (hasApp) return addApp(fields, host, parts);
	throw invalid(service, "token", "is missing; or use appId and privateKey");
}

/** A code host without a credential. */
type CodehostPlace = Omit<CodehostDraft, "credential">;

async function addToken(
	{ expiresAt }: Fields,
	{ host, token, registry }: { host: CodehostPlace; token: string; registry: ConnectionRegistry },
): Promise<Added> {
	const place = { service: host.service, field: "expiresAt", now: Date.now() } as const;
	const dated = expiresAt === undefined ? {} : { expiresAt: decodeComingExpiry(expiresAt, place) };
	const own: CodehostCredential = { kind: "pat", patKind: patKind(token, codehostProfileOf(host.profile)), ...dated };
	const { id, credential } = await registry.add({ ...host, credential: own }, token);
	return credential.kind === "pat" && credential.login !== undefined ? { id, login: credential.login } : { id };
}

async function addApp(
	fields: Fields,
	host: CodehostPlace,
	{ registry, findInstallations }: ArgumentParts,
): Promise<Added> {
	const { service, label } = host;
	if (fields["expiresAt"] !== undefined) {
		throw invalid(service, "expiresAt", "belongs to a personal token, not to an app");
	}
	const appId = decodeAppId(fields["appId"], { service, field: "appId" });
	const secret = appSecret({ privateKey: requiredText(fields, "privateKey"), passphrase: optionalPassphrase(fields) });
	const named = fields["installationId"];
	try {
		const installationId =
			named === undefined
				? onlyInstallation(await findInstallations({ ...host, appId }, { secret })).id
				: decodeInstallationId(named, { service, field: "installationId" });
		const { id } = await registry.add({ ...host, credential: { kind: "app", appId, installationId } }, secret);
		return { id };
	} catch (error) {
		throw namingApp(error, { label, appId, fingerprint: () => fingerprintOf(secret) });
	}
}

/** Refuses fields that belong to another service: they would be silently ignored. */
function refuseOthers(fields: Fields, service: ConnectionService): void {
	const commands = {
		codehost: COMMANDS.codehostAddConnection,
		petstore: COMMANDS.petstoreAddConnection,
		messages: COMMANDS.chatAddConnection,
	};
	const known = ["service", ...ARGUMENTS[commands[service]]];
	const strange = Object.keys(fields).find((name) => !known.includes(name));
	if (strange !== undefined) throw invalid(service, strange, `is not an argument for a ${service} service`);
}
