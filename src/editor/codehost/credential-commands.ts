import { listInstallations, statusResult, whoAmI } from "#app/codehost/results.ts";
import type { Asking } from "#app/connections/probe-result.ts";
import { CONTEXT, VIEWS } from "#app/contributions.ts";
import { trimmed } from "#base/schema.ts";
import { installationChoices } from "../connections/installations.ts";
import { connectionOf } from "../connections/manage-connections.ts";
import { type Call, commandsOf, givenIn, onRows, runOn } from "../kit/command.ts";
import { askChoice, leadTo, notify } from "../kit/prompts.ts";
import { plainLine } from "../kit/text.ts";
import { withProgress } from "../progress.ts";
import { INCOMPLETE } from "../words/codehost-words.ts";
import type { RepositoryRoom } from "./codehost.ts";

const service = "codehost";
const define = commandsOf<RepositoryRoom>({ service, palette: CONTEXT.hasCodehost });

const CONNECTION = { connection: trimmed() };

function codehostOf(call: Call, { registry }: RepositoryRoom, title: string) {
	return connectionOf(call, registry, { title, service });
}

/** Commands about the credentials of code hosts. */
export const CREDENTIAL_COMMANDS = [
	define("switchboard.codehost.whoAmI", "Who Am I", {
		icon: "account",
		menus: [onRows(VIEWS.connections, "=~ /^connection\\.codehost\\.pat\\b/", "1_use@2")],
		input: CONNECTION,
		gives: ["{connection, kind, login, name, appId, installationId, account}"],
		run: runOn(codehostOf, async ({ id, label }, call, { clients }) => {
			const ask = (asking: Asking) => whoAmI(clients, id, asking);
			if (call.argument !== undefined) return ask({});
			const who = await withProgress(`Asking ${label}...`, (_, doing) => ask(doing), { label });
			const { login, name, appId, account } = who;
			const words =
				appId === null
					? `${plainLine(login)}${name === null ? "" : ` (${plainLine(name)})`}`
					: `app ${appId} on ${plainLine(account, "an unknown account")}`;
			void notify("Information", `${label}: you are ${words}.`);
			return who;
		}),
	}),
	define("switchboard.codehost.listInstallations", "List App Installations", {
		icon: "organization",
		menus: [onRows(VIEWS.connections, "=~ /^connection\\.codehost\\.app\\b/", "1_use@3")],
		input: CONNECTION,
		gives: ["{installations: [{id, account, suspended}], complete}"],
		async run(call, parts) {
			const { clients, registry } = parts;
			const among = registry.list(service).filter(({ credential }) => credential.kind === "app");
			if (givenIn(call) === undefined && among.length === 0) {
				const step = { label: "Add Code Host...", command: "switchboard.codehost.addConnection" };
				leadTo("Only apps have installations, and none of your connections is an app.", step);
				return undefined;
			}
			const connection = await connectionOf(call, registry, { title: "List App Installations", service, among });
			if (connection === undefined) return undefined;
			const { label, id } = connection;
			const list = (asking: Asking) => listInstallations(clients, id, asking);
			if (call.argument !== undefined) return list({});
			const found = await withProgress(`Asking ${label}...`, (_, doing) => list(doing), { label });
			const used = connection.credential.kind === "app" ? connection.credential.installationId : undefined;
			const placeholder = found.complete ? "Where the app is installed" : INCOMPLETE;
			await askChoice(
				{ title: `Installations of ${label}`, placeholder },
				installationChoices(found.installations, used),
			);
			return found;
		},
	}),
	define("switchboard.codehost.status", "Show Credential Status", {
		icon: "info",
		menus: [onRows(VIEWS.connections, "=~ /^connection\\.codehost\\b/", "1_use@4")],
		input: CONNECTION,
		gives: ["{connection, kind, access, tokenExpiresAt, tokenRenewsAt, exchanges, renewals, rate, skewMs, error}"],
		run: runOn(codehostOf, async (connection, call, parts) => {
			if (call.argument === undefined) await parts.revealConnection(connection.id);
			await parts.clients.parts.secrets.read(connection);
			return statusResult(parts.statuses.of(connection.id));
		}),
	}),
];
