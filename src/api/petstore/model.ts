import { invalid } from "#base/errors.ts";
import * as schema from "#base/schema.ts";
import {
	flagShape,
	int32Shape,
	int64Shape,
	listShape,
	oneOfShape,
	recordShape,
	type Shape,
	secretTextShape,
	textShape,
	timeShape,
	usernameShape,
	type ValueOf,
} from "./shape.ts";

/** Result of a login (contract section 4, `loginUser`). */
export interface Session {
	/** Message without the password; empty if there is none. */
	readonly message: string;
	/** Expiry of the token in epoch milliseconds; null if unknown. */
	readonly expiresAt: number | null;
	/** Calls an hour that the user may make; null if unknown. */
	readonly rateLimit: number | null;
}

/** Statuses of a pet (contract section 3). */
export const PET_STATUSES = ["available", "pending", "sold"] as const;

/** Ids by which an order can be looked up (contract section 8). */
export const ORDER_LOOKUP = { min: 1, max: 10 } as const;

/** Ids by which an order can be deleted (contract section 8). */
export const ORDER_DELETE = { min: 1 } as const;

const id = int64Shape();

/** A pet's category, or a tag of it (contract section 2). */
const named = { id, name: textShape };

const petFields = {
	id,
	category: recordShape("Category", named),
	name: textShape,
	photoUrls: listShape(textShape, "photoUrl"),
	tags: listShape(recordShape("Tag", named), "tag"),
	status: oneOfShape(...PET_STATUSES),
};

/** Pet of a reply (contract section 2): any field may be missing, and the status may be any text. */
export const petShape = recordShape("Pet", petFields);
/** A pet as services send it. */
export type Pet = ValueOf<typeof petShape>;

/** Pet to send: name and photos are required (contract section 2). */
export const petToSendShape = recordShape("Pet", petFields, ["name", "photoUrls"]);
/** A pet that may be sent. */
export type PetToSend = ValueOf<typeof petToSendShape>;

/** Several pets. */
export const petsShape = listShape(petShape, "Pet");

/** An order (contract section 2). */
export const orderShape = recordShape("Order", {
	id,
	petId: id,
	quantity: int32Shape,
	shipDate: timeShape,
	status: oneOfShape("placed", "approved", "delivered"),
	complete: flagShape,
});
/** An order. */
export type Order = ValueOf<typeof orderShape>;

const userFields = {
	id,
	username: textShape,
	firstName: textShape,
	lastName: textShape,
	email: textShape,
	password: secretTextShape,
	phone: textShape,
	userStatus: int32Shape,
};

/** User (contract section 2). Services send the password, which must never be shown. */
export const userShape = recordShape("User", userFields);
/** A user. */
export type User = ValueOf<typeof userShape>;
/** User to create or to replace. */
export const newUserShape = recordShape("User", { ...userFields, username: usernameShape });

const apiResponseFields = { code: int32Shape, type: textShape, message: textShape };

/** Message of the service (contract section 2). Its code may differ from the status. */
export const apiResponseShape = recordShape("ApiResponse", apiResponseFields);

/** Reply to a form: stores of a later API version send the pet itself. */
export const formReplyShape = recordShape("ApiResponse", { ...apiResponseFields, ...petFields });

/** Number of pets of each status (contract section 4, `getInventory`). */
export const inventoryShape = { kind: "counts", ...schema.map(int32Shape) } as const satisfies Shape<unknown>;
/** Number of pets of each status. */
export type Inventory = ValueOf<typeof inventoryShape>;

/** Result of a login. */
export const sessionShape = { kind: "session", ...schema.anything() } as Shape<Session>;

const bytes: schema.Schema<Uint8Array> = {
	json: {},
	read(value, { service, field }) {
		if (value instanceof Uint8Array) return value;
		throw invalid(service, field, "must be bytes");
	},
};

/** A file to upload. */
export const uploadShape = {
	kind: "file",
	...schema.object({
		name: schema.text(),
		/** A media type such as `image/png`. */
		type: schema.refine(schema.text(), (type) =>
			/^[\w.+-]+\/[\w.+-]+$/.test(type) ? undefined : "must be a media type such as image/png",
		),
		bytes,
	}),
} as const satisfies Shape<unknown>;

/** Base path and format of a pet store. */
export interface PetstoreProfile {
	/** Path between the base URL and the paths of contract section 4, such as `/v2`. */
	readonly basePath: string;
	/** Format of bodies that the contract allows in both. */
	readonly format: "json" | "xml";
}

/** Profile of the contract (sections 1 and 9), in JSON. */
export const contractProfile: PetstoreProfile = { basePath: "/v2", format: "json" };
