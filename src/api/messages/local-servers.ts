import { OriginLimiters } from "../http/concurrency-limiter.ts";
import type { ReadBudget } from "../http/exchange.ts";
import { parseJson } from "../http/json.ts";
import { limitIn, type ModelFacts, recordOf, type ServedModel } from "./model-facts.ts";
import { ask, type MessagesTarget, wireRequest } from "./request.ts";

const MOST_AT_ONCE = 4;

type Facts = Partial<ModelFacts>;

/**
 * Adds facts that a service tells at an address of its own: Ollama about each model (`POST /api/show`), unless only the
 * `loaded` ones are of interest, and about those (`GET /api/ps`); LM Studio about all (`GET /api/v1/models`); llama.cpp about
 * the one that it runs (`GET /props`). Never rejects; `budget` covers all questions.
 */
export async function describeModels(
	models: readonly ServedModel[],
	target: MessagesTarget,
	{ only, ...options }: { budget: ReadBudget; signal?: AbortSignal | undefined; only?: "loaded" },
): Promise<readonly ServedModel[]> {
	const { endpoint } = target;
	const limiters = new OriginLimiters(MOST_AT_ONCE);
	const question = { ...options, limiters, read: ({ body }: { readonly body: string }) => recordOf(parseJson(body)) };
	const query = (path: string, body?: string) =>
		ask(target, wireRequest(endpoint, { path, body }), question).catch(() => recordOf(undefined));
	switch (endpoint.describes) {
		case "ollama": {
			const shown = ({ id }: ServedModel) =>
				only === "loaded" ? {} : query("/api/show", JSON.stringify({ model: id }));
			const loaded = query("/api/ps");
			const described = models.map(async (model) => {
				return { ...model, ...ollamaFacts(model, await shown(model), await loaded) };
			});
			return Promise.all(described);
		}
		case "lm-studio": {
			const { models: entries } = await query("/api/v1/models");
			return models.map((model) => {
				const entry = recordsOf(entries).find(({ key }: { readonly key?: unknown }) => key === model.id);
				return { ...model, ...(entry && lmStudioFacts(entry)) };
			});
		}
		case "llama.cpp": {
			const facts = llamaFacts(await query("/props"));
			return models.map((model) => ({ ...model, ...facts }));
		}
		default:
			return models;
	}
}

/** Reads the context that the model is loaded with, else the configured or known one. The trained one is more than Ollama loads. */
function ollamaFacts(
	{ id, maxInputTokens: known }: ServedModel,
	{ capabilities, parameters }: Readonly<Record<string, unknown>>,
	{ models: loaded }: Readonly<Record<string, unknown>>,
): Facts {
	const [, set] = /^num_ctx\s+(\d+)$/m.exec(String(parameters ?? "")) ?? [];
	const entry = recordsOf(loaded).find(({ name, model }: { readonly name?: unknown; readonly model?: unknown }) => {
		return model === id || name === id;
	});
	const maxInputTokens = limitIn(recordOf(entry), "context_length") ?? limitIn({ set: Number(set) }, "set") ?? known;
	if (!Array.isArray(capabilities)) return { maxInputTokens };
	const isOther =
		!capabilities.includes("completion") && ["embedding", "image"].some((each) => capabilities.includes(each));
	return {
		maxInputTokens,
		abilities: {
			tools: capabilities.includes("tools"),
			images: capabilities.includes("vision"),
			thinking: capabilities.includes("thinking") ? "enabled" : false,
		},
		...(isOther && { chats: false }),
	};
}

/** Reads the context that the model is loaded with, else the trained one. */
function lmStudioFacts(entry: Readonly<Record<string, unknown>>): Facts {
	if (entry["type"] === "embedding") return { chats: false };
	const { capabilities, loaded_instances: loaded } = entry;
	const config = recordOf(recordOf(Array.isArray(loaded) ? loaded[0] : undefined)["config"]);
	const { vision, trained_for_tool_use: tools } = recordOf(capabilities);
	return {
		maxInputTokens: limitIn(config, "context_length") ?? limitIn(entry, "max_context_length"),
		abilities: { images: vision === true, tools: tools === true, toolChoice: tools === true },
	};
}

/** Returns the items of a list, each as an object. */
function recordsOf(list: unknown): readonly Readonly<Record<string, unknown>>[] {
	return Array.isArray(list) ? list.map(recordOf) : [];
}

/** Reads the facts of the running model. It takes tools if its chat template has a place for them. */
function llamaFacts(props: Readonly<Record<string, unknown>>): Facts {
	const { default_generation_settings: settings, modalities, chat_template_caps: caps } = props;
	const tools = recordOf(caps)["supports_tools"] === true || recordOf(caps)["supports_tool_calls"] === true;
	return {
		maxInputTokens: limitIn(recordOf(settings), "n_ctx"),
		abilities: {
			...(caps !== undefined && { tools, toolChoice: tools }),
			...(modalities !== undefined && { images: recordOf(modalities)["vision"] === true }),
		},
	};
}
