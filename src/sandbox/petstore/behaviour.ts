import { readSpoiling, type Spoiling } from "#sandbox/spoiling.ts";
import { flag, integer, list, number, oneOf, type Read, shape, text } from "#sandbox/strict.ts";
import { SLOWNESS, type Slowness } from "#sandbox/transmission.ts";
import { ERROR_BODIES, type ErrorBody, type Failure } from "./refusal.ts";
import { OPERATIONS, type Operation } from "./route.ts";

/** How a success is told whose answer the contract does not show (section 4). */
export interface WriteReply {
	/** 200 by default. */
	readonly status?: 200 | 201 | 202 | 204;
	/** `model` (the default) is the pet where a pet was written and an ApiResponse elsewhere; `pet` is it for a form too. */
	readonly body?: "model" | "pet" | "api-response" | "empty";
}

/** How a login is answered. */
export interface Login {
	/** `string` (the default) is a string in the asked format, `text` a plain one, `api-response` an ApiResponse around it. */
	readonly body?: "string" | "text" | "api-response";
	/** How `X-Expires-After` is written: RFC 3339 by default, an HTTP date, as Java prints dates, or not at all. */
	readonly expires?: "iso" | "http" | "java" | "none";
	/** How long a login lasts; an hour by default. */
	readonly seconds?: number;
}

/** How an authorization is answered. */
export interface Authorization {
	/** Lifetime of the token; 3,600 by default. Not above 0, it has expired on arrival. */
	readonly seconds?: number;
	/** Parameters left out of the answer. */
	readonly omit?: readonly ("expires_in" | "scope" | "state" | "token_type")[];
	/** The answer comes in the query instead of the fragment. */
	readonly inQuery?: boolean;
	/** The answer has another state than the one that was sent. */
	readonly forgedState?: boolean;
	/** Only these scopes are given, whatever was approved. */
	readonly scopes?: readonly Scope[];
}

/** The scopes of the contract (section 5). */
export const SCOPES = ["read:pets", "write:pets"] as const;

/** One of the contract's scopes. */
export type Scope = (typeof SCOPES)[number];

/** What real servers do and the contract does not say. */
export const QUIRKS = [
	/** A new pet without an id takes the place of the pet with the highest one. */
	"post-overwrites",
	/** PUT makes a pet that is not there. */
	"put-creates",
	/** Of a repeated query parameter only the first is read. */
	"first-query-only",
	/** PUT of a user writes to the name in the body and leaves the one in the path alone. */
	"put-user-by-body",
	/** findPetsByStatus has pets of other statuses too, and one without name and photos. */
	"stray-pets",
	/** Lists in XML have the root `List` and items named `item`. */
	"xml-items",
	/** Lists of pets have items among them that are no pets. */
	"foreign-items",
	/** Users can be written only after somebody has logged in; the contract says so, and names no way to prove it. */
	"users-need-login",
] as const;

/** One of {@link QUIRKS}. */
export type Quirk = (typeof QUIRKS)[number];

/**
 * How the pet store behaves: given at the start (`petstore` of the options, or `SWITCHBOARD_SANDBOX_PETSTORE` as JSON),
 * changed while it runs by `sandbox.petstore.behave`, and for one request by the header `x-sandbox` with the same object
 * as JSON, whose fields win. All of it combines; an unknown field or value is refused with 400. Everything but `oauth`
 * can be kept to some operations.
 */
