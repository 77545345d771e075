import { isDeepStrictEqual } from "node:util";
import { imageSizeOf, imageTypeOf } from "#base/image.ts";
import { anything, map, parsedJson } from "#base/schema.ts";
import { escapedExcerpt, withoutAttachments } from "./answer.ts";
import type { MessagesFaults } from "./faults.ts";
import { asBlocks, type ContentBlock, type MessagesBody, plainText } from "./request.ts";
import { TEXT_ONLY } from "./rules.ts";

/** Maximum number of pets or lines in an answer. */
const MOST_NAMED = 10;

/** Names of the sandbox's own connections: of `petstore`, and of each repository. */
export type OwnConnections = Readonly<Record<string, string>>;

type Input = Readonly<Record<string, unknown>>;

/** Tool call of a reply. */
export interface PlannedCall {
	readonly name: string;
	readonly input: Input;
}

/** Call since the last question, with its result. */
interface CallAnswer extends PlannedCall {
	readonly text: string;
	readonly failed: boolean;
}

/** Last question of a conversation, its images, and the calls answered since; `isFirst` until a reply had text. */
export function lastQuestion({ messages }: MessagesBody) {
	const at = messages.findLastIndex(({ role, content }) => role === "user" && isQuestion(content));
	const content = messages[at]?.content ?? "";
	const since = messages.slice(at + 1).flatMap((message) => asBlocks(message.content));
	const results = since.filter((block) => block.type === "tool_result");
	const answers = since.flatMap((block): CallAnswer[] => {
		if (block.type !== "tool_use") return [];
		const { content: told = "", is_error: failed = false } =
			results.find((each) => each.tool_use_id === block.id) ?? {};
		// The line above text of others.
		const text = plainText(told).replace(/^What follows[^\n]*\n/, "");
		return [{ name: block.name, input: block.input, text, failed }];
	});
	const images = asBlocks(content).filter((block) => block.type === "image");
	const isFirst = messages.every(({ role, content }) => role === "user" || plainText(content) === "");
	return { question: withoutAttachments(plainText(content)), images, answers, isNew: since.length === 0, isFirst };
}

/** True for a message with words of the person. A note stands for a result that could not be sent. */
function isQuestion(content: MessagesBody["messages"][number]["content"]): boolean {
	const words = plainText(content);
	return words === "" ? asBlocks(content).some(({ type }) => type === "image") : !words.startsWith("[Result of ");
}

/** Describes the type and the size of an image. */
export function describedImage({ source }: Extract<ContentBlock, { readonly type: "image" }>): string {
	const bytes = Buffer.from(source.data, "base64");
	const { width = 0, height = 0 } = imageSizeOf(bytes) ?? {};
	const kind = imageTypeOf(bytes)?.suffix.toUpperCase();
	return `I see a ${kind} image, ${width} x ${height} pixels.`;
}

/** Titles of known tools by the end of their name, after the owner's prefix. */
const TITLES = {
	read_issue: "Read Issue",
	list_issues: "List Issues",
	find_pets: "Find Pets",
	set_pet_status: "Set Status of Pet",
};

type Tool = keyof typeof TITLES;

interface Wish {
	readonly tool: Tool;
	readonly input: Input;
}

