import type { Int64 } from "#base/int64.ts";
import { list, oneOf, record, type Shape } from "./shape.ts";

/** Something with an id and a name: a pet's category (contract section 2). */
export interface Category {
	readonly id?: Int64;
	readonly name?: string;
}

/** A tag of a pet (contract section 2). */
export interface Tag {
	readonly id?: Int64;
	readonly name?: string;
}

/** A pet as services send it (contract section 2): any field may be missing, and the status may be any word. */
export interface Pet {
	readonly id?: Int64;
	readonly category?: Category;
	readonly name?: string;
	readonly photoUrls?: readonly string[];
	readonly tags?: readonly Tag[];
	readonly status?: string;
}

/** A pet that may be sent: its name and its photos are required (contract section 2). */
export type PetToSend = Pet & Required<Pick<Pet, "name" | "photoUrls">>;

/** An order (contract section 2). */
export interface Order {
	readonly id?: Int64;
	readonly petId?: Int64;
	readonly quantity?: number;
	/** As the service wrote it; `timeOf` reads every form in use. */
	readonly shipDate?: string;
	readonly status?: string;
	readonly complete?: boolean;
}

/** A user (contract section 2). Services send the password back: nobody is to see it. */
export interface User {
	readonly id?: Int64;
	readonly username?: string;
	readonly firstName?: string;
	readonly lastName?: string;
	readonly email?: string;
	readonly password?: string;
	readonly phone?: string;
	readonly userStatus?: number;
}

/** Message beside the thing itself (contract section 2). Its code need not be the reply's status. */
export interface ApiResponse {
	readonly code?: number;
	readonly type?: string;
	readonly message?: string;
}

/** Number of pets of each status (contract section 4, `getInventory`). */
export type Inventory = Readonly<Record<string, number>>;

/** Result of a login (contract section 4, `loginUser`). */
export interface Session {
	/** Message without the password; empty when the service said nothing. */
	readonly message: string;
	/** When the token expires, milliseconds since the epoch; null when the service did not say, or in no known form. */
	readonly expiresAt: number | null;
	/** Calls that the user is allowed in an hour; null when the service did not say. */
	readonly rateLimit: number | null;
}

/** A file to upload. */
export interface Upload {
	readonly name: string;
	/** A media type such as `image/png`. */
	readonly type: string;
	readonly bytes: Uint8Array;
}

/** The statuses of a pet (contract section 3). */
export const PET_STATUSES = ["available", "pending", "sold"] as const;

/** The statuses of an order (contract section 3). */
export const ORDER_STATUSES = ["placed", "approved", "delivered"] as const;

/** The ids by which an order can be looked up (contract section 8). */
export const ORDER_LOOKUP = { min: 1, max: 10 } as const;

/** The ids by which an order can be deleted (contract section 8). */
export const ORDER_DELETE = { min: 1 } as const;

/** Any int64. */
export const int64: Shape<Int64> = { kind: "int64" };
/** Any int32. */
export const int32: Shape<number> = { kind: "int32" };
/** Any text. */
export const text: Shape<string> = { kind: "text" };
/** The name that a user is to be looked up by. */
export const username: Shape<string> = { kind: "text", isName: true };
/** Text that nobody but the service may see. */
export const secretText: Shape<string> = { kind: "text", secret: true };

/** A pet's category. */
export const categoryShape = record<Category>("Category", { id: int64, name: text });
/** A pet's tag. */
export const tagShape = record<Tag>("Tag", { id: int64, name: text });

const petFields = {
	id: int64,
	category: categoryShape,
	name: text,
	photoUrls: list(text, "photoUrl"),
	tags: list(tagShape, "tag"),
	status: oneOf(...PET_STATUSES),
};

/** A pet of a reply. */
export const petShape = record<Pet>("Pet", petFields);
/** A pet to send. */
export const petToSendShape = record<PetToSend>("Pet", petFields, ["name", "photoUrls"]);
/** Several pets. */
export const petsShape = list(petShape, "Pet");

/** An order. */
export const orderShape = record<Order>("Order", {
	id: int64,
	petId: int64,
	quantity: int32,
	shipDate: { kind: "time" },
	status: oneOf(...ORDER_STATUSES),
	complete: { kind: "flag" },
});

const userFields = {
	id: int64,
	username: text,
	firstName: text,
	lastName: text,
	email: text,
	password: secretText,
	phone: text,
	userStatus: int32,
};

/** A user. */
export const userShape = record<User>("User", userFields);
/** A user to create, or to put in the place of one. */
export const newUserShape = record<User>("User", { ...userFields, username });

const apiResponseFields = { code: int32, type: text, message: text };

/** Message beside the thing itself. */
export const apiResponseShape = record<ApiResponse>("ApiResponse", apiResponseFields);

/** Answer to a form: stores that follow a later version of the API answer with the pet itself. */
export const formReplyShape = record<ApiResponse & Pet>("ApiResponse", { ...apiResponseFields, ...petFields });

/** The inventory. */
export const inventoryShape: Shape<Inventory> = { kind: "counts" };
/** Result of a login. */
export const sessionShape: Shape<Session> = { kind: "session" };

/** Base path and format of a pet store. */
export interface PetstoreProfile {
	/** Put between the base URL and the paths of contract section 4, `/v2` there; empty for none. */
	readonly basePath: string;
	/** Format of bodies where the contract leaves the choice. */
	readonly format: "json" | "xml";
}

/** The names of the contract (sections 1 and 9), in JSON. */
export const contractProfile: PetstoreProfile = { basePath: "/v2", format: "json" };
