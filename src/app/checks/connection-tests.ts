import { type DiagnosisOptions, type DiagnosisStep, diagnose, openProbes } from "#api/codehost/diagnose.ts";
import { leadsOn, type RequestNotice } from "#api/http/notice.ts";
import type { Transport } from "#api/http/transport.ts";
import { probeMessages } from "#api/messages/probe.ts";
import type { Clock } from "#base/clock.ts";
import { ResourceOwner } from "#base/disposables.ts";
import { Emitter } from "#base/emitter.ts";
import { ClientError, withFacts } from "#base/errors.ts";
import {
	type CodehostAccess,
	type CodehostAccessServices,
	type CodehostClients,
	probeCodehost,
} from "../codehost/clients.ts";
import type { Repositories } from "../codehost/repositories.ts";
import { codehostProfileOf } from "../connections/codehost-profiles.ts";
import type {
	CodehostConnection,
	Connection,
	ConnectionService,
	MessagesConnection,
	PetstoreConnection,
} from "../connections/connection.ts";
import { headersOf, NO_MODEL } from "../connections/messages-profiles.ts";
import type { Asking, Probe, ProbeOptions, ProbeResult } from "../connections/probe-result.ts";
import type { ConnectionRegistry } from "../connections/registry.ts";
import { identityOf } from "../connections/services.ts";
import { ownerOf, storageKeyOf } from "../connections/vault.ts";
import { type PetstoreAccessServices, probePetstore } from "../petstore/clients.ts";
import type { RequestLog } from "../requests/request-log.ts";

/** Result of `switchboard.testConnection`. `ms` is the time of the service, `status` that of the failure. */
export interface TestResult {
	readonly ok: boolean;
	readonly ms: number;
	readonly status?: number;
	readonly error?: { readonly code: string; readonly message: string };
	readonly steps?: readonly Pick<DiagnosisStep, "name" | "state" | "detail" | "ms">[];
}

type Following = Asking & { readonly onStep?: ((step: DiagnosisStep) => void) | undefined };

interface Tested {
	readonly result: TestResult;
	readonly error?: ClientError;
	/** Status with which a healthy service refused a request without a credential. */
	readonly refusedWith?: number;
}

/** Last test of a connection in this window. */
export interface LastTest extends Tested {
	readonly at: number;
	/** Address and identity of the connection at that time. */
	readonly place: string;
	/** True if a request has succeeded since. */
	readonly isMended?: true;
}

interface Rooms {
	readonly registry: ConnectionRegistry;
	readonly clients: CodehostClients;
	readonly repositories: Repositories;
	readonly requests: RequestLog;
	readonly clock: Clock;
}

