import type { EndedReply, MessagesRequest } from "#api/messages/model.ts";
import { type Clock, randomWord } from "#base/clock.ts";
import { costOf, inDigits, type Price, type Usage } from "#base/cost.ts";
import { type Disposable, DisposableStore } from "#base/disposables.ts";
import { Emitter } from "#base/emitter.ts";
import { ClientError } from "#base/errors.ts";
import { isEndedByService } from "#base/reply.ts";
import { map, parsed, text } from "#base/schema.ts";
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
	/** Resolves once the service of a connection has told its models, or is slow. */
	soon(connection: MessagesConnection): Promise<unknown>;
}

/** Asks the person for a request over a limit; true to send it all the same. */
export type MayPass = (refusal: ClientError) => Promise<boolean>;

/** Replies of a connection so far, in the currency of its prices, or in tokens if it has none. */
export interface Spending {
	readonly unit: string;
	readonly day: number;
	readonly month: number;
}

const TOKENS = "tokens";

/** Share of a limit at which the person is told. */
const NEAR = 0.8;

const NOTHING: Usage = { inputTokens: 0, outputTokens: 0 };

const TOLD = "switchboard.usage.told";

const WORDS = {
	day: { adjective: "Daily", now: "today", later: "tomorrow" },
	month: { adjective: "Monthly", now: "this month", later: "next month" },
} as const;

/** Daily and monthly limits of connections, over all windows. A request is booked by its estimate before it is sent. */
export class Budget implements Disposable {
	readonly #ledger: Ledger;
	readonly #models: PriceList;
	readonly #store: KeyValueStore;
	readonly #clock: Clock;
	readonly #tag: string;
	readonly #held = new DisposableStore();
	readonly #near = this.#held.add(new Emitter<string>());
	#count = 0;

	constructor(ledger: Ledger, models: PriceList, store: KeyValueStore, clock: Clock) {
		this.#ledger = ledger;
		this.#models = models;
		this.#store = store;
		this.#clock = clock;
		this.#tag = randomWord(clock, 8);
	}

	/** Fires once a day or month, with a sentence, when most of a limit of a connection is used. */
	readonly onDidComeNear = this.#near.event;

	/** Fires when {@link spending} may have changed. */
	get onDidChange(): Ledger["onDidChange"] {
		return this.#ledger.onDidChange;
	}

	/** Spending of a connection as far as it is known. */
	spending(connection: MessagesConnection): Spending {
		return this.#sum(this.#ledger.known(), connection, this.#models.currency(connection) ?? TOKENS);
	}

	/** Refusal of a request that would pass a limit, without booking it. */
	async refusalOf(asked: BudgetedRequest): Promise<ClientError | undefined> {
		if (!isLimited(asked.connection)) return undefined;
		const unit = await this.#unitOf(asked);
		const lines = await this.#ledger.read(1);
		const line = this.#estimate(asked, this.#begin(asked));
		return this.#refusal([...lines, line], line, asked.connection, unit);
	}

	/**
	 * Books a request, and resolves to the function that takes its reply. Rejects with `forbidden` for one that would pass a
	 * limit, unless the person allows it.
	 */
	async book(asked: BudgetedRequest, mayPass?: MayPass): Promise<(ended: EndedReply) => void> {
		const { connection } = asked;
		const begun = this.#begin(asked);
		if (!isLimited(connection)) return (ended) => this.#end(begun, ended, asked);
		const unit = await this.#unitOf(asked);
		const line = this.#estimate(asked, begun);
		const refusal = await this.#ledger.reserve(line, (lines) => this.#refusal(lines, line, connection, unit));
		if (refusal !== undefined) {
			if (!(await mayPass?.(refusal))) throw refusal;
			await this.#ledger.record(line);
		}
		return (ended) => this.#end(line, ended, asked);
	}

	dispose(): void {
		this.#held.dispose();
	}

	#begin({ connection, request: { model }, caller }: BudgetedRequest): UsageLine {
		const id = `${this.#tag}${++this.#count}`;
		return { id, at: this.#clock.now(), connection: connection.id, model, caller, input: 0, output: 0 };
	}

	#estimate({ connection, request }: BudgetedRequest, begun: UsageLine): UsageLine {
		const usage = { inputTokens: requestTokens(request), outputTokens: request.maxTokens };
		return withUsage(begun, usage, this.#models.price(connection, request.model));
	}

	#end(begun: UsageLine, ended: EndedReply, { connection, request }: BudgetedRequest): void {
		const usage = usageOf(ended, request);
		// Only an estimate has to be taken back.
		if (usage === undefined && !isLimited(connection)) return;
		const line = withUsage(begun, usage ?? NOTHING, this.#models.price(connection, request.model));
		void this.#ledger.record(line).then(() => this.#tellNear(connection));
	}

