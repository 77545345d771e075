import { ClientError } from "#base/errors.ts";
import { Accesses } from "../connections/accesses.ts";
import type { CodehostConnection } from "../connections/connection.ts";
import type { ConnectionRegistry } from "../connections/registry.ts";
import { otherHolder } from "../connections/told.ts";
import type { Held } from "../connections/vault.ts";
import { Access, type AccessParts } from "./access.ts";
import { type RepositoryAddress, repositoryAt } from "./repository-name.ts";
import { mayHavePagesAt, siteOfAccount, type WebSite } from "./web-site.ts";

/** What the clients are made with. */
export interface ClientsParts extends AccessParts {
	readonly registry: ConnectionRegistry;
}

/**
 * One access for each connection to a code host. All of them agree on how much is asked of a host at once and which
 * limits are used up. A change is also one of a connection's limit, token, waits or last error.
 */
export class CodehostClients extends Accesses<"codehost", Access> {
	readonly parts: ClientsParts;
	/** Where the service has said that its pages are; null where it tells nothing of them. */
	readonly #sites = new WeakMap<Access, WebSite | null>();
	/** Whose tokens are that are not of the user whom the settings name, by the connection's id. */
	readonly #strangers = new Map<string, string>();

	constructor(parts: ClientsParts) {
		super(parts, {
			service: "codehost",
			needsSecret: true,
			secretName: ({ credential }) => (credential.kind === "pat" ? "token" : "key"),
			identityOf: ({ credential }) => (credential.kind === "app" ? credential.installationId : credential.login),
			// An empty secret is refused as every other that is of no use.
			make: (connection, secret = "") => new Access(parts, connection, secret),
		});
		this.parts = parts;
	}

	override take(id: string, held: Held): void {
		super.take(id, held);
		const connection = this.parts.registry.get(id, "codehost");
		const stranger = connection === undefined ? undefined : otherHolder(connection, held);
		if (this.#strangers.get(id) === stranger) return;
		if (stranger === undefined) this.#strangers.delete(id);
		else this.#strangers.set(id, stranger);
		this.tell(id);
	}

	/** Whose the stored token is, where the settings name another user, as those from another machine can. */
	strangerOf(id: string): string | undefined {
		return this.#strangers.get(id);
	}

	/**
	 * The `owner/repo` that an address means at the host of a connection; undefined when it is about another host. Where
	 * pages are is asked once of a service whose kind does not tell; one that does not answer, or not before `signal` ends
	 * the question, has them at the root of its host.
	 */
	async resolveAddress(
		address: RepositoryAddress,
		connection: CodehostConnection,
		signal?: AbortSignal,
	): Promise<string | undefined> {
		const isToAsk = address.host !== undefined && mayHavePagesAt(address.host, connection);
		return repositoryAt(address, connection, isToAsk ? await this.#site(connection, signal) : undefined);
	}

	async #site(connection: CodehostConnection, signal: AbortSignal | undefined): Promise<WebSite | undefined> {
		try {
			const access = await this.open(connection.id);
			const known = this.#sites.get(access);
			if (known !== undefined) return known ?? undefined;
			const account = await ownAccount(access, connection, signal);
			const site = account === undefined ? undefined : siteOfAccount(account, connection);
			this.#sites.set(access, site ?? null);
			return site;
		} catch (error) {
			if (error instanceof ClientError) return undefined;
			throw error;
		}
	}
}

/** The account that a credential is of, or that its app is installed on, and the page of it. */
async function ownAccount(
	{ hurried: { client, app } }: Access,
	{ credential }: CodehostConnection,
	signal: AbortSignal | undefined,
): Promise<{ readonly login: string; readonly htmlUrl: string | null } | undefined> {
	if (credential.kind === "pat") return (await client.getUser({ signal })).value;
	const { value } = (await app?.client.listInstallations({ signal })) ?? { value: [] };
	const own = value.find(({ id }) => id === credential.installationId);
	if (own === undefined || own.account === null) return undefined;
	return { login: own.account, htmlUrl: own.accountUrl };
}
