import { patKind } from "#api/codehost/pat.ts";
import { appSecret } from "#app/codehost/secret.ts";
import { ARGUMENTS } from "#app/command-arguments.ts";
import { codehostPreset, codehostProfileOf, decodeCodehostProfile } from "#app/connections/codehost-profiles.ts";
import {
	type CodehostCredential,
	decodeAppId,
	decodeComingExpiry,
	decodeInstallationId,
	decodeService,
} from "#app/connections/connection.ts";
import { decodeBaseUrl } from "#app/connections/fields.ts";
import { decodeMessagesProfile, messagesPreset } from "#app/connections/messages-profiles.ts";
import type { ConnectionRegistry } from "#app/connections/registry.ts";
import { COMMANDS } from "#app/contributions.ts";
import { invalid, type Service } from "#base/errors.ts";
import { type Fields, optionalKey, optionalText, requiredText } from "../arguments.ts";
import { askChoice, BACK } from "../prompts.ts";
import { walk } from "../wizard.ts";
import { mendCodehost, saveCodehost } from "./add-codehost.ts";
import { type MessagesStep, mendMessages, messagesSteps, noMessagesAnswers, saveMessages } from "./add-messages.ts";
import { type CodehostStep, noCodehostAnswers } from "./codehost-answers.ts";
import { codehostSteps } from "./codehost-steps.ts";
import { type FindInstallations, onlyInstallation } from "./installations.ts";
import { AddressUnwanted, confirmReadable } from "./notices.ts";

/** What adding a connection works with. */
export interface AddParts {
	readonly registry: ConnectionRegistry;
	readonly findInstallations: FindInstallations;
	/** Starts the built-in sandbox; resolves to the ids of its connections. */
	readonly trySandbox: () => Promise<{ readonly messages: string; readonly codehost: string }>;
}

/** What adding a connection resolves to; the login is that of a token's owner. */
export interface Added {
	readonly id: string;
	readonly login?: string;
}

/** Adds a connection as the argument says. Throws `invalid` naming the field, or the service's refusal. */
export async function addFromArgument(fields: Fields, parts: AddParts): Promise<Added> {
	requiredText(fields, "service");
	const service = decodeService(fields["service"], "service");
	refuseOthers(fields, service);
	return service === "codehost" ? addCodehost(fields, parts) : addMessages(fields, parts.registry);
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
	const { id } = await registry.add(draft, optionalKey(fields));
	return { id };
}

async function addCodehost(fields: Fields, { registry, findInstallations }: AddParts): Promise<Added> {
	const service = "codehost";
	const profile = decodeCodehostProfile(fields["profile"], { service, field: "profile" });
	const preset = typeof profile === "string" ? codehostPreset(profile) : undefined;
	const label = requiredText(fields, "label");
	const baseUrl = decodeBaseUrl(fields["baseUrl"] ?? preset?.baseUrl, { service, field: "baseUrl" });
	const token = optionalText(fields, "token");
	const hasApp = ["appId", "privateKey", "passphrase", "installationId"].some((name) => fields[name] !== undefined);
	if (token !== undefined && hasApp) throw invalid(service, "token", "cannot be given together with an app's key");
	if (token === undefined && !hasApp) throw invalid(service, "token", "is missing; or use appId and privateKey");
	let credential: CodehostCredential;
	let secret: string;
	if (token !== undefined) {
		const expiresAt = fields["expiresAt"];
		credential = {
			kind: "pat",
			patKind: patKind(token, codehostProfileOf(profile)),
			...(expiresAt === undefined
				? {}
				: { expiresAt: decodeComingExpiry(expiresAt, { service, field: "expiresAt", now: Date.now() }) }),
		};
		secret = token;
	} else {
		const appId = decodeAppId(fields["appId"], { service, field: "appId" });
		secret = appSecret({
			privateKey: requiredText(fields, "privateKey"),
			passphrase: optionalText(fields, "passphrase"),
		});
		const named = fields["installationId"];
		const installationId =
			named === undefined
				? onlyInstallation(await findInstallations({ label, baseUrl, profile, appId }, { secret })).id
				: decodeInstallationId(named, { service, field: "installationId" });
		credential = { kind: "app", appId, installationId };
	}
	const connection = await registry.add({ service, label, baseUrl, profile, credential }, secret);
	const login = connection.credential.kind === "pat" ? connection.credential.login : undefined;
	return { id: connection.id, ...(login === undefined ? {} : { login }) };
}

type AddStep = "service" | MessagesStep | CodehostStep;

/** How a person is asked for a connection. */
export interface AddOptions {
	/** The service, where there is nothing to choose. */
	readonly service?: "messages" | "codehost" | undefined;
	/** Of code hosts, offers tokens only. */
	readonly tokensOnly?: boolean | undefined;
}

/**
 * Asks for a connection step by step and adds it. When the service does not take it, the step that can mend it comes
 * back with what was typed and the reason. Resolves to undefined when the person leaves.
 */
export async function addByPrompts(parts: AddParts, options: AddOptions = {}): Promise<Added | undefined> {
	const { registry, findInstallations, trySandbox } = parts;
	let service: Service = options.service ?? "messages";
	const messages = noMessagesAnswers();
	const codehost = noCodehostAnswers();
	const isCodehost = () => service === "codehost";
	const id = await walk<AddStep, string>({
		title: "Add Connection",
		steps: [
			{
				name: "service",
				skip: () => options.service !== undefined,
				async ask(frame) {
					const answer = await askChoice<"messages" | "codehost">(
						{ ...frame, placeholder: "To which kind of service?" },
						[
							{
								label: "$(repo) Code Host",
								detail: "Repositories and issues, with a personal access token or as an app",
								value: "codehost",
							},
							{
								label: "$(comment-discussion) Messages",
								detail: "A chat with a model that streams its replies",
								value: "messages",
							},
						],
					);
					if (answer !== undefined && answer !== BACK) service = answer;
					return answer;
				},
			},
			...messagesSteps(messages, () => !isCodehost()),
			...codehostSteps(codehost, { isAsked: isCodehost, findInstallations, tokensOnly: options.tokensOnly }),
		],
		async finish() {
			if (isCodehost()) {
				if (codehost.host === "sandbox") return (await trySandbox()).codehost;
				const secret = codehost.kind === "app" ? codehost.privateKey : codehost.token;
				await confirmReadable(codehost.baseUrl, { service, secret });
				return saveCodehost(codehost, registry);
			}
			if (messages.preset === "sandbox") return (await trySandbox()).messages;
			await confirmReadable(messages.baseUrl, { service, secret: messages.key });
			return saveMessages(messages, registry);
		},
		mend(error) {
			if (error instanceof AddressUnwanted) {
				return { step: isCodehost() ? "hostAddress" : "address", problem: error.message };
			}
			return isCodehost() ? mendCodehost(error, codehost) : mendMessages(error, messages);
		},
	});
	return id === undefined ? undefined : { id };
}

/** Refuses fields that belong to the other service: they would be silently ignored. */
function refuseOthers(fields: Fields, service: Service): void {
	const command = service === "codehost" ? COMMANDS.codehostAddConnection : COMMANDS.chatAddConnection;
	const known = ["service", ...ARGUMENTS[command]];
	const strange = Object.keys(fields).find((name) => !known.includes(name));
	if (strange !== undefined) throw invalid(service, strange, `is not an argument for a ${service} service`);
}
