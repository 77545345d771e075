import * as vscode from "vscode";
import { chooseModel, setAbility } from "#app/chat/choose-model.ts";
import { forkAt } from "#app/chat/fork.ts";
import type { ChatParameters } from "#app/chat/parameters.ts";
import { partsOf, versionsOf } from "#app/chat/parts.ts";
import { fieldsOf } from "#app/chat/request-target.ts";
import type { ChatSession } from "#app/chat/session.ts";
import type { CommandId } from "#app/contributions.ts";
import type { AskedOfMessage, PanelAction } from "#protocol/panel.ts";
import { editByPrompts, replaceSecretByPrompt } from "../connections/ask-connection.ts";
import { notify } from "../kit/prompts.ts";
import { chatParameters } from "../settings.ts";
import type { ChatRoom } from "./chat-room.ts";
import { askModel } from "./model-picker.ts";
import { draft, mayBeAsked, mayBeSent, mayWrite } from "./say.ts";
import { askHowToRegenerate, openReply } from "./version-commands.ts";

/** Limit of a reply below which nothing is worth asking for again, in tokens. */
const LEAST_LIMIT = 512;

/** Handles a button of a message or of the queue. */
export async function askForPanel(asked: AskedOfMessage, room: ChatRoom): Promise<void> {
	const { conversations, store } = room;
	const { active } = conversations;
	if (asked.type === "open-reply") return openReply(asked.message, active, room);
	if (asked.type !== "fork" && !(await mayWrite(active, room))) return;
	/** Id of the last part of a reply that the panel names by its first. */
	const lastOf = (id: string) => partsOf(id, active.entries).at(-1)?.id ?? id;
	switch (asked.type) {
		case "edit-turn": {
			if (asked.text.trim() === "") return;
			const way = active.tree.lineage(asked.message);
			const last = way.at(-1);
			const turn = last?.role === "user" ? last : undefined;
			const isSent =
				!active.busy &&
				turn !== undefined &&
				(await mayBeSent([...way.slice(0, -1), { ...turn, text: asked.text }], active, room));
			if (isSent) return void (await active.edit(asked.message, asked.text));
			// Its editor is closed by now.
			await draft(asked.text, room);
			void notify("Information", "Your edit was not sent. Send it from the message box.");
			return;
		}
		case "regenerate":
		case "regenerate-with": {
			const isPlain = asked.type === "regenerate";
			const change = isPlain ? {} : await backFrom(askHowToRegenerate(asked.message, active, room), room);
			if (change !== undefined && (await mayBeAsked(active, asked.message, room, "again", change.connection))) {
				await active.regenerate(asked.message, change);
			}
			return;
		}
		case "continue":
			return goOn(lastOf(asked.message), active, room);
		case "fork": {
			const fork = forkAt(lastOf(asked.message), active, { conversations, drafts: store.drafts });
			conversations.show(fork.session);
			if (fork.draft !== undefined) await room.panels.tell({ type: "focus" });
			return;
		}
		case "version": {
			const { ids, index } = versionsOf(asked.message, active.tree);
			const id = ids[index + asked.step];
			if (id !== undefined) active.choose(id);
			return;
		}
		case "unqueue":
			active.unqueue(asked.id);
			return;
		case "edit-queued": {
			const turn = active.queue.find(({ id }) => id === asked.id);
			if (turn !== undefined && active.unqueue(asked.id)) await draft(turn.text, room, turn.attachments);
			return;
		}
		case "raise-queued":
			active.raiseQueued(asked.id);
			return;
		case "answer-call":
			// A second click has no effect.
			await active.answerCall(asked.message, asked.key, asked);
			return;
		case "send-queued": {
			const way = active.queuedWay(asked.id);
			const { connection } = active.queue.find(({ id }) => id === asked.id) ?? {};
			// Empty if it was sent since the click.
			if (way.length > 0 && (await mayBeSent(way, active, room, connection))) await active.sendQueued(asked.id);
			return;
		}
		default:
			asked satisfies never;
	}
}

async function goOn(reply: string, session: ChatSession, room: ChatRoom): Promise<void> {
	if (await mayBeAsked(session, reply, room, "further")) await session.continueReply(reply);
}

