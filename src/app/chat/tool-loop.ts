import { ConcurrencyLimiter } from "#api/http/concurrency-limiter.ts";
import { countRequests, type RequestCount } from "#api/http/request-budget.ts";
import { closeReply, emptyReply } from "#api/messages/accumulator.ts";
import type { BlockDelta } from "#api/messages/model.ts";
import { callsOf, type ReceivedCall } from "#api/messages/tool-calls.ts";
import type { ClientError } from "#base/errors.ts";
import { LIMITS } from "#base/limits.ts";
import { oneLine } from "#base/one-line.ts";
import { sizeOf, sizeWords } from "#base/tokens.ts";
import type { CALL_ANSWERS } from "#protocol/panel.ts";
import { asError } from "../kit/resource.ts";
import type { StoredImage } from "./attachments.ts";
import type { Branches } from "./branches.ts";
import type { ConversationFacts, EndedReplyEntry, ReplyEntry, ToolCall } from "./conversation.ts";
import { ownKey, partsOf } from "./parts.ts";
import type { ReplyParts } from "./reply-under-way.ts";
import { requestReply } from "./request-reply.ts";
import type { Wanted } from "./request-target.ts";
import { isUnanswered } from "./saved-reply.ts";
import { failedCall, NOT_ALLOWED, type PreparedCall, type ToolApprovals } from "./tool-box.ts";

/** Collaborators of a loop. */
export interface LoopParts extends ReplyParts {
	/** Tools that may always run without a question. */
	readonly approvals: Pick<ToolApprovals, "list" | "allow">;
	readonly keepImage?: (data: string) => Promise<StoredImage>;
	/** Maximum number of rounds of a message before the person is asked. */
	readonly toolRounds: () => number;
}

interface LoopHost {
	readonly tree: () => Branches;
	readonly facts: () => ConversationFacts;
	readonly newId: () => string;
	readonly append: (entry: ReplyEntry) => void;
	/** Takes a change of a reply, with the delta if only one block changed. A reply with an end is the last. */
	readonly update: (entry: ReplyEntry, delta?: BlockDelta) => void;
	/** Writes the conversation to the disk, or stops the reply if another window writes it. */
	readonly save: () => Promise<void>;
	/** False if the person does not want another round, or a request that a limit has refused. */
	readonly mayGoOn: (refusal?: ClientError) => Promise<boolean>;
}

/** Requests a reply and its next rounds after tool calls, until one ends without a call, by the person or by a limit. */
export class ToolLoop {
	readonly #host: LoopHost;
	readonly #parts: LoopParts;
	readonly #signal: AbortSignal;
	readonly #stopped: Promise<typeof STOPPED>;
	#round: { readonly reply: string; readonly calls: CallRound } | undefined;
	readonly #use: ToolUse = { calls: 0, requests: 0, bytes: 0 };
	/** Id of the last requested reply. */
	#asked = "";
	/** True for a message of a program, see {@link Wanted.unattended}. */
	#unattended = false;
	/** True if tools were offered to it. */
	#hasTools = true;