export interface PetstoreBehaviour extends Slowness {
	/** Restricts everything but `oauth` to these operations. */
	readonly on?: readonly Operation[];
	/** Refuses with an HTTP error. */
	readonly fail?: Failure;
	/** Closes the connection without an answer, for this many requests. */
	readonly drop?: number;
	/** A good status with a body that is not the contract's; `other-format` is XML for JSON and JSON for XML. */
	readonly answerWith?: "html" | "empty" | "not-json" | "null" | "wrong-shape" | "other-format";
	/**
	 * Answers every request that is no GET with 200 and a web page, as a captive portal does, and does nothing of it;
	 * `answerWith: "empty"` answers with nothing in its place.
	 */
	readonly portal?: boolean;
	/** Puts a field of the reply wrong. */
	readonly spoil?: Spoiling;
	/** Ids in replies: rounded to what a double holds, as strings (JSON only), or one above the largest int64. */
	readonly ids?: "rounded" | "text" | "beyond";
	/** Date-times in replies: `+0000` or `+02:00` in place of `Z`. */
	readonly dates?: "no-colon" | "offset";
	/** How refusals are told. */
	readonly errorBody?: ErrorBody;
	/** How writing is answered. */
	readonly writeReply?: WriteReply;
	/** The `code` of every ApiResponse, whatever the status is. */
	readonly apiCode?: number;
	/** Reads the body of a request this slowly. */
	readonly readBytesPerSecond?: number;
	/** Requests at once; those beyond get 500. */
	readonly mostAtOnce?: number;
	/** Pets that the store can hold; the oldest goes when another comes. */
	readonly capacity?: number;
	/** Somebody else changes each pet right after it was read by its id: its tag `changed elsewhere` gets another id. */
	readonly changeAfterRead?: boolean;
	readonly login?: Login;
	readonly quirks?: readonly Quirk[];
	/** Of the authorization page. */
	readonly oauth?: Authorization;
}

const anyYear = { min: -31_536_000, max: 31_536_000 };
const count = integer({ min: 1 });

const readFailure: Read<Failure> = shape(
	{ status: integer({ min: 400, max: 599 }) },
	{ times: count, message: text(), retryAfterSeconds: number({ min: 0 }), body: oneOf(...ERROR_BODIES) },
);

const readWriteReply: Read<WriteReply> = shape<object, WriteReply>(
	{},
	{ status: oneOf(200, 201, 202, 204), body: oneOf("model", "pet", "api-response", "empty") },
);

const readLogin: Read<Login> = shape<object, Login>(
	{},
	{
		body: oneOf("string", "text", "api-response"),
		expires: oneOf("iso", "http", "java", "none"),
		seconds: number(anyYear),
	},
);

const readAuthorization: Read<Authorization> = shape<object, Authorization>(
	{},
	{
		seconds: number(anyYear),
		omit: list(oneOf("expires_in", "scope", "state", "token_type")),
		inQuery: flag,
		forgedState: flag,
		scopes: list(oneOf(...SCOPES)),
	},
);

/** Reads a {@link PetstoreBehaviour} strictly; throws a `Violation` that names the field. */
export const readPetstoreBehaviour: Read<PetstoreBehaviour> = shape<object, PetstoreBehaviour>(
	{},
	{
		on: list(oneOf(...OPERATIONS), { min: 1 }),
		fail: readFailure,
		drop: count,
		...SLOWNESS,
		answerWith: oneOf("html", "empty", "not-json", "null", "wrong-shape", "other-format"),
		portal: flag,
		spoil: readSpoiling,
		ids: oneOf("rounded", "text", "beyond"),
		dates: oneOf("no-colon", "offset"),
		errorBody: oneOf(...ERROR_BODIES),
		writeReply: readWriteReply,
		apiCode: integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
		readBytesPerSecond: number({ min: 1 }),
		mostAtOnce: count,
		capacity: count,
		changeAfterRead: flag,
		login: readLogin,
		quirks: list(oneOf(...QUIRKS)),
		oauth: readAuthorization,
	},
);

/** What of a behaviour holds for an operation; undefined is a request for what is not there. */
export function behaviourAt(behaviour: PetstoreBehaviour, operation: Operation | undefined): PetstoreBehaviour {
	const { on, oauth } = behaviour;
	if (on === undefined || (operation !== undefined && on.includes(operation))) return behaviour;
	return oauth === undefined ? {} : { oauth };
}
