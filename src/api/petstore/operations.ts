import { invalid } from "#base/errors.ts";
import {
	apiResponseShape,
	formReplyShape,
	inventoryShape,
	newUserShape,
	ORDER_DELETE,
	ORDER_LOOKUP,
	orderShape,
	PET_STATUSES,
	petShape,
	petsShape,
	petToSendShape,
	sessionShape,
	uploadShape,
	userShape,
} from "./model.ts";
import { type AnyOperation, type DataOf, operation, type ParametersOf } from "./operation.ts";
import { int64Shape, listShape, oneOfShape, type Shape, secretTextShape, textShape, usernameShape } from "./shape.ts";

/** An id as it can be given: digits, or a number that is exact. */
const id = (limits = {}): Shape<string | number> => int64Shape(limits);
const petId = { in: "path", shape: id(), required: true } as const;
const ofUser = { in: "path", shape: usernameShape, required: true } as const;
const body = <T>(shape: Shape<T>) => ({ body: { in: "body", shape, required: true } }) as const;

const signedIn = { security: "petstore_auth" } as const;
const withKey = { security: "api_key" } as const;
const badId = { 400: "Invalid ID supplied" };
const noPet = { 404: "Pet not found" };
const noOrder = { 404: "Order not found" };
const noUser = { 404: "User not found" };

/** Operations of the contract (section 4) by name: the one table for checking, sending, reading and calling. */
export const OPERATIONS = {
	uploadFile: operation("POST /pet/{petId}/uploadImage", {
		...signedIn,
		parameters: {
			petId,
			additionalMetadata: { in: "form", shape: textShape, required: false },
			file: { in: "form", shape: uploadShape, required: false },
		},
		takes: "multipart",
		gives: "json",
		reply: apiResponseShape,
	}),
	addPet: operation("POST /pet", {
		...signedIn,
		parameters: body(petToSendShape),
		takes: "json or xml",
		reply: petShape,
		errors: { 405: "Invalid input" },
	}),
	updatePet: operation("PUT /pet", {
		...signedIn,
		parameters: body(petToSendShape),
		takes: "json or xml",
		reply: petShape,
		errors: { ...badId, ...noPet, 405: "Validation exception" },
	}),
	findPetsByStatus: operation("GET /pet/findByStatus", {
		...signedIn,
		parameters: {
			status: { in: "query", shape: listShape(oneOfShape(...PET_STATUSES), "status", { min: 1 }), required: true },
		},
		reply: petsShape,
		errors: { 400: "Invalid status value" },
	}),
	findPetsByTags: operation("GET /pet/findByTags", {
		...signedIn,
		parameters: { tags: { in: "query", shape: listShape(textShape, "tag", { min: 1 }), required: true } },
		deprecated: true,
		reply: petsShape,
		errors: { 400: "Invalid tag value" },
	}),
	getPetById: operation("GET /pet/{petId}", {
		...withKey,
		parameters: { petId },
		reply: petShape,
		errors: { ...badId, ...noPet },
	}),
	updatePetWithForm: operation("POST /pet/{petId}", {
		...signedIn,
		parameters: {
			petId,
			name: { in: "form", shape: textShape, required: false },
			status: { in: "form", shape: oneOfShape(...PET_STATUSES), required: false },
		},
		takes: "form",
		reply: formReplyShape,
		errors: { 405: "Invalid input" },
	}),
	deletePet: operation("DELETE /pet/{petId}", {
		...signedIn,
		parameters: { petId, api_key: { in: "header", shape: secretTextShape, required: false } },
		reply: apiResponseShape,
		errors: { ...badId, ...noPet },
	}),
	getInventory: operation("GET /store/inventory", { ...withKey, gives: "json", reply: inventoryShape }),
	placeOrder: operation("POST /store/order", {
		parameters: body(orderShape),
		takes: "json",
		reply: orderShape,
		errors: { 400: "Invalid Order" },
	}),
	getOrderById: operation("GET /store/order/{orderId}", {
		parameters: { orderId: { in: "path", shape: id(ORDER_LOOKUP), required: true } },
		reply: orderShape,
		errors: { ...badId, ...noOrder },
	}),
	deleteOrder: operation("DELETE /store/order/{orderId}", {
		parameters: { orderId: { in: "path", shape: id(ORDER_DELETE), required: true } },
		reply: apiResponseShape,
		errors: { ...badId, ...noOrder },
	}),
	createUser: operation("POST /user", { parameters: body(newUserShape), takes: "json", reply: apiResponseShape }),
	createUsersWithListInput: operation("POST /user/createWithList", {
		parameters: body(listShape(newUserShape, "User")),
		takes: "json",
		reply: apiResponseShape,
	}),
	createUsersWithArrayInput: operation("POST /user/createWithArray", {
		parameters: body(listShape(newUserShape, "User")),
		takes: "json",
		reply: apiResponseShape,
	}),
	getUserByName: operation("GET /user/{username}", {
		parameters: { username: ofUser },
		reply: userShape,
		errors: { 400: "Invalid username supplied", ...noUser },
	}),
	updateUser: operation("PUT /user/{username}", {
		parameters: { username: ofUser, ...body(newUserShape) },
		takes: "json",
		reply: apiResponseShape,
		errors: { 400: "Invalid user supplied", ...noUser },
	}),
	deleteUser: operation("DELETE /user/{username}", {
		parameters: { username: ofUser },
		reply: apiResponseShape,
		errors: { 400: "Invalid username supplied", ...noUser },
	}),
	loginUser: operation("GET /user/login", {
		parameters: {
			username: { in: "query", shape: usernameShape, required: true },
			password: { in: "query", shape: secretTextShape, required: true },
		},
		reply: sessionShape,
		errors: { 400: "Invalid username/password supplied" },
	}),
	logoutUser: operation("GET /user/logout", { anyReply: true, reply: apiResponseShape }),
};

/** The name of an operation. */
export type OperationName = keyof typeof OPERATIONS;

/** The operation of a request; an address without parameters comes first. Throws ClientError `invalid` for none. */
export function operationAt(method: string, address: string): AnyOperation {
	const all: readonly AnyOperation[] = Object.values(OPERATIONS).filter((each) => each.method === method);
	const isAt = ({ path }: AnyOperation) => new RegExp(`${path.replace(/\{\w+\}/, "[^/]+")}$`).test(address);
	const found = all.find(({ path }) => address.endsWith(path)) ?? all.find(isAt);
	if (found === undefined) throw invalid("petstore", "request", "cannot be sent again: it is not of the store's API");
	return found;
}

/** The parameters of an operation, by its name. */
export type OperationParameters<N extends OperationName> = ParametersOf<(typeof OPERATIONS)[N]>;

/** Data of an operation by its name; null for a write without a readable reply. */
export type OperationData<N extends OperationName> = DataOf<(typeof OPERATIONS)[N]>;

/** True for the name of an operation. */
export function isOperationName(name: string): name is OperationName {
	return Object.hasOwn(OPERATIONS, name);
}

/** Usernames that some services take for a part of their paths: `GET /user/login` logs in (contract section 4). */
export const SHADOWED_USERNAMES: ReadonlySet<string> = new Set([
	"login",
	"logout",
	"createWithList",
	"createWithArray",
]);
