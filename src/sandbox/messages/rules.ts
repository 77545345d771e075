import { violation } from "#sandbox/strict.ts";
import { asBlocks, type ContentBlock, type MessagesBody, plainText } from "./request.ts";

/** Model that takes neither tools nor images. */
export const TEXT_ONLY = "sandbox-2";

/** Roles that may send each block that is not text. */
const ROLES: Readonly<Partial<Record<ContentBlock["type"], "user" | "assistant">>> = {
	image: "user",
	tool_result: "user",
	tool_use: "assistant",
	thinking: "assistant",
};

/** Checks the relations between the fields of a request. Throws ClientError `invalid` with the place. */
export function checkRules(body: MessagesBody): void {
	const { model, messages, max_tokens, thinking, tools = [], tool_choice: choice } = body;
	const blocks = messages.flatMap(({ content }) => asBlocks(content));
	if (model === TEXT_ONLY && tools.length > 0) throw violation("tools", "are not taken by this model");
	if (model === TEXT_ONLY && blocks.some(({ type }) => type === "image")) {
		throw violation("messages", "must have no image: this model takes text only");
	}
	const names = tools.map(({ name }) => name);
	const twice = names.findIndex((name, at) => names.indexOf(name) !== at);
	if (twice >= 0) throw violation(`tools[${twice}].name`, "must be unique");
	if (choice !== undefined && tools.length === 0) throw violation("tool_choice", "must come with tools");
	if (thinking?.type === "enabled" && thinking.budget_tokens >= max_tokens) {
		throw violation("thinking.budget_tokens", "must be less than max_tokens");
	}
	checkCalls(messages);
	const last = messages.at(-1);
	// The reply continues it.
	const begun = last?.role === "assistant" ? plainText(last.content) : "";
	if (begun !== begun.trimEnd())
		throw violation("The last message, where it is the assistant's,", "must not end in blank space.");
}

/** Checks that calls have unique ids and are answered at the start of the next message. */
function checkCalls(messages: MessagesBody["messages"]): void {
	const used = new Set<string>();
	let open: readonly string[] = [];
	for (const [at, { role, content }] of messages.entries()) {
		const place = `messages[${at}].content`;
		const blocks = asBlocks(content);
		const results = blocks.flatMap((block) => (block.type === "tool_result" ? [block.tool_use_id] : []));
		const isOneEach = results.length === open.length && open.every((id) => results.includes(id));
		const areFirst = blocks.slice(0, results.length).every(({ type }) => type === "tool_result");
		if (!isOneEach || !areFirst)
			throw violation(place, `must begin with a tool_result for each of: ${open.join(", ")}`);
		open = blocks.flatMap((block) => (block.type === "tool_use" ? [block.id] : []));
		const wrong = blocks.findIndex(({ type }) => (ROLES[type] ?? role) !== role);
		if (wrong >= 0) throw violation(`${place}[${wrong}].type`, `must not be ${blocks[wrong]?.type} for the ${role}`);
		const again = open.find((id) => used.has(id)) ?? open.find((id, n) => open.indexOf(id) !== n);
		if (again !== undefined) throw violation(place, `must not have the call "${again}" twice`);
		for (const id of open) used.add(id);
	}
	if (open.length > 0) throw violation("messages", `must end with the results of: ${open.join(", ")}`);
}
