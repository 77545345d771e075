import { writeSync } from "node:fs";
import { stat } from "node:fs/promises";
import { createTransport } from "#api/http/undici-transport.ts";
import { MessagesClient } from "#api/messages/client.ts";
import { defaultPatience } from "#api/messages/model.ts";
import { replyText } from "#app/chat/conversation.ts";
import { ConversationStore } from "#app/chat/conversation-store.ts";
import { Conversations } from "#app/chat/conversations.ts";
import { RefusedParameters } from "#app/chat/refused-parameters.ts";
import { ToolApprovals } from "#app/chat/tool-box.ts";
import { headersOf } from "#app/connections/messages-profiles.ts";
import { capabilitiesOf } from "#app/connections/model-capabilities.ts";
import { ConnectionRegistry } from "#app/connections/registry.ts";
import { Vault } from "#app/connections/vault.ts";
import { systemClock } from "#base/clock.ts";
import { Redactor } from "#base/redaction.ts";
import { ConversationFiles } from "#editor/chat/conversation-files.ts";
import { MemoryLog, MemorySecrets, MemorySettings, MemoryStore } from "../../support/memory-editor.ts";

/** What a process of its own says in a conversation. */
export interface ChatTask {
	readonly folder: string;
	readonly baseUrl: string;
	readonly key: string;
	readonly conversation: string;
	/** Said one after the other. */
	readonly turns: readonly string[];
	/** How the sandbox replies. */
	readonly faults: object;
	/** True if text is typed meanwhile. */
	readonly types?: boolean;
}

/** One sign of life: how much there is so far. Milliseconds since 1970, and characters. */
export interface ChatSign {
	readonly at: number;
	/** Turns whose request has left. */
	readonly asked: number;
	/** Of the reply under way. */
	readonly received: number;
	readonly typed: number;
	/** How long a file operation takes, or a timer is late, just now at worst; about a millisecond unless the machine is busy. */
	readonly lag: number;
}

/** How often a process gives a sign of life. Milliseconds. */
const BEAT_MS = 10;

/** The parts of a window's chat as they are in the product; what the editor would keep is in memory. */
async function run({ folder, baseUrl, key, conversation, turns, faults, types }: ChatTask): Promise<void> {
	const clock = systemClock;
	const log = new MemoryLog();
	const redactor = new Redactor();
	const transport = createTransport();
	const registry = new ConnectionRegistry({
		settings: new MemorySettings(),
		vault: new Vault(new MemorySecrets(), redactor, log),
		clock,
		log,
		probe: async () => ({ ms: 1, status: 200 }),
	});
	const connection = await registry.add({ service: "messages", label: "Sandbox", baseUrl, profile: "sandbox" }, key);
	const secretFilter = {
		ready: async () => undefined,
		redact: <T>(value: T) => redactor.leaving(value),
		heldBack: (text: string) => redactor.heldBack(text),
	};
	const store = new ConversationStore({ files: new ConversationFiles(folder), clock, log, secretFilter }, process.pid);
	let asked = 0;
	let received = 0;
	let typed = 0;
	const lags: number[] = [];
	let due = 0;
	const measureLag = async () => {
		const begun = performance.now();
		lags.push(begun - due);
		due = begun + BEAT_MS;
		await stat(folder);
		lags.push(performance.now() - begun);
		lags.splice(0, lags.length - 100);
	};
	const tell = () => {
		const sign: ChatSign = { at: Date.now(), asked, received, typed, lag: Math.max(0, ...lags) };
		// At once: what was not told yet would go with the process.
		writeSync(1, `${JSON.stringify(sign)}\n`);
	};
	const conversations = new Conversations(
		{
			registry,
			clock,
			log,
			secretFilter,
			refused: new RefusedParameters(new MemoryStore()),
			capabilities: capabilitiesOf,
			approvals: new ToolApprovals(new MemoryStore()),
			toolRounds: () => 25,
			open: async (_, secret) => {
				const profile = headersOf("sandbox");
				const client = new MessagesClient({
					transport,
					clock,
					patience: defaultPatience,
					endpoint: { baseUrl, profile, key: secret },
				});
				return {
					listModels: async () => null,
					reread: async (models) => models,
					send: (request, options) => {
						asked += 1;
						tell();
						return client.send(request, options);
					},
				};
			},
			defaults: () => ({ maxTokens: 100_000 }),
			modelFor: (_, named) => named || "sandbox",
			loadModels: async () => undefined,
			chosen: () => registry.get(connection.id, "messages"),
			save: (session) => store.save(session),
		},
		store,
	);
	const session = (await conversations.open(conversation)) ?? conversations.create(conversation);
	session.onDidChange((event) => {
		if (event.type !== "block") return;
		received = replyText(event.entry.reply).length;
		tell();
	});
	due = performance.now() + BEAT_MS;
	const beating = setInterval(() => {
		if (types === true) {
			typed += 1;
			store.drafts.set(conversation, { text: "x".repeat(typed), attachments: [] });
		}
		void measureLag();
		tell();
	}, BEAT_MS);
	for (const text of turns) await session.send(text, { parameters: { metadata: { sandbox: faults } } });
	clearInterval(beating);
	await store.flush();
	store.dispose();
	await transport.close();
	for (const line of log.lines.filter((each) => each.includes("could not"))) process.stderr.write(`${line}\n`);
}

const [, , task] = process.argv;
if (import.meta.main && task !== undefined) await run(JSON.parse(task));
