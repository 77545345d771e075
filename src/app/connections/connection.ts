import type { HeaderProfile } from "#api/messages/model.ts";
import { ClientError, invalid } from "#base/errors.ts";
import { isPresetName, MESSAGES_PRESETS, type Profile } from "./profiles.ts";

/** A service a person works with. Everything here is public: the secret is in the vault, bound to the origin. */
export interface Connection {
	readonly id: string;
	readonly service: "messages";
	readonly label: string;
	/** http or https, without a trailing slash; may have a path. */
	readonly baseUrl: string;
	readonly profile: Profile;
	/** The model asked for through this connection where nothing else is said. */
	readonly model?: string;
}

/** What is left of a `switchboard.connections` setting once its mistakes are set aside. */
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
			if (seen.has(connection.id)) throw invalid("messages", `${field}.id`, `repeats "${connection.id}"`);
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
	const entry = record(value, field);
	const service = text(entry["service"], `${field}.service`);
	if (service !== "messages")
		throw invalid("messages", `${field}.service`, `"${service}" is not known; use "messages"`);
	return {
		id: text(entry["id"], `${field}.id`),
		service,
		label: text(entry["label"], `${field}.label`),
		baseUrl: decodeBaseUrl(entry["baseUrl"], `${field}.baseUrl`),
		profile: decodeProfile(entry["profile"], `${field}.profile`),
		...(entry["model"] === undefined ? {} : { model: text(entry["model"], `${field}.model`) }),
	};
}

/** Reads a base URL: http or https, no credentials, query or fragment; the trailing slash goes. Throws `invalid`. */
export function decodeBaseUrl(value: unknown, field: string): string {
	const written = text(value, field);
	const url = URL.parse(written);
	if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) {
		throw invalid("messages", field, "must be an http or https address, such as https://api.example.com");
	}
	if (url.username !== "" || url.password !== "") {
		throw invalid("messages", field, "must not contain a user name or password");
	}
	if (url.search !== "" || url.hash !== "") throw invalid("messages", field, "must not contain ? or #");
	return url.origin + url.pathname.replace(/\/+$/, "");
}

/** Reads a profile: absent means the contract's own headers. Throws `invalid`. */
export function decodeProfile(value: unknown, field: string): Profile {
	if (value === undefined || value === null) return "custom";
	if (typeof value === "string") {
		if (isPresetName(value)) return value;
		const names = Object.keys(MESSAGES_PRESETS).join(", ");
		throw invalid("messages", field, `"${value}" is not a preset; use one of ${names}, or an object of headers`);
	}
	const entry = record(value, field);
	const headers: Record<string, string> = {};
	for (const [name, part] of Object.entries(entry)) {
		if (name !== "versionHeader" && name !== "version" && name !== "keyHeader") {
			throw invalid("messages", `${field}.${name}`, "is not known; use versionHeader, version and keyHeader");
		}
		const written = text(part, `${field}.${name}`);
		const legal = name === "version" ? /^[\x21-\x7e]+$/ : /^[\w!#$%&'*+.^`|~-]+$/;
		if (!legal.test(written)) throw invalid("messages", `${field}.${name}`, "has characters that no header can hold");
		headers[name] = written;
	}
	if ((headers["versionHeader"] === undefined) !== (headers["version"] === undefined)) {
		throw invalid("messages", field, "must have versionHeader and version together");
	}
	return headers satisfies HeaderProfile;
}

function record(value: unknown, field: string): Record<string, unknown> {
	if (typeof value !== "object" || value === null || Array.isArray(value)) {
		throw invalid("messages", field, "must be an object");
	}
	return value as Record<string, unknown>;
}

function text(value: unknown, field: string): string {
	if (typeof value !== "string" || value.trim() === "") throw invalid("messages", field, "must be a non-empty text");
	return value.trim();
}
