import type { ConnectionRegistry } from "#app/connections/registry.ts";
import { type Disposable, DisposableStore } from "#base/disposables.ts";

/** A started sandbox, as far as connecting to it goes. */
export interface RunningSandbox {
	readonly baseUrls: { readonly messages: string };
	readonly keys: { readonly messages: string };
	close(): Promise<void>;
}

/** The id of the connection to the sandbox's messages service. */
export const SANDBOX_MESSAGES_ID = "sandbox-messages";

/**
 * Starts the built-in sandbox once and keeps its connection announced. Its keys are minted at each start, so neither
 * they nor the connection are stored: both end with the window.
 */
export class SandboxConnection implements Disposable {
	readonly #start: () => Promise<RunningSandbox>;
	readonly #registry: ConnectionRegistry;
	#held = new DisposableStore();
	#starting: Promise<string> | undefined;

	constructor(start: () => Promise<RunningSandbox>, registry: ConnectionRegistry) {
		this.#start = start;
		this.#registry = registry;
	}

	/** Resolves to the id of the messages connection; callers at the same time share one start. */
	connect(): Promise<string> {
		if (this.#starting === undefined || this.#registry.get(SANDBOX_MESSAGES_ID) === undefined) {
			this.#starting = this.#connect();
			this.#starting.catch(() => {
				this.#starting = undefined;
			});
		}
		return this.#starting;
	}

	dispose(): void {
		this.#held.dispose();
	}

	async #connect(): Promise<string> {
		this.#held.dispose();
		this.#held = new DisposableStore();
		const sandbox = await this.#start();
		this.#held.add({ dispose: () => sandbox.close() });
		this.#held.add(
			this.#registry.addPassing(
				{
					id: SANDBOX_MESSAGES_ID,
					service: "messages",
					label: "Built-in Sandbox",
					baseUrl: sandbox.baseUrls.messages,
					profile: "sandbox",
					model: "sandbox",
				},
				sandbox.keys.messages,
			),
		);
		return SANDBOX_MESSAGES_ID;
	}
}
