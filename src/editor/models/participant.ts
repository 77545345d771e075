import * as vscode from "vscode";
import type { InputMessage } from "#api/messages/model.ts";
import { callsOf, type ReceivedCall } from "#api/messages/tool-calls.ts";
import { askOnce } from "#app/chat/ask-once.ts";
import { type Snapshot, turnText } from "#app/chat/attachments.ts";
import type { ToolCall } from "#app/chat/conversation.ts";
import { inputMessages } from "#app/chat/input-messages.ts";
import { limitedCalls, MessageBudget } from "#app/chat/message-budget.ts";
import type { ReplyParts } from "#app/chat/reply-under-way.ts";
import { failedCall } from "#app/chat/tool-box.ts";
import { fileSnapshot } from "../chat/from-editor.ts";
import { modelReplyWords } from "../reply-words.ts";
import { toolRounds } from "../settings.ts";
import { partsText } from "./history.ts";
import type { ToolRooms } from "./tool.ts";
import { definitionOf, offeredTools, prepareTool, signalOf } from "./tools.ts";

/**
 * Answers `@switchboard` in the editor's own Chat, through the connection that the panel uses too. A tool that writes is
 * called by the editor, which asks the person first.
 */
export async function answerInChat(
	request: vscode.ChatRequest,
	{ history }: vscode.ChatContext,
	response: vscode.ChatResponseStream,
	token: vscode.CancellationToken,
	parts: Omit<ReplyParts, "tools"> & { readonly toolRooms: ToolRooms },
): Promise<vscode.ChatResult> {
	const connection = parts.chosen();
	const signal = signalOf(token);
	const tools = offeredTools(parts.toolRooms).map(definitionOf);
	const rounds = toolRounds();
	const budget = new MessageBudget();
	const before = await Promise.all(history.map((turn) => messageOf(turn)));
	let messages: readonly InputMessage[] = [...before, await messageOf(request, (words) => response.progress(words))];
	for (let round = 0; round < rounds && !budget.isExceeded; round++) {
		const onText = (text: string) => response.markdown(text);
		const answer = await askOnce({ connection: connection?.id, messages, tools }, parts, { signal, onText });
		const received = limitedCalls(callsOf(answer.reply, answer.outcome, tools));
		if (answer.outcome !== "tool-use" || received.length === 0) {
			if (connection === undefined) {
				response.button({ command: "switchboard.chat.addConnection", title: "Add a Key" });
			}
			const message = modelReplyWords(answer, received, connection?.label ?? "");
			return message === undefined ? {} : { errorDetails: { message } };
		}
		// One after the other: a later one may count on what an earlier one writes.
		const calls: ToolCall[] = [];
		const rooms = parts.toolRooms;
		for (const call of received) calls.push(await called(call, request, response, { token, rooms, budget }));
		const recipient = {
			...parts.capabilities(connection, answer.model),
			model: answer.model,
			connectionId: connection?.id,
		};
		messages = [...messages, ...inputMessages([{ ...answer.entry, calls }], recipient)];
	}
	return { errorDetails: { message: `Paused after ${budget.spent}. Send a message to continue.` } };
}

/** Runs a call to its end; what goes wrong is a result that says so. */
async function called(
	call: ReceivedCall,
	{ toolInvocationToken }: vscode.ChatRequest,
	response: vscode.ChatResponseStream,
	{ token, rooms, budget }: { token: vscode.CancellationToken; rooms: ToolRooms; budget: MessageBudget },
): Promise<ToolCall> {
	const { key, id, name } = call;
	const ended = { key, id, name, title: name, icon: "tools" };
	if ("fault" in call) return { ...ended, state: "refused", result: call.fault };
	const result = budget.refusal();
	if (result !== undefined) return { ...ended, state: "refused", result };
	return budget.call(async () => {
		try {
			const { title, permission, run } = prepareTool(name, call.input, rooms);
			response.progress(title);
			// Its requests count only where it is run from here.
			if (permission === undefined) return { ...ended, state: "done", result: await run(signalOf(token)) };
			const { content } = await vscode.lm.invokeTool(name, { input: call.input, toolInvocationToken }, token);
			return { ...ended, state: "done", result: partsText(content) };
		} catch (error) {
			return { ...ended, ...failedCall(error) };
		}
	});
}

/** A turn of the conversation; of a reply the editor keeps what was shown. */
async function messageOf(
	turn: vscode.ChatRequest | vscode.ChatRequestTurn | vscode.ChatResponseTurn,
	tell = (_: string) => {},
): Promise<InputMessage> {
	if ("response" in turn) {
		const texts = turn.response.map((part) =>
			part instanceof vscode.ChatResponseMarkdownPart ? part.value.value : "",
		);
		return { role: "assistant", content: texts.join("") };
	}
	const attached: Snapshot[] = [];
	for (const reference of turn.references) {
		await snapshotOf(reference).then(
			(snapshot) => attached.push(snapshot),
			(error: unknown) => tell(`Not sent: ${error instanceof Error ? error.message : String(error)}`),
		);
	}
	return { role: "user", content: turnText(turn.prompt, attached) };
}

/** Snapshot of something attached in the editor's own Chat. Rejects where it is no text. */
async function snapshotOf({ id, modelDescription, value }: vscode.ChatPromptReference): Promise<Snapshot> {
	if (value instanceof vscode.Uri) {
		const file = await fileSnapshot(value);
		if (file.picture === undefined) return file;
		throw new Error(`${file.label} is an image. Attach it in the Switchboard chat.`);
	}
	if (typeof value === "string") return { kind: "text", label: modelDescription ?? id, text: value };
	if (!(value instanceof vscode.Location)) throw new Error(`${modelDescription ?? id} is no text.`);
	const { uri, range } = value;
	const document = await vscode.workspace.openTextDocument(uri);
	const file = await fileSnapshot(uri);
	const label = `${file.label}:${range.start.line + 1}-${range.end.line + 1}`;
	return { ...file, kind: "selection", label, text: document.getText(range) };
}
