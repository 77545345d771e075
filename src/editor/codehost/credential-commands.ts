import { listInstallations, statusResult, whoAmI } from "#app/codehost/results.ts";
import type { Asking } from "#app/connections/probe-result.ts";
import { HAS } from "#app/contributions.ts";
import { trimmed } from "#base/schema.ts";
import { installationChoices } from "../connections/installations.ts";
import { connectionOf } from "../connections/manage-connections.ts";
import { type Call, commandsOf, givenIn, runOn } from "../kit/command.ts";
import { askChoice, leadTo } from "../kit/prompts.ts";
import { withProgress } from "../progress.ts";
import { INCOMPLETE } from "../words/codehost-words.ts";
import type { RepositoryRoom } from "./codehost.ts";

const service = "codehost";
const define = commandsOf<RepositoryRoom>({ service, palette: false });

const CONNECTION = { connection: trimmed() };

/** Code host of a call, which a person sees in its view. */
async function codehostOf(call: Call, { registry, revealConnection }: RepositoryRoom, title: string) {
	const connection = await connectionOf(call, registry, { title, service });
	if (connection !== undefined && call.argument === undefined) await revealConnection(connection.id);
	return connection;
}

/** Commands about the credentials of code hosts. */
export const CREDENTIAL_COMMANDS = [
	define("switchboard.codehost.whoAmI", "Who Am I", {
		icon: "account",
		input: CONNECTION,
		gives: ["{connection, kind, login, name, appId, installationId, account}"],
		run: runOn(codehostOf, ({ id }, _, { clients }) => whoAmI(clients, id, {})),
	}),
	define("switchboard.codehost.listInstallations", "List App Installations", {
		icon: "organization",
		palette: HAS.codehost,
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
		input: CONNECTION,
		gives: ["{connection, kind, access, tokenExpiresAt, tokenRenewsAt, exchanges, renewals, rate, skewMs, error}"],
		run: runOn(codehostOf, async (connection, _, parts) => {
			await parts.clients.parts.secrets.read(connection);
			return statusResult(parts.statuses.of(connection.id));
		}),
	}),
];
