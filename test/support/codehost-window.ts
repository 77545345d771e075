import type { TestContext } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { RateLimits } from "#api/codehost/rate-limits.ts";
import { type CodehostAccessServices, CodehostClients } from "#app/codehost/clients.ts";
import { IssueLists } from "#app/codehost/issue-lists.ts";
import { Repositories } from "#app/codehost/repositories.ts";
import { CodehostStatuses } from "#app/codehost/status.ts";
import { ConnectionRegistry } from "#app/connections/registry.ts";
import { StoredSecrets } from "#app/connections/stored-secrets.ts";
import { Vault } from "#app/connections/vault.ts";
import { DisposableStore } from "#base/disposables.ts";
import { Redactor } from "#base/redaction.ts";
import type { CodehostFaults } from "#sandbox/codehost/faults.ts";
import { startSandbox } from "#sandbox/sandbox.ts";
import { transport } from "./codehost-client.ts";
import { codehostPatience } from "./codehost-patience.ts";
import { FakeClock } from "./fake-clock.ts";
import { MemoryLog, MemorySecrets, MemorySettings, MemoryStore } from "./memory-editor.ts";

/** The id of the one connection, with Ada's token. */
export const ADA = "ada";

/**
 * What a window has of code hosts, over the sandbox, by a clock that moves only when told to. There is one connection;
 * the editor's storage is in memory.
 */
export async function codehostWindow(
	context: TestContext,
	faults: CodehostFaults = {},
	profile: "sandbox" | "custom" = "sandbox",
) {
	const clock = new FakeClock();
	const hostClock = { leadMs: 0 };
	const sandbox = await startSandbox({ codehost: faults, now: () => clock.now() + hostClock.leadMs });
	context.after(() => sandbox.close());
	const held = new DisposableStore();
	context.after(() => held.dispose());
	const redactor = new Redactor();
	const log = new MemoryLog();
	const access: CodehostAccessServices = {
		transport,
		clock,
		rateLimits: new RateLimits(clock),
		redactor,
		log,
		patience: () => codehostPatience,
	};
	const vault = new Vault(new MemorySecrets(), redactor, log);
	const probe = async () => ({ ms: 1 });
	const registry = held.add(new ConnectionRegistry({ settings: new MemorySettings(), vault, probe, clock, log }));
	held.add(
		registry.addPassing(
			{
				id: ADA,
				service: "codehost",
				label: "Ada",
				baseUrl: sandbox.baseUrls.codehost,
				profile,
				credential: { kind: "pat" },
			},
			sandbox.keys.codehost.fineGrained,
		),
	);
	const secrets = held.add(new StoredSecrets(registry, redactor, log));
	const clients = held.add(new CodehostClients({ ...access, registry, secrets }));
	const repositories = held.add(new Repositories(new MemoryStore(), clients));
	const lists = held.add(new IssueLists(clients, repositories, new MemoryStore()));
	const statuses = held.add(new CodehostStatuses(clients));
	return { clock, hostClock, sandbox, access, log, registry, clients, repositories, lists, statuses };
}

/** Waits until something that takes real time has happened. Fails after five seconds. */
export async function until(isSo: () => boolean): Promise<void> {
	for (let tries = 0; !isSo(); tries++) {
		if (tries > 2_500) throw new Error("It did not come to that.");
		await pause(2);
	}
}
