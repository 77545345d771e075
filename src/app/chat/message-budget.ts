import { RequestBudget } from "#api/http/request-budget.ts";
import type { ReceivedCall } from "#api/messages/tool-calls.ts";
import { LIMITS } from "#base/limits.ts";
import { sizeOf, sizeWords } from "#base/tokens.ts";

const USED_UP = `Not run: this message used up its ${LIMITS.toolRequests} requests or ${sizeWords(LIMITS.messageResultBytes)} of results. Call again what is still needed.`;
const TOO_MANY = `Not run: a reply may call ${LIMITS.toolCalls} tools. Call again what is still needed.`;

/** Use of tools in answer to one message, over all its rounds: a limit after which the person is asked. */
export class MessageBudget extends RequestBudget {
	#calls = 0;
	#bytes = 0;

	constructor() {
		super(LIMITS.toolRequests);
	}

	/** Use so far in words. */
	get spent(): string {
		return `${this.#calls} tool calls, ${this.made} requests and ${sizeWords(this.#bytes)} of results`;
	}

	/** Words to the model in place of a call that is not run because nothing is left; undefined where it may run. */
	refusal(): string | undefined {
		this.isExceeded ||= this.made >= LIMITS.toolRequests || this.#bytes >= LIMITS.messageResultBytes;
		return this.isExceeded ? USED_UP : undefined;
	}

	/** Runs a call. The requests that it makes count, and so does its result. */
	async call<T extends { readonly result?: string }>(call: () => Promise<T>): Promise<T> {
		this.#calls += 1;
		const end = await this.run(call);
		this.#bytes += sizeOf(end.result ?? "").bytes;
		return end;
	}
}

/** The calls of a reply, of which those beyond {@link LIMITS.toolCalls} are not run. */
export function limitedCalls(received: readonly ReceivedCall[]): readonly ReceivedCall[] {
	return received.map((call, at) => (at < LIMITS.toolCalls || "fault" in call ? call : { ...call, fault: TOO_MANY }));
}
