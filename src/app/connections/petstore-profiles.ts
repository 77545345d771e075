import { contractProfile, type PetstoreProfile } from "#api/petstore/model.ts";
import { type Infer, object, oneOf, optional, refine, text } from "#base/schema.ts";
import { BASE_URL, HEADER_VALUE, type Preset, profile } from "./fields.ts";

/** Schema of the format of bodies. */
export const PETSTORE_FORMAT = oneOf("json", "xml");

/** Format of bodies where the contract leaves the choice. */
export type PetstoreFormat = PetstoreProfile["format"];

/** The presets of a pet store by the name that settings and automation use. */
export const PETSTORE_PRESETS = {
	sandbox: { label: "Built-in Sandbox" },
	"swagger-petstore": {
		label: "Swagger Petstore",
		shortLabel: "Petstore",
		baseUrl: "https://petstore.swagger.io",
	},
	custom: {
		label: "Custom Pet Store",
		shortLabel: "Petstore",
		detail: "Any service that speaks the pet store's API",
	},
} as const satisfies Record<string, Preset>;

const BASE_PATH = refine(text(), (path) =>
	/^(?:\/[\w.~-]*[\w~-])*$/.test(path) ? undefined : "must be a path such as /v2, or empty for none",
);

const PATHS = object(
	{
		basePath: optional(BASE_PATH),
		/** `{auth_url}` of the contract (section 5); the base URL where it is absent. */
		authUrl: optional(BASE_URL),
		/** Client ID of the editor at the service. */
		clientId: optional(HEADER_VALUE),
	},
	{ strict: true },
);

/** Schema of the profile of a pet store in a connection. */
export const PETSTORE_PROFILE = profile(PETSTORE_PRESETS, PATHS);

/** Profile setting of a pet store: a preset's name or paths; missing ones are the contract's. */
type PetstoreProfileSetting = Infer<typeof PETSTORE_PROFILE>;

/** Path of an API at the end of an address, to which none is added. */
const API_PATH = /(?:\/api)?\/v\d+$/i;

/** The path and the format of a connection. */
export function petstoreProfileOf(
	setting: PetstoreProfileSetting,
	{ format, baseUrl }: { readonly format: PetstoreFormat; readonly baseUrl: string },
): PetstoreProfile {
	const usual = API_PATH.test(baseUrl) ? "" : contractProfile.basePath;
	const { basePath = usual } = typeof setting === "string" ? {} : setting;
	return { basePath, format };
}

/** Address of the sign-in, and the client ID of the editor there. */
export function signInTargetOf(setting: PetstoreProfileSetting, baseUrl: string) {
	const own: Infer<typeof PATHS> = typeof setting === "string" ? {} : setting;
	const { basePath = "", clientId = "switchboard" } = own;
	const isBelow = basePath !== "" && baseUrl.endsWith(basePath);
	const above = isBelow ? baseUrl.slice(0, -basePath.length) : baseUrl.replace(API_PATH, "");
	return { authUrl: own.authUrl ?? above, clientId };
}