	/** `signal` ends the request, the questions and the tools. */
	constructor(host: LoopHost, parts: LoopParts, signal: AbortSignal) {
		this.#host = host;
		this.#parts = parts;
		this.#signal = signal;
		this.#stopped = new Promise((resolve) => {
			if (signal.aborted) resolve(STOPPED);
			else signal.addEventListener("abort", () => resolve(STOPPED), { once: true });
		});
	}

	/** Runs all rounds, and resolves with the last reply. Our own error ends that reply, or rejects if there is none yet. */
	run(parent: string, how: Omit<Wanted, "id" | "after">): Promise<ReplyEntry> {
		this.#unattended = how.unattended === true;
		return this.#rounds(this.#ask(parent, how));
	}

	/** Asks again for the unanswered calls of a reply, and runs the rounds after it; undefined if none can be asked for. */
	resume(entry: ReplyEntry): Promise<ReplyEntry> | undefined {
		const { registry, tools, clock } = this.#parts;
		if (entry.ended === undefined || !entry.calls.some(isUnanswered)) return undefined;
		const { reply } = entry.ended;
		const startedAt = clock.monotonic();
		// It had arrived as a whole: only then is a call asked for.
		const whole = { ...reply, blocks: reply.blocks.map((block) => ({ ...block, stopped: true })) };
		const ended = { reply: whole, outcome: "tool-use", requests: 0, at: startedAt } as const;
		const connection = registry.get(entry.connectionId ?? "", "messages");
		const offered = tools?.offered(this.#host.facts(), connection) ?? [];
		const { calls, run } = this.#callsOf({ ...entry, startedAt, ended }, callsOf(whole, "tool-use", offered));
		if (calls.writes.length === 0) return undefined;
		this.#asked = entry.id;
		return this.#rounds(run());
	}

	async #rounds(first: Promise<EndedReplyEntry>): Promise<ReplyEntry> {
		try {
			for (let [rounds, asked] = [1, first]; ; rounds += 1) {
				const last = await asked;
				const hasResults = this.#hasTools && last.ended.outcome === "tool-use" && last.calls.length > 0;
				const isLast = rounds >= this.#parts.toolRounds() || isUsedUp(this.#use);
				const mayGoOn = async () => (await Promise.race([this.#host.mayGoOn(), this.#stopped])) === true;
				if (!hasResults || isLast || !(await mayGoOn())) {
					const { calls, requests, bytes } = this.#use;
					const spent = `${calls} tool calls, ${requests} requests and ${sizeWords(bytes)} of results`;
					const paused = hasResults ? { ...last, ended: { ...last.ended, spent } } : last;
					this.#host.update(paused);
					return paused;
				}
				// Without an event: the next round takes its place on screen at once.
				this.#host.tree().add(last);
				const { id, connectionId, model, parameters } = last;
				asked = this.#ask(id, { connection: connectionId, own: { ...parameters, model }, continues: true });
			}
		} catch (error) {
			const entry = this.#host.tree().get(this.#asked);
			if (entry?.role !== "assistant") throw error;
			const { reply = closeReply(emptyReply) } = entry;
			const failed = { reply, outcome: "failed", error: asError(error, "messages"), requests: 0 } as const;
			this.#parts.log.error(failed.error.message);
			const last = { ...entry, reply, ended: entry.ended ?? { ...failed, at: this.#parts.clock.monotonic() } };
			this.#host.update(last);
			return last;
		}
	}

	/** Finds the call that asks in a block, named by its own reply, or as joined under the first part of the reply. */
	asking(reply: string, key: string) {
		if (this.#round === undefined) return undefined;
		const { reply: id, calls } = this.#round;
		const parts = partsOf(id, this.#host.tree().lineage(id));
		const own = reply === id ? key : reply === parts[0]?.id ? ownKey(key, parts) : undefined;
		return calls.asking.get(own ?? "");
	}

	async #ask(parent: string, how: Omit<Wanted, "id" | "after">): Promise<EndedReplyEntry> {
		const after = this.#host.tree().lineage(parent);
		const wanted = { ...how, id: this.#host.newId(), after };
		const { last, request } = await requestReply(wanted, this.#host.facts(), this.#parts, {
			signal: this.#signal,
			mayPass: this.#unattended ? undefined : this.#host.mayGoOn,
			show: (shown) => {
				this.#asked = shown.id;
				this.#host.append(shown);
			},
			// It ends after its calls.
			report: (now, delta) => {
				if (now.ended === undefined) this.#host.update(now, delta);
			},
		});
		const { tools = [] } = request;
		const isOff = (name: string) => this.#parts.tools?.has(name) === true;
		const received = callsOf(last.ended.reply, last.ended.outcome, tools, isOff);
		this.#hasTools = tools.length > 0;
		return received.length === 0 ? last : this.#callsOf(last, received).run();
	}

	/** Prepares the calls of a reply; those that it does not wait for are refused already. */
	#callsOf({ ended, ...entry }: EndedReplyEntry, received: readonly ReceivedCall[]) {
		const { connectionId = "" } = entry;
		const { baseUrl = "" } = this.#parts.registry.get(connectionId, "messages") ?? {};
		const now = () => ({ ...entry, ended: undefined, calls: calls.calls });
		const show = ({ key }: Pick<ToolCall, "key">) => {
			const block = ended.reply.blocks.find((each) => each.key === key);
			if (block !== undefined) this.#host.update(now(), { block, appended: "" });
		};
		const calls = new CallRound(received, {
			...this.#parts,
			...this.#host,
			signal: this.#signal,
			stopped: this.#stopped,
			use: this.#use,
			asker: { id: connectionId, label: entry.connection, baseUrl },
			known: entry.calls,
			changed: (call, change) => {
				show(call);
				// The person may be looking elsewhere.
				if (change.state === "asking") this.#host.update(now());
			},
		});
		const run = async (): Promise<EndedReplyEntry> => {
			this.#round = { reply: entry.id, calls };
			this.#host.update(now());
			// Also closes blocks that the service left open.
			for (const block of ended.reply.blocks) show(block);
			if (ended.outcome === "tool-use") await calls.run();
			this.#round = undefined;
			const isStopped = ended.outcome === "tool-use" && this.#signal.aborted;
			const outcome = isStopped ? "stopped" : ended.outcome;
			// Without the time that the person took.
			const at = this.#parts.clock.monotonic() - calls.askedMs;
			return { ...entry, calls: calls.calls, ended: { ...ended, outcome, at } };
		};
		return { calls, run };
	}
}

/** Answer of the person to a call that asks. */
export interface CallAnswer {
	readonly answer: (typeof CALL_ANSWERS)[number];
	/** Reason for the model if denied. */
	readonly word?: string | undefined;
}

const STOPPED = Symbol("stopped");

/** Use of tools by all rounds of one message. */
interface ToolUse extends RequestCount {
	calls: number;
	bytes: number;
}

const USED_UP = `Not run: this message used up its ${LIMITS.toolRequests} requests or ${sizeWords(LIMITS.messageResultBytes)} of results. Call again what is still needed.`;
const TOO_MANY = `Not run: a reply may call ${LIMITS.toolCalls} tools. Call again what is still needed.`;

function isUsedUp({ requests, bytes }: ToolUse): boolean {
	return requests >= LIMITS.toolRequests || bytes >= LIMITS.messageResultBytes;
}

interface CallParts extends LoopParts, Pick<LoopHost, "facts" | "save"> {
	/** Messages connection of the reply, to which permissions are bound. */
	readonly asker: { readonly id: string; readonly label: string; readonly baseUrl: string };
	readonly use: ToolUse;
	readonly signal: AbortSignal;
	readonly stopped: Promise<typeof STOPPED>;
	/** Calls of a reply that is resumed. */
	readonly known: readonly ToolCall[];
	readonly changed: (call: ToolCall, change: Partial<ToolCall>) => void;
}

/** Calls of one reply. Reads run a few at once, others one after the other, each allowed by the person's answer alone. */
class CallRound {
	readonly #parts: CallParts;
	/** Time that the person took for answers, in ms. */
	askedMs = 0;
	readonly #prepared = new Map<string, PreparedCall>();
	/** Call that asks, by the key of its block: its permission, and the function that takes its answer. */
	readonly asking = new Map<string, { readonly permission: string; readonly answer: (given: CallAnswer) => void }>();
	readonly #calls: Map<string, ToolCall>;
	readonly #slots = new ConcurrencyLimiter(LIMITS.toolCallsAtOnce);
	/** True until the first answer in a resumed reply: nothing may run just because the conversation was opened. */
	#mustAsk: boolean;

	constructor(received: readonly ReceivedCall[], parts: CallParts) {
		this.#parts = parts;
		this.#mustAsk = parts.known.length > 0;
		const ended = parts.known.filter((call) => !isUnanswered(call));
		const callOf = (each: ReceivedCall, at: number) =>
			ended.find(({ key }) => key === each.key) ?? this.#read(each, at);
		this.#calls = new Map(received.map((each, at) => [each.key, callOf(each, at)]));
	}

	/** Calls in the order of their blocks. */
	get calls(): readonly ToolCall[] {
		return [...this.#calls.values()];
	}

	/** Calls that need an approval and have not ended. */
	get writes(): readonly ToolCall[] {
		return this.calls.filter(({ state, scope }) => state === "waiting" && scope !== undefined);
	}

	/** Runs or asks for all calls; resolves when every call has ended. */
	async run(): Promise<void> {
		const { writes } = this;
		const writeInTurn = async () => {
			for (const call of writes) if (await this.#mayRun(call)) await this.#run(call);
		};
		const reads = this.calls.filter((call) => call.state === "waiting" && !writes.includes(call));
		await Promise.all([...reads.map((call) => this.#run(call)), writeInTurn()]);
	}

	#read(received: ReceivedCall, at: number): ToolCall {
		const { key, id, name } = received;
		const call = { key, id, name, title: oneLine(name) || "Unnamed tool", icon: "tools" };
		const ended = (state: ToolCall["state"], result: string) =>
			this.#parts.secretFilter.redact({ ...call, state, result });
		if ("fault" in received) return ended("refused", received.fault);
		if (at >= LIMITS.toolCalls) return ended("refused", TOO_MANY);
		try {
			const prepared = this.#parts.tools?.prepare(name, received.input);
			if (prepared === undefined) return ended("refused", "No tool is there to be called.");
			const { title, icon, permission = "", saysAll = false } = prepared;
			const { id: asker, label, baseUrl } = this.#parts.asker;
			const whole = permission === "" ? {} : { permission: `${permission} ${asker} ${baseUrl}` };
			this.#prepared.set(key, { ...prepared, ...whole });
			const scope = `${permission.split(" ").at(-1)}, for ${label} (${baseUrl})`;
			const asks = permission === "" ? {} : { scope: oneLine(scope), saysAll };
			return this.#parts.secretFilter.redact({ ...call, title: oneLine(title), icon, ...asks, state: "waiting" });
		} catch (error) {
			return ended("failed", failedCall(error).result);
		}
	}

	/** True if the person allows a call, now or before. */
	async #mayRun(call: ToolCall): Promise<boolean> {
		const { approvals, facts, clock, signal, stopped } = this.#parts;
		const { key } = call;
		const { permission = "", look } = this.#prepared.get(key) ?? {};
		if (this.#isRefused(call)) return false;
		const isAllowed = !this.#mustAsk && [...(facts().allowed ?? []), ...approvals.list()].includes(permission);
		// A stopped call gets its result in `#runNow`.
		if (signal.aborted || isAllowed) return true;
		const { promise, resolve } = Promise.withResolvers<CallAnswer>();
		this.asking.set(key, { permission, answer: resolve });
		this.#set(call, { state: "asking" });
		const begun = clock.monotonic();
		void look?.(signal).then(({ title, saysAll = false }) => {
			if (this.asking.has(key)) this.#set(call, { title: oneLine(title), saysAll });
		});
		const given = await Promise.race([promise, stopped]);
		this.askedMs += clock.monotonic() - begun;
		this.asking.delete(key);
		this.#mustAsk = false;
		if (given === STOPPED || given.answer !== "deny") return true;
		const { word = "" } = given;
		const said = word.trim() === "" ? "" : ` They say: ${word.trim()}`;
		this.#set(call, { state: "denied", result: NOT_ALLOWED + said });
		return false;
	}

	async #run(call: ToolCall): Promise<void> {
		const leave = await this.#slots.enter();
		await this.#runNow(call).finally(leave);
	}

	async #runNow(call: ToolCall): Promise<void> {
		const { clock, log, save, signal, stopped, use } = this.#parts;
		if (this.#isRefused(call)) return;
		if (!signal.aborted) {
			// Written before it runs: after a crash, a call that is not running on the disk was not run.
			this.#set(call, { state: "running" });
			await Promise.race([save(), stopped]);
		}
		if (signal.aborted) {
			this.#set(call, { state: "stopped", result: "The person stopped the reply before this call was run." });
			return;
		}
		const begun = clock.monotonic();
		use.calls += 1;
		const end = await Promise.race([countRequests(use, () => this.#resultOf(call)), stopped]);
		const { result = "", images = [] } = end === STOPPED ? {} : end;
		use.bytes += images.reduce((sum, { bytes }) => sum + bytes, sizeOf(result).bytes);
		const ms = clock.monotonic() - begun;
		const unknown = "The person stopped this call: what came of it is not known.";
		this.#set(call, end === STOPPED ? { state: "stopped", result: unknown, ms } : { ...end, ms });
		log.info(`Tool ${call.name}: ${this.#calls.get(call.key)?.state} (${Math.round(ms)} ms)`);
	}

	/** Ends a call of a message that has reached a limit; true if so. */
	#isRefused(call: ToolCall): boolean {
		const { signal, use } = this.#parts;
		const isRefused = !signal.aborted && isUsedUp(use);
		if (isRefused) this.#set(call, { state: "refused", result: USED_UP });
		return isRefused;
	}

	async #resultOf({ key }: ToolCall): Promise<Pick<ToolCall, "state" | "result" | "images">> {
		const { signal, keepImage } = this.#parts;
		try {
			const output = (await this.#prepared.get(key)?.run(signal)) ?? "";
			if (typeof output === "string") return { state: "done", result: output };
			const kept = await Promise.allSettled(keepImage === undefined ? [] : output.images.map(keepImage));
			const images = kept.flatMap((each) => (each.status === "fulfilled" ? each.value : []));
			const refused = "\n[An image was left out: it could not be kept.]".repeat(kept.length - images.length);
			return { state: "done", result: output.text + refused, ...(images.length > 0 && { images }) };
		} catch (error) {
			return failedCall(error);
		}
	}

	#set({ key }: ToolCall, change: Partial<ToolCall>): void {
		const before = this.#calls.get(key);
		if (before === undefined) return;
		const call = this.#parts.secretFilter.redact({ ...before, ...change });
		this.#calls.set(key, call);
		this.#parts.changed(call, change);
	}
}
