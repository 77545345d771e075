import assert from "node:assert/strict";
import { test } from "node:test";
import { CONTRACT_CAPABILITIES } from "#app/connections/model-capabilities.ts";
import { chatParts, MESSAGES } from "../../support/chat-parts.ts";
import { bridge, localChat, type Part, type Respond, SURFACE_API, type Surface } from "../../support/chat-surfaces.ts";
import { fakeVscode } from "../../support/fake-vscode.ts";
import { type Replay, reply, sse } from "../../support/replay-server.ts";
import { clientAt, replayServer } from "../messages/client-at.ts";

const { startModels } = await import("#editor/models/models.ts");
const vscode = await import("vscode");
const failing = (code: string) => (words: string) => Object.assign(new Error(words), { code });
const failures = ["NoPermissions", "NotFound", "Blocked"].map((code) => [code, failing(code)]);
Object.assign(vscode.LanguageModelError, Object.fromEntries(failures));

const { LanguageModelTextPart: Text, LanguageModelDataPart: Data, LanguageModelToolResultPart: Result } = SURFACE_API;

const server = replayServer();

const SURFACES: Readonly<Record<string, (respond: Respond, connection: string) => Surface>> = {
	"the local chat": localChat,
	"the bridge": bridge,
	"a bridge that returns markers": (respond, connection) => bridge(respond, connection, { marks: true }),
};

const ABLE = { tools: true, toolChoice: true, images: true, thinking: "adaptive", efforts: ["low", "high"] } as const;

/** Tools of a surface. */
const TOOLS = ["read_issue", "find_pets"].map((name) => ({ name, description: name, inputSchema: { type: "object" } }));

/** A block of a reply, and all of its text, thinking, signature or input. */
type Said = { readonly [Kind in "text" | "thinking" | "signature" | "redacted" | "call" | "input"]?: string };

/** A stream with these blocks, and its end: a stop reason, or none for a stream that breaks off. */
function says(blocks: readonly Said[], stop?: string, more: readonly string[] = []): Replay {
	const frames = blocks.flatMap(({ text, thinking, signature, redacted, call, input = "{}" }, index) => {
		const start = (block: object) => sse({ type: "content_block_start", index, content_block: block });
		const delta = (piece: object) => sse({ type: "content_block_delta", index, delta: piece });
		return [
			...(text === undefined ? [] : [start({ type: "text", text: "" }), delta({ type: "text_delta", text })]),
			...(thinking === undefined
				? []
				: [start({ type: "thinking", thinking: "" }), delta({ type: "thinking_delta", thinking })]),
			...(signature === undefined ? [] : [delta({ type: "signature_delta", signature })]),
			...(redacted === undefined ? [] : [start({ type: "redacted_thinking", data: redacted })]),
			...(call === undefined
				? []
				: [
						start({ type: "tool_use", id: `id.${index}`, name: call, input: {} }),
						delta({ type: "input_json_delta", partial_json: input }),
					]),
			sse({ type: "content_block_stop", index }),
		];
	});
	const begun = { id: "msg_1", model: "m", role: "assistant", usage: { input_tokens: 12 } };
	const ended = { delta: { stop_reason: stop }, usage: { output_tokens: 4_096 } };
	const end = stop === undefined ? more : [sse({ type: "message_delta", ...ended }), sse({ type: "message_stop" })];
	const body = [sse({ type: "message_start", message: begun }), ...frames, ...end].join("");
	return { bytes: reply(body, { headers: { "content-type": "text/event-stream" } }) };
}

/** What a law says of a surface, with the provider, a service that gives these replies, and what it was sent. */
interface Law {
	readonly replies: readonly Replay[];
	readonly check: (
		surface: Surface,
		given: {
			readonly sent: () => readonly Sent[];
			/** Cancels the request; `late` has what was reported after that. */
			readonly stop: () => void;
			readonly late: readonly Part[];
			/** Another conversation. */
			readonly other: Surface;
		},
	) => Promise<void>;
}

/** A request as it came over the wire. */
interface Sent {
	readonly system?: string;
	readonly messages: readonly { readonly role: string; readonly content: unknown }[];
	readonly [field: string]: unknown;
}

const user = (text: string): readonly Part[] => [new Text(text)];
const done = (text: string) => says([{ text }], "end_turn");

