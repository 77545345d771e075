import { ClientError, invalid } from "#base/errors.ts";
import { oneLine } from "#base/one-line.ts";
import { type CodehostProfileSetting, decodeCodehostProfile } from "./codehost-profiles.ts";
import { decodeBaseUrl, type Place, partOf, record, text } from "./fields.ts";
import { decodeMessagesProfile, type MessagesProfile } from "./messages-profiles.ts";
import {
	decodePetstoreFormat,
	decodePetstoreProfile,
	type PetstoreFormat,
	type PetstoreProfileSetting,
} from "./petstore-profiles.ts";

/** Fields of every connection. All are public: the secret is in the vault, bound to the origin. */
interface Common {
	readonly id: string;
	readonly label: string;
	/** http or https, without a trailing slash; may have a path. */
	readonly baseUrl: string;
}

/** A service that speaks the messages API. */
export interface MessagesConnection extends Common {
	readonly service: "messages";
	readonly profile: MessagesProfile;
	/** The model asked for through this connection where nothing else is said. */
	readonly model?: string;
	/** Others that a person chooses among, beside those that the service lists. */
	readonly models?: readonly string[];
}

/** A code host, and as whom it is used. */
export interface CodehostConnection extends Common {
	readonly service: "codehost";
	readonly profile: CodehostProfileSetting;
	readonly credential: CodehostCredential;
}

/** A pet store. */
export interface PetstoreConnection extends Common {
	readonly service: "petstore";
	readonly profile: PetstoreProfileSetting;
	/** Format of bodies where the service takes both. */
	readonly format: PetstoreFormat;
}

/** The public side of a code host's credential. What a person need not say is filled in when the service is asked. */
export type CodehostCredential = PatCredential | AppCredential;

/** A personal access token acts as the user who made it (contract section 5). */
export interface PatCredential {
	readonly kind: "pat";
	/** Whose it is, as the service says. */
	readonly login?: string;
	readonly patKind?: "fine-grained" | "classic" | "unknown";
	/** Expiry as the service has told it, or else the person: a date as `YYYY-MM-DD`, or a full ISO 8601 time. */
	readonly expiresAt?: string;
}

/** An app's installation acts as the app (contract section 5). */
export interface AppCredential {
	readonly kind: "app";
	readonly appId: string;
	readonly installationId: number;
	/** The account on which it is installed, as the service says. */
	readonly account?: string;
	/** Of the app's key: `SHA256:...`, as code hosts show it. */
	readonly fingerprint?: string;
}

/** A service that a person works with. */
export type Connection = MessagesConnection | CodehostConnection | PetstoreConnection;

/** The services that connections are made to. */
export type ConnectionService = Connection["service"];

/** The connections to one service. */
export type ConnectionTo<S extends ConnectionService> = Extract<Connection, { readonly service: S }>;

/** Connection before it has an id. */
export type ConnectionDraft =
	| Omit<MessagesConnection, "id">
	| Omit<CodehostConnection, "id">
	| Omit<PetstoreConnection, "id">;

/** Usable part of a `switchboard.connections` setting, and its mistakes. */
export interface DecodedConnections {
	readonly connections: readonly Connection[];
	/** One sentence per entry that could not be used, naming the field. */
	readonly problems: readonly string[];
}

/** The origin a secret of this connection is bound to, such as `https://api.example.com`. */
export function originOf(baseUrl: string): string {
	return new URL(baseUrl).origin;
}

/** Reads the raw setting. A broken entry costs only itself. */
export function decodeConnections(raw: unknown): DecodedConnections {
	if (raw === undefined || raw === null) return { connections: [], problems: [] };
	if (!Array.isArray(raw)) return { connections: [], problems: ["switchboard.connections must be a list"] };
	const connections: Connection[] = [];
	const problems: string[] = [];
	const seen = new Set<string>();
	for (const [position, entry] of raw.entries()) {
		const field = `switchboard.connections[${position}]`;
		try {
			const connection = decodeConnection(entry, field);
			if (seen.has(connection.id)) throw invalid(connection.service, `${field}.id`, `repeats "${connection.id}"`);
			seen.add(connection.id);
			connections.push(connection);
		} catch (error) {
			if (!(error instanceof ClientError)) throw error;
			problems.push(error.message);
		}
	}
	return { connections, problems };
}

function decodeConnection(value: unknown, field: string): Connection {
	const entry = record(value, { service: "messages", field });
	const service = decodeService(entry["service"], `${field}.service`);
	const place = { service, field };
	const id = text(entry["id"], partOf(place, "id"));
	// Fields that a draft does not know are dropped: they may belong to a later version.
	return { ...decodeDraft({ ...entry, service }, place), id };
}

/** Reads the name of a service. Throws `invalid`. */
export function decodeService(value: unknown, field: string): ConnectionService {
	if (value === "messages" || value === "codehost" || value === "petstore") return value;
	const written = text(value, { service: "messages", field });
	throw invalid("messages", field, `"${written}" is not known; use "messages", "codehost" or "petstore"`);
}

