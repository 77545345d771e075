import type { AppCredential, CodehostConnection } from "#app/connections/connection.ts";
import type { ConnectionRegistry } from "#app/connections/registry.ts";
import { ClientError } from "#base/errors.ts";
import { withProgress } from "../progress.ts";
import { BACK } from "../prompts.ts";
import { askInstallation, type FindInstallations } from "./installations.ts";
import { saveOrAsk } from "./save-anyway.ts";

/** What an installation is changed with. */
export interface EditParts {
	readonly registry: ConnectionRegistry;
	readonly findInstallations: FindInstallations;
}

/**
 * Lets the person choose another installation of a connection's app. Resolves to undefined when they leave; rejects with
 * ClientError `unauthorized` where the key is not there, or with what the service says.
 */
export async function editInstallation(
	connection: CodehostConnection,
	{ appId }: AppCredential,
	{ registry, findInstallations }: EditParts,
): Promise<{ id: string } | undefined> {
	const { id, label, baseUrl, profile } = connection;
	const held = await registry.secret(connection);
	if (held.state !== "present") {
		throw new ClientError("codehost", "unauthorized", `There is no key: sign in to ${label} again`, { field: "key" });
	}
	const installations = await withProgress(
		"Looking for the app's installations...",
		(_, doing) => findInstallations({ label, baseUrl, profile, appId }, { ...doing, secret: held.secret }),
		{ label },
	);
	const title = `Edit ${label}`;
	const answer = await askInstallation({ title }, installations);
	if (answer === undefined || answer === BACK) return undefined;
	const credential = { kind: "app", appId, installationId: answer.id };
	await saveOrAsk({ ...connection, title }, (options) => registry.edit(id, { credential }, options));
	return { id };
}
