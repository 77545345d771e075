import { oneLine } from "#base/one-line.ts";
import {
	allOptional,
	anything,
	convert,
	described,
	flag,
	type Infer,
	integer,
	list,
	map,
	number,
	object,
	oneOf,
	optional,
	refine,
	type Schema,
	trimmed,
	union,
	withDefault,
} from "#base/schema.ts";
import { CODEHOST_PROFILE } from "./codehost-profiles.ts";
import { BASE_URL } from "./fields.ts";
import { MESSAGES_PROFILE, MESSAGES_URL } from "./messages-profiles.ts";
import { PETSTORE_FORMAT, PETSTORE_PROFILE } from "./petstore-profiles.ts";

/** Name of a connection, without what would break or reverse a row. */
export const LABEL = convert(trimmed(), (label, place) => trimmed().read(oneLine(label), place));

const COST = number({ min: 0 });

/** Price of a million tokens, as a person writes it. */
export const PRICE = object({
	input: described(COST, "Price of a million input tokens."),
	output: described(COST, "Price of a million output tokens."),
	cached: optional(described(COST, "Price of a million cached input tokens.")),
	currency: optional(described(trimmed(), "Currency code, such as EUR; USD by default.")),
});

const TOKENS = integer({ min: 1 });

/** Model that a connection lists, with what the person says of it. */
const LISTED_MODEL = object({
	/** Name in a request. */
	name: trimmed(),
	/** Name for a person. */
	label: optional(trimmed()),
	/** Abilities, which take precedence over those that the service names. */
	capabilities: optional(
		object(
			allOptional({
				tools: flag(),
				toolChoice: flag(),
				images: flag(),
				documents: flag(),
				sampling: flag(),
				prefill: flag(),
				caching: flag(),
				thinking: union(oneOf(false), oneOf("adaptive", "enabled")),
				efforts: list(trimmed()),
			}),
		),
	),
	limits: optional(
		object(
			allOptional({
				contextTokens: TOKENS,
				maxOutputTokens: TOKENS,
				/** Timeout before the first byte of a reply, and at least as long between bytes. */
				firstByteSeconds: integer({ min: 1, max: 3_600 }),
			}),
		),
	),
	price: optional(PRICE),
	/** Fields that every request to the model has in its body. */
	extraBody: optional(map(anything())),
});

type ListedModel = Infer<typeof LISTED_MODEL>;

/** Periods that a limit on usage is for. */
export const PERIODS = ["day", "month"] as const;

/** Most that the replies of a connection may use, in the currency of its prices, or in tokens if it has none. */
export const USAGE_LIMIT = number({ min: 0 });

/** Schema of a connection to a messages service. */
export const MESSAGES = object({
	label: LABEL,
	baseUrl: MESSAGES_URL,
	service: oneOf("messages"),
	profile: withDefault(MESSAGES_PROFILE, "custom"),
	model: optional(trimmed()),
	/** More models to choose from, besides those that the service lists. */
	models: optional(list(union(trimmed(), LISTED_MODEL))),
	limits: optional(object(allOptional({ day: USAGE_LIMIT, month: USAGE_LIMIT }))),
});

/** A service that speaks the messages API. */
export type MessagesConnection = Infer<typeof MESSAGES> & { readonly id: string };

/** Models that a connection lists, one that is only named as well. */
export function listedModels({ models = [] }: Pick<MessagesConnection, "models">): readonly ListedModel[] {
	return models.map((each) => (typeof each === "string" ? { name: each } : each));
}

/** App ID, written as a number or as its text. */
export const APP_ID = refine(
	convert(union(integer(), trimmed()), (id) => String(id)),
	(id) =>
		(/^[\d.-]+$/.test(id) ? /^[1-9]\d{0,17}$/ : /^[\w.-]+$/).test(id)
			? undefined
			: "must be the app's id, such as 123456",
);

/** Id of an installation. */
export const INSTALLATION_ID = integer({ min: 1 });

