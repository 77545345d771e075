import * as vscode from "vscode";
import type { Attachment } from "#app/chat/attachments.ts";
import { chooseModel } from "#app/chat/choose-model.ts";
import type { Conversations } from "#app/chat/conversations.ts";
import type { Drafts } from "#app/chat/drafts.ts";
import { forkAt } from "#app/chat/fork.ts";
import type { ModelLists } from "#app/chat/model-lists.ts";
import type { ChatParameters } from "#app/chat/parameters.ts";
import { partsOf, versionsOf } from "#app/chat/parts.ts";
import type { ConnectionRegistry } from "#app/connections/registry.ts";
import type { AskedOfMessage, PanelAction } from "#protocol/panel.ts";
import { editByPrompts, replaceSecretByPrompt } from "../connections/edit-connection.ts";
import { withoutLinks } from "../kit/plain.ts";
import { mayBeAsked, mayBeSent } from "./budget-question.ts";
import { askModel, raiseMaxTokens } from "./chat-commands.ts";
import { askHowToRegenerate } from "./version-commands.ts";

/** Collaborators of the panel's buttons. */
export interface ActionParts {
	readonly conversations: Conversations;
	readonly registry: ConnectionRegistry;
	readonly models: ModelLists;
	/** Leads the person to the composer. */
	readonly reveal: () => Promise<void>;
}

/** Collaborators of the buttons of messages and of the queue. */
interface AskParts extends ActionParts {
	readonly drafts: Drafts;
	/** Puts text into the composer, below what is typed there, and attaches more to it. */
	readonly draft: (text: string, attachments?: readonly Attachment[]) => Promise<void>;
}

/** Does what a button of a message or of the queue asks for. */
export async function askForPanel(
	asked: AskedOfMessage,
	{ conversations, registry, models, drafts, reveal, draft }: AskParts,
): Promise<void> {
	const { active } = conversations;
	const { system } = active.facts.parameters ?? {};
	/** Id of the last part of a reply, which the panel knows by its first. */
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
				(await mayBeSent([...way.slice(0, -1), { ...turn, text: asked.text }], system));
			if (isSent) {
				await active.edit(asked.message, asked.text);
				return;
			}
			// Its editor is closed by now: the text would be lost.
			await draft(asked.text);
			const isGone = turn === undefined;
			const why = isGone
				? "the message is not here any more"
				: active.busy
					? "a reply is under way"
					: "it is too large";
			const words = `What you edited was not sent, for ${why}. It is in the message box: send it from there.`;
			void vscode.window.showInformationMessage(words);
			return;
		}
		case "regenerate":
			if (await mayBeAsked(active, asked.message)) await active.regenerate(asked.message);
			return;
		case "regenerate-with": {
			const change = await backFrom(askHowToRegenerate(asked.message, active, { registry, models }), reveal);
			if (change !== undefined && (await mayBeAsked(active, asked.message))) {
				await active.regenerate(asked.message, change);
			}
			return;
		}
		case "continue": {
			const last = lastOf(asked.message);
			if (await mayBeAsked(active, last, "further")) await active.continueReply(last);
			return;
		}
		case "fork": {
			// A second click, while the page has yet to show the fork that the first has made.
			if (asked.conversation !== active.id) return;
			const fork = forkAt(lastOf(asked.message), active, { conversations, drafts });
			conversations.show(fork.session);
			if (fork.draft !== undefined) await reveal();
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
			if (turn !== undefined && active.unqueue(asked.id)) await draft(turn.text, turn.attachments);
			return;
		}
		case "send-queued":
			if (await mayBeSent(active.queuedWay(asked.id), system)) await active.sendQueued(asked.id);
	}
}

/** Answer of a prompt; the keyboard, which prompts leave in the editor, is led back to the composer. */
async function backFrom<T>(prompts: PromiseLike<T>, reveal: () => Promise<void>): Promise<T> {
	const answer = await prompts;
	await reveal();
	return answer;
}

/**
 * Does what a button in the panel asks for. What mends a failed reply asks for that reply again as soon as it is
 * mended, so that nobody has to type a message twice.
 */
export async function actForPanel(
	action: PanelAction,
	message: string | undefined,
	{ conversations, registry, models, reveal }: ActionParts,
): Promise<void> {
	const session = conversations.active;
	const answered = <T>(prompts: PromiseLike<T>) => backFrom(prompts, reveal);
	const failed = message === undefined ? undefined : partsOf(message, session.entries).at(-1);
	const again = async (change: ChatParameters = {}) => {
		if (failed !== undefined && (await mayBeAsked(session, failed.id))) await session.retry(failed.id, change);
	};
	const connection = failed?.connectionId === undefined ? undefined : registry.get(failed.connectionId, "messages");
	const isOwn = connection !== undefined && registry.stored().some(({ id }) => id === connection.id);
	if (connection !== undefined && !isOwn && (action === "set-key" || action === "edit-connection")) {
		const words = `${connection.label} cannot be changed. Try again, or start it anew.`;
		void vscode.window.showInformationMessage(withoutLinks(words));
		return;
	}
	switch (action) {
		case "retry":
			await again();
			return;
		case "continue":
			if (failed !== undefined && (await mayBeAsked(session, failed.id, "further"))) {
				await session.continueReply(failed.id);
			}
			return;
		case "set-key":
			if (connection !== undefined && (await answered(replaceSecretByPrompt(connection, registry)))) await again();
			return;
		case "edit-connection":
			if (connection !== undefined && (await answered(editByPrompts(connection, registry))) !== undefined) {
				const { model } = registry.get(connection.id, "messages") ?? {};
				const isMeant = model !== undefined && model !== connection.model && !session.facts.parameters?.model;
				// Whatever was asked here before: the person has changed it for this reply.
				await again(isMeant ? { model } : {});
			}
			return;
		case "add-connection":
			if ((await answered(vscode.commands.executeCommand("switchboard.chat.addConnection"))) !== undefined)
				await again();
			return;
		case "select-model": {
			const model = connection === undefined ? undefined : await answered(askModel(connection, models, failed?.model));
			if (connection === undefined || model === undefined) return;
			// A service that does not know the model of the settings needs one of its own, in every conversation.
			const isOwn = connection.model !== undefined || Boolean(session.facts.parameters?.model);
			if (!isOwn) await registry.setModel(connection.id, model);
			await chooseModel(model, session, registry);
			await again({ model });
			return;
		}
		case "raise-max-tokens": {
			const maxTokens = failed && (await answered(raiseMaxTokens(failed, session)));
			if (maxTokens !== undefined) await again({ maxTokens });
			return;
		}
		case "send-without": {
			const field = failed?.ended?.error?.field;
			if (failed && field !== undefined) await models.refused.set(failed.connectionId, failed.model, field);
			await again();
			return;
		}
		case "select-connection":
			await answered(vscode.commands.executeCommand("switchboard.chat.selectConnection"));
			return;
		case "show-log":
			await vscode.commands.executeCommand("switchboard.showLog");
			return;
	}
}
