import { contractProfile, type PetstoreProfile } from "#api/petstore/model.ts";
import { invalid } from "#base/errors.ts";
import { decodeBaseUrl, headerValue, type Place, partOf, record } from "./fields.ts";

/** Preset of a pet store, so that a person types as little as possible. */
export interface PetstorePreset {
	/** As shown in the list. */
	readonly label: string;
	readonly detail: string;
	/** Absent where the person has to say. */
	readonly baseUrl?: string;
	/** An example of a base URL, for a placeholder. */
	readonly exampleBaseUrl: string;
	/** Put between the base URL and the paths of the contract. */
	readonly basePath: string;
}

/** Format of bodies where the contract leaves the choice. */
export type PetstoreFormat = PetstoreProfile["format"];

/** The presets of a pet store by the name that settings and automation use. */
export const PETSTORE_PRESETS = {
	sandbox: {
		label: "Built-in Sandbox",
		detail: "Runs on this machine, needs nothing. Its other services are added with it.",
		exampleBaseUrl: "http://127.0.0.1:8080/petstore",
		basePath: contractProfile.basePath,
	},
	"swagger-petstore": {
		label: "Swagger Petstore",
		detail: "https://petstore.swagger.io, open to everybody",
		baseUrl: "https://petstore.swagger.io",
		exampleBaseUrl: "https://petstore.swagger.io",
		basePath: contractProfile.basePath,
	},
	custom: {
		label: "Custom",
		detail: "Any service that speaks the pet store's API",
		exampleBaseUrl: "https://api.example.com",
		basePath: contractProfile.basePath,
	},
} as const satisfies Record<string, PetstorePreset>;

/** The name of a preset. */
export type PetstorePresetName = keyof typeof PETSTORE_PRESETS;

/** A profile written out in the settings: what it does not name is as in the contract. */
export interface PetstorePaths extends Partial<Pick<PetstoreProfile, "basePath">> {
	/** `{auth_url}` of the contract (section 5); the base URL where it is absent. */
	readonly authUrl?: string;
	/** Client ID of the editor at the service. */
	readonly clientId?: string;
}

/** Profile of a pet store in a connection: a preset's name, or paths written out. */
export type PetstoreProfileSetting = PetstorePresetName | PetstorePaths;

/** The preset of that name, if there is one. */
export function petstorePreset(name: string): PetstorePreset | undefined {
	return isPetstorePreset(name) ? PETSTORE_PRESETS[name] : undefined;
}

/** True if a text names a preset. */
export function isPetstorePreset(name: string): name is PetstorePresetName {
	return Object.hasOwn(PETSTORE_PRESETS, name);
}

/** The path and the format that a profile stands for. */
export function petstoreProfileOf(setting: PetstoreProfileSetting, format: PetstoreFormat): PetstoreProfile {
	const { basePath = contractProfile.basePath } = typeof setting === "string" ? PETSTORE_PRESETS[setting] : setting;
	return { basePath, format };
}

/** Address of the sign-in, and the client ID of the editor there. */
export function signInTargetOf(
	setting: PetstoreProfileSetting,
	baseUrl: string,
): { readonly authUrl: string; readonly clientId: string } {
	const { basePath } = petstoreProfileOf(setting, contractProfile.format);
	const above = basePath !== "" && baseUrl.endsWith(basePath) ? baseUrl.slice(0, -basePath.length) : baseUrl;
	const { authUrl = above, clientId = "switchboard" }: PetstorePaths = typeof setting === "string" ? {} : setting;
	return { authUrl, clientId };
}

/** Reads a profile: absent means the contract's own base path. Throws `invalid`. */
export function decodePetstoreProfile(value: unknown, place: Place): PetstoreProfileSetting {
	const { service, field } = place;
	if (value === undefined || value === null) return "custom";
	if (typeof value === "string") {
		if (isPetstorePreset(value)) return value;
		const names = Object.keys(PETSTORE_PRESETS).join(", ");
		throw invalid(
			service,
			field,
			`"${value}" is not a preset; use one of ${names}, or an object of basePath, authUrl and clientId`,
		);
	}
	const { basePath, authUrl, clientId, ...others } = record(value, place);
	const [strange] = Object.keys(others);
	if (strange !== undefined) {
		throw invalid(service, partOf(place, strange).field, "is not known; use basePath, authUrl and clientId");
	}
	const signIn = {
		...(authUrl === undefined ? {} : { authUrl: decodeBaseUrl(authUrl, partOf(place, "authUrl")) }),
		...(clientId === undefined ? {} : { clientId: headerValue(clientId, partOf(place, "clientId")) }),
	};
	if (basePath === undefined) return signIn;
	if (typeof basePath !== "string" || !/^(?:\/[\w.~-]*[\w~-])*$/.test(basePath)) {
		throw invalid(service, partOf(place, "basePath").field, "must be a path such as /v2, or empty for none");
	}
	return { basePath, ...signIn };
}

/** Reads a format: absent means JSON. Throws `invalid`. */
export function decodePetstoreFormat(value: unknown, { service, field }: Place): PetstoreFormat {
	if (value === undefined || value === null) return contractProfile.format;
	if (value === "json" || value === "xml") return value;
	throw invalid(service, field, 'must be "json" or "xml"');
}
