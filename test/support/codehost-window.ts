import type { TestContext } from "node:test";
import { RateLimits } from "#api/codehost/gate.ts";
import type { CallPatience } from "#api/http/caller.ts";
import type { RequestNotice } from "#api/http/notice.ts";
import { createTransport } from "#api/http/undici-transport.ts";
import { type CodehostAccessServices, CodehostClients, probeCodehost } from "#app/codehost/clients.ts";
import { IssueLists } from "#app/codehost/issue-lists.ts";
import { Repositories } from "#app/codehost/repositories.ts";
import { CodehostStatuses } from "#app/codehost/status.ts";
import { appSecret } from "#app/connections/codehost-secret.ts";
import type { CodehostConnection } from "#app/connections/connection.ts";
import { KnownSecrets } from "#app/connections/known-secrets.ts";
import { ConnectionRegistry } from "#app/connections/registry.ts";
import { Vault } from "#app/connections/vault.ts";
import { Redactor } from "#base/redaction.ts";
import type { CodehostFaults } from "#sandbox/codehost/faults.ts";
import { startSandbox } from "#sandbox/sandbox.ts";
import { codehostPatience } from "./codehost-patience.ts";
import { FakeClock } from "./fake-clock.ts";
import { MemoryLog, MemorySecrets, MemorySettings, MemoryStore } from "./memory-editor.ts";

/** A running code host, and a window of the editor with everything that the product decides about it. */
export async function openWindow(
	context: TestContext,
	faults: CodehostFaults = {},
	patience: Partial<CallPatience> = {},
) {
	const clock = new FakeClock();
	clock.randomValues = Array.from({ length: 100 }, (_, n) => (n + 1) / 101);
	const hostClock = { leadMs: 0 };
	const sandbox = await startSandbox({ codehost: faults, now: () => clock.now() + hostClock.leadMs });
	const transport = createTransport();
	const storage = { secrets: new MemorySecrets(), settings: new MemorySettings(), store: new MemoryStore() };
	const log = new MemoryLog();
	const redactor = new Redactor();
	const access: CodehostAccessServices = {
		transport,
		clock,
		log,
		redactor,
		rateLimits: new RateLimits(clock),
		patience: () => ({ ...codehostPatience, maxAttempts: 1, maxRetryWaitMs: 0, ...patience }),
	};
	const registry = new ConnectionRegistry({
		settings: storage.settings,
		vault: new Vault(storage.secrets, redactor, log),
		clock,
		log,
		probe: async (draft, secret, asking) => {
			if (draft.service !== "codehost") throw new Error("Only code hosts are asked here.");
			return probeCodehost(access, draft, { ...asking, secret });
		},
	});
	const known = new KnownSecrets(registry, log);
	const clients = new CodehostClients({ ...access, registry, secrets: known });
	const requests: RequestNotice[] = [];
	clients.onRequest((notice) => requests.push(notice));
	const repositories = new Repositories(storage.store, clients);
	const lists = new IssueLists(repositories, storage.store);
	const statuses = new CodehostStatuses(clients);
	context.after(async () => {
		for (const each of [lists, statuses, repositories, clients, known, registry]) each.dispose();
		await transport.close();
		await sandbox.close();
	});
	const { keys } = sandbox;
	const baseUrl = sandbox.baseUrls.codehost;
	return {
		...storage,
		clock,
		hostClock,
		sandbox,
		keys: keys.codehost,
		baseUrl,
		log,
		redactor,
		access,
		registry,
		clients,
		requests,
		repositories,
		lists,
		statuses,
		/** Adds a connection with a personal token. */
		addPat: (
			token: string = keys.codehost.fineGrained,
			profile: CodehostConnection["profile"] = "sandbox",
		): Promise<CodehostConnection> =>
			registry.add({ ...draftAt(baseUrl), profile, credential: { kind: "pat" } }, token),
		/** Adds a connection of the main app's installation. */
		addApp: async (
			installationId = keys.codehost.app.installationId,
			profile: CodehostConnection["profile"] = "sandbox",
		): Promise<CodehostConnection> => {
			const { appId, privateKeyPem } = keys.codehost.app;
			const credential = { kind: "app", appId: `${appId}`, installationId } as const;
			return registry.add(
				{ ...draftAt(baseUrl), profile, credential },
				appSecret({ privateKey: await privateKeyPem() }),
			);
		},
	};
}

/** A window as {@link openWindow} gives it. */
export type Window = Awaited<ReturnType<typeof openWindow>>;

function draftAt(baseUrl: string) {
	return { service: "codehost", label: "Host", baseUrl, profile: "sandbox" } as const;
}

/** The id of the one connection of {@link codehostWindow}, with Ada's token. */
export const ADA = "ada";

/** A window as {@link openWindow} gives it, with the patience of the product and one connection that it does not keep. */
export async function codehostWindow(
	context: TestContext,
	faults: CodehostFaults = {},
	profile: "sandbox" | "custom" = "sandbox",
) {
	const window = await openWindow(context, faults, codehostPatience);
	const { clock, sandbox, registry } = window;
	clock.randomValues = [];
	const ada = { ...draftAt(window.baseUrl), id: ADA, label: "Ada", profile, credential: { kind: "pat" } } as const;
	registry.addPassing(ada, sandbox.keys.codehost.fineGrained);
	return window;
}

/** Counts the refreshes in the background that are under way. */
export function refreshesUnderWay(lists: IssueLists): () => number {
	let underWay = 0;
	const refresh = lists.refreshQuietly.bind(lists);
	lists.refreshQuietly = (...asked) => {
		underWay += 1;
		return refresh(...asked).finally(() => {
			underWay -= 1;
		});
	};
	return () => underWay;
}
