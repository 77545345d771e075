import { ALLOWED_DRIFT_MS } from "#api/codehost/app-jwt.ts";
import type { TokenState } from "#api/codehost/installation-token.ts";
import { ResourceOwner } from "#base/disposables.ts";
import { Emitter } from "#base/emitter.ts";
import type { ClientError } from "#base/errors.ts";
import type { AccessState } from "../connections/accesses.ts";
import { type CodehostConnection, expiryOf } from "../connections/connection.ts";
import type { CodehostAccess, CodehostClients } from "./clients.ts";

/** Status of a connection to a code host, known without asking it. Times are milliseconds since the epoch. */
export type CodehostStatus = Readonly<ReturnType<typeof statusOf>>;

/** Status of a connection, with its access if it is in use. */
export function statusOf(
	{ id, label, baseUrl, credential }: CodehostConnection,
	state: AccessState,
	access: CodehostAccess | undefined,
) {
	const isApp = credential.kind === "app";
	const skewMs = access?.app?.credential.skewMs ?? 0;
	const entered = isApp || credential.expiresAt === undefined ? Number.NaN : expiryOf(credential.expiresAt);
	const said = access?.credential.expiresAt ?? entered;
	const expiresAt = Number.isNaN(said) ? null : said;
	const personal: TokenState = { expiresAt, renewsAt: null, exchanges: 0, renewals: 0, error: null };
	return {
		connection: id,
		label,
		kind: credential.kind,
		access: state,
		/** Host of the service, such as `api.github.com`. */
		host: new URL(baseUrl).host,
		/** Login of a token's owner, or the account of an installation; null if unknown. */
		whoAmI: (isApp ? credential.account : credential.login) ?? null,
		/** Fingerprint of an app's key; null for a token. */
		fingerprint: isApp ? (access?.app?.fingerprint ?? credential.fingerprint ?? null) : null,
		/** Expiry of a personal token as the service reported it, or as the person entered it. */
		token: access?.app?.tokens.state ?? personal,
		/** Rate limit of the next call; null before the first request that counts. */
		rate: access?.rate ?? null,
		/** Lead of the service's clock, if it is large enough to matter. */
		skewMs: Math.abs(skewMs) > ALLOWED_DRIFT_MS ? skewMs : null,
		/** Wait that ends first; null for none. */
		wait: access?.waits[0] ?? null,
		/** Error of the last call; null when it succeeded. */
		error: access?.lastError ?? null,
	};
}

/** Trouble that a person should know at once. */
export type Urgency = { readonly connection: string; readonly label: string } & Trouble;

/** Trouble. `until` is its end or change in epoch milliseconds; null if unknown, absent if time changes nothing. */
type Trouble =
	| { readonly kind: "unreadable" | "lost"; readonly until?: undefined }
	| { readonly kind: "refused"; readonly until?: undefined; readonly error: ClientError }
	/** The token that cannot be renewed is good until `until`; null when there is none any more. */
	| { readonly kind: "renewal-failed"; readonly until: number | null; readonly error: ClientError }
	| { readonly kind: "limit"; readonly until: number | null }
	| { readonly kind: "expired" | "expires"; readonly until: number }
	| { readonly kind: "clock"; readonly until?: undefined; readonly skewMs: number }
	| { readonly kind: "low"; readonly until: number | null; readonly remaining: number };

/** The most urgent first. */
const ORDER: readonly Trouble["kind"][] = [
	"unreadable",
	"lost",
	"refused",
	"renewal-failed",
	"expired",
	"limit",
	"clock",
	"expires",
	"low",
];

/** Days before its expiry at which a personal token is warned of. */
const WARNED_AHEAD_DAYS = 7;

const DAY_MS = 24 * 60 * 60 * 1_000;

/** Number of midnights (UTC) between two times in epoch milliseconds. */
export function daysUntil(at: number, now: number): number {
	return Math.floor(at / DAY_MS) - Math.floor(now / DAY_MS);
}

