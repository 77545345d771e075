import type { ServedModel } from "#api/messages/model-facts.ts";
import { sleep } from "#base/clock.ts";
import type { Price, Prices } from "#base/cost.ts";
import { ResourceOwner } from "#base/disposables.ts";
import { Emitter } from "#base/emitter.ts";
import { ClientError } from "#base/errors.ts";
import { listedModels, type MessagesConnection } from "../connections/connection.ts";
import { NO_MODEL, presetOfProfile } from "../connections/messages-profiles.ts";
import { type Capabilities, capabilitiesOf } from "../connections/model-capabilities.ts";
import { Resource } from "../kit/resource.ts";
import type { Entry } from "./conversation.ts";
import type { ModelPicks } from "./model-picks.ts";
import type { RefusedParameters } from "./refused-parameters.ts";
import { apiKeyOf, errorFacts, type ReplyParts } from "./reply-under-way.ts";

/** Lifetime of a list, and the pause after a failure, in ms. */
const KEEP_MS = { ready: 5 * 60_000, failed: 30_000 };

/** Maximum wait for one service when all models are listed, in ms. */
const LONGEST_WAIT_MS = 2_500;

/** Model of a connection. */
export interface ChatModel extends ServedModel {
	readonly connection: MessagesConnection;
	readonly capabilities: Capabilities;
	readonly price?: Price;
}

interface ListParts extends Pick<ReplyParts, "registry" | "clock" | "log" | "open" | "defaults" | "refused"> {
	readonly picks: ModelPicks;
	/** Prices of the settings, by model. */
	readonly prices: () => Prices;
}

/** Models of each messages connection: those of the settings, then the cached list of its service. */
export class ModelLists extends ResourceOwner {
	readonly refused: RefusedParameters;
	readonly picks: ModelPicks;
	readonly #parts: ListParts;
	readonly #changed = this.held.add(new Emitter<void>());
	readonly #learned = this.held.add(new Emitter<void>());
	/** By connection, with the address and profile that it was made for. */
	readonly #served = new Map<string, { readonly place: string; readonly list: Resource<readonly ServedModel[]> }>();
	#isWanted = false;

	constructor(parts: ListParts) {
		super();
		this.refused = parts.refused;
		this.picks = parts.picks;
		this.#parts = parts;
		this.held.add(
			parts.registry.onDidChange(({ secrets }) => {
				for (const id of secrets) this.#served.delete(id);
				this.changed();
			}),
		);
	}

	/** Fires when the result of {@link all} may have changed, but not before its first call: listeners would load unneeded lists. */
	readonly onDidChange = this.#changed.event;

	/** Fires when the list of a service was loaded. */
	readonly onDidLearn = this.#learned.event;