const GO_ON = 'Say "go on" to continue.';
const REFUSED = JSON.stringify({ error: { type: "invalid_request_error", message: "m does not support tools" } });
const BUSY = sse({ type: "error", error: { type: "overloaded_error", message: "Busy" } });

/** Ends of a reply with these blocks: its outcome in words, and the next step of one with text. */
const ENDINGS: readonly {
	readonly name: string;
	readonly end: (blocks: readonly Said[]) => Replay;
	readonly title: string;
	readonly step: string;
}[] = [
	{ name: "cut off", end: (blocks) => says(blocks, "max_tokens"), title: "Cut off at 4,096 tokens.", step: GO_ON },
	{
		name: "refused",
		end: (blocks) => says(blocks, "refusal"),
		title: "A declined to continue.",
		step: "Rephrase your message.",
	},
	{
		name: "paused",
		// A whole call would be run.
		end: ([first = {}]) => says([first], "pause_turn"),
		title: "The reply ended with “pause_turn”.",
		step: GO_ON,
	},
	{
		name: "interrupted",
		end: (blocks) => says(blocks),
		title: "A ended the stream before the reply was complete.",
		step: GO_ON,
	},
	{
		name: "failed midway",
		end: (blocks) => says(blocks, undefined, [BUSY]),
		title: "A is overloaded: Busy.",
		step: GO_ON,
	},
	{
		name: "ended by a broken call",
		end: (blocks) => says([...blocks, { call: "find_pets", input: "{" }], "tool_use"),
		title: "find_pets: Its input is not a JSON object.",
		step: "Ask again.",
	},
];

