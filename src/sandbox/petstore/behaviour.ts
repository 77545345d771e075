import { flag, type Infer, integer, list, number, oneOf } from "#base/schema.ts";
import { anyYear, BODY_FAULTS, count, failure } from "#sandbox/faults.ts";
import { shape } from "#sandbox/strict.ts";
import { OPERATION_NAMES } from "./route.ts";

/** Scopes of the contract (section 5). */
export const SANDBOX_SCOPES = ["read:pets", "write:pets"] as const;

/** One of the contract's scopes. */
export type Scope = (typeof SANDBOX_SCOPES)[number];

/** Quirks of real servers that the contract does not mention. */
const QUIRKS = [
	/** A new pet without an id takes the place of the pet with the highest one. */
	"post-overwrites",
	/** PUT makes a pet that is not there. */
	"put-creates",
	/** Only the first of a repeated query parameter is read. */
	"first-query-only",
	/** PUT of a user writes to the name in the body and leaves the one in the path alone. */
	"put-user-by-body",
	/** findPetsByStatus has pets of other statuses too, and one without name and photos. */
	"stray-pets",
	/** Lists in XML have the root `List` and items named `item`. */
	"xml-items",
	/** Lists of pets have items among them that are no pets. */
	"foreign-items",
	/** Users can be written only after a login; the contract says so, and names no way to prove it. */
	"users-need-login",
] as const;

/**
 * Forms of an error body, for the contract does not show it (section 7): `api-response` (the default) is an ApiResponse in
 * the format that was asked for, `problem` is problem+json, `xml` an ApiResponse as XML whatever was asked for, `html` a
 * page as proxies send it, `text` a plain sentence, `empty` nothing under the name of JSON.
 */
const ERROR_BODIES = ["api-response", "problem", "xml", "html", "text", "empty"] as const;

/** Form of a success whose answer the contract does not show; `pet` answers a form with the pet too. */
const writeReply = shape(
	{},
	{ status: oneOf(200, 201, 202, 204), body: oneOf("model", "pet", "api-response", "empty") },
);

/** Answer to a login: body, form of `X-Expires-After`, and lifetime, an hour by default. */
const login = shape(
	{},
	{
		body: oneOf("string", "text", "api-response"),
		expires: oneOf("iso", "http", "java", "none"),
		seconds: anyYear,
	},
);

/** Answer to a sign-in: lifetime, parameters left out, query in place of the fragment, another state, other scopes. */
const authorization = shape(
	{},
	{
		seconds: anyYear,
		omit: list(oneOf("expires_in", "scope", "state", "token_type")),
		inQuery: flag(),
		forgedState: flag(),
		scopes: list(oneOf(...SANDBOX_SCOPES)),
	},
);

/** Answer to a sign-in. */
export type Authorization = Infer<typeof authorization>;

/**
 * Behavior of the pet store: given at the start, changed by `behave`, or for one request by the header `x-sandbox`, whose
 * fields win. All of it combines.
 */
export const petstoreBehaviour = shape(
	{},
	{
		/** Restricts everything but `oauth` to these operations. */
		on: list(oneOf(...OPERATION_NAMES), { min: 1 }),
		...BODY_FAULTS,
		fail: failure(...ERROR_BODIES),
		/** A good status with a body that is not the contract's. */
		answerWith: oneOf("html", "empty", "not-json", "null", "wrong-shape", "other-format"),
		/** Answers every request that is no GET as a captive portal does, and does nothing of it. */
		portal: flag(),
		/** Ids in replies: rounded to a double, as strings (JSON only), or one above the largest int64. */
		ids: oneOf("rounded", "text", "beyond"),
		/** Date-times in replies: `+0000` or `+02:00` in place of `Z`. */
		dates: oneOf("no-colon", "offset"),
		errorBody: oneOf(...ERROR_BODIES),
		writeReply,
		/** The `code` of every ApiResponse, whatever the status is. */
		apiCode: integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
		readBytesPerSecond: number({ min: 1 }),
		/** Requests at once; those beyond get 500. */
		mostAtOnce: count,
		/** Pets that the store can hold; the oldest goes when another comes. */
		capacity: count,
		/** Each pet is changed by another client right after it was read by its id. */
		changeAfterRead: flag(),
		login,
		quirks: list(oneOf(...QUIRKS)),
		oauth: authorization,
	},
);

/** Behavior of the pet store. */
export type PetstoreBehaviour = Infer<typeof petstoreBehaviour>;