/** A personal access token acts as the user who made it (contract section 5). */
const PAT = object({
	kind: oneOf("pat"),
	/** Login of its owner, from the service. */
	login: optional(trimmed()),
	patKind: optional(oneOf("fine-grained", "classic", "unknown")),
	/** Expiry from the service, or else the person: `YYYY-MM-DD` or a full ISO 8601 time. */
	expiresAt: optional(expiry()),
});

const APP = object({
	kind: oneOf("app"),
	appId: APP_ID,
	installationId: INSTALLATION_ID,
	/** The account on which it is installed, as the service says. */
	account: optional(trimmed()),
	/** Fingerprint of the app's key: `SHA256:...`, as code hosts show it. */
	fingerprint: optional(trimmed()),
});

/** An app's installation acts as the app (contract section 5). */
export type AppCredential = Infer<typeof APP>;

/** Public part of a code host's credential, completed by the service. */
export type CodehostCredential = Infer<typeof PAT> | AppCredential;

const CREDENTIAL: Schema<CodehostCredential> = {
	json: { anyOf: [PAT.json, APP.json] },
	read(value, place) {
		const { kind } = object({ kind: oneOf("pat", "app") }).read(value, place);
		return (kind === "pat" ? PAT : APP).read(value, place);
	},
};

/** Schema of a connection to a code host. */
export const CODEHOST = object({
	label: LABEL,
	baseUrl: BASE_URL,
	service: oneOf("codehost"),
	profile: withDefault(CODEHOST_PROFILE, "custom"),
	credential: CREDENTIAL,
});

/** A code host with the credential in use. */
export type CodehostConnection = Infer<typeof CODEHOST> & { readonly id: string };

/** Schema of a connection to a pet store. */
export const PETSTORE = object({
	label: LABEL,
	// An operation, or the description of the API, is often copied along.
	baseUrl: convert(BASE_URL, (url) => url.replace(/(\/v\d+)\/+(?:pet|store|user|swagger|openapi)\b.*$/i, "$1")),
	service: oneOf("petstore"),
	profile: withDefault(PETSTORE_PROFILE, "custom"),
	/** Format of bodies where the service takes both. */
	format: withDefault(PETSTORE_FORMAT, "json"),
});

/** A pet store. */
export type PetstoreConnection = Infer<typeof PETSTORE> & { readonly id: string };

/** A service that a person works with. */
export type Connection = MessagesConnection | CodehostConnection | PetstoreConnection;

/** The services that connections are made to. */
export type ConnectionService = Connection["service"];

/** The connections to one service. */
export type ConnectionTo<S extends ConnectionService> = Extract<Connection, { readonly service: S }>;

/** Connection before it has an id. */
export type ConnectionDraft = Infer<typeof MESSAGES> | Infer<typeof CODEHOST> | Infer<typeof PETSTORE>;

/** The origin a secret of this connection is bound to, such as `https://api.example.com`. */
export function originOf(baseUrl: string): string {
	return new URL(baseUrl).origin;
}

/** Example of an expiry date: a year after `now`, in epoch milliseconds. */
export function exampleExpiry(now: number): string {
	return new Date(now + 365 * 86_400_000).toISOString().slice(0, 10);
}

/** Expiry date of a token; in the future of `now`, in epoch milliseconds, where it is given. */
export function expiry(now?: number): Schema<string> {
	return refine(trimmed(), (written) => {
		const at = expiryOf(written);
		const example = now === undefined ? "" : `, such as ${exampleExpiry(now)}`;
		if (Number.isNaN(at)) return `must be a day written as YYYY-MM-DD${example}`;
		return now !== undefined && at < now ? "must not be in the past" : undefined;
	});
}

/** Expiry of a token: the end of a day that is named alone. Milliseconds since the epoch; NaN for no such day. */
export function expiryOf(expiresAt: string): number {
	const [day = ""] = /^\d{4}-\d\d-\d\d/.exec(expiresAt) ?? [];
	// Date.parse would roll over a day that its month lacks.
	const time = Date.parse(day);
	if (Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== day) return Number.NaN;
	if (day === expiresAt) return Date.parse(`${day}T23:59:59.999Z`);
	return /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(expiresAt) ? Date.parse(expiresAt) : Number.NaN;
}
