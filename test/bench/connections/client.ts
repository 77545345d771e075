import { setTimeout as pause } from "node:timers/promises";
import { RateLimits } from "#api/codehost/gate.ts";
import { createTransport } from "#api/http/undici-transport.ts";
import { defaultPatience } from "#api/messages/model.ts";
import { petstoreLimiters } from "#api/petstore/client.ts";
import { ConnectionTests, probeOf } from "#app/checks/connection-tests.ts";
import { CodehostClients } from "#app/codehost/clients.ts";
import { IssueLists, refreshInBackground } from "#app/codehost/issue-lists.ts";
import { Repositories } from "#app/codehost/repositories.ts";
import { CodehostStatuses } from "#app/codehost/status.ts";
import type { ConnectionDraft, ConnectionService } from "#app/connections/connection.ts";
import { KnownSecrets } from "#app/connections/known-secrets.ts";
import { petstoreSecret } from "#app/connections/petstore-secret.ts";
import { ConnectionRegistry } from "#app/connections/registry.ts";
import { Vault } from "#app/connections/vault.ts";
import { PetstoreClients } from "#app/petstore/clients.ts";
import { RequestLog } from "#app/requests/request-log.ts";
import { systemClock as clock } from "#base/clock.ts";
import { Redactor } from "#base/redaction.ts";
import { codehostPatience } from "../../support/codehost-patience.ts";
import { MemoryLog, MemorySecrets, MemorySettings, MemoryStore } from "../../support/memory-editor.ts";

/** The service that is added again and again. */
export interface Wanted {
	readonly service: ConnectionService;
	readonly baseUrl: string;
	readonly secret: string;
}

/** Cost of adding. */
export interface Measured {
	/** Processor time of each of {@link PLACES}, with all that is done for it a moment later. */
	readonly cpuMs: readonly number[];
	/** The most that was in use after an adding. */
	readonly heapMb: number;
}

/** The connections that are timed, counted from 1. */
export const PLACES = [5, 40, 60] as const;

/** Changes of a status are told at most once in a tenth of a second. */
const SETTLED_MS = 150;

/** What a window has of connections, but for what only the editor can draw, with its storage in memory. */
function openWindow() {
	const [redactor, log, store] = [new Redactor(), new MemoryLog(), new MemoryStore()];
	const transport = createTransport();
	const common = { transport, clock, redactor, log };
	const codehost = { ...common, rateLimits: new RateLimits(clock), patience: () => codehostPatience };
	const petstore = { ...common, limiters: petstoreLimiters(), patience: () => defaultPatience };
	const requests = new RequestLog(clock, redactor);
	const probe = probeOf({
		transport,
		clock,
		codehost,
		petstore,
		requested: (notice) => requests.add(notice, null),
	});
	const vault = new Vault(new MemorySecrets(), redactor, log);
	const registry = new ConnectionRegistry({ settings: new MemorySettings(), vault, probe, clock, log });
	const secrets = new KnownSecrets(registry, log);
	const clients = new CodehostClients({ ...codehost, registry, secrets });
	const petstores = new PetstoreClients({ ...petstore, registry, secrets });
	const repositories = new Repositories(store, clients);
	const lists = new IssueLists(repositories, store);
	const statuses = new CodehostStatuses(clients);
	new ConnectionTests({ registry, clients, repositories, requests, clock });
	refreshInBackground(lists, repositories, statuses, { clock, focused: () => true, intervalMs: () => 300_000 });
	// As the status bar does, and the view of the requests.
	statuses.onDidChange(() => statuses.urgencies());
	requests.onDidChange(() => requests.list());
	return { registry, petstores };
}

async function run({ service, baseUrl, secret }: Wanted): Promise<Measured> {
	const { registry, petstores } = openWindow();
	const draft = { service, baseUrl, profile: "sandbox", credential: { kind: "pat" }, format: "json" };
	const cpuMs: number[] = [];
	let heapMb = 0;
	for (let count = 1; count <= Math.max(...PLACES); count++) {
		const begun = process.cpuUsage();
		const own = service === "petstore" ? petstoreSecret({ apiKey: secret }) : secret;
		const { id } = await registry.add({ ...draft, label: `${service} ${count}` } as ConnectionDraft, own);
		if (service === "petstore") await petstores.open(id);
		await pause(SETTLED_MS);
		const { user, system } = process.cpuUsage(begun);
		if (PLACES.some((place) => place === count)) cpuMs.push((user + system) / 1_000);
		heapMb = Math.max(heapMb, process.memoryUsage().heapUsed / 1e6);
	}
	return { cpuMs, heapMb };
}

const [wanted] = process.argv.slice(2);
if (process.send !== undefined && wanted !== undefined) {
	process.send(await run(JSON.parse(wanted)));
	process.disconnect();
}
