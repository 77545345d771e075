import { imageSizeOf, imageTypeOf } from "#base/image.ts";
import { escapedExcerpt, withoutAttachments } from "./answer.ts";
import type { MessagesFaults } from "./faults.ts";
import { asBlocks, type ContentBlock, type MessagesBody, plainText } from "./request.ts";
import { TEXT_ONLY } from "./rules.ts";

/** Repository that issues are read from where nothing names another. */
const SEEDED = "exchange/switchboard";

/** Pets and lines that an answer names. */
const MOST_NAMED = 10;

type Input = Readonly<Record<string, unknown>>;

/** Call of a tool that a reply makes. */
export interface PlannedCall {
	readonly name: string;
	readonly input: Input;
}

/** Call that was made since the last question, with its result. */
interface CallAnswer extends PlannedCall {
	readonly text: string;
	readonly failed: boolean;
}

type BlockOf<T extends ContentBlock["type"]> = Extract<ContentBlock, { readonly type: T }>;

/** The last question of a conversation, with its images, and the calls that were answered since. */
export function lastQuestion({ messages }: MessagesBody) {
	const at = messages.findLastIndex(({ role, content }) => role === "user" && isQuestion(content));
	const content = messages[at]?.content ?? "";
	const since = messages.slice(at + 1).flatMap((message) => asBlocks(message.content));
	const results = since.filter((block) => block.type === "tool_result");
	const answers = since.flatMap((block): CallAnswer[] => {
		if (block.type !== "tool_use") return [];
		const { content: told = "", is_error: failed = false } =
			results.find((each) => each.tool_use_id === block.id) ?? {};
		// Tools may say first that others wrote what follows.
		const text = plainText(told).replace(/^What follows[^\n]*\n/, "");
		return [{ name: block.name, input: block.input, text, failed }];
	});
	const images = asBlocks(content).filter((block) => block.type === "image");
	return { question: withoutAttachments(plainText(content)), images, answers, isNew: since.length === 0 };
}

/** A message with results is one where the person has said something too; what could not be sent as a result is a note. */
function isQuestion(content: MessagesBody["messages"][number]["content"]): boolean {
	const words = plainText(content);
	return words === "" ? asBlocks(content).some(({ type }) => type === "image") : !words.startsWith("[Result of ");
}

/** Sentence about an image: its type and its size. */
export function describedImage({ source }: BlockOf<"image">): string {
	const bytes = Buffer.from(source.data, "base64");
	const { width = 0, height = 0 } = imageSizeOf(bytes) ?? {};
	const kind = imageTypeOf(bytes)?.suffix.toUpperCase();
	return `I see a ${kind} image of ${bytes.length.toLocaleString("en")} bytes, ${width} x ${height} pixels.`;
}

/** Tool that answers know by its name, and by its title in the editor. */
interface Tool {
	readonly name: RegExp;
	readonly title: string;
	readonly isWrite?: true;
}

/** Something to be found out, or done, with one tool. */
interface Wish {
	readonly tool: Tool;
	/** Undefined where the result of the wish before it, empty if no tool has it, leaves nothing to do. */
	input(before: string): Input | undefined;
	readonly before?: Wish;
}

const READ_ISSUE: Tool = { name: /read.*issue/i, title: "Read Issue" };
const LIST_ISSUES: Tool = { name: /list.*issues/i, title: "List Issues" };
const FIND_PETS: Tool = { name: /find.*pets/i, title: "Find Pets" };
const SET_STATUS: Tool = { name: /set.*pet.*status/i, title: "Set Status of Pet", isWrite: true };
const PLACE_ORDER: Tool = { name: /place.*order/i, title: "Place Order", isWrite: true };
const GET_INVENTORY: Tool = { name: /inventory/i, title: "Get Inventory" };
const LIST_REPOSITORIES: Tool = { name: /list.*repositor/i, title: "List Repositories" };
const REPOSITORY = /(?<![\w./-])[\w.-]+\/[\w.-]*\w(?![\w/])/;

