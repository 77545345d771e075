import * as vscode from "vscode";
import type { Attachment, AttachmentKind } from "#app/chat/conversation.ts";
import { isAttachmentKind } from "#app/chat/drafts.ts";
import { isPromptName } from "#app/chat/prompts.ts";
import type { SentRequest } from "#app/chat/request.ts";
import { invalid } from "#base/errors.ts";
import { sizeOf } from "#base/tokens.ts";
import { fieldsOf, optionalText, requiredText } from "../arguments.ts";
import type { Call } from "../kit/call.ts";
import { leadTo, OPEN_CHAT } from "../next-step.ts";
import { askChoice, askText, BACK, type Choice } from "../prompts.ts";
import { savedPrompts, savePrompt } from "../settings.ts";
import { asked, type Row } from "../tree.ts";
import type { AttachmentController } from "./attachment-controller.ts";
import type { AskedRequest, ChatDocuments } from "./chat-documents.ts";
import { activeFile, fileSnapshot, hasSelection, selectionSnapshot } from "./from-editor.ts";
import type { ChatPanels } from "./panels.ts";
import { type Getter, kindOfRow, SOURCES } from "./sources.ts";

/** Collaborators of the commands about the message that is being written. */
export interface ContextParts {
	readonly attachments: AttachmentController;
	readonly documents: ChatDocuments;
	readonly panels: Pick<ChatPanels, "reveal">;
	readonly request: (asked: AskedRequest) => Promise<SentRequest>;
}

/** Something that is attached, as commands tell of it. */
export interface ToldAttachment {
	readonly id: string;
	readonly label: string;
	readonly bytes: number;
	/** An estimate. */
	readonly tokens: number;
}

/** Row for a command that is called on files of the explorer; undefined for any other call. */
export function filesRow(given: unknown, selected: unknown): Row | undefined {
	if (!(given instanceof vscode.Uri)) return undefined;
	const uris = Array.isArray(selected) ? selected.filter((each: unknown) => each instanceof vscode.Uri) : [];
	return asked({ files: uris.map(String) });
}

/** Attaches what is named, what a row stands for, or what the person chooses. */
export async function attach(call: Call, { attachments, panels }: ContextParts): Promise<ToldAttachment | undefined> {
	const { conversations, sources } = attachments.parts;
	const fields = call.row?.fields ?? fieldsOf(call.argument);
	const conversation = optionalText(fields ?? {}, "conversation") ?? conversations.active.id;
	if ((await conversations.open(conversation)) === undefined) {
		throw invalid("messages", "conversation", `"${conversation}" is not one of the conversations`);
	}
	const kind = call.row === undefined ? fields?.["kind"] : kindOfRow(call.row.fields);
	if (fields !== undefined && !isAttachmentKind(kind)) {
		throw invalid("messages", "kind", `must be one of ${Object.keys(SOURCES).join(", ")}`);
	}
	const wanted = isAttachmentKind(kind) ? [() => SOURCES[kind](call, sources)] : await askWhat(attachments);
	const done = async () => (call.argument === undefined ? panels.reveal() : undefined);
	return (await attachments.attachAll(wanted, { conversation, done })).map(told)[0];
}

/** Attaches what is selected, the file in front or the files that are named, and leads the person to the composer. */
export async function ask(call: Call, { attachments, panels }: ContextParts): Promise<{ conversation: string }> {
	const files = call.row?.fields["files"];
	const uris =
		Array.isArray(files) && files.length > 0 ? files.map((file) => vscode.Uri.parse(String(file), true)) : [];
	const here = async () => (hasSelection() ? selectionSnapshot() : fileSnapshot(activeFile()));
	const wanted = uris.length > 0 ? uris.map((uri) => () => fileSnapshot(uri)) : [here];
	await attachments.attachAll(wanted, { done: () => panels.reveal() });
	return { conversation: attachments.parts.conversations.active.id };
}

