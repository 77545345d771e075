import type { Abilities, ServedModel } from "#api/messages/model-facts.ts";
import { LIMITS } from "#base/limits.ts";
import { listedModels, type MessagesConnection } from "./connection.ts";
import { isLocalEngine, type MESSAGES_PRESETS } from "./messages-profiles.ts";

/** Abilities that a person can turn on and off for each model. */
export const SWITCHES = ["tools", "images", "thinking"] as const;

/** Ability that a person can turn on and off. */
export type Ability = (typeof SWITCHES)[number];

/** Abilities and limits of a model. Requests are built from these alone. */
export interface Capabilities extends Abilities {
	/** Switches that are off only for lack of information. */
	readonly unknown: readonly Ability[];
	/** Continues a final assistant message. */
	readonly prefill: boolean;
	/** True if the model rejects thinking blocks in the history. */
	readonly refusesThinking?: boolean;
	/** Takes `cache_control`. */
	readonly caching: boolean;
	/** Tokens of request and reply together; null where it is not known. */
	readonly contextTokens: number | null;
	/** Tokens of a reply at most; null where it is not known. */
	readonly maxOutputTokens: number | null;
	/** Timeout before the first byte of a reply, in milliseconds. */
	readonly firstByteMs: number;
	/** Fields that the person adds to the body. */
	readonly extraBody: Readonly<Record<string, unknown>>;
}

/** Abilities that the contract gives every service. */
export const CONTRACT_CAPABILITIES: Capabilities = {
	tools: false,
	toolChoice: false,
	images: false,
	documents: false,
	thinking: false,
	efforts: [],
	sampling: true,
	prefill: false,
	caching: false,
	contextTokens: null,
	maxOutputTokens: null,
	extraBody: {},
	firstByteMs: LIMITS.cloudFirstByteMs,
	unknown: SWITCHES,
};

/** Efforts of a model that thinks and names none. */
export const EFFORTS = ["low", "medium", "high"];

/** Abilities of the models that cloud services and their proxies serve. */
const CLOUD = { tools: true, toolChoice: true, images: true, documents: true, caching: true };

/** Abilities of each preset before its service says more; those of a local engine depend on the model that it runs. */
const PRESET_CAPABILITIES: Readonly<Partial<Record<keyof typeof MESSAGES_PRESETS, Partial<Capabilities>>>> = {
	sandbox: { tools: true, toolChoice: true, images: true, thinking: "enabled", prefill: true },
	anthropic: { ...CLOUD, thinking: "adaptive", efforts: [...EFFORTS, "max"] },
	openrouter: CLOUD,
	litellm: { ...CLOUD, thinking: "enabled" },
	vllm: { tools: true, toolChoice: true },
};

/** Capabilities of a model: the person's setting, then the service, then the preset, then the contract. */
export function capabilitiesOf(
	connection: MessagesConnection | undefined,
	model: string,
	served: Partial<ServedModel> = {},
): Capabilities {
	if (connection === undefined) return CONTRACT_CAPABILITIES;
	const own = listedModels(connection).find(({ name }) => name === model);
	const { maxInputTokens, maxOutputTokens, abilities } = served;
	const { firstByteSeconds, ...limits } = own?.limits ?? {};
	const firstByteMs = isLocalEngine(connection) ? LIMITS.localFirstByteMs : LIMITS.cloudFirstByteMs;
	const preset = typeof connection.profile === "string" ? PRESET_CAPABILITIES[connection.profile] : {};
	const told = { ...preset, ...abilities, ...own?.capabilities };
	const all = {
		...CONTRACT_CAPABILITIES,
		...told,
		unknown: SWITCHES.filter((name) => !(name in told)),
		contextTokens: maxInputTokens ?? null,
		maxOutputTokens: maxOutputTokens ?? null,
		...limits,
		firstByteMs: firstByteSeconds === undefined ? firstByteMs : firstByteSeconds * 1_000,
		extraBody: own?.extraBody ?? {},
	};
	const efforts = all.efforts.length > 0 ? all.efforts : EFFORTS;
	return { ...all, efforts: all.thinking === false ? [] : efforts };
}
