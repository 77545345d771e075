import type { EndedReply, MessagesRequest } from "#api/messages/model.ts";
import { type Clock, randomWord } from "#base/clock.ts";
import { costOf, inDigits, type Price, type Usage } from "#base/cost.ts";
import { ClientError } from "#base/errors.ts";
import { isEndedByService } from "#base/reply.ts";
import { IMAGE_TOKENS, sizeOf } from "#base/tokens.ts";
import { type MessagesConnection, PERIODS } from "../connections/connection.ts";
import type { KeyValueStore } from "../ports.ts";
import type { Ledger, UsageLine } from "./ledger.ts";

/** Request that is about to be sent. */
export interface BudgetedRequest {
	readonly connection: MessagesConnection;
	readonly request: MessagesRequest;
	/** Part of the product, or other extension, that asks, in words. */
	readonly caller: string;
}

/** Prices of the models of connections. */
interface PriceList {
	/** Price of a model as far as it is known. */
	price(connection: MessagesConnection, model: string): Price | undefined;
	/** Currency of the prices of a connection, as far as any is known. */
	currency(connection: MessagesConnection): string | undefined;
	/** True if a known model of a connection has no price. */
	lacksPrice(connection: MessagesConnection): boolean;
	/** Resolves once the service of a connection has told its models, or is slow. */
	soon(connection: MessagesConnection): Promise<unknown>;
}

/** Usage, and a mark if any of it is not what the service has reported. */
type Counted = Usage & { readonly estimated?: boolean };

/** Asks the person for a request over a limit; true to send it all the same. */
export type MayPass = (refusal: ClientError) => Promise<boolean>;

const TOKENS = "tokens";

/** Share of a limit at which the person is told. */
const NEAR = 0.8;

const NOTHING: Counted = { inputTokens: 0, outputTokens: 0 };

const WORDS = {
	day: { adjective: "Daily", now: "today" },
	month: { adjective: "Monthly", now: "this month" },
} as const;

interface BudgetParts {
	readonly ledger: Ledger;
	readonly prices: PriceList;
	/** Memory of what the person was told. */
	readonly store: KeyValueStore;
	readonly clock: Clock;
	/** Tells the person once a day or month that most of a limit is used. */
	readonly warn: (sentence: string) => void;
}

/** Daily and monthly limits of connections, over all windows. A request is booked by its estimate before it is sent. */
export class Budget {
	readonly #parts: BudgetParts;
	readonly #tag: string;
	#count = 0;

	constructor(parts: BudgetParts) {
		this.#parts = parts;
		this.#tag = randomWord(parts.clock, 8);
	}

	/** Fires when {@link words} may have changed. */
	get onDidChange(): Ledger["onDidChange"] {
		return this.#parts.ledger.onDidChange;
	}

	/** Known spending by the limits, as in `1.20 of 5.00 EUR today`; without a limit, that of the day if there is any. */
	words(connection: MessagesConnection): readonly string[] {
		const { limits = {} } = connection;
		const sums = this.#known(connection);
		const isPartial = isLimited(connection) && sums.unit !== TOKENS && this.#parts.prices.lacksPrice(connection);
		const limited = PERIODS.filter((period) => limits[period] !== undefined);
		const shown = limited.length === 0 && sums.day > 0 ? (["day"] as const) : limited;
		const words = shown.map((period) => `${usedWords(sums[period], limits[period], sums.unit)} ${WORDS[period].now}`);
		return isPartial ? words.with(0, `${words[0]} (models without a price are not counted)`) : words;
	}

	/** Refusal of a request that would pass a limit, without booking it. */
	async refusalOf(asked: BudgetedRequest): Promise<ClientError | undefined> {
		if (!isLimited(asked.connection)) return undefined;
		const unit = await this.#unitOf(asked);
		const line = this.#line(asked, estimateOf(asked.request));
		return this.#refusal([...(await this.#parts.ledger.read(1)), line], line, asked.connection, unit);
	}

	/**
	 * Books a request, and resolves to the function that takes its reply. Rejects with `forbidden` for one that would pass a
	 * limit, unless the person allows it.
	 */
	async book(asked: BudgetedRequest, mayPass?: MayPass): Promise<(ended: EndedReply) => void> {
		const { connection, request } = asked;
		const { ledger } = this.#parts;
		// Prices may come with it, by which the line is counted.
		const unit = isLimited(connection) ? await this.#unitOf(asked) : undefined;
		const line = this.#line(asked, unit === undefined ? NOTHING : estimateOf(request));
		if (unit !== undefined) {
			const refusal = await ledger.record(line, (lines) => this.#refusal(lines, line, connection, unit));
			if (refusal !== undefined && !(await mayPass?.(refusal))) throw refusal;
			if (refusal !== undefined) await ledger.record(line);
		}
		return (ended) => {
			const usage = usageOf(ended, request);
			// Only an estimate has to be taken back.
			if (usage === undefined && !isLimited(connection)) return;
			const recorded = ledger.record(this.#line(asked, usage ?? NOTHING, line));
			void recorded.then(() => this.#warnNear(connection));
		};
	}

	/** Line of a request with its usage; the same as before, if it has one. */
	#line({ connection, request: { model }, caller }: BudgetedRequest, usage: Counted, before?: UsageLine): UsageLine {
		const { inputTokens, outputTokens, cachedTokens: cached, estimated } = usage;
		const price = this.#parts.prices.price(connection, model);
		return {
			id: before?.id ?? `${this.#tag}${++this.#count}`,
			at: before?.at ?? this.#parts.clock.now(),
			connection: connection.id,
			label: connection.label,
			model,
			caller,
			input: inputTokens ?? 0,
			output: outputTokens ?? 0,
			...(cached !== undefined && { cached }),
			...(estimated && { estimated }),
			...(price && { cost: costOf(usage, price), currency: price.currency }),
		};
	}

	async #unitOf({ connection, request: { model } }: BudgetedRequest): Promise<string> {
		const { prices, ledger } = this.#parts;
		const known = () => prices.price(connection, model)?.currency ?? prices.currency(connection);
		// The list of its service may have prices.
		if (known() === undefined) await Promise.all([prices.soon(connection), ledger.read(2)]);
		return known() ?? this.#unit(connection);
	}

	/** Unit of the limits of a connection: its currency, that of its last priced reply while none is known, else tokens. */
	#unit(connection: MessagesConnection): string {
		const { prices, ledger } = this.#parts;
		const isPriced = (line: UsageLine) => line.connection === connection.id && line.currency !== undefined;
		const last = () => [...ledger.known(1), ...ledger.known()].findLast(isPriced);
		return prices.currency(connection) ?? last()?.currency ?? TOKENS;
	}

