import { readAppKey } from "#api/codehost/private-key.ts";
import type { Repositories } from "#app/codehost/repositories.ts";
import { appSecret } from "#app/codehost/secret.ts";
import type { Connection, ConnectionService } from "#app/connections/connection.ts";
import type { ConnectionRegistry } from "#app/connections/registry.ts";
import type { KnownUsers } from "#app/petstore/known-users.ts";
import { bareToken, petstoreSecret } from "#app/petstore/secret.ts";
import { type Disposable, DisposableStore } from "#base/disposables.ts";

/** A started sandbox, as far as connecting to it goes. */
export interface RunningSandbox {
	readonly baseUrls: Readonly<Record<ConnectionService, string>>;
	readonly keys: {
		readonly messages: string;
		readonly petstore: { readonly apiKey: string; readonly token: string };
		readonly codehost: {
			readonly fineGrained: string;
			readonly app: {
				readonly appId: number;
				readonly installationId: number;
				privateKeyPem(): Promise<string>;
			};
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

/** The connections to the sandbox's services, by service. */
export type SandboxIds = typeof SANDBOX_IDS;

/** Repositories that are there at once: a few hundred issues, and ten thousand through the app. */
const REPOSITORIES = [
	{ repository: "exchange/switchboard", connection: SANDBOX_IDS.codehost },
	{ repository: "ada/garden", connection: SANDBOX_IDS.codehost },
	{ repository: "exchange/archive", connection: SANDBOX_IDS.codehostApp },
];

/** Users that the sandbox's pet store has: none can be listed. */
const USERS = ["ada", "grace", "lin"];

/**
 * Starts the built-in sandbox once and keeps its connections announced. Its secrets are minted at each start, so neither
 * they nor the connections are stored: all end with the window.
 */
export class SandboxConnection implements Disposable {
	readonly #start: () => Promise<RunningSandbox>;
	readonly #registry: ConnectionRegistry;
	readonly #repositories: Repositories;
	readonly #users: KnownUsers;
	#held = new DisposableStore();
	#starting: Promise<SandboxIds> | undefined;

	constructor(
		start: () => Promise<RunningSandbox>,
		rooms: { readonly registry: ConnectionRegistry; readonly repositories: Repositories; readonly users: KnownUsers },
	) {
		this.#start = start;
		this.#registry = rooms.registry;
		this.#repositories = rooms.repositories;
		this.#users = rooms.users;
	}

	/** Resolves to the ids of the connections; callers at the same time share one start. */
	connect(): Promise<SandboxIds> {
		const isWhole = Object.values(SANDBOX_IDS).every((id) => this.#registry.get(id) !== undefined);
		if (this.#starting === undefined || (this.#isReady && !isWhole)) {
			this.#isReady = false;
			this.#starting = this.#connect();
			this.#starting.catch(() => {
				this.#starting = undefined;
			});
		}
		return this.#starting;
	}

	#isReady = false;

	dispose(): void {
		this.#held.dispose();
	}

	async #connect(): Promise<SandboxIds> {
		this.#held.dispose();
		const held = new DisposableStore();
		this.#held = held;
		const { baseUrls, keys, close } = bound(await this.#start());
		held.add({ dispose: close });
		const { fineGrained, app } = keys.codehost;
		const privateKey = await app.privateKeyPem();
		const { apiKey, token } = keys.petstore;
		const codehost = { service: "codehost", baseUrl: baseUrls.codehost, profile: "sandbox" } as const;
		const { fingerprint } = readAppKey(privateKey);
		const installation = { appId: String(app.appId), installationId: app.installationId, account: "exchange" };
		const passing: readonly (readonly [Connection, secret: string])[] = [
			[
				{
					...{ id: SANDBOX_IDS.messages, service: "messages", label: "Built-in Sandbox" },
					...{ baseUrl: baseUrls.messages, profile: "sandbox", model: "sandbox" },
				},
				keys.messages,
			],
			[
				{
					...{ ...codehost, id: SANDBOX_IDS.codehost, label: "Sandbox Code Host" },
					credential: { kind: "pat", login: "ada", patKind: "fine-grained" },
				},
				fineGrained,
			],
			[
				{
					...{ ...codehost, id: SANDBOX_IDS.codehostApp, label: "Sandbox App" },
					credential: { kind: "app", ...installation, fingerprint },
				},
				appSecret({ privateKey }),
			],
			[
				{
					...{ id: SANDBOX_IDS.petstore, service: "petstore", label: "Sandbox Pet Store" },
					...{ baseUrl: baseUrls.petstore, profile: "sandbox", format: "json" },
				},
				petstoreSecret({ apiKey, token: bareToken(token) }) ?? "",
			],
		];
		for (const [connection, secret] of passing) held.add(this.#registry.addPassing(connection, secret));
		held.add(this.#repositories.addPassing(REPOSITORIES));
		await this.#users.remember(SANDBOX_IDS.petstore, USERS);
		this.#isReady = true;
		return SANDBOX_IDS;
	}
}

function bound(sandbox: RunningSandbox): Pick<RunningSandbox, "baseUrls" | "keys" | "close"> {
	return { baseUrls: sandbox.baseUrls, keys: sandbox.keys, close: () => sandbox.close() };
}
