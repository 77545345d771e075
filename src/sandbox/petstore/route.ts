import { Violation } from "#sandbox/strict.ts";
import type { Format } from "./negotiation.ts";
import { Refused } from "./refusal.ts";

/** The operations of the contract (section 4). */
export const OPERATIONS = [
	"uploadFile",
	"addPet",
	"updatePet",
	"findPetsByStatus",
	"findPetsByTags",
	"getPetById",
	"updatePetWithForm",
	"deletePet",
	"getInventory",
	"placeOrder",
	"getOrderById",
	"deleteOrder",
	"createUser",
	"createUsersWithListInput",
	"createUsersWithArrayInput",
	"getUserByName",
	"updateUser",
	"deleteUser",
	"loginUser",
	"logoutUser",
] as const;

/** The name of an operation. */
export type Operation = (typeof OPERATIONS)[number];

/** What an operation takes as a body. */
export type Input = Format | "form" | "multipart";

/** An operation as the contract has it (sections 4 and 5). */
export interface Plan {
	readonly operation: Operation;
	readonly method: string;
	readonly path: RegExp;
	readonly security?: "petstore_auth" | "api_key";
	/** Empty where there is no body. */
	readonly takes: readonly Input[];
	readonly gives: readonly Format[];
	/** The status and message of a request that breaks a rule. */
	readonly invalid: readonly [status: number, message: string];
}

/** What a request is for. */
export interface Route {
	readonly plan: Plan;
	/** The variable segment of the path as it came; empty where there is none. */
	readonly segment: string;
}

const BOTH: readonly Format[] = ["json", "xml"];
const ID = [400, "Invalid ID supplied"] as const;
const INPUT = [405, "Invalid input"] as const;
const USER = [400, "Invalid user supplied"] as const;
const USERNAME = [400, "Invalid username supplied"] as const;

type Entry = readonly [
	request: string,
	operation: Operation,
	invalid: Plan["invalid"],
	more?: Partial<Pick<Plan, "security" | "takes" | "gives">>,
];

const pets = { security: "petstore_auth" } as const;
const key = { security: "api_key" } as const;
const json: { takes: readonly Input[] } = { takes: ["json"] };

/** In the order in which they are tried: a fixed path stands before the one with a variable that would match it too. */
const ENTRIES: readonly Entry[] = [
	[
		"POST /pet/{}/uploadImage",
		"uploadFile",
		[400, "Invalid input"],
		{ ...pets, takes: ["multipart"], gives: ["json"] },
	],
	["POST /pet", "addPet", INPUT, { ...pets, takes: BOTH }],
	["PUT /pet", "updatePet", [405, "Validation exception"], { ...pets, takes: BOTH }],
	["GET /pet/findByStatus", "findPetsByStatus", [400, "Invalid status value"], pets],
	["GET /pet/findByTags", "findPetsByTags", [400, "Invalid tag value"], pets],
	["GET /pet/{}", "getPetById", ID, key],
	["POST /pet/{}", "updatePetWithForm", INPUT, { ...pets, takes: ["form"] }],
	["DELETE /pet/{}", "deletePet", ID, pets],
	["GET /store/inventory", "getInventory", [400, "Invalid input"], { ...key, gives: ["json"] }],
	["POST /store/order", "placeOrder", [400, "Invalid Order"], json],
	["GET /store/order/{}", "getOrderById", ID],
	["DELETE /store/order/{}", "deleteOrder", ID],
	["POST /user", "createUser", USER, json],
	["POST /user/createWithList", "createUsersWithListInput", USER, json],
	["POST /user/createWithArray", "createUsersWithArrayInput", USER, json],
	["GET /user/login", "loginUser", [400, "Invalid username/password supplied"]],
	["GET /user/logout", "logoutUser", USER],
	["GET /user/{}", "getUserByName", USERNAME],
	["PUT /user/{}", "updateUser", USER, json],
	["DELETE /user/{}", "deleteUser", USERNAME],
];

const PLANS: readonly Plan[] = ENTRIES.map(([request, operation, invalid, more]) => {
	const [method = "", path = ""] = request.split(" ");
	const pattern = new RegExp(`^/v2${path.replace("{}", "([^/]+)")}$`);
	return { operation, method, path: pattern, takes: [], gives: BOTH, invalid, ...more };
});

/** The operation that a request is for; undefined where there is none. */
export function routeOf(method: string | undefined, path: string): Route | undefined {
	const plan = PLANS.find((one) => one.method === method && one.path.test(path));
	return plan && { plan, segment: plan.path.exec(path)?.[1] ?? "" };
}

/** Refuses what there is no operation for: 404 for a path, 405 with `Allow` for a method. */
export function noRoute(path: string): Refused {
	const allow = [...new Set(PLANS.filter((plan) => plan.path.test(path)).map(({ method }) => method))].join(", ");
	if (allow === "") return new Refused(404, "There is no such path here");
	return new Refused(405, `Only ${allow} is answered here`, { headers: { allow } });
}

/** The text of a path's segment. Throws a `Violation` where it has none. */
export function decodeSegment(segment: string): string {
	try {
		return decodeURIComponent(segment);
	} catch {
		throw new Violation("The path", "must be in UTF-8");
	}
}
