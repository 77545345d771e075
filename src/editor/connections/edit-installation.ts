import { closedBy, closedError } from "#app/connections/closed.ts";
import type { AppCredential, CodehostConnection } from "#app/connections/connection.ts";
import type { ConnectionRegistry } from "#app/connections/registry.ts";
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
	const closed = closedBy(held);
	if (held.state !== "present") throw closedError(connection, { field: "key", closed: closed ?? "lost" });
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
