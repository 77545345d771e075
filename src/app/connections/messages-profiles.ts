import type { HeaderProfile, SelfDescription } from "#api/messages/model.ts";
import { convert, type Infer, object, optional, refine } from "#base/schema.ts";
import { BASE_URL, HEADER_NAME, HEADER_VALUE, isPrivateAddress, type Preset, profile } from "./fields.ts";

/** Preset of a messages service. */
export interface MessagesPreset extends Preset {
	readonly headers: HeaderProfile;
	/** Way in which the service describes its models; absent if it does not. */
	readonly describes?: SelfDescription;
	/** True for a trial service, with all of our tools on until the person chooses. */
	readonly isTrial?: true;
	/** True for a proxy, which loads no model itself. */
	readonly isProxy?: true;
}

const contractHeaders = { versionHeader: "service-version", version: "2023-06-01", keyHeader: "x-api-key" };

const anthropicHeaders: HeaderProfile = { ...contractHeaders, versionHeader: "anthropic-version" };

const bearerHeaders: HeaderProfile = { ...anthropicHeaders, keyHeader: "authorization", keyScheme: "Bearer" };

/** The presets of a messages service by the name that settings and automation use. */
export const MESSAGES_PRESETS = {
	sandbox: {
		label: "Built-in Sandbox",
		detail: "Runs on this machine, with a code host and a pet store. It is no model.",
		needsKey: true,
		headers: contractHeaders,
		isTrial: true,
	},
	anthropic: {
		label: "Anthropic",
		baseUrl: "https://api.anthropic.com",
		needsKey: true,
		keyPage: "https://console.anthropic.com/settings/keys",
		headers: anthropicHeaders,
		describes: "list",
	},
	openrouter: {
		label: "OpenRouter",
		baseUrl: "https://openrouter.ai/api",
		needsKey: true,
		keyPage: "https://openrouter.ai/settings/keys",
		headers: bearerHeaders,
		describes: "list",
	},
	ollama: {
		label: "Ollama",
		baseUrl: "http://127.0.0.1:11434",
		headers: bearerHeaders,
		describes: "ollama",
	},
	"lm-studio": {
		label: "LM Studio",
		baseUrl: "http://127.0.0.1:1234",
		headers: anthropicHeaders,
		describes: "lm-studio",
	},
	"llama.cpp": {
		label: "llama.cpp",
		baseUrl: "http://127.0.0.1:9931",
		otherBaseUrl: "http://127.0.0.1:8080",
		headers: anthropicHeaders,
		describes: "llama.cpp",
	},
	litellm: {
		label: "LiteLLM",
		baseUrl: "http://127.0.0.1:4000",
		headers: anthropicHeaders,
		describes: "list",
		isProxy: true,
	},
	vllm: {
		label: "vLLM",
		baseUrl: "http://127.0.0.1:8000",
		headers: bearerHeaders,
		describes: "list",
	},
	custom: {
		label: "Custom Messages Service",
		shortLabel: "Models",
		detail: "Any service that speaks the messages API",
		headers: contractHeaders,
	},
} as const satisfies Record<string, MessagesPreset>;

/** Endpoint, of this or the other common API, that is copied along with a base URL; requests add it (contract section 4). */
const ENDPOINT = /(?<![:/])\/+v1(?:\/+(?:messages|models|chat|completions|responses|embeddings)(?:\/.*)?)?$/i;

/** Base URL of a messages service, without the endpoint. */
export const MESSAGES_URL = convert(BASE_URL, (url) => url.replace(ENDPOINT, ""));

/** Word of settings for no model of its own. */
export const NO_MODEL = "default";

/** Schema of the profile of a messages service in a connection. */
export const MESSAGES_PROFILE = profile(
	MESSAGES_PRESETS,
	refine(
		object(
			{
				versionHeader: optional(HEADER_NAME),
				version: optional(HEADER_VALUE),
				keyHeader: optional(HEADER_NAME),
				keyScheme: optional(HEADER_NAME),
			},
			{ strict: true },
		),
		({ versionHeader, version }) =>
			(versionHeader === undefined) === (version === undefined)
				? undefined
				: "must have versionHeader and version together",
	),
);

/** Profile of a messages service in a connection: a preset's name, or headers written out. */
export type MessagesProfile = Infer<typeof MESSAGES_PROFILE>;

/** The headers of a profile. */
export function headersOf(profile: MessagesProfile): HeaderProfile {
	return typeof profile === "string" ? MESSAGES_PRESETS[profile].headers : profile;
}

/** Preset of a profile; undefined for headers that are written out. */
export function presetOfProfile(profile: MessagesProfile): MessagesPreset | undefined {
	return typeof profile === "string" ? MESSAGES_PRESETS[profile] : undefined;
}

/** True for an engine that may load its model first, by the address of its preset or, for others, its host. */
export function isLocalEngine({ profile, baseUrl }: { profile: MessagesProfile; baseUrl: string }): boolean {
	const { isProxy = false, baseUrl: own = baseUrl } = presetOfProfile(profile) ?? {};
	return profile !== "sandbox" && isPrivateAddress(isProxy ? baseUrl : own);
}

/** True if a service of this profile refuses every request that carries no key. */
export function needsKey(profile: MessagesProfile): boolean {
	return presetOfProfile(profile)?.needsKey === true;
}