const LAWS: Readonly<Record<string, Law>> = {
	"a text comes whole, with its tokens": {
		replies: [done("Hello."), done("Yes.")],
		async check(surface, { sent }) {
			assert.deepEqual(await surface.ask("m", user("Hi")), { text: "Hello.", calls: [], usage: [12, 4_096] });
			await surface.ask("m", user("And?"));
			assert.deepEqual(
				sent()[1]?.messages.map(({ content }) => content),
				["Hi", "Hello.", "And?"],
			);
		},
	},
	...Object.fromEntries(
		ENDINGS.flatMap(({ name, end, title, step }): [string, Law][] => [
			[
				`a reply ${name} keeps its text and ends in a line of ours`,
				{
					replies: [end([{ text: "One *two*" }, { call: "read_issue" }]), done("Yes.")],
					async check(surface, { sent }) {
						const { text, ...others } = await surface.ask("m", user("Hi"), { tools: TOOLS });
						assert.equal(text, `One *two*\n\n\u2063*${title} ${step}*`);
						assert.deepEqual([others.calls, others.error], [[], undefined]);
						await surface.ask("other", user(`You said: ${text}`));
						const [, reply, last] = sent()[1]?.messages ?? [];
						assert.deepEqual([reply?.content, last?.content], ["One *two*", `You said: ${text}`]);
					},
				},
			],
			[
				`a reply ${name} without text is an error with the reason`,
				{
					replies: [end([{ thinking: "hm" }, { call: "read_issue" }])],
					async check(surface) {
						const { text, error = "" } = await surface.ask("m", user("Hi"), { tools: TOOLS });
						assert.equal(text, "");
						assert.ok(error.startsWith(`${title} `) && !error.includes(GO_ON), error);
					},
				},
			],
		]),
	),
	"a complete reply without text and calls is an error with the next step": {
		replies: [says([{ thinking: "hm" }], "end_turn")],
		async check(surface) {
			const { text, error } = await surface.ask("m", user("Hi"), { tools: TOOLS });
			assert.deepEqual([text, error], ["", "m replied without any text. Ask again."]);
		},
	},
	...Object.fromEntries(
		[
			["1. So:\n   ~~~ts\n   let a", "\n   ~~~"],
			["1. ```sh\n   npm i", "\n   ```"],
			["10. ```sh\n    npm i\n    ```\n11. ```sh\n    npm t\n    ```\nThen run", ""],
			["- a\n  - ~~~\n    - ~~~\n    x", "\n    ~~~"],
		].map(([said = "", end = ""], position): [string, Law] => [
			`the last line stands below code that was cut off, even in a list (${position})`,
			{
				replies: [says([{ text: said }], "max_tokens"), done("Yes.")],
				async check(surface, { sent }) {
					const { text } = await surface.ask("m", user("Hi"));
					assert.match(text.slice((said + end).length), /^\n\n\u2063+\*Cut off/);
					assert.ok(text.startsWith(said + end), text);
					await surface.ask("m", user("Go on"));
					assert.equal(sent()[1]?.messages[1]?.content, said);
				},
			},
		]),
	),
	"a last line of the model's own is sent again": {
		replies: [done('Well.\n\n*Cut off at 9 tokens. Say "go on" to continue.*'), done("Yes.")],
		async check(surface, { sent }) {
			const { text } = await surface.ask("m", user("Hi"));
			await surface.ask("m", user("Go on"));
			assert.equal(sent()[1]?.messages[1]?.content, text);
		},
	},
	"a stopped reply keeps its text, and nothing comes behind it": {
		replies: [{ ...says([{ text: "One" }]), after: "stay" }],
		async check(surface, { stop, late }) {
			const { text, error } = await surface.ask("m", user("Hi"), { heard: stop });
			assert.deepEqual([text, error, late], ["One", undefined, []]);
		},
	},
	"a reply stopped before its text is a cancellation": {
		replies: [{ ...says([]), after: "stay" }],
		async check(surface, { stop }) {
			setTimeout(stop, 20);
			const { error } = await surface.ask("m", user("Hi"));
			assert.equal(error, "CancellationError");
		},
	},
	"a loop of tools keeps its thinking, its calls and their results": {
		replies: [
			says(
				[
					{ thinking: "h\\m ü", signature: "c2ln" },
					{ redacted: "ZGF0YQ==" },
					{ thinking: "", signature: "b21pdHRlZA==" },
					{ text: "I look." },
					{ call: "read_issue", input: '{"number":12}' },
					{ call: "find_pets" },
				],
				"tool_use",
			),
			done("Both."),
			done("Yes."),
		],
		async check(surface, { sent }) {
			const { text, calls, error } = await surface.ask("m", user("Hi"), { tools: TOOLS, effort: "high" });
			assert.deepEqual([text, error], ["I look.", undefined]);
			assert.deepEqual(
				calls.map(({ name, input }) => [name, input]),
				[
					["read_issue", { number: 12 }],
					["find_pets", {}],
				],
			);
			const results = calls.map(({ callId, name }) => new Result(callId, user(`of ${name}`)));
			await surface.ask("m", results.toReversed(), { tools: TOOLS, effort: "high" });
			const thoughts = [
				{ type: "thinking", thinking: "h\\m ü", signature: "c2ln" },
				{ type: "redacted_thinking", data: "ZGF0YQ==" },
				{ type: "thinking", thinking: "", signature: "b21pdHRlZA==" },
			];
			const said = { type: "text", text: "I look." };
			const use = (index: number, name: string, input: object) => ({
				type: "tool_use",
				id: `id.${index}`,
				name,
				input,
			});
			const answer = (index: number, content: string) => ({ type: "tool_result", tool_use_id: `id.${index}`, content });
			assert.deepEqual(sent()[1]?.messages.slice(1), [
				{
					role: "assistant",
					content: [...thoughts, said, use(4, "read_issue", { number: 12 }), use(5, "find_pets", {})],
				},
				{ role: "user", content: [answer(5, "of find_pets"), answer(4, "of read_issue")] },
			]);
			await surface.ask("other", user("And you?"), { tools: TOOLS });
			assert.deepEqual([sent()[2]?.messages[1]?.content].flat()[0], said, "thinking of another model");
		},
	},
	"thinking without a signature comes back while its tools run": {
		replies: [says([{ thinking: "hm" }, { call: "find_pets" }], "tool_use"), done("None.")],
		async check(surface, { sent }) {
			const { calls } = await surface.ask("m", user("Hi"), { tools: TOOLS });
			await surface.ask("m", [new Result(calls[0]?.callId ?? "", user("none"))], { tools: TOOLS });
			assert.deepEqual([sent()[1]?.messages[1]?.content].flat()[0], { type: "thinking", thinking: "hm" });
		},
	},
	"an effort is sent, and Auto sends none": {
		replies: [done("Hello.")],
		async check(surface, { sent }) {
			for (const effort of ["high", "auto"]) await surface.ask("m", user("Hi"), { effort });
			const [high, auto] = sent();
			assert.deepEqual([high?.["thinking"], high?.["output_config"]], [{ type: "adaptive" }, { effort: "high" }]);
			assert.deepEqual([auto?.["thinking"], auto?.["output_config"]], [undefined, undefined]);
		},
	},
	"an image goes to a model that sees, and is a line for another": {
		replies: [done("A dot.")],
		async check(surface, { sent }) {
			const image = new Data(Buffer.from("89504e470d0a1a0a", "hex"), "image/png");
			await surface.ask("m", [...user("What?"), image]);
			await surface.ask("plain", user("And you?"));
			const source = { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" };
			assert.deepEqual([sent()[0]?.messages[0]?.content].flat()[1], { type: "image", source });
			assert.match(String(sent()[1]?.messages[0]?.content), /^What\?\n\[Left out: image\/png, 8 bytes\]/);
		},
	},
	"a model without tools answers without them, and says so once": {
		replies: [done("In words."), done("Again."), says([{ text: "Cut" }], "max_tokens")],
		async check(surface, { sent, other }) {
			const { text, error } = await surface.ask("plain*", user("Hi"), { tools: TOOLS });
			assert.match(text, /^In words\.\n\n\u2063\*plain has no tools here and answered without them\. .*\*$/);
			assert.equal(error, undefined);
			assert.equal((await surface.ask("plain*", user("And?"), { tools: TOOLS })).text, "Again.");
			const [first, second] = sent();
			assert.match(first?.system ?? "", /You have no tools here/);
			assert.deepEqual([first?.["tools"], second?.messages[1]?.content], [undefined, "In words."]);
			const cut = await other.ask("plain*", user("Hi"), { tools: TOOLS });
			assert.match(cut.text, /^Cut\n\n\u2063\*plain has no tools .* Cut off at 4,096 tokens\. .*\*$/);
		},
	},
	"a service that refuses the tools is asked without them, and that is said": {
		replies: [{ bytes: reply(REFUSED, { status: "400 No" }) }, done("In words.")],
		async check(surface, { sent }) {
			const { text } = await surface.ask("m", user("Hi"), { tools: TOOLS });
			assert.match(text, /^In words\.\n\n\u2063\*m has no tools here/);
			const [first, second] = sent();
			assert.ok(first?.["tools"] !== undefined && first.system === undefined);
			assert.match(second?.system ?? "", /You have no tools here/);
		},
	},
};

/** The provider, with a service that gives these replies. */
async function setUp(replies: readonly Replay[]) {
	fakeVscode({ workspace: { getConfiguration: () => ({ get: () => true }) }, ...SURFACE_API });
	const { parts, registry, refused } = chatParts();
	const { baseUrl, requests } = server.play(...replies);
	const { id } = await registry.add(MESSAGES, "key-12345");
	const capabilities = (_: unknown, model: string) => {
		return { ...CONTRACT_CAPABILITIES, ...(!model.startsWith("plain") && ABLE), ...refused.abilities(id, model) };
	};
	const open = async () => clientAt(baseUrl, { maxAttempts: 1 });
	// What is not there is not used.
	const of = <T>(value: object) => value as T;
	const rooms = { ...parts, capabilities, open };
	const { provider } = startModels(of<Parameters<typeof startModels>[0]>(rooms));
	type Given = Parameters<typeof provider.provideLanguageModelChatResponse>;
	const stops: (() => void)[] = [];
	const late: Part[] = [];
	const respond: Respond = (model, messages, options, report) =>
		provider.provideLanguageModelChatResponse(
			of<Given[0]>({ id: `${id}/${model}`, version: model, name: model }),
			of<Given[1]>(messages),
			of<Given[2]>({ requestInitiator: "core", toolMode: 1, ...options }),
			// Surfaces take nothing more after a cancellation.
			{ report: (part) => (stops.length > 0 ? report : (each: Part) => late.push(each))(of<Part>(part)) },
			of<Given[4]>({ onCancellationRequested: (listener: () => void) => stops.push(listener) }),
		);
	const stop = () => {
		for (const listener of stops.splice(0)) listener();
	};
	const sent = () => requests.map(({ body }): Sent => JSON.parse(body));
	return { respond, id, sent, stop, late };
}

for (const [law, { replies, check }] of Object.entries(LAWS)) {
	test(law, { timeout: 60_000 }, async (context) => {
		for (const [name, open] of Object.entries(SURFACES)) {
			await context.test(name, async () => {
				const { respond, id, ...given } = await setUp(replies);
				await check(open(respond, id), { ...given, other: open(respond, id) });
			});
		}
	});
}
