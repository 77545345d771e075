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
	secretText,
	sessionShape,
	text,
	type Upload,
	username,
	userShape,
} from "./model.ts";
import { type DataOf, operation, type ParametersOf } from "./operation.ts";
import { list, oneOf, type Shape } from "./shape.ts";

/** An id as it can be given: digits, or a number that is exact. */
const id: Shape<string | number> = { kind: "int64" };
const petId = { in: "path", shape: id, required: true } as const;
const ofUser = { in: "path", shape: username, required: true } as const;
const body = <T>(shape: Shape<T>) => ({ body: { in: "body", shape, required: true } }) as const;
const upload: Shape<Upload> = { kind: "file" };

const pets = { tag: "pet", security: "petstore_auth" } as const;
const store = { tag: "store" } as const;
const users = { tag: "user" } as const;
const badId = { 400: "Invalid ID supplied" };
const noPet = { 404: "Pet not found" };
const noOrder = { 404: "Order not found" };
const noUser = { 404: "User not found" };

/**
 * The twenty operations of the contract (section 4), by their names there. Checking, sending, reading and the command
 * that calls any of them are all driven by this table.
 */
export const OPERATIONS = {
	uploadFile: operation({
		...pets,
		method: "POST",
		path: "/pet/{petId}/uploadImage",
		parameters: {
			petId,
			additionalMetadata: { in: "form", shape: text, required: false },
			file: { in: "form", shape: upload, required: false },
		},
		takes: "multipart",
		gives: "json",
		writes: true,
		reply: apiResponseShape,
	}),
	addPet: operation({
		...pets,
		method: "POST",
		path: "/pet",
		parameters: body(petToSendShape),
		takes: "json or xml",
		writes: true,
		reply: petShape,
		errors: { 405: "Invalid input" },
	}),
	updatePet: operation({
		...pets,
		method: "PUT",
		path: "/pet",
		parameters: body(petToSendShape),
		takes: "json or xml",
		writes: true,
		reply: petShape,
		errors: { ...badId, ...noPet, 405: "Validation exception" },
	}),
	findPetsByStatus: operation({
		...pets,
		method: "GET",
		path: "/pet/findByStatus",
		parameters: {
			status: {
				in: "query",
				shape: list(oneOf(...PET_STATUSES), "status", { min: 1 }),
				required: true,
				default: "available",
			},
		},
		writes: false,
		reply: petsShape,
		errors: { 400: "Invalid status value" },
	}),
	findPetsByTags: operation({
		...pets,
		method: "GET",
		path: "/pet/findByTags",
		parameters: { tags: { in: "query", shape: list(text, "tag", { min: 1 }), required: true } },
		deprecated: true,
		writes: false,
		reply: petsShape,
		errors: { 400: "Invalid tag value" },
	}),
	getPetById: operation({
		...pets,
		security: "api_key",
		method: "GET",
		path: "/pet/{petId}",
		parameters: { petId },
		writes: false,
		reply: petShape,
		errors: { ...badId, ...noPet },
	}),
	updatePetWithForm: operation({
		...pets,
		method: "POST",
		path: "/pet/{petId}",
		parameters: {
			petId,
			name: { in: "form", shape: text, required: false },
			status: { in: "form", shape: oneOf(...PET_STATUSES), required: false },
		},
		takes: "form",
		writes: true,
		reply: formReplyShape,
		errors: { 405: "Invalid input" },
	}),
	deletePet: operation({
		...pets,
		method: "DELETE",
		path: "/pet/{petId}",
		parameters: { petId, api_key: { in: "header", shape: secretText, required: false } },
		writes: true,
		reply: apiResponseShape,
		errors: { ...badId, ...noPet },
	}),
	getInventory: operation({
		...store,
		security: "api_key",
		method: "GET",
		path: "/store/inventory",
		parameters: {},
		gives: "json",
		writes: false,
		reply: inventoryShape,
	}),
	placeOrder: operation({
		...store,
		method: "POST",
		path: "/store/order",
		parameters: body(orderShape),
		takes: "json",
		writes: true,
		reply: orderShape,
		errors: { 400: "Invalid Order" },
	}),
	getOrderById: operation({
		...store,
		method: "GET",
		path: "/store/order/{orderId}",
		parameters: { orderId: { in: "path", shape: { ...id, ...ORDER_LOOKUP }, required: true } },
		writes: false,
		reply: orderShape,
		errors: { ...badId, ...noOrder },
	}),
	deleteOrder: operation({
		...store,
		method: "DELETE",
		path: "/store/order/{orderId}",
		parameters: { orderId: { in: "path", shape: { ...id, ...ORDER_DELETE }, required: true } },
		writes: true,
		reply: apiResponseShape,
		errors: { ...badId, ...noOrder },
	}),
	createUser: operation({
		...users,
		method: "POST",
		path: "/user",
		parameters: body(newUserShape),
		takes: "json",
		writes: true,
		reply: apiResponseShape,
	}),
	createUsersWithListInput: operation({
		...users,
		method: "POST",
		path: "/user/createWithList",
		parameters: body(list(newUserShape, "User")),
		takes: "json",
		writes: true,
		reply: apiResponseShape,
	}),
	createUsersWithArrayInput: operation({
		...users,
		method: "POST",
		path: "/user/createWithArray",
		parameters: body(list(newUserShape, "User")),
		takes: "json",
		writes: true,
		reply: apiResponseShape,
	}),
	getUserByName: operation({
		...users,
		method: "GET",
		path: "/user/{username}",
		parameters: { username: ofUser },
		writes: false,
		reply: userShape,
		errors: { 400: "Invalid username supplied", ...noUser },
	}),
	updateUser: operation({
		...users,
		method: "PUT",
		path: "/user/{username}",
		parameters: { username: ofUser, ...body(newUserShape) },
		takes: "json",
		writes: true,
		reply: apiResponseShape,
		errors: { 400: "Invalid user supplied", ...noUser },
	}),
	deleteUser: operation({
		...users,
		method: "DELETE",
		path: "/user/{username}",
		parameters: { username: ofUser },
		writes: true,
		reply: apiResponseShape,
		errors: { 400: "Invalid username supplied", ...noUser },
	}),
	loginUser: operation({
		...users,
		method: "GET",
		path: "/user/login",
		parameters: {
			username: { in: "query", shape: username, required: true },
			password: { in: "query", shape: secretText, required: true },
		},
		writes: false,
		reply: sessionShape,
		errors: { 400: "Invalid username/password supplied" },
	}),
	logoutUser: operation({
		...users,
		method: "GET",
		path: "/user/logout",
		parameters: {},
		writes: false,
		anyReply: true,
		reply: apiResponseShape,
	}),
};

/** The name of an operation. */
export type OperationName = keyof typeof OPERATIONS;

/** The parameters of an operation, by its name. */
export type OperationParameters<N extends OperationName> = ParametersOf<(typeof OPERATIONS)[N]>;

/** What an operation brings, by its name; null where a change was answered with nothing that can be read. */
export type OperationData<N extends OperationName> = DataOf<(typeof OPERATIONS)[N]>;

/** Whether there is an operation of this name. */
export function isOperationName(name: string): name is OperationName {
	return Object.hasOwn(OPERATIONS, name);
}

/**
 * User names that some services take for a part of their own paths: `GET /user/login` is a login (contract section 4).
 * A person should be warned of them.
 */
export const SHADOWED_USERNAMES: ReadonlySet<string> = new Set([
	"login",
	"logout",
	"createWithList",
	"createWithArray",
]);