	#known(connection: MessagesConnection) {
		return this.#sum(this.#parts.ledger.known(), connection, this.#unit(connection));
	}

	/** Sums the lines of a connection, up to and with `last`. */
	#sum(lines: Iterable<UsageLine>, connection: MessagesConnection, unit: string, last?: UsageLine) {
		const midnight = new Date(this.#parts.clock.now()).setHours(0, 0, 0, 0);
		let [day, month] = [0, 0];
		for (const line of lines) {
			if (line.connection !== connection.id) continue;
			const amount = amountOf(line, unit);
			month += amount;
			if (line.at >= midnight) day += amount;
			if (line === last) break;
		}
		return { unit, day, month };
	}

	#refusal(lines: Iterable<UsageLine>, line: UsageLine, connection: MessagesConnection, unit: string) {
		const { limits = {}, label, id } = connection;
		const sums = this.#sum(lines, connection, unit, line);
		// The longest, which is the last to start over.
		const period = PERIODS.findLast((each) => sums[each] > (limits[each] ?? Number.POSITIVE_INFINITY));
		if (period === undefined) return undefined;
		const own = amountOf(line, unit);
		const used = usedWords(sums[period] - own, limits[period], unit);
		const limit = `${WORDS[period].adjective} limit of ${label}`;
		const words = `${limit}: ${used} are used, and this reply may add up to ${amountWords(own, unit)} ${unit}.`;
		return new ClientError("messages", "forbidden", words, { reason: "over-budget", field: `${id}.limits.${period}` });
	}

	async #warnNear(connection: MessagesConnection): Promise<void> {
		const { store, clock, warn } = this.#parts;
		const { limits = {}, id, label } = connection;
		const sums = this.#known(connection);
		const today = new Date(clock.now());
		const since = { day: today.toDateString(), month: `${today.getFullYear()} ${today.getMonth()}` };
		for (const period of PERIODS) {
			const key = `switchboard.usage.told ${id} ${period}`;
			const isNear = sums[period] >= (limits[period] ?? Number.POSITIVE_INFINITY) * NEAR;
			if (!isNear || store.get(key) === since[period]) continue;
			await store.set(key, since[period]);
			warn(`${label} has used ${usedWords(sums[period], limits[period], sums.unit)} ${WORDS[period].now}.`);
		}
	}
}

function usedWords(amount: number, limit: number | undefined, unit: string): string {
	const of = limit === undefined ? "" : ` of ${amountWords(limit, unit)}`;
	return `${amountWords(amount, unit)}${of} ${unit}`;
}

function amountWords(amount: number, unit: string): string {
	return unit === TOKENS ? amount.toLocaleString("en") : inDigits(amount);
}

function amountOf({ input, output, cost = 0, currency }: UsageLine, unit: string): number {
	if (unit === TOKENS) return input + output;
	return currency === unit ? cost : 0;
}

function isLimited({ limits = {} }: MessagesConnection): boolean {
	return PERIODS.some((period) => limits[period] !== undefined);
}

/** Estimate of a request: its input, and the longest reply. */
function estimateOf({ system, tools, messages, maxTokens }: MessagesRequest): Counted {
	let images = 0;
	const json = JSON.stringify([system, tools, messages], (_, value: unknown) => {
		if (typeof value !== "object" || value === null || !("media_type" in value)) return value;
		images += 1;
		return "";
	});
	return { inputTokens: sizeOf(json).tokens + images * IMAGE_TOKENS, outputTokens: maxTokens, estimated: true };
}

/** Usage of an ended reply, as far as it was reported, if more than 0; undefined if its service has not begun one. */
function usageOf({ reply, outcome, requests }: EndedReply, request: MessagesRequest): Counted | undefined {
	const { inputTokens, outputTokens } = reply.usage;
	const hasArrived = inputTokens !== null || reply.blocks.length > 0;
	if (requests === 0 || (outcome === "failed" && !hasArrived)) return undefined;
	const isFinal = Boolean(outputTokens) && isEndedByService(outcome);
	const arrived = isFinal ? 0 : reply.blocks.reduce((sum, block) => sum + sizeOf(block.text).tokens, 0);
	return {
		...reply.usage,
		inputTokens: inputTokens || estimateOf(request).inputTokens,
		outputTokens: Math.max(outputTokens ?? 0, arrived),
		estimated: !inputTokens || !isFinal,
	};
}