/**
 * Reads what a connection is made of, from the settings or from an argument; errors name the part of `place`, or the
 * part alone where `place` has no name. Throws `invalid`.
 */
export function decodeDraft(entry: Readonly<Record<string, unknown>>, place: Place): ConnectionDraft {
	const at = (name: string) => (place.field === "" ? { ...place, field: name } : partOf(place, name));
	const common = {
		// Whatever would break or turn round a row is no part of a name.
		label: text(oneLine(text(entry["label"], at("label"))), at("label")),
		baseUrl: decodeBaseUrl(entry["baseUrl"], at("baseUrl")),
	};
	if (place.service === "codehost") {
		return {
			...common,
			service: "codehost",
			profile: decodeCodehostProfile(entry["profile"], at("profile")),
			credential: decodeCredential(entry["credential"], at("credential")),
		};
	}
	if (place.service === "petstore") {
		return {
			...common,
			service: "petstore",
			profile: decodePetstoreProfile(entry["profile"], at("profile")),
			format: decodePetstoreFormat(entry["format"], at("format")),
		};
	}
	const { model, models } = entry;
	return {
		...common,
		service: "messages",
		profile: decodeMessagesProfile(entry["profile"], at("profile")),
		...(model === undefined || model === "" ? {} : { model: text(model, at("model")) }),
		...(models === undefined ? {} : { models: decodeModelNames(models, at("models")) }),
	};
}

function decodeModelNames(value: unknown, place: Place): readonly string[] {
	if (!Array.isArray(value)) throw invalid(place.service, place.field, "must be a list of names");
	return value.map((name: unknown, at) => text(name, { ...place, field: `${place.field}[${at}]` }));
}

function decodeCredential(value: unknown, place: Place): CodehostCredential {
	const entry = record(value, place);
	const optional = (name: string) =>
		entry[name] === undefined ? {} : { [name]: text(entry[name], partOf(place, name)) };
	switch (entry["kind"]) {
		case "pat": {
			const { patKind } = entry;
			const isKind = patKind === "fine-grained" || patKind === "classic" || patKind === "unknown";
			return {
				kind: "pat",
				...optional("login"),
				...(isKind ? { patKind } : {}),
				...(entry["expiresAt"] === undefined
					? {}
					: { expiresAt: decodeExpiry(entry["expiresAt"], partOf(place, "expiresAt")) }),
			};
		}
		case "app":
			return {
				kind: "app",
				appId: decodeAppId(entry["appId"], partOf(place, "appId")),
				installationId: decodeInstallationId(entry["installationId"], partOf(place, "installationId")),
				...optional("account"),
				...optional("fingerprint"),
			};
		default:
			throw invalid(place.service, `${place.field}.kind`, 'must be "pat" or "app"');
	}
}

/** Reads an App ID, a number or its text. Throws `invalid`. */
export function decodeAppId(value: unknown, place: Place): string {
	const id = typeof value === "number" ? String(value) : text(value, place);
	const isNumeric = /^[\d.-]+$/.test(id);
	if (!(isNumeric ? /^[1-9]\d{0,17}$/ : /^[\w.-]+$/).test(id))
		throw invalid(place.service, place.field, "must be the app's id, such as 123456");
	return id;
}

/** Reads the id of an installation. Throws `invalid`. */
export function decodeInstallationId(value: unknown, place: Place): number {
	if (typeof value === "number" && Number.isSafeInteger(value) && value > 0) return value;
	throw invalid(place.service, place.field, "must be a whole number from 1 up");
}

/** A day on which a token may well expire, as an example of how it is written: a year after `now`, in milliseconds. */
export function exampleExpiry(now: number): string {
	return new Date(now + 365 * 86_400_000).toISOString().slice(0, 10);
}

function decodeExpiry(value: unknown, { now, ...place }: Place & { readonly now?: number }): string {
	const written = text(value, place);
	if (!Number.isNaN(expiryOf(written))) return written;
	const example = now === undefined ? "" : `, such as ${exampleExpiry(now)}`;
	throw invalid(place.service, place.field, `must be a day written as YYYY-MM-DD${example}`);
}

/**
 * Reads the expiry date that a person gives for a token they hold, at `now` in milliseconds since the epoch. Throws
 * `invalid`, also for a date in the past.
 */
export function decodeComingExpiry(value: unknown, { now, ...place }: Place & { readonly now: number }): string {
	const written = decodeExpiry(value, { ...place, now });
	if (expiryOf(written) < now) throw invalid(place.service, place.field, "must not be in the past");
	return written;
}

/** When a token expires: the end of a day that is named alone. Milliseconds since the epoch; NaN for no such day. */
export function expiryOf(expiresAt: string): number {
	const [day = ""] = /^\d{4}-\d\d-\d\d/.exec(expiresAt) ?? [];
	// A day that its month does not have would be one of the next.
	const time = Date.parse(day);
	if (Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== day) return Number.NaN;
	if (day === expiresAt) return Date.parse(`${day}T23:59:59.999Z`);
	return /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(expiresAt) ? Date.parse(expiresAt) : Number.NaN;
}
