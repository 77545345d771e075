import * as vscode from "vscode";
import {
	type InstallationsResult,
	listInstallations,
	type StatusResult,
	statusResult,
	type WhoAmI,
	whoAmI,
} from "#app/codehost/results.ts";
import type { CodehostConnection } from "#app/connections/connection.ts";
import type { Asking } from "#app/connections/probe-result.ts";
import { COMMANDS } from "#app/contributions.ts";
import { INCOMPLETE } from "../connections/installations.ts";
import type { Call } from "../kit/call.ts";
import { plainLine } from "../kit/text.ts";
import { leadTo } from "../next-step.ts";
import { withoutIcons, withoutLinks } from "../plain.ts";
import { withProgress } from "../progress.ts";
import { askChoice } from "../prompts.ts";
import { type CodehostParts, connectionOf } from "./call.ts";

/** Owner of a connection's credential; told to a person in a sentence. */
export async function tellWhoAmI(call: Call, parts: CodehostParts): Promise<WhoAmI | undefined> {
	const connection = await connectionOf(call, parts, "Who Am I");
	if (connection === undefined) return undefined;
	const byPerson = call.argument === undefined;
	const ask = (asking: Asking) => whoAmI(parts.clients, connection.id, asking);
	if (!byPerson) return ask({});
	const { label } = connection;
	const who = await withProgress(`Asking ${label}...`, (_, doing) => ask(doing), { label });
	const { login, name, appId, account } = who;
	const words =
		appId === null
			? `${plainLine(login)}${name === null ? "" : ` (${plainLine(name)})`}`
			: `app ${appId} on ${plainLine(account, "an unknown account")}`;
	void vscode.window.showInformationMessage(withoutLinks(`${label}: you are ${words}.`));
	return who;
}

/** The installations of an app; shown to a person as a list. */
export async function showInstallations(call: Call, parts: CodehostParts): Promise<InstallationsResult | undefined> {
	const isApp = ({ credential }: CodehostConnection) => credential.kind === "app";
	if (call.argument === undefined && call.row === undefined && !parts.registry.list("codehost").some(isApp)) {
		const step = { label: "Add Code Host...", command: COMMANDS.codehostAddConnection };
		leadTo("None of your connections is of an app, and only apps have installations.", step);
		return undefined;
	}
	const connection = await connectionOf(call, parts, "List App Installations", isApp);
	if (connection === undefined) return undefined;
	if (call.argument !== undefined) return listInstallations(parts.clients, connection.id);
	const { label } = connection;
	const found = await withProgress(
		`Asking ${label}...`,
		(_, doing) => listInstallations(parts.clients, connection.id, doing),
		{ label },
	);
	const own = connection.credential.kind === "app" ? connection.credential.installationId : undefined;
	await askChoice(
		{ title: `Installations of ${label}`, placeholder: found.complete ? "Where the app is installed" : INCOMPLETE },
		found.installations.map(({ id, account, suspended }) => ({
			label: `$(${suspended ? "circle-slash" : "organization"}) ${withoutIcons(plainLine(account, "Unknown account"))}`,
			description: [`installation ${id}`, suspended ? "suspended" : "", id === own ? "in use" : ""]
				.filter((part) => part !== "")
				.join(", "),
			value: id,
		})),
	);
	return found;
}

/** The status of a credential; shown to a person in the Connections view. */
export async function showStatus(call: Call, parts: CodehostParts): Promise<StatusResult | undefined> {
	const connection = await connectionOf(call, parts, "Show Credential Status");
	if (connection === undefined) return undefined;
	if (call.argument === undefined) await parts.revealConnection(connection.id);
	await parts.clients.look(connection.id);
	return statusResult(parts.statuses.of(connection.id));
}