	async #unitOf({ connection, request: { model } }: BudgetedRequest): Promise<string> {
		const known = () => this.#models.price(connection, model)?.currency ?? this.#models.currency(connection);
		const unit = known();
		if (unit !== undefined) return unit;
		// The list of its service may have prices.
		await this.#models.soon(connection);
		return known() ?? TOKENS;
	}

	/** Sums the lines of a connection, up to the one with the id `last`. */
	#sum(lines: readonly UsageLine[], connection: MessagesConnection, unit: string, last?: string): Spending {
		const midnight = new Date(this.#clock.now()).setHours(0, 0, 0, 0);
		let [day, month] = [0, 0];
		for (const line of lines) {
			if (line.connection !== connection.id) continue;
			const amount = amountOf(line, unit);
			month += amount;
			if (line.at >= midnight) day += amount;
			if (line.id === last) break;
		}
		return { unit, day, month };
	}

	#refusal(lines: readonly UsageLine[], line: UsageLine, connection: MessagesConnection, unit: string) {
		const sums = this.#sum(lines, connection, unit, line.id);
		const { limits = {}, label } = connection;
		for (const period of PERIODS) {
			const limit = limits[period];
			if (limit === undefined || sums[period] <= limit) continue;
			const own = amountOf(line, unit);
			const { adjective, later } = WORDS[period];
			const used = usedWords(sums[period] - own, limit, unit);
			const facts = `${adjective} limit of ${label}: ${used} are used, and this reply may add up to ${amountWords(own, unit)}.`;
			const step = `Raise the limit in Edit Connection, or go on ${later}.`;
			return new ClientError("messages", "forbidden", `${facts} ${step}`, { reason: "over-budget" });
		}
		return undefined;
	}

	async #tellNear(connection: MessagesConnection): Promise<void> {
		const { limits = {}, id, label } = connection;
		const sums = this.spending(connection);
		const today = new Date(this.#clock.now());
		const since = { day: today.toDateString(), month: `${today.getMonth()} ${today.getFullYear()}` };
		for (const period of PERIODS) {
			const limit = limits[period];
			if (limit === undefined || sums[period] < limit * NEAR) continue;
			const told = parsed(map(text()), this.#store.get(TOLD)) ?? {};
			const key = `${id} ${period}`;
			if (told[key] === since[period]) continue;
			await this.#store.set(TOLD, { ...told, [key]: since[period] });
			this.#near.fire(`${label} has used ${usedWords(sums[period], limit, sums.unit)} ${WORDS[period].now}.`);
		}
	}
}

/** Spending of a connection by its limits, as in `1.20 of 5.00 EUR today`; without one, that of the day if there is any. */
export function spendingWords({ limits = {} }: MessagesConnection, spending: Spending): readonly string[] {
	const limited = PERIODS.filter((period) => limits[period] !== undefined);
	const shown = limited.length === 0 && spending.day > 0 ? (["day"] as const) : limited;
	return shown.map((period) => `${usedWords(spending[period], limits[period], spending.unit)} ${WORDS[period].now}`);
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

/** Estimated input tokens of a request. */
function requestTokens({ system, tools, messages }: MessagesRequest): number {
	let images = 0;
	const json = JSON.stringify([system, tools, messages], (_, value: unknown) => {
		if (typeof value !== "object" || value === null || !("media_type" in value)) return value;
		images += 1;
		return "";
	});
	return sizeOf(json).tokens + images * IMAGE_TOKENS;
}

/** Usage of an ended reply, as far as it was reported; undefined if its service has not begun one. */
function usageOf({ reply, outcome, requests }: EndedReply, request: MessagesRequest): Usage | undefined {
	const { inputTokens, outputTokens } = reply.usage;
	const hasArrived = inputTokens !== null || reply.blocks.length > 0;
	if (requests === 0 || (outcome === "failed" && !hasArrived)) return undefined;
	const arrived = () => reply.blocks.reduce((sum, block) => sum + sizeOf(block.text).tokens, 0);
	const isFinal = outputTokens !== null && isEndedByService(outcome);
	return {
		...reply.usage,
		inputTokens: inputTokens ?? requestTokens(request),
		outputTokens: isFinal ? outputTokens : Math.max(outputTokens ?? 0, arrived()),
	};
}

function withUsage(line: UsageLine, usage: Usage, price: Price | undefined): UsageLine {
	const { inputTokens, outputTokens, cachedTokens: cached } = usage;
	return {
		...line,
		input: inputTokens ?? 0,
		output: outputTokens ?? 0,
		...(cached !== undefined && { cached }),
		...(price !== undefined && { cost: costOf(usage, price), currency: price.currency }),
	};
}
