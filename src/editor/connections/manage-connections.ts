import { isUnreached } from "#api/http/fault.ts";
import type { Connection, ConnectionService, ConnectionTo } from "#app/connections/connection.ts";
import type { ConnectionRegistry, SaveOptions } from "#app/connections/registry.ts";
import { identityOf, SERVICES } from "#app/connections/services.ts";
import type { Held } from "#app/connections/vault.ts";
import { type Call, givenIn } from "../kit/command.ts";
import { withoutIcons } from "../kit/plain.ts";
import { askChoice, choose, leadTo } from "../kit/prompts.ts";
import { joinParts, plainLine } from "../kit/text.ts";
import { withProgress } from "../progress.ts";
import { addressBeside, SIGNED_OUT } from "./connection-facts.ts";
import { personLeft } from "./notices.ts";

/** Connection of a call: named, of the row, or chosen `among` some if there are several. Throws `invalid`. */
export async function connectionOf<S extends ConnectionService = ConnectionService>(
	call: Call,
	registry: ConnectionRegistry,
	{
		title,
		service,
		among = registry.list(service),
	}: { readonly title: string; readonly service?: S; readonly among?: readonly ConnectionTo<S>[] },
): Promise<ConnectionTo<S> | undefined> {
	const named = givenIn(call)?.["connection"];
	if (named !== undefined) return registry.require(String(named), service);
	if (among.length === 0) {
		const step = { label: "Add Connection...", command: "switchboard.addConnection" };
		leadTo("You have no connections yet.", step);
		return undefined;
	}
	const frame = { title, placeholder: "Which connection?" };
	const picked = among.length === 1 ? among[0] : await choose(frame, await connectionChoices(among, registry));
	if (picked !== undefined) call.connection = picked.id;
	return picked;
}

/** Choices of connections, told apart by credential, owner and sign-out. */
export async function connectionChoices<C extends Connection>(connections: readonly C[], registry: ConnectionRegistry) {
	const isOut = ({ closed }: Held) => closed === "signed-out";
	const areOut = await Promise.all(connections.map((each) => registry.secret(each).then(isOut, () => false)));
	return connections.map((connection, at) => {
		const { label } = connection;
		const { kind, holder: own } = identityOf(connection);
		const holder = plainLine(own);
		const whose = kind === "app" ? `app on ${holder}` : holder;
		const description = withoutIcons(
			joinParts([areOut[at] ? SIGNED_OUT : "", holder && whose, addressBeside(connection)]),
		);
		return { label: withoutIcons(label), description, value: connection };
	});
}

/** Connection that is saved, and how a person is asked about it. */
interface Saving extends Pick<Connection, "service" | "label" | "baseUrl"> {
	readonly title: string;
	/** Label of the choice that returns to the answers; without it the service is asked again. */
	readonly back?: string;
}

/** Saves a connection once its service accepts it; asks when it is not reached. Rejects with the refusal or `aborted`. */
export async function saveOrAsk<T>(saving: Saving, save: (options: SaveOptions) => Promise<T>): Promise<T> {
	const { service, label, title: wizard, baseUrl, back } = saving;
	for (;;) {
		try {
			return await withProgress(`Checking ${label}...`, (_, doing) => save(doing), { label, wizard });
		} catch (error) {
			if (!isUnreached(error) || SERVICES[service].needsSecret) throw error;
			const frame = { title: wizard, placeholder: `${label} does not answer. What now?`, stays: true };
			const next = await askChoice<"back" | "keep">(frame, [
				{ label: back ?? "Try Again", detail: withoutIcons(baseUrl), value: "back" },
				{ label: "Save Anyway", detail: "Test Connection checks it later.", value: "keep" },
			]);
			if (next === "keep") return save({ unasked: true });
			if (next !== "back") throw personLeft(service);
			if (back !== undefined) throw error;
		}
	}
}
