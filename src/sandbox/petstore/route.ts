import type { Route } from "#sandbox/service.ts";
import { FORMATS, type Format } from "./format.ts";

/** Format of a request body. */
export type Input = Format | "form" | "multipart";

/** Operation of the contract (sections 4 and 5). */
export interface Plan extends Route {
	readonly name: Operation;
	readonly security?: "petstore_auth" | "api_key";
	/** Empty for no body. */
	readonly takes: readonly Input[];
	readonly gives: readonly Format[];
	/** Status and message for an invalid request. */
	readonly invalid: readonly [status: number, message: string];
}

type Entry = readonly [
	request: string,
	invalid: Plan["invalid"],
	more?: Partial<Pick<Plan, "security" | "takes" | "gives">>,
];

const ID = [400, "Invalid ID supplied"] as const;
const INPUT = [405, "Invalid input"] as const;
const USER = [400, "Invalid user supplied"] as const;
const USERNAME = [400, "Invalid username supplied"] as const;
const pets = { security: "petstore_auth" } as const;
const key = { security: "api_key" } as const;
const json = { takes: ["json"] } as const;

/** Operations in the order in which they are matched: fixed paths precede variable ones. */
const ENTRIES = {
	uploadFile: ["POST /pet/{}/uploadImage", [400, "Invalid input"], { ...pets, takes: ["multipart"], gives: ["json"] }],
	addPet: ["POST /pet", INPUT, { ...pets, takes: FORMATS }],
	updatePet: ["PUT /pet", [405, "Validation exception"], { ...pets, takes: FORMATS }],
	findPetsByStatus: ["GET /pet/findByStatus", [400, "Invalid status value"], pets],
	findPetsByTags: ["GET /pet/findByTags", [400, "Invalid tag value"], pets],
	getPetById: ["GET /pet/{}", ID, key],
	updatePetWithForm: ["POST /pet/{}", INPUT, { ...pets, takes: ["form"] }],
	deletePet: ["DELETE /pet/{}", ID, pets],
	getInventory: ["GET /store/inventory", [400, "Invalid input"], { ...key, gives: ["json"] }],
	placeOrder: ["POST /store/order", [400, "Invalid Order"], json],
	getOrderById: ["GET /store/order/{}", ID],
	deleteOrder: ["DELETE /store/order/{}", ID],
	createUser: ["POST /user", USER, json],
	createUsersWithListInput: ["POST /user/createWithList", USER, json],
	createUsersWithArrayInput: ["POST /user/createWithArray", USER, json],
	loginUser: ["GET /user/login", [400, "Invalid username/password supplied"]],
	logoutUser: ["GET /user/logout", USER],
	getUserByName: ["GET /user/{}", USERNAME],
	updateUser: ["PUT /user/{}", USER, json],
	deleteUser: ["DELETE /user/{}", USERNAME],
} as const satisfies Readonly<Record<string, Entry>>;

/** Name of an operation. */
export type Operation = keyof typeof ENTRIES;

/** Names of all operations (contract section 4). */
export const OPERATION_NAMES = Object.keys(ENTRIES) as Operation[];

/** All operations. */
export const PLANS: readonly Plan[] = OPERATION_NAMES.map((name) => {
	const [request, invalid, more]: Entry = ENTRIES[name];
	const [method = "", path = ""] = request.split(" ");
	const pattern = new RegExp(`^/v2${path.replace("{}", "([^/]+)")}$`);
	return { name, method, path: pattern, takes: [], gives: FORMATS, invalid, ...more };
});