	/** Announces that the lists may have changed. */
	changed(): void {
		if (this.#isWanted) this.#changed.fire();
	}

	/** Models of one connection, once its service has answered. Never rejects: an unreadable list is left out. */
	async of(connection: MessagesConnection): Promise<readonly ChatModel[]> {
		const list = this.#listOf(connection);
		return this.#all(connection, await list.load().catch(() => []));
	}

	/** Known models of one connection, without a request. */
	known(connection: MessagesConnection): readonly ChatModel[] {
		return this.#all(connection, this.#presentList(connection)?.value ?? []);
	}

	/** Models of all connections. When a slow service answers later, {@link onDidChange} fires. */
	async all(): Promise<readonly ChatModel[]> {
		this.#isWanted = true;
		const connections = this.#parts.registry.list("messages");
		const lists = await Promise.all(connections.map((connection) => this.soon(connection)));
		return lists.flat();
	}

	/** Reloads all lists, and forgets what models refused. An unreadable list stays as it was. */
	async refresh(): Promise<void> {
		await this.refused.forget();
		const lists = this.#parts.registry.list("messages").map((connection) => this.#listOf(connection));
		await Promise.all(lists.map((list) => list.refresh().catch(() => undefined)));
		this.changed();
	}

	/** Model of a request: named, else the connection's, the settings' if listed, or the first for chats; empty for none. */
	modelFor(connection: MessagesConnection | undefined, named = ""): string {
		if (connection === undefined) return named;
		const list = this.#listOf(connection);
		const served = list.value ?? [];
		const own = [named, connection.model ?? ""].find((name) => isModel(name, served));
		if (own !== undefined) return own;
		if (list.value === undefined) {
			list.load().catch(() => undefined);
			if (list.state.name !== "failed") return "";
		}
		const { model = "" } = this.#parts.defaults();
		const isHeld = isModel(model, served) && servedAs(model, served) !== undefined;
		return isHeld ? model : (served.find(isForChats)?.id ?? this.known(connection)[0]?.id ?? "");
	}

	/** Loads the list of a connection. Rejects with ClientError. */
	async load(connection: MessagesConnection, signal?: AbortSignal): Promise<void> {
		await this.#listOf(connection).load(signal);
	}

	/** Known abilities of a model. A service that describes its models is asked in the background; {@link onDidLearn} fires. */
	capabilities(connection: MessagesConnection | undefined, model: string): Capabilities {
		if (connection !== undefined && presetOfProfile(connection.profile)?.describes !== undefined) {
			const list = this.#listOf(connection);
			if (list.value === undefined) list.load().catch(() => undefined);
		}
		return this.#capabilitiesOf(connection, model, this.#servedModel(connection, model));
	}

	/** Reads the contexts of the loaded models again after a reply: a local server tells no others, and they can change. */
	async replied(connection: MessagesConnection): Promise<void> {
		const list = this.#presentList(connection);
		const models = list?.value ?? [];
		if (presetOfProfile(connection.profile)?.describes === undefined || models.length === 0) return;
		const reading = this.#open(connection).then((client) => client.reread(models));
		const read = await reading.catch(() => models);
		const byId = new Map(read.map((model) => [model.id, model]));
		if (models.every(({ id, maxInputTokens }) => byId.get(id)?.maxInputTokens === maxInputTokens)) return;
		list?.patch((all) => all.map((model) => byId.get(model.id) ?? model));
		this.changed();
	}

	/** Prices of the models that have replied, and those of the settings. */
	prices(entries: readonly Entry[]): Prices {
		const replies = entries.filter((entry) => entry.role === "assistant");
		const known = replies.flatMap(({ connectionId = "", model }) => {
			const connection = this.#parts.registry.get(connectionId, "messages");
			const price = connection && this.price(connection, model);
			return price === undefined ? [] : [[model, price] as const];
		});
		return { ...Object.fromEntries(known), ...this.#parts.prices() };
	}

	price(connection: MessagesConnection, model: string): Price | undefined {
		return this.#priceOf(connection, model, this.#servedModel(connection, model));
	}

	/** Currency of the first known price of a connection. */
	currency(connection: MessagesConnection): string | undefined {
		return this.known(connection).find(({ price }) => price !== undefined)?.price?.currency;
	}

	/** True if a known model of a connection has no price. */
	lacksPrice(connection: MessagesConnection): boolean {
		return this.known(connection).some(({ price }) => price === undefined);
	}

	/** Models of one connection, or those known when its service is slow. */
	async soon(connection: MessagesConnection): Promise<readonly ChatModel[]> {
		const models = this.of(connection);
		const found = await Promise.race([models, sleep(this.#parts.clock, LONGEST_WAIT_MS)]);
		if (found !== undefined) return found;
		void models.then(() => this.changed());
		return this.known(connection);
	}

	#servedModel(connection: MessagesConnection | undefined, model: string): ServedModel | undefined {
		return connection && servedAs(model, this.#presentList(connection)?.value ?? [], connection);
	}

	/** List of a connection with its current address and profile. */
	#presentList(connection: MessagesConnection): Resource<readonly ServedModel[]> | undefined {
		const held = this.#served.get(connection.id);
		return held?.place === placeOf(connection) ? held.list : undefined;
	}

	#listOf(connection: MessagesConnection): Resource<readonly ServedModel[]> {
		const before = this.#presentList(connection);
		if (before !== undefined) return before;
		const read = (signal: AbortSignal) => this.#read(connection.id, signal);
		const list = new Resource({ service: "messages", clock: this.#parts.clock, keepMs: KEEP_MS, read });
		list.onDidChange(() => {
			if (list.state.name === "ready") this.#learned.fire();
		});
		this.#served.set(connection.id, { place: placeOf(connection), list });
		return list;
	}

	async #open(connection: MessagesConnection) {
		const { registry, open } = this.#parts;
		return open(connection, await apiKeyOf(connection, registry));
	}

	/** Reads the models of a service; none if it has no list. */
	async #read(id: string, signal: AbortSignal): Promise<readonly ServedModel[]> {
		const connection = this.#parts.registry.require(id, "messages");
		try {
			return (await (await this.#open(connection)).listModels(signal)) ?? [];
		} catch (error) {
			const facts = error instanceof ClientError ? errorFacts(error) : String(error);
			this.#parts.log.info(`${connection.label}: no list of models: ${facts}`);
			if (error instanceof ClientError && error.code === "malformed") return [];
			throw error;
		}
	}

	#all(connection: MessagesConnection, served: readonly ServedModel[]): readonly ChatModel[] {
		const labels = new Map(listedModels(connection).map(({ name, label }) => [name, label]));
		const { model = "" } = this.#parts.defaults();
		const named = [connection.model ?? "", ...labels.keys()].filter((name) => isModel(name, served));
		const own = named.length + served.length > 0 ? named : [model].filter((name) => isModel(name));
		const byId = new Map<string, ServedModel>();
		const none = { maxInputTokens: null, maxOutputTokens: null };
		for (const id of own) byId.set(id, { ...none, ...servedAs(id, served, connection), id, name: id });
		for (const model of served) if (byId.has(model.id) || isForChats(model)) byId.set(model.id, model);
		const prices = this.#parts.prices();
		return [...byId.values()].map((model) => {
			const { id } = model;
			const { price: _, ...others } = model;
			const price = this.#priceOf(connection, id, model, prices);
			// Only where they are read: of hundreds of models they take long.
			const capabilities = () => this.#capabilitiesOf(connection, id, model);
			return {
				...others,
				name: labels.get(id) ?? model.name,
				connection,
				...(price && { price }),
				get capabilities() {
					return capabilities();
				},
			};
		});
	}

	#capabilitiesOf(connection: MessagesConnection | undefined, model: string, served: ServedModel | undefined) {
		const refused = this.refused.abilities(connection?.id, model);
		const found = capabilitiesOf(connection, model, served);
		return { ...found, ...refused, unknown: found.unknown.filter((name) => !(name in refused)) };
	}

	/** Price of a model by the settings, else its connection, else its service. */
	#priceOf(connection: MessagesConnection, model: string, served?: ServedModel, prices = this.#parts.prices()) {
		const own = listedModels(connection).find(({ name }) => name === model)?.price ?? served?.price;
		return prices[model] ?? (own && { currency: "USD", ...own });
	}
}

/** Finds a model by name, which may lack Ollama's `:latest` or a date of Anthropic's; one model of llama.cpp has any name. */
function servedAs(name: string, models: readonly ServedModel[], { profile }: Partial<MessagesConnection> = {}) {
	const isDated = ({ id }: ServedModel) => id.startsWith(`${name}-`) && /^\d{8}$/.test(id.slice(name.length + 1));
	const [newest] = models.filter(isDated).toSorted((a, b) => (a.id < b.id ? 1 : -1));
	const only =
		presetOfProfile(profile ?? "custom")?.describes === "llama.cpp" && models.length === 1 ? models[0] : undefined;
	return models.find(({ id }) => id === name) ?? models.find(({ id }) => id === `${name}:latest`) ?? newest ?? only;
}

/** True for the name of a model. "default" means none, unless a service lists it. */
function isModel(name: string, served: readonly ServedModel[] = []): boolean {
	return name !== "" && (name !== NO_MODEL || served.some(({ id }) => id === name));
}

/** Names of models that are not for chats, such as embeddings. */
const OTHER_NAMES =
	/(^|[^a-z])(\w*embed\w*|\w*2vec|bge|e5|gte|minilm|mpnet|paraphrase|voyage|rerank\w*|whisper|tts|transcribe|moderation|dall-e|image\w*|diffusion|sdxl|sora|flux)([^a-z]|$)/i;

/** True for a chat model, by its service or its name. */
function isForChats({ id, chats }: ServedModel): boolean {
	return chats !== false && !OTHER_NAMES.test(id);
}

function placeOf({ baseUrl, profile }: MessagesConnection): string {
	return JSON.stringify([baseUrl, profile]);
}
