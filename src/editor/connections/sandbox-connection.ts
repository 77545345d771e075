import { readAppKey } from "#api/codehost/private-key.ts";
import type { Repositories } from "#app/codehost/repositories.ts";
import { appSecret } from "#app/codehost/secret.ts";
import type { ConnectionService } from "#app/connections/connection.ts";
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

/** Rooms that the sandbox's connections are announced to. */
export interface SandboxParts {
	readonly registry: ConnectionRegistry;
	readonly repositories: Repositories;
	readonly users: KnownUsers;
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

	constructor(start: () => Promise<RunningSandbox>, { registry, repositories, users }: SandboxParts) {
		this.#start = start;
		this.#registry = registry;
		this.#repositories = repositories;
		this.#users = users;
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
		const codehost = { service: "codehost", baseUrl: baseUrls.codehost, profile: "sandbox" } as const;
		held.add(
			this.#registry.addPassing(
				{
					id: SANDBOX_IDS.messages,
					service: "messages",
					label: "Built-in Sandbox",
					baseUrl: baseUrls.messages,
					profile: "sandbox",
					model: "sandbox",
				},
				keys.messages,
			),
		);
		held.add(
			this.#registry.addPassing(
				{
					...codehost,
					id: SANDBOX_IDS.codehost,
					label: "Sandbox Code Host",
					credential: { kind: "pat", login: "ada", patKind: "fine-grained" },
				},
				fineGrained,
			),
		);
		held.add(
			this.#registry.addPassing(
				{
					...codehost,
					id: SANDBOX_IDS.codehostApp,
					label: "Sandbox App",
					credential: {
						kind: "app",
						appId: String(app.appId),
						installationId: app.installationId,
						account: "exchange",
						fingerprint: readAppKey(privateKey).fingerprint,
					},
				},
				appSecret({ privateKey }),
			),
		);
		const { apiKey, token } = keys.petstore;
		held.add(
			this.#registry.addPassing(
				{
					id: SANDBOX_IDS.petstore,
					service: "petstore",
					label: "Sandbox Pet Store",
					baseUrl: baseUrls.petstore,
					profile: "sandbox",
					format: "json",
				},
				petstoreSecret({ apiKey, token: bareToken(token) }) ?? "",
			),
		);
		held.add(this.#repositories.addPassing(REPOSITORIES));
		await this.#users.remember(SANDBOX_IDS.petstore, USERS);
		this.#isReady = true;
		return SANDBOX_IDS;
	}
}

function bound(sandbox: RunningSandbox): Pick<RunningSandbox, "baseUrls" | "keys" | "close"> {
	return { baseUrls: sandbox.baseUrls, keys: sandbox.keys, close: () => sandbox.close() };
}