/** Awaits a prompt, and returns the focus from the editor to the composer. */
async function backFrom<T>(prompts: PromiseLike<T>, room: ChatRoom): Promise<T> {
	const answer = await prompts;
	await room.panels.tell({ type: "focus" });
	return answer;
}

const COMMANDS = {
	attach: "switchboard.chat.attach",
	"add-connection": "switchboard.chat.addConnection",
	"choose-tools": "switchboard.chat.chooseTools",
	"select-connection": "switchboard.chat.selectConnection",
	"choose-effort": "switchboard.chat.selectEffort",
	compact: "switchboard.chat.compact",
	"show-request": "switchboard.chat.showRequest",
	"show-log": "switchboard.showLog",
} as const satisfies Partial<Record<PanelAction, CommandId>>;

function isCommand(action: PanelAction): action is keyof typeof COMMANDS {
	return action in COMMANDS;
}

/** Handles a button of the panel. One that fixes the cause of a failed reply then retries that reply, `message`. */
export async function actForPanel(action: PanelAction, message: string | undefined, room: ChatRoom): Promise<void> {
	const { conversations, registry, models, store } = room;
	const session = conversations.active;
	if (action === "continue-here") return store.continueHere(session);
	const answered = <T>(prompts: PromiseLike<T>) => backFrom(prompts, room);
	if (isCommand(action)) {
		const work = vscode.commands.executeCommand(COMMANDS[action]);
		// An opened document keeps the focus.
		await (action.startsWith("show-") ? work : answered(work));
		return;
	}
	if (action === "try-tools" || action === "try-images") {
		await setAbility(action === "try-tools" ? "tools" : "images", true, session.target, room);
		const isDone = action === "try-images" || room.tools.names(session.facts, session.target.connection).length > 0;
		return isDone ? undefined : actForPanel("choose-tools", message, room);
	}
	if (message !== undefined && !(await mayWrite(session, room))) return;
	const failed = message === undefined ? undefined : partsOf(message, session.entries).at(-1);
	const again = async (change: ChatParameters = {}) => {
		if (failed !== undefined && (await mayBeAsked(session, failed.id, room))) await session.retry(failed.id, change);
	};
	const connection = failed?.connectionId === undefined ? undefined : registry.get(failed.connectionId, "messages");
	const isOwn = connection !== undefined && registry.stored().some(({ id }) => id === connection.id);
	if (connection !== undefined && !isOwn && (action === "set-key" || action === "edit-connection")) {
		void notify("Information", `${connection.label} cannot be changed. Try again, or start it anew.`);
		return;
	}
	switch (action) {
		case "retry":
			return again();
		case "continue":
			if (failed !== undefined) await goOn(failed.id, session, room);
			return;
		case "set-key":
			if (connection !== undefined && (await answered(replaceSecretByPrompt(connection, registry)))) await again();
			return;
		case "edit-connection":
			if (connection !== undefined && (await answered(editByPrompts(connection, registry))) !== undefined) {
				const { model } = registry.get(connection.id, "messages") ?? {};
				const isMeant = model !== undefined && model !== connection.model && !session.facts.parameters?.model;
				// The person has changed the model for this reply.
				await again(isMeant ? { model } : {});
			}
			return;
		case "select-model": {
			const model = connection === undefined ? undefined : await answered(askModel(connection, models, failed?.model));
			if (connection === undefined || model === undefined) return;
			// A service without the model of the settings needs a default of its own.
			const isOwn = connection.model !== undefined || Boolean(session.facts.parameters?.model);
			if (!isOwn) await registry.setModel(connection.id, model);
			await chooseModel(model, session, registry);
			await again({ model });
			return;
		}
		case "raise-max-tokens": {
			if (failed === undefined) return;
			const { parameters } = session.facts;
			const asked = { ...chatParameters(), ...parameters, ...failed.parameters };
			const sent = fieldsOf(asked, models.capabilities(connection, failed.model)).maxTokens;
			// Thinking may have raised it.
			const maxTokens = 2 * Math.max(sent, failed.ended?.reply.usage.outputTokens ?? 0, LEAST_LIMIT);
			session.setFacts({ parameters: { ...parameters, maxTokens } });
			return again({ maxTokens });
		}
		default:
			action satisfies never;
	}
}