function wishesOf({ messages }: MessagesBody, question: string): readonly Wish[] {
	const said = messages.filter(({ role }) => role === "user").map(({ content }) => plainText(content));
	const words = [question, ...said.toReversed()].flatMap((text) => [...text.matchAll(/\b(?:of|in|from)\s+(\S+)/gi)]);
	const named = words.flatMap(([, word = ""]) => REPOSITORY.exec(word) ?? [])[0];
	const inRepository = (tool: Tool, input: Input): Wish => ({
		tool,
		input: (list) => ({ repository: named ?? repositoryIn(list), ...input }),
		...(named === undefined && { before: { tool: LIST_REPOSITORIES, input: () => ({}) } }),
	});
	const numbers = [...question.matchAll(/(?:\bissue\s+#?|#)(\d{1,9})\b/gi)].map(([, number]) => Number(number));
	const status = /\b(?:available|pending|sold)\b/i.exec(question)?.[0].toLowerCase() ?? "available";
	const isSale = /\bsell\b/i.test(question);
	const isTrade = isSale || /\b(?:buy|order)\b.*\bpet\b/i.test(question);
	const pets: Wish = { tool: FIND_PETS, input: () => ({ status: isTrade ? "available" : status }) };
	const trade: Wish = {
		tool: isSale ? SET_STATUS : PLACE_ORDER,
		input(found) {
			const pet = /\bpet\s+#?(\d{1,19})\b/i.exec(question)?.[1] ?? rowsIn(found)[0]?.["id"];
			return pet === undefined ? undefined : { pet: String(pet), ...(isSale ? { status: "sold" } : { quantity: 1 }) };
		},
		before: pets,
	};
	const asksForPets = /\bpets\b/i.test(question) && !/\bhow many\b/i.test(question);
	return [
		...numbers.map((number) => inRepository(READ_ISSUE, { number })),
		...(/\bissues\b/i.test(question) ? [inRepository(LIST_ISSUES, {})] : []),
		...(isTrade ? [trade] : asksForPets ? [pets] : []),
		...(/\binventory\b|\bhow many pets\b/i.test(question) ? [{ tool: GET_INVENTORY, input: () => ({}) }] : []),
	];
}

/** The sandbox's own repository where a list has it, for it has the issues that are asked for, else the first. */
function repositoryIn(list: string): string {
	return list.includes(SEEDED) ? SEEDED : (REPOSITORY.exec(list)?.[0] ?? SEEDED);
}

/** Objects of a result with one JSON object a line. */
function rowsIn(text: string): readonly Input[] {
	const lines = text.split("\n").filter((line) => line.startsWith("{"));
	return lines.map(jsonIn).filter((row) => row !== undefined);
}

/** The object, or the items of the list, that a text of JSON holds; undefined for any other text. */
export function jsonIn(text: string): Input | undefined {
	try {
		const value: unknown = JSON.parse(text);
		return typeof value === "object" && value !== null ? Object.fromEntries(Object.entries(value)) : undefined;
	} catch {
		return undefined;
	}
}

/**
 * Calls that the reply makes: those that the last question wishes for, as far as they were not made yet and the tools that
 * are offered take them. A fault makes a call where nothing is wished for.
 */
export function planCalls(body: MessagesBody, fault: MessagesFaults["call"]): readonly PlannedCall[] {
	const { tools = [], tool_choice: choice } = body;
	const { question, answers, isNew } = lastQuestion(body);
	const [first] = tools;
	if (first === undefined) return [];
	const made = fault === "endless" ? [] : answers;
	const wished = wishesOf(body, question).flatMap((wish) => callFor(wish, tools, made) ?? []);
	const unique = wished.filter((call, at) => wished.findIndex((each) => isSame(each, call)) === at);
	const isForced = isNew && choice?.type === "any";
	const plain = unique.length === 0 && (isForced || fault !== undefined) ? [{ name: first.name, input: {} }] : unique;
	if (fault === "unknown") return plain.map(({ input }) => ({ name: "no_such_tool", input }));
	if (fault === "interleaved") return [...plain, ...plain].slice(0, Math.max(2, plain.length));
	return plain;
}

/** Sentence for each tool that the last question needs and that is not offered. */
export function missingTools(body: MessagesBody): readonly string[] {
	const { model, tools = [] } = body;
	if (model === TEXT_ONLY) return [];
	const missing = wishesOf(body, lastQuestion(body).question).filter(
		(wish) => !tools.some(({ name }) => wish.tool.name.test(name)),
	);
	return [...new Set(missing.map(({ tool }) => tool))].map(
		({ title, isWrite }) => `Turn on the tool ${title} to let me ${isWrite ? "do that" : "look"}.`,
	);
}

/** Call that a wish needs next; undefined where it was made, or cannot be. */
function callFor(
	wish: Wish,
	offered: NonNullable<MessagesBody["tools"]>,
	answers: readonly CallAnswer[],
): PlannedCall | undefined {
	const tool = offered.find(({ name }) => wish.tool.name.test(name));
	if (tool === undefined) return undefined;
	const { before } = wish;
	const call = before && callFor(before, offered, answers);
	if (call !== undefined) return call;
	const earlier = before && answers.findLast(({ name }) => before.tool.name.test(name));
	if (earlier?.failed === true) return undefined;
	const wanted = wish.input(earlier?.text ?? "");
	if (wanted === undefined) return undefined;
	const known = jsonIn(JSON.stringify(tool.input_schema["properties"] ?? {})) ?? {};
	// A tool takes only the fields that it names, some of them as lists.
	const fields = Object.entries(wanted).filter(([name, value]) => name in known && value !== undefined);
	const isList = (name: string) => JSON.stringify(known[name]).includes('"array"');
	const input = Object.fromEntries(fields.map(([name, value]) => [name, isList(name) ? [value] : value]));
	const next = { name: tool.name, input };
	return answers.some((each) => isSame(each, next)) ? undefined : next;
}

function isSame(one: PlannedCall, other: PlannedCall): boolean {
	return one.name === other.name && JSON.stringify(one.input) === JSON.stringify(other.input);
}

/** Results in prose. Only a step on the way, such as the list that a pet was chosen from, is left out. */
export function answerFrom(answers: readonly CallAnswer[]): string {
	const isTrade = answers.some(({ name }) => SET_STATUS.name.test(name) || PLACE_ORDER.name.test(name));
	const isStep = ({ name }: CallAnswer) => LIST_REPOSITORIES.name.test(name) || (isTrade && FIND_PETS.name.test(name));
	const last = answers.at(-1);
	const told = answers.filter((each) => each.failed || each === last || !isStep(each)).map(wordsOf);
	return [...told, "I'm the **built-in sandbox**, not a model: that is what the tools returned."].join("\n\n");
}

function wordsOf({ name, input, text, failed }: CallAnswer): string {
	const shown = (value: unknown) => escapedExcerpt(String(value ?? ""), 200);
	if (failed && /\b(?:denied|not allow)/i.test(text))
		return `You did not allow \`${name}\`, so I have changed nothing.`;
	if (failed) return `\`${name}\` failed: ${shown(text)}`;
	if (READ_ISSUE.name.test(name)) return issueWords(text);
	const rows = rowsIn(text);
	if (FIND_PETS.name.test(name)) {
		const total = /^\d+ of (\d+) pets/m.exec(text)?.[1] ?? rows.length;
		const items = rows.slice(0, MOST_NAMED).map((pet) => `- **${shown(pet["name"])}**, pet ${shown(pet["id"])}`);
		const left = Number(total) - items.length;
		const head = `The store has ${total} pet${total === "1" ? "" : "s"} that are ${shown(input["status"])}.`;
		return [head, "", ...items, ...(left > 0 ? [`- and ${left} more`] : [])].join("\n").trim();
	}
	if (rows.length > 0 && SET_STATUS.name.test(name))
		return `Pet ${shown(input["pet"])} is ${shown(input["status"])} now.`;
	if (rows.length > 0 && PLACE_ORDER.name.test(name)) return `An order was placed for pet ${shown(input["pet"])}.`;
	const facts = (row: Input) =>
		Object.entries(row).flatMap(([fact, value]) => (typeof value === "object" ? [] : `${fact}: ${value}`));
	const lines = rows.length > 0 ? rows.map((row) => facts(row).join("; ")) : text.split("\n");
	return [`\`${name}\` says:`, "", ...lines.slice(0, MOST_NAMED).map((line) => `- ${shown(line)}`)].join("\n");
}

/** Summary of an issue: its head, its facts, and the first line of its description that is no heading. */
function issueWords(text: string): string {
	const head = /^Issue #\d+ of .*$/m.exec(text);
	const [facts = "", ...body] = text.slice(head?.index).split("\n\n");
	const [first = ""] = /^[^#\s].*$/m.exec(body.join("\n")) ?? [];
	const [title = "", ...others] = facts
		.split("\n")
		.filter((fact) => !fact.startsWith("Address:"))
		.map((fact) => escapedExcerpt(fact, 200));
	const says = first === "" ? [] : [`It says: “${escapedExcerpt(first.replaceAll(/[*`]/g, ""), 200)}”`];
	return [`**${title}**`, `${others.join("; ")}.`, ...says].join("\n\n");
}
