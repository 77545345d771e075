import type { TestContext } from "node:test";
import type { CallPatience } from "#api/http/caller.ts";
import type { RequestNotice } from "#api/http/notice.ts";
import { createTransport } from "#api/http/undici-transport.ts";
import { defaultPatience } from "#api/messages/model.ts";
import { petstoreLimiters } from "#api/petstore/client.ts";
import { KnownSecrets } from "#app/connections/known-secrets.ts";
import type { PetstoreFormat } from "#app/connections/petstore-profiles.ts";
import { bareToken, petstoreSecret } from "#app/connections/petstore-secret.ts";
import { ConnectionRegistry } from "#app/connections/registry.ts";
import { Vault } from "#app/connections/vault.ts";
import { PetstoreClients, probePetstore } from "#app/petstore/clients.ts";
import { parseUser, userText } from "#app/petstore/user-text.ts";
import { KnownUsers, type UserAddress, Users } from "#app/petstore/users.ts";
import { Redactor } from "#base/redaction.ts";
import type { PetstoreFaults } from "#sandbox/petstore/faults.ts";
import { startSandbox } from "#sandbox/sandbox.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { MemoryLog, MemorySecrets, MemorySettings, MemoryStore } from "../../support/memory-editor.ts";

/** A running pet store, and a window of the editor with everything that the product decides about it. */
export async function openPetstoreWindow(
	context: TestContext,
	faults: PetstoreFaults = {},
	changes: Partial<CallPatience> = {},
) {
	const clock = new FakeClock();
	clock.randomValues = Array.from({ length: 100 }, (_, n) => (n + 1) / 101);
	const sandbox = await startSandbox({ curious: true, pets: 60, petstore: faults, now: () => clock.now() });
	const transport = createTransport();
	const [secrets, settings, log, redactor] = [
		new MemorySecrets(),
		new MemorySettings(),
		new MemoryLog(),
		new Redactor(),
	];
	const patience = () => ({ ...defaultPatience, maxAttempts: 1, ...changes });
	const access = { transport, clock, log, redactor, limiters: petstoreLimiters(), patience };
	const registry = new ConnectionRegistry({
		settings,
		clock,
		log,
		vault: new Vault(secrets, redactor, log),
		probe: async (draft, secret, asking) => {
			if (draft.service !== "petstore") throw new Error("Only pet stores are asked here.");
			return probePetstore(access, draft, { ...asking, secret });
		},
	});
	const known = new KnownSecrets(registry, log);
	const clients = new PetstoreClients({ ...access, registry, secrets: known });
	const requests: (RequestNotice & { readonly connection: string })[] = [];
	clients.onRequest((notice) => requests.push(notice));
	context.after(async () => {
		for (const each of [clients, known, registry]) each.dispose();
		await transport.close();
		await sandbox.close();
	});
	const keys = sandbox.keys.petstore;
	const baseUrl = sandbox.baseUrls.petstore;
	const secretOf = ({ apiKey, token }: { apiKey?: string; token?: string }) =>
		petstoreSecret({ apiKey, token: token === undefined ? undefined : bareToken(token) });
	return {
		clock,
		sandbox,
		keys,
		baseUrl,
		secrets,
		settings,
		log,
		redactor,
		registry,
		clients,
		requests,
		secretOf,
		/** Adds a connection with what is given, by default with everything. */
		add: (given: { apiKey?: string; token?: string } = keys, format: PetstoreFormat = "json") =>
			registry.add({ service: "petstore", label: "Store", baseUrl, profile: "sandbox", format }, secretOf(given)),
	};
}

/** The users of such a window's stores, and which of them it remembers, in `store` where that is given. */
export function usersIn(
	context: TestContext,
	window: Pick<Awaited<ReturnType<typeof openPetstoreWindow>>, "clients" | "registry">,
	store = new MemoryStore(),
) {
	const { clients, registry } = window;
	const known = new KnownUsers(store, registry);
	const users = new Users(clients, known);
	context.after(() => {
		users.dispose();
		known.dispose();
	});
	return { known, users };
}

/** Text of a user's document. */
export async function printUser(users: Users, address: UserAddress): Promise<string> {
	return userText(await users.get(address));
}

/** Saves the text of a user's document; resolves to its text afterwards. */
export async function saveUser(users: Users, address: UserAddress, text: string): Promise<string> {
	return userText(await users.save(address, parseUser(text)));
}