/** Attaches something of a kind and leads the person to the composer; undefined when they leave before. */
export async function askAbout(
	kind: AttachmentKind,
	call: Call,
	{ attachments, panels }: Pick<ContextParts, "attachments" | "panels">,
): Promise<{ conversation: string } | undefined> {
	const snapshot = await SOURCES[kind](call, attachments.parts.sources);
	if (snapshot === undefined) return undefined;
	await attachments.attach(snapshot);
	await panels.reveal();
	return { conversation: attachments.parts.conversations.active.id };
}

/** Tells what a reply was asked with, or what the next message would be sent as; for a person it is a document. */
export async function showRequest(
	argument: unknown,
	{ attachments, documents, request }: ContextParts,
): Promise<SentRequest | undefined> {
	const fields = fieldsOf(argument) ?? {};
	const conversation = optionalText(fields, "conversation") ?? attachments.parts.conversations.active.id;
	const message = optionalText(fields, "message");
	// Just as a command would send it.
	const text = optionalText(fields, "text") === undefined ? undefined : String(fields["text"]);
	const wanted = { conversation, message, text };
	const sent = await request(wanted);
	await documents.showRequest(wanted);
	return sent;
}

/** Keeps a prompt in the settings: the text that is given, or what is in the composer. */
export async function savePromptOf(
	argument: unknown,
	{ attachments }: ContextParts,
): Promise<{ name: string } | undefined> {
	const fields = fieldsOf(argument);
	const { conversations, drafts } = attachments.parts;
	const text = fields === undefined ? drafts.of(conversations.active.id).text.trim() : requiredText(fields, "text");
	if (text === "") {
		leadTo("The composer is empty. Write the prompt there first.", OPEN_CHAT);
		return undefined;
	}
	const name = fields === undefined ? await askName() : requiredText(fields, "name");
	if (name === undefined) return undefined;
	if (!isPromptName(name)) throw invalid("messages", "name", "must be a word of at most 50 characters without / in it");
	await savePrompt({ name, text });
	return { name };
}

async function askName(): Promise<string | undefined> {
	const taken = new Set(savedPrompts().map(({ name }) => name));
	const answer = await askText({
		title: "Save as Prompt",
		placeholder: "review",
		prompt: "The word by which you will find it behind a /",
		check: (name) => (isPromptName(name.trim()) ? undefined : "Enter one word, without a slash."),
		remark: (name) => (taken.has(name.trim()) ? "The prompt of that name will be replaced." : undefined),
	});
	return typeof answer === "string" ? answer.trim() : undefined;
}

/** Asks the person what to attach; nothing when they leave. */
async function askWhat({ parts: { sources } }: AttachmentController): Promise<readonly Getter[]> {
	const of = (kind: AttachmentKind, argument?: object) => async () => {
		return [() => SOURCES[kind]({ argument, row: undefined }, sources)];
	};
	const choices: Choice<() => Promise<readonly Getter[]>>[] = [
		{ label: "$(selection) Selection", value: of("selection") },
		{ label: "$(file) Active File", value: of("file") },
		{ label: "$(files) Files...", value: pickFiles },
		{ label: "$(warning) Problems of the Active File", value: async () => [() => SOURCES.problems(here(), sources)] },
		{ label: "$(warning) Problems of the Workspace", value: of("problems") },
		{ label: "$(diff) Unstaged Changes", value: of("diff", { staged: false }) },
		{ label: "$(diff) Staged Changes", value: of("diff", { staged: true }) },
		{ label: "$(issues) Issue...", value: of("issue") },
		{ label: "$(issues) Issues of a Repository...", value: of("issues") },
		{ label: "$(squirrel) Pet...", value: of("pet") },
		{ label: "$(package) Order...", value: of("order") },
	];
	const answer = await askChoice({ title: "Attach to Chat", placeholder: "What should be attached?" }, choices);
	return answer === undefined || answer === BACK ? [] : answer();
}

function here(): Call {
	return { argument: { uri: String(activeFile()) }, row: undefined };
}

async function pickFiles(): Promise<readonly Getter[]> {
	const uris = await vscode.window.showOpenDialog({ canSelectMany: true, openLabel: "Attach" });
	return (uris ?? []).map((uri) => () => fileSnapshot(uri));
}

function told({ id, label, text }: Attachment): ToldAttachment {
	return { id, label, ...sizeOf(text) };
}
