import * as vscode from "vscode";
import { type AccessToken, scopesMissing } from "#api/petstore/credential.ts";
import { signInTargetOf } from "#app/connections/petstore-profiles.ts";
import { withToken } from "#app/connections/petstore-secret.ts";
import type { ConnectionRegistry, SaveOptions } from "#app/connections/registry.ts";
import { CONTEXT, VIEWS } from "#app/contributions.ts";
import { invalid } from "#base/errors.ts";
import { trimmed } from "#base/schema.ts";
import { pickConnection } from "../connections/manage-connections.ts";
import { AddressUnwanted } from "../connections/notices.ts";
import { saveOrAsk } from "../connections/save-connection.ts";
import { commandsOf, givenIn, onRows } from "../kit/command.ts";
import { withoutLinks } from "../kit/plain.ts";
import { syntheticRow } from "../kit/tree.ts";
import { signInByPerson, signInInBrowser } from "./sign-in-prompt.ts";

/** Command that signs in to a pet store in the browser and keeps the token beside the key, once the store takes it. */
export const SIGN_IN_COMMANDS = [
	commandsOf<{ readonly registry: ConnectionRegistry }>()("switchboard.petstore.signIn", "Sign In to Pet Store...", {
		service: "petstore",
		icon: "sign-in",
		palette: CONTEXT.hasPetstore,
		menus: [
			onRows(VIEWS.connections, "=~ /^connection\\.petstore\\b.*\\bstored$/", "3_change@3"),
			onRows(VIEWS.pets, "== error.credential", "1_retry@4"),
		],
		input: { connection: trimmed() },
		gives: ["{connection, scopes, expiresAt}"],
		async run(call, { registry }) {
			const given = givenIn(call);
			const stored = registry.list("petstore").filter(({ id }) => !registry.isEphemeral(id));
			const id = given?.connection ?? (await pickConnection(stored, { registry, title: "Sign In", call }))?.id;
			if (id === undefined) return undefined;
			const { label, profile, baseUrl } = registry.require(id, "petstore");
			if (registry.isEphemeral(id)) {
				throw invalid("petstore", "connection", "is the built-in sandbox, which is signed in");
			}
			const target = signInTargetOf(profile, baseUrl);
			const title = `Sign In to ${label}`;
			const keep = async (token: AccessToken, options?: SaveOptions) => {
				const held = await registry.secret(registry.require(id));
				const secret = withToken(held.state === "present" ? held.secret : undefined, token);
				await registry.replaceSecret(id, secret, options);
			};
			if (call.argument !== undefined) {
				const token = await signInInBrowser(target, title);
				await keep(token);
				return resultOf(id, token);
			}
			try {
				const token = await signInByPerson({ ...target, baseUrl }, title);
				await saveOrAsk({ service: "petstore", label, baseUrl, title }, (options) => keep(token, options));
				const missing = scopesMissing(token.scopes);
				const told = withoutLinks(`You are signed in to ${label}`);
				if (missing.length === 0) void vscode.window.showInformationMessage(`${told}.`);
				else void vscode.window.showWarningMessage(`${told}, but without ${missing.join(" and ")}.`);
				return resultOf(id, token);
			} catch (error) {
				if (!(error instanceof AddressUnwanted)) throw error;
				await vscode.commands.executeCommand("switchboard.editConnection", syntheticRow({ connection: id }));
				return undefined;
			}
		},
	}),
];

/** Result of a sign-in: when its token ends is ISO 8601, null where the service does not say. */
function resultOf(connection: string, { scopes, expiresAt }: AccessToken) {
	return { connection, scopes: scopes ?? [], expiresAt: expiresAt === null ? null : new Date(expiresAt).toISOString() };
}