/** Calls that a question asks for, or the next step after the answered calls. */
function wishesOf(question: string, answers: readonly CallAnswer[]): readonly Wish[] {
	const words = question.toLowerCase();
	const repository = /\b(?:of|in|from) ([\w.-]+\/[\w.-]*\w)/i.exec(question)?.[1] ?? "exchange/switchboard";
	const numbers = [...words.matchAll(/(?:issue |#)#?(\d{1,9})/g)].map(([, number]) => Number(number));
	const wishes: Wish[] = [...new Set(numbers)].map((number) => ({ tool: "read_issue", input: { repository, number } }));
	if (words.includes("issues")) wishes.push({ tool: "list_issues", input: { repository } });
	const status = ["pending", "sold"].find((each) => words.includes(each)) ?? "available";
	if (/\bsell\b/.test(words)) wishes.push(saleOf(words, answers));
	else if (words.includes("pets")) wishes.push({ tool: "find_pets", input: { status: [status] } });
	return wishes;
}

/** Sells the named pet, else the first available one, after a search for it. */
function saleOf(words: string, answers: readonly CallAnswer[]): Wish {
	const found = answers.findLast((each) => isCallOf("find_pets", each));
	const pet = /pet #?(\d+)/.exec(words)?.[1] ?? rowsIn(found?.text ?? "")[0]?.["id"];
	if (pet === undefined) return { tool: "find_pets", input: { status: ["available"] } };
	return { tool: "set_pet_status", input: { pet: String(pet), status: "sold" } };
}

function isCallOf(tool: Tool, { name }: { readonly name: string }): boolean {
	return name.endsWith(tool);
}

function rowsIn(text: string): readonly Input[] {
	const lines = text.split("\n").filter((line) => line.startsWith("{"));
	return lines.map(jsonIn).filter((row) => row !== undefined);
}

/** Parses a JSON object; undefined for any other text. */
export function jsonIn(text: string): Input | undefined {
	return parsedJson(map(anything()), text);
}

/** Calls of the reply: those that the question asks for, unless made already or not offered, or one for a fault. */
export function planCalls(body: MessagesBody, fault: MessagesFaults["call"], own: OwnConnections) {
	const { tools = [], tool_choice: choice } = body;
	const { question, answers, isNew } = lastQuestion(body);
	const [first] = tools;
	if (first === undefined) return [];
	const made = fault === "endless" ? [] : answers;
	const wished = wishesOf(question, made).flatMap(({ tool, input: wanted }) => {
		const offered = tools.find((each) => isCallOf(tool, each));
		const connection = own[String(wanted["repository"] ?? "petstore")];
		const takesConnection = "connection" in Object(offered?.input_schema["properties"]);
		const input = connection !== undefined && takesConnection ? { ...wanted, connection } : wanted;
		const isMade = made.some((each) => isCallOf(tool, each) && isDeepStrictEqual(each.input, input));
		return offered === undefined || isMade ? [] : [{ name: offered.name, input }];
	});
	const isForced = isNew && choice?.type === "any";
	const calls = wished.length === 0 && (isForced || fault !== undefined) ? [{ name: first.name, input: {} }] : wished;
	if (fault === "unknown") return calls.map(({ input }) => ({ name: "no_such_tool", input }));
	if (fault === "interleaved") return [...calls, ...calls].slice(0, Math.max(2, calls.length));
	return calls;
}

/** Sentence for each needed tool that is not offered. */
export function missingTools(body: MessagesBody): readonly string[] {
	const { model, tools = [] } = body;
	const { question, answers } = lastQuestion(body);
	const needed = new Set(wishesOf(question, answers).map(({ tool }) => tool));
	const missing = [...needed].filter((tool) => !tools.some((each) => isCallOf(tool, each)));
	if (model === TEXT_ONLY && missing.length > 0)
		return ["This model takes text only: choose the model Sandbox, then ask again."];
	return missing.map((tool) => `Turn on the tool ${TITLES[tool]}, then ask again.`);
}

/** Describes results in prose, without the list for a sale. */
export function answerFrom(answers: readonly CallAnswer[]): string {
	const isSale = answers.some((each) => isCallOf("set_pet_status", each));
	return answers
		.filter((each) => !(isSale && isCallOf("find_pets", each)))
		.map(wordsOf)
		.join("\n\n");
}

function wordsOf(answer: CallAnswer): string {
	const { name, input, text, failed } = answer;
	const shown = (value: unknown) => escapedExcerpt(String(value ?? ""), 200);
	// A person knows a tool by its title.
	const [, title = shown(name.replaceAll("_", " "))] = Object.entries(TITLES).find(([end]) => name.endsWith(end)) ?? [];
	if (failed && /denied|not allow/i.test(text)) return "You did not allow that, so I have changed nothing.";
	if (failed) return `**${title}** failed: ${shown(text)}`;
	if (isCallOf("set_pet_status", answer)) {
		const pet = jsonIn(text)?.["pet"] ?? {};
		return `**${shown(Object(pet).name || `Pet ${input["pet"]}`)}** is ${shown(input["status"])} now.`;
	}
	if (isCallOf("find_pets", answer)) {
		const rows = rowsIn(text);
		const total = Number(/^\d+ of (\d+) pets/m.exec(text)?.[1] ?? rows.length);
		const items = rows.slice(0, MOST_NAMED).map((pet) => `- ${shown(pet["name"] || "(no name)")}`);
		const rest = total > items.length ? [`- and ${total - items.length} more`] : [];
		return [`Pets that are ${shown(input["status"])}: ${total}`, "", ...items, ...rest].join("\n");
	}
	if (isCallOf("read_issue", answer)) {
		const [head = "", ...body] = text.split("\n\n");
		const [about = "", state = ""] = head.split("\n");
		const says = body.find((paragraph) => /^[\w"'*`]/.test(paragraph)) ?? "It has no description.";
		const [, number, heading] = /^Issue (#\d+) of [^:]+: (.*)/.exec(about) ?? [];
		const words = shown(says.replaceAll(/[*`]/g, ""));
		return [`**${shown(`${number} ${heading}`)}** (${shown(state.replace("State: ", ""))})`, words].join("\n\n");
	}
	const lines = text.split("\n").filter((line) => line !== "");
	return [`**${title}**`, "", ...lines.slice(0, MOST_NAMED).map((line) => `- ${shown(line)}`)].join("\n");
}