/** Troubles of all connections, most urgent first. They also change with time. */
export function urgenciesOf(statuses: readonly CodehostStatus[], now: number): readonly Urgency[] {
	const all = statuses.flatMap((status) =>
		troublesOf(status, now).map((trouble) => ({ connection: status.connection, label: status.label, ...trouble })),
	);
	const urgency = ({ kind }: Trouble) => ORDER.indexOf(kind);
	return all.sort((a, b) => urgency(a) - urgency(b));
}

/** True without a usable secret: signed out, or missing in the storage. */
export function lacksSecret({ access }: Pick<CodehostStatus, "access">): boolean {
	return access === "signed-out" || access === "lost" || access === "unreadable";
}

/** True if the credential was refused or the app lost, which a person must fix; a refused repository does not count. */
export function isRefused({ error }: Pick<CodehostStatus, "error">): boolean {
	if (error?.code === "not-found") return error.reason === "not-installed" || error.reason === "app-refused";
	return (error?.code === "unauthorized" && !error.isGateway) || error?.reason === "suspended";
}

/** Expiry of a personal token that has expired or will within the warning period. `now` is in epoch milliseconds. */
export function endingOf(status: Pick<CodehostStatus, "access" | "kind" | "token">, now: number) {
	const until = status.token.expiresAt;
	if (lacksSecret(status) || status.kind !== "pat" || until === null) return undefined;
	if (until <= now) return { kind: "expired", until } as const;
	return daysUntil(until, now) <= WARNED_AHEAD_DAYS ? ({ kind: "expires", until } as const) : undefined;
}

function troublesOf(status: CodehostStatus, now: number): readonly Trouble[] {
	const { access, token, rate, skewMs, error } = status;
	// A sign-out is intended, and earlier errors no longer matter.
	if (access === "signed-out") return [];
	if (access === "unreadable" || access === "lost") return [{ kind: access }];
	const troubles: Trouble[] = [];
	if (error !== null && isRefused(status)) troubles.push({ kind: "refused", error });
	if (token.error !== null) {
		const isGood = token.expiresAt !== null && token.expiresAt > now;
		troubles.push({ kind: "renewal-failed", until: isGood ? token.expiresAt : null, error: token.error });
	}
	const ending = endingOf(status, now);
	if (ending !== undefined) troubles.push(ending);
	const until = rate?.closedUntil ?? null;
	const isUsedUp = rate?.stopped || (until !== null && until > now);
	if (isUsedUp) troubles.push({ kind: "limit", until });
	if (skewMs !== null) troubles.push({ kind: "clock", skewMs });
	const gauge = rate?.gauge ?? null;
	if (rate?.low && !isUsedUp && gauge !== null && !(gauge.resetAt !== null && gauge.resetAt <= now)) {
		troubles.push({ kind: "low", until: gauge.resetAt, remaining: gauge.remaining });
	}
	return troubles;
}

/** Status of every code host connection, and the urgent ones. */
export class CodehostStatuses extends ResourceOwner {
	readonly #clients: CodehostClients;
	readonly #changed = this.held.add(new Emitter<string>());

	constructor(clients: CodehostClients) {
		super();
		this.#clients = clients;
		this.held.add(clients.onDidChange((id) => this.#changed.fire(id)));
		this.held.add(clients.onDidDrop((id) => this.#changed.fire(id)));
		// Facts entered by the person, such as a token's expiry, are part of the status; so is the removal.
		this.held.add(
			clients.parts.registry.onDidChange(({ ids }) => {
				for (const id of ids) this.#changed.fire(id);
			}),
		);
	}

	/** Fires with a connection's id when its status has changed, but not with time. */
	readonly onDidChange = this.#changed.event;

	/** The status of a connection. Throws `invalid` for `connection`. */
	of(id: string): CodehostStatus {
		const clients = this.#clients;
		return statusOf(clients.parts.registry.require(id, "codehost"), clients.stateOf(id), clients.peek(id));
	}

	list(): readonly CodehostStatus[] {
		return this.#clients.parts.registry.list("codehost").map(({ id }) => this.of(id));
	}

	/** Troubles, most urgent first. They change with time: ask again each half minute. */
	urgencies(): readonly Urgency[] {
		return urgenciesOf(this.list(), this.#clients.parts.clock.now());
	}
}
