import * as vscode from "vscode";
import { type AccessToken, scopesMissing } from "#api/petstore/credential.ts";
import type { PetstoreConnection } from "#app/connections/connection.ts";
import { signInTargetOf } from "#app/connections/petstore-profiles.ts";
import type { ConnectionRegistry, SaveOptions } from "#app/connections/registry.ts";
import { CONTEXT, VIEWS } from "#app/contributions.ts";
import { withToken } from "#app/petstore/secret.ts";
import { ClientError, invalid } from "#base/errors.ts";
import { trimmed } from "#base/schema.ts";
import { pickConnection } from "../connections/manage-connections.ts";
import { AddressUnwanted } from "../connections/notices.ts";
import { saveOrAsk } from "../connections/save-connection.ts";
import { commandsOf, givenIn, onRows } from "../kit/command.ts";
import { withoutLinks } from "../kit/plain.ts";
import { asked } from "../kit/tree.ts";
import { showError } from "../report.ts";
import { signInByPerson, signInInBrowser } from "./sign-in-prompt.ts";

/** Result of `switchboard.petstore.signIn`. */
interface SignInResult {
	readonly connection: string;
	/** Scopes of the token. */
	readonly scopes: readonly string[];
	/** When the token ends, ISO 8601; null where the service does not say. */
	readonly expiresAt: string | null;
}

/** Command that signs in to a pet store in the browser and keeps the token beside the key, once the store takes it. */
export const SIGN_IN_COMMANDS = [
	commandsOf<{ readonly registry: ConnectionRegistry }>()("switchboard.petstore.signIn", "Sign In to Pet Store...", {
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
			const stored = registry.list("petstore").filter(({ id }) => !registry.isPassing(id));
			const id = given?.connection ?? (await pickConnection(stored, { registry, title: "Sign In", call }))?.id;
			if (id === undefined) return undefined;
			const connection = registry.require(id, "petstore");
			if (registry.isPassing(id))
				throw invalid("petstore", "connection", "is the built-in sandbox, which is signed in");
			if (call.argument === undefined) return signInAndTell(connection, registry);
			const title = `Sign In to ${connection.label}`;
			const token = await signInInBrowser(signInTargetOf(connection.profile, connection.baseUrl), { title });
			await keep(connection, { token, registry, options: {} });
			return resultOf(connection, token);
		},
	}),
];

/** A failure is told here, for here is known at which store another try is made. */
async function signInAndTell(
	connection: PetstoreConnection,
	registry: ConnectionRegistry,
): Promise<SignInResult | undefined> {
	const { label, profile, baseUrl } = connection;
	try {
		const target = signInTargetOf(profile, baseUrl);
		const title = `Sign In to ${label}`;
		const token = await signInByPerson({ ...target, baseUrl }, { title });
		await saveOrAsk({ service: "petstore", label, baseUrl, title }, (options) =>
			keep(connection, { token, registry, options }),
		);
		const missing = scopesMissing(token.scopes);
		const told = `You are signed in to ${label}`;
		if (missing.length === 0) void vscode.window.showInformationMessage(withoutLinks(`${told}.`));
		else void vscode.window.showWarningMessage(withoutLinks(`${told}, but without ${missing.join(" and ")}.`));
		return resultOf(connection, token);
	} catch (error) {
		if (error instanceof ClientError && error.code === "aborted") return undefined;
		const place = asked({ connection: connection.id });
		if (error instanceof AddressUnwanted) await vscode.commands.executeCommand("switchboard.editConnection", place);
		else void showError(error, { connection, retry: () => signInAndTell(connection, registry) });
		return undefined;
	}
}

interface Keeping {
	readonly token: AccessToken;
	readonly registry: ConnectionRegistry;
	readonly options: SaveOptions;
}

async function keep({ id }: PetstoreConnection, { token, registry, options }: Keeping): Promise<unknown> {
	const held = await registry.secret(registry.require(id));
	return registry.replaceSecret(id, withToken(held.state === "present" ? held.secret : undefined, token), options);
}

function resultOf({ id }: PetstoreConnection, { scopes, expiresAt }: AccessToken): SignInResult {
	return {
		connection: id,
		scopes: scopes ?? [],
		expiresAt: expiresAt === null ? null : new Date(expiresAt).toISOString(),
	};
}
