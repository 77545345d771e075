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

/** Repositories that are there at once: a few hundred issues, and ten thousand through the app. */
const REPOSITORIES = [
	{ repository: "exchange/switchboard", connection: SANDBOX_IDS.codehost },
	{ repository: "ada/garden", connection: SANDBOX_IDS.codehost },
	{ repository: "exchange/archive", connection: SANDBOX_IDS.codehostApp },
];

/** Users that the sandbox's pet store has: none can be listed. */
const USERS = ["ada", "grace", "lin"];

/** Starter of the built-in sandbox, shared by callers. Its connections and secrets end with `held`; none is stored. */
export function sandboxConnector(
	start: () => Promise<RunningSandbox>,
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
		const sandbox = await start();
		now.add({ dispose: () => sandbox.close() });
		const { baseUrls, keys } = sandbox;
		const { fineGrained, app } = keys.codehost;
		const privateKey = await app.privateKeyPem();
		const { fingerprint } = readAppKey(privateKey);
		const { apiKey, token } = keys.petstore;
		const at = <S extends ConnectionService>(service: S, id: string, label: string) =>
			({ service, id, label, baseUrl: baseUrls[service], profile: "sandbox" }) as const;
		const add = (connection: Connection, secret: string) => now.add(registry.addPassing(connection, secret));
		add({ ...at("messages", SANDBOX_IDS.messages, "Built-in Sandbox"), model: "sandbox" }, keys.messages);
		const credential = { kind: "pat", login: "ada", patKind: "fine-grained" } as const;
		add({ ...at("codehost", SANDBOX_IDS.codehost, "Sandbox Code Host"), credential }, fineGrained);
		const { installationId } = app;
		const ofApp = { appId: String(app.appId), installationId, account: "exchange", fingerprint };
		add(
			{ ...at("codehost", SANDBOX_IDS.codehostApp, "Sandbox App"), credential: { kind: "app", ...ofApp } },
			appSecret({ privateKey }),
		);
		add(
			{ ...at("petstore", SANDBOX_IDS.petstore, "Sandbox Pet Store"), format: "json" },
			petstoreSecret({ apiKey, token: bareToken(token) }) ?? "",
		);
		now.add(repositories.addPassing(REPOSITORIES));
		await users.remember(SANDBOX_IDS.petstore, USERS);
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
