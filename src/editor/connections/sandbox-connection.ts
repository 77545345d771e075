import { isDeepStrictEqual } from "node:util";
import { readAppKey } from "#api/codehost/private-key.ts";
import type { Repositories } from "#app/codehost/repositories.ts";
import { appSecret } from "#app/connections/codehost-secret.ts";
import type { Connection, ConnectionService } from "#app/connections/connection.ts";
import { bareToken, petstoreSecret } from "#app/connections/petstore-secret.ts";
import type { ConnectionRegistry } from "#app/connections/registry.ts";
import type { KnownUsers } from "#app/petstore/users.ts";
import { DisposableStore } from "#base/disposables.ts";

/** The parts of a started sandbox that connections need. */
interface RunningSandbox {
	readonly baseUrls: Readonly<Record<ConnectionService, string>>;
	readonly keys: {
		readonly messages: string;
		readonly petstore: { readonly apiKey: string; readonly token: string };
		readonly codehost: {
			readonly fineGrained: string;
			readonly app: { readonly appId: number; readonly installationId: number; privateKeyPem(): Promise<string> };
		};
	};
	close(): Promise<void>;
}

/** The ids of the connections to the sandbox's services. */
export const SANDBOX_IDS = {
	messages: "sandbox-messages",
	codehost: "sandbox-codehost",
	codehostApp: "sandbox-codehost-app",
	petstore: "sandbox-petstore",
} as const;

const LABELS = {
	[SANDBOX_IDS.messages]: "Built-in Sandbox",
	[SANDBOX_IDS.codehost]: "Sandbox Code Host",
	[SANDBOX_IDS.codehostApp]: "Sandbox App",
	[SANDBOX_IDS.petstore]: "Sandbox Pet Store",
};

/** Repositories that are there at once: two projects, and ten thousand issues through the app. */
const REPOSITORIES = [
	{ repository: "exchange/switchboard", connection: SANDBOX_IDS.codehost },
	{ repository: "ada/garden", connection: SANDBOX_IDS.codehost },
	{ repository: "exchange/archive", connection: SANDBOX_IDS.codehostApp },
] as const;

/** Questions about the sandbox's data with the tools that they need, and two that need none. */
const EXAMPLES: readonly (readonly [text: string, ...tools: string[]])[] = [
	["Which pets are pending?", "switchboard_find_pets"],
	["Summarize issue 12", "switchboard_read_issue"],
	["Sell a pet that is available", "switchboard_find_pets", "switchboard_set_pet_status"],
	["What can you do?"],
	["Show me a table, a list and some code"],
];

/** The first three examples that the sandbox can answer with the tools of a conversation and what is connected. */
export function sandboxExamples(
	tools: readonly { readonly name: string }[],
	registry: Pick<ConnectionRegistry, "get">,
	repositories: Pick<Repositories, "list">,
): readonly string[] {
	const hasStore = registry.get(SANDBOX_IDS.petstore) !== undefined;
	const hasIssues = repositories.list().some((each) => isDeepStrictEqual(each, REPOSITORIES[0]));
	const isThere = (name: string) =>
		tools.some((each) => each.name === name) && (name.endsWith("_issue") ? hasIssues : hasStore);
	const working = EXAMPLES.filter(([, ...needed]) => needed.every(isThere));
	return working.slice(0, 3).map(([text]) => text);
}

/** Starter of the built-in sandbox, shared by callers. Its connections and secrets end with `held`; none is stored. */
export function sandboxConnector(
	start: (own: Readonly<Record<string, string>>) => Promise<RunningSandbox>,
	registry: ConnectionRegistry,
	repositories: Repositories,
	users: KnownUsers,
	held: DisposableStore,
): () => Promise<typeof SANDBOX_IDS> {
	let running = new DisposableStore();
	let starting: Promise<typeof SANDBOX_IDS> | undefined;
	held.add({ dispose: () => running.dispose() });

	async function connect(): Promise<typeof SANDBOX_IDS> {
		running.dispose();
		const now = new DisposableStore();
		running = now;
		const labelOf = (id: keyof typeof LABELS) => registry.unusedLabel(LABELS[id]);
		// The sandbox's model names its own connections: a person may have others beside them.
		const labels = REPOSITORIES.map(({ repository, connection }) => [repository, labelOf(connection)]);
		const sandbox = await start({ petstore: labelOf(SANDBOX_IDS.petstore), ...Object.fromEntries(labels) });
		now.add({ dispose: () => sandbox.close() });
		const { baseUrls, keys } = sandbox;
		const { fineGrained, app } = keys.codehost;
		const privateKey = await app.privateKeyPem();
		const { fingerprint } = readAppKey(privateKey);
		const { apiKey, token } = keys.petstore;
		const at = <S extends ConnectionService>(service: S, id: keyof typeof LABELS) =>
			({ service, id, label: labelOf(id), baseUrl: baseUrls[service], profile: "sandbox" }) as const;
		const add = (connection: Connection, secret: string) => now.add(registry.addPassing(connection, secret));
		add({ ...at("messages", SANDBOX_IDS.messages), model: "sandbox" }, keys.messages);
		const credential = { kind: "pat", login: "ada", patKind: "fine-grained" } as const;
		add({ ...at("codehost", SANDBOX_IDS.codehost), credential }, fineGrained);
		const { installationId } = app;
		const ofApp = { appId: String(app.appId), installationId, account: "exchange", fingerprint };
		add(
			{ ...at("codehost", SANDBOX_IDS.codehostApp), credential: { kind: "app", ...ofApp } },
			appSecret({ privateKey }),
		);
		add(
			{ ...at("petstore", SANDBOX_IDS.petstore), format: "json" },
			petstoreSecret({ apiKey, token: bareToken(token) }) ?? "",
		);
		now.add(repositories.addPassing(REPOSITORIES));
		// No store can list its users.
		await users.remember(SANDBOX_IDS.petstore, ["ada", "grace", "lin"]);
		return SANDBOX_IDS;
	}

	return () => {
		const isWhole = Object.values(SANDBOX_IDS).every((id) => registry.get(id) !== undefined);
		if (starting === undefined && isWhole) return Promise.resolve(SANDBOX_IDS);
		starting ??= connect().finally(() => {
			starting = undefined;
		});
		return starting;
	};
}
