import type { ToolCall } from "#app/chat/conversation.ts";
import { ChatSession, type SessionParts } from "#app/chat/session.ts";
import type { ToolBox } from "#app/chat/tool-box.ts";
import { CONTRACT_CAPABILITIES } from "#app/connections/model-capabilities.ts";
import { chatParts, MESSAGES } from "./chat-parts.ts";
import { callBlock, settle } from "./scripted-sender.ts";

/** A run of a tool, which waits for the test. */
export interface ScriptedRun {
	readonly name: string;
	readonly input: Readonly<Record<string, unknown>>;
	readonly signal: AbortSignal;
	done(result: string): void;
	fail(message: string, name?: string): void;
}

/**
 * Tools whose runs wait for the test: `look` and `find` read, `sell` and `drop` write, at the `store` of their input; `lend`
 * is off.
 */
export class ScriptedTools implements ToolBox {
	readonly runs: ScriptedRun[] = [];

	offered() {
		const names = ["drop", "find", "look", "sell"];
		return names.map((name) => ({ name, description: name, input_schema: { type: "object", properties: {} } }));
	}

	has(name: string) {
		return name === "lend";
	}

	prepare(name: string, input: Readonly<Record<string, unknown>>) {
		if (input["id"] === 0) throw new Error("There is nothing with the id 0.");
		const run = (signal: AbortSignal) =>
			new Promise<string>((resolve, reject) => {
				const fail: ScriptedRun["fail"] = (words, kind = "Error") =>
					reject(Object.assign(new Error(words), { name: kind }));
				this.runs.push({ name, input, signal, done: resolve, fail });
			});
		const { store = "s1" } = input;
		const permission = name === "sell" || name === "drop" ? { permission: `${name}@${store}` } : {};
		return { title: `${name} ${JSON.stringify(input)}`, icon: "eye", ...permission, run };
	}

	/** Runs that are asked for, by their names. */
	get names(): string[] {
		return this.runs.map(({ name }) => name);
	}
}

/** A conversation with a model that calls tools. */
export async function toolChat(more: Partial<SessionParts> = {}) {
	const all = chatParts();
	const tools = new ScriptedTools();
	await all.registry.add(MESSAGES, "");
	const capabilities = () => ({ ...CONTRACT_CAPABILITIES, tools: true, thinking: "adaptive" as const });
	const parts = { ...all.parts, tools, capabilities, ...more };
	const session = new ChatSession("chat", parts);
	/** Ends the reply under way with these calls. */
	const call = async (...calls: readonly (string | readonly [name: string, input: object])[]) => {
		await settle();
		const named = calls.map((each) => (typeof each === "string" ? ([each, {}] as const) : each));
		all.sender.last.put(...named.map(([name, input], index) => callBlock(name, input, index)));
		all.sender.last.end({ outcome: "tool-use" });
		await settle();
	};
	const calls = (): ToolCall[] =>
		session.entries.flatMap((entry) => (entry.role === "assistant" ? [...entry.calls] : []));
	const states = () => calls().map(({ name, state }) => `${name} ${state}`);
	/** Names the call that asks as a panel does, and answers it. */
	const answer = async (given: "once" | "conversation" | "always" | "deny", word?: string) => {
		const replies = session.entries.filter((entry) => entry.role === "assistant");
		const at = replies.findIndex((reply) => reply.calls.some(({ state }) => state === "asking"));
		const { key = "" } = replies[at]?.calls.find(({ state }) => state === "asking") ?? {};
		const named = at === 0 ? key : `${at}:${key}`;
		const isAnswered = await session.answerCall(replies[0]?.id ?? "", named, { answer: given, word });
		await settle();
		return isAnswered;
	};
	return { ...all, parts, session, tools, call, calls, states, answer };
}