/** Tests connections and remembers the results. */
export class ConnectionTests extends ResourceOwner {
	readonly #rooms: Rooms;
	readonly #last = new Map<string, LastTest>();
	/** Number of changes of a connection's secret. */
	readonly #secrets = new Map<string, number>();
	readonly #changed = this.held.add(new Emitter<string>());
	readonly #ways: Readonly<Record<ConnectionService, ConnectionTests["run"]>> = {
		codehost: (connection: CodehostConnection, options) => this.#diagnose(connection, options),
		petstore: (connection, options) => this.#ask(connection, options),
		messages: (connection, options) => this.#ask(connection, options),
	};

	constructor(rooms: Rooms) {
		super();
		this.#rooms = rooms;
		this.held.add(rooms.requests.onDidChange(() => this.#heard()));
		this.held.add(
			rooms.registry.onDidChange(({ ids, secrets }) => {
				for (const id of secrets) this.#forget(id);
				// Another address or identity makes it another connection.
				const isOther = (id: string) => placeOf(rooms.registry.get(id)) !== this.#last.get(id)?.place;
				for (const id of ids) if (this.#last.has(id) && isOther(id)) this.#forget(id);
			}),
		);
	}

	/** Fires with the id of a connection whose test has ended, was outdated, or was followed by a success. */
	readonly onDidChange = this.#changed.event;

	last(id: string): LastTest | undefined {
		return this.#last.get(id);
	}

	/** Last test if it failed and nothing has succeeded since. An abandoned test, or a limit that has reset, is no failure. */
	failed(id: string): LastTest | undefined {
		const last = this.#last.get(id);
		if (last === undefined || last.result.ok || last.isMended) return undefined;
		const { error, at } = last;
		if (error?.code === "aborted" || error?.reason === "disposed") return undefined;
		const isOver = error?.code === "rate-limited" && at + (error.retryAfterMs ?? Infinity) <= this.#rooms.clock.now();
		return isOver ? undefined : last;
	}

	/** Tests a connection with its stored credential; a code host step by step. */
	async run(connection: Connection, options: Following = {}): Promise<Tested> {
		const { id } = connection;
		const { clock } = this.#rooms;
		const secret = this.#secrets.get(id);
		const tested = await this.#ways[connection.service](connection, options);
		const place = placeOf(this.#rooms.registry.get(id));
		const isOfThis = this.#secrets.get(id) === secret && place === placeOf(connection);
		if (isOfThis) this.#last.set(id, { ...tested, at: clock.now(), place });
		this.#changed.fire(id);
		return tested;
	}

	/** Forgets the test of a connection whose secret changed. */
	#forget(id: string): void {
		this.#secrets.set(id, (this.#secrets.get(id) ?? 0) + 1);
		if (this.#last.delete(id)) this.#changed.fire(id);
	}

	/** Takes in a finished request. One that began before the end of a test may be the test's own. */
	#heard(): void {
		if (![...this.#last.keys()].some((id) => this.failed(id) !== undefined)) return;
		const [newest] = this.#rooms.requests.list();
		const id = newest?.connection ?? "";
		const failed = this.failed(id);
		if (failed === undefined || newest === undefined || newest.error !== null || leadsOn(newest.status)) return;
		// Once the clock was set back, as such a test advises, times prove no order.
		if (newest.at < failed.at && failed.at <= this.#rooms.clock.now()) return;
		this.#last.set(id, { ...failed, isMended: true });
		this.#changed.fire(id);
	}

	async #ask(connection: Connection, asking: Asking = {}): Promise<Tested> {
		const { ms, status, error } = await this.#rooms.registry.test(connection.id, asking);
		const tested = testedIn(ms, error);
		// A healthy service often refuses a request without a credential.
		return error === undefined && (status === 401 || status === 403) ? { ...tested, refusedWith: status } : tested;
	}

	async #diagnose(connection: CodehostConnection, { signal, onStep }: Following = {}): Promise<Tested> {
		const { registry, clients, repositories } = this.#rooms;
		const repository = repositories.list().find((each) => each.connection === connection.id)?.repository;
		const all = await diagnoseConnection(clients, connection, { repository, signal, onStep });
		// A name that does not resolve does not matter if a proxy reached the service.
		const isReached = all.every(({ name, state }) => name !== "tls" || state === "ok");
		// A step that a limit prevented proves nothing.
		const failed = all.find(({ name, error }) => error !== undefined && (name !== "dns" || !isReached));
		// Learns the owner of a connection that was added by hand.
		const isToLearn = identityOf(connection).isUnidentified === true && !registry.isEphemeral(connection.id);
		if (failed === undefined && isToLearn) await registry.test(connection.id, { signal });
		const steps = all.map(({ name, state, detail, ms }) => ({ name, state, detail, ms: Math.round(ms) }));
		const total = all.reduce((sum, { ms }) => sum + ms, 0);
		return testedIn(total, failed?.error, { steps });
	}
}

/** Address, kind of credential and installation of a connection, as one text; empty if it is gone. */
function placeOf(connection: Connection | undefined): string {
	if (connection === undefined) return "";
	const { installationId } = identityOf(connection);
	return JSON.stringify([storageKeyOf(ownerOf(connection)), connection.baseUrl, installationId]);
}

function testedIn(ms: number, error: ClientError | undefined, more: Pick<TestResult, "steps"> = {}): Tested {
	if (error === undefined) return { result: { ok: true, ms: Math.round(ms), ...more } };
	const { code, message, status } = error;
	const told = { ...(status !== undefined && { status }), error: { code, message }, ...more };
	return { result: { ok: false, ms: Math.round(ms), ...told }, error };
}

/** Probe of a connection by the client of its service. */
export function probeOf({
	transport,
	clock,
	codehost,
	petstore,
	requested,
}: {
	readonly transport: Transport;
	readonly clock: Clock;
	readonly codehost: CodehostAccessServices;
	readonly petstore: PetstoreAccessServices;
	/** Called for each request with the id of its connection, which may not be saved yet. */
	readonly requested: (notice: RequestNotice, connection: string) => void;
}): Probe {
	const probes: Readonly<Record<ConnectionService, ServiceProbe>> = {
		codehost: { ask: (connection: CodehostConnection, options) => probeCodehost(codehost, connection, options) },
		petstore: { ask: (connection: PetstoreConnection, options) => probePetstore(petstore, connection, options) },
		messages: {
			ask({ baseUrl, profile, model }: MessagesConnection, { secret, signal, onRequest }) {
				const endpoint = { baseUrl, profile: headersOf(profile), key: secret };
				const options = { model: model === NO_MODEL ? undefined : model, signal };
				return probeMessages({ transport, clock, endpoint, onRequest }, options);
			},
		},
	};
	return (connection, secret, asking) => {
		const onRequest = (notice: RequestNotice) => requested(notice, connection.id);
		return probes[connection.service].ask(connection, { ...asking, secret, onRequest });
	};
}

interface ServiceProbe {
	ask(connection: Connection, options: ProbeOptions): Promise<ProbeResult>;
}

/** Diagnoses a connection step by step, even a signed-out one; reads `repository` if given. Rejects only if aborted. */
export async function diagnoseConnection(
	clients: CodehostClients,
	connection: CodehostConnection,
	{
		repository,
		...how
	}: Pick<DiagnosisOptions, "signal" | "onStep"> & { readonly repository?: string | undefined } = {},
): Promise<readonly DiagnosisStep[]> {
	const { transport, clock } = clients.parts;
	const { id, baseUrl, credential } = connection;
	const isApp = credential.kind === "app";
	const opening = clients.open(id);
	const access = await opening.catch(() => undefined);
	// Only a request shows the end of a limit without a known reset.
	access?.tryAgain({ onlyStopped: true });
	const encrypted = new URL(baseUrl).protocol === "https:";
	const probes = {
		...openProbes({ baseUrl, profile: codehostProfileOf(connection.profile), transport }),
		async authenticate(signal: AbortSignal) {
			const { app, credential } = await opening;
			const who = await identify(await opening, signal);
			// A cached token proves nothing about the key.
			await app?.tokens.renew({ signal, failFast: true });
			return app === undefined ? who : credential.bucket;
		},
		async read(signal: AbortSignal) {
			const [owner, repo] = repository?.split("/") ?? [];
			if (owner === undefined || repo === undefined) {
				const who = await identify(await opening, signal);
				return `${isApp ? "/app/installations" : "/user"} (${who}); no repository was added to read one`;
			}
			try {
				return (await (await opening).client.getRepository(owner, repo, { signal, failFast: true })).value.fullName;
			} catch (error) {
				throw error instanceof ClientError ? withFacts(error, {}, `${repository}: ${error.message}`) : error;
			}
		},
	};
	return diagnose(probes, { ...how, clock, encrypted, dated: isApp });
}

/** Owner of a credential as its service names it. Fails at once on a used-up rate limit. */
async function identify({ app, client, credential }: CodehostAccess, signal: AbortSignal): Promise<string> {
	const how = { signal, failFast: true };
	if (app !== undefined) {
		const { value, complete } = await app.client.listInstallations(how);
		const count = value.length === 1 ? "1 installation" : `${value.length} installations`;
		return complete ? count : `${count} or more`;
	}
	const login = (await client.getUser(how)).value.login || "owner not shown to this token";
	const { expiresAt } = credential;
	return expiresAt === undefined
		? login
		: `${login}, token expires on ${new Date(expiresAt).toISOString().slice(0, 10)}`;
}
