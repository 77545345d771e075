import * as vscode from "vscode";
import { ATTACHMENT_KIND, type AttachmentKind } from "#app/chat/attachments.ts";
import { PROMPT_NAME } from "#app/chat/prompts.ts";
import { CHAT_SCHEME, VIEWS } from "#app/contributions.ts";
import { allOptional, flag, int64, optional, refine, text, trimmed } from "#base/schema.ts";
import { sizeOf } from "#base/tokens.ts";
import { ISSUE } from "../codehost/issue-commands.ts";
import { activeFile, fileSnapshot, hasSelection, isImageFile, selectionSnapshot } from "../from-editor.ts";
import { type Call, givenIn, onRows } from "../kit/command.ts";
import { askChoice, askText, BACK, type Choice, leadTo, OPEN_CHAT } from "../kit/prompts.ts";
import type { Row } from "../kit/rows.ts";
import { syntheticRow } from "../kit/tree.ts";
import { PET } from "../petstore/chosen-pets.ts";
import { savedPrompts, savePrompt } from "../settings.ts";
import { terminalSelection } from "../terminals.ts";
import { type ChatRoom, define, defineHidden, inChat } from "./chat-room.ts";
import { type Getter, kindOfRow, SOURCES } from "./sources.ts";

const NAME = refine(trimmed(), (name) =>
	PROMPT_NAME.test(name) ? undefined : "must be a word of at most 50 characters without / in it",
);

/** Commands about the draft. */
export const CONTEXT_COMMANDS = [
	define("switchboard.chat.ask", "Ask in Chat", {
		icon: "comment-discussion",
		menus: [
			{ menu: "editor/context", when: "editorHasSelection", group: "1_chat@10" },
			{ menu: "terminal/context", when: "terminalTextSelected", group: "1_chat@1" },
			{ menu: "explorer/context", when: "!explorerResourceIsFolder", group: "5_switchboard@1" },
			{ menu: "editor/title", when: "activeCustomEditorId == imagePreview.previewEditor", group: "navigation@3" },
			onRows(VIEWS.issues, "=~ /^issue\\b/", "inline@1", "2_chat@1"),
			onRows(VIEWS.issues, "== group", "2_chat@1"),
			onRows(VIEWS.pets, "=~ /^pet\\b/ && !listMultiSelection", "1_open@1"),
			onRows(VIEWS.store, "== order", "1_open@2"),
		],
		input: {
			kind: optional(ATTACHMENT_KIND),
			conversation: optional(trimmed()),
			uri: optional(trimmed()),
			staged: optional(flag()),
			...allOptional({ ...ISSUE, ...PET, id: int64() }),
		},
		gives: ["{conversation, id, label, bytes, tokens}"],
		async run(call, room) {
			const { argument } = call;
			const { id: conversation } = await room.conversations.require(argument?.conversation);
			const done = async () => (argument === undefined ? room.panels.reveal() : undefined);
			const [attached] = await room.attachments.attachAll(await meantBy(call, room), { conversation, done });
			return attached && { conversation, id: attached.id, label: attached.label, ...sizeOf(attached.text) };
		},
	}),
	defineHidden("switchboard.chat.showRequest", "Show Request", {
		menus: [inChat("0_message@2")],
		input: { conversation: optional(trimmed()), message: optional(trimmed()), text: optional(text({ min: 1 })) },
		gives: ["{method, url, headers, body, note?}"],
		async run({ argument = {} }, { conversations, documentsChanged, request }) {
			const { conversation = conversations.active.id, message, text: typed } = argument;
			const wanted = { conversation, message, text: typed };
			const sent = await request(wanted);
			const name = message === undefined ? "Next Request" : "Request";
			const uri = vscode.Uri.from({ scheme: CHAT_SCHEME, path: `/${name}.json`, query: JSON.stringify(wanted) });
			// It may be on screen, with an earlier text.
			documentsChanged.fire(uri);
			await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: true });
			return sent;
		},
	}),
	define("switchboard.chat.savePrompt", "Save as Prompt...", {
		menus: [inChat("0_message@3")],
		input: { name: NAME, text: trimmed() },
		gives: ["{name}"],
		async run({ argument }, { conversations, store }) {
			const written = argument?.text ?? store.drafts.of(conversations.active.id).text.trim();
			if (written === "") {
				leadTo("The composer is empty. Write the prompt there first.", OPEN_CHAT);
				return undefined;
			}
			const name = argument?.name ?? (await askName());
			if (name === undefined) return undefined;
			await savePrompt({ name, text: written });
			return { name };
		},
	}),
];

/** Row for a command on files of the explorer or on a terminal; undefined for any other call. */
export function subjectRow(given: unknown, selected: unknown): Row | undefined {
	if (vscode.window.terminals.some((terminal) => terminal === given)) return syntheticRow({ terminal: true });
	if (!(given instanceof vscode.Uri)) return undefined;
	const chosen = Array.isArray(selected) ? selected.filter((each: unknown) => each instanceof vscode.Uri) : [];
	// In an image's viewer the image is meant, in a text editor its selection.
	const uris = chosen.length === 0 && isImageFile(given) ? [given] : chosen;
	return syntheticRow({ files: uris.map(String) });
}

/** Subject of a call: files, what a row or the fields name, or else the selection or the file in front. */
async function meantBy(call: Call<{ readonly kind?: AttachmentKind }>, room: ChatRoom): Promise<readonly Getter[]> {
	const { argument, row } = call;
	if (argument === undefined && row === undefined) return askWhat(room);
	const files = row?.fields["files"];
	if (Array.isArray(files) && files.length > 0) {
		return files.map((file) => () => fileSnapshot(vscode.Uri.parse(String(file), true)));
	}
	if (row?.fields["terminal"] === true) return [terminalSelection];
	const kind = argument?.kind ?? kindOfRow(givenIn(call) ?? {});
	const isAlike = ({ fields }: Row) => kindOfRow(fields) === kind;
	const rows = call.rows?.filter(isAlike) ?? [row];
	if (kind !== undefined) return rows.map((each) => () => SOURCES[kind]({ ...call, row: each }, room.sources));
	return [async () => (hasSelection() ? selectionSnapshot() : fileSnapshot(activeFile()))];
}

async function askName(): Promise<string | undefined> {
	const taken = new Set(savedPrompts().map(({ name }) => name));
	const answer = await askText({
		title: "Save as Prompt",
		placeholder: "review",
		prompt: "Name of the prompt. Type / and the name to insert it.",
		check: (name) => (PROMPT_NAME.test(name.trim()) ? undefined : "Enter one word, without a slash."),
		remark: (name) => (taken.has(name.trim()) ? "The prompt of that name will be replaced." : undefined),
	});
	return typeof answer === "string" ? answer.trim() : undefined;
}

/** Asks what to attach; nothing if the person leaves. */
async function askWhat({ sources }: ChatRoom): Promise<readonly Getter[]> {
	const of = (kind: AttachmentKind, argument?: Call["argument"]) => async () => {
		return [() => SOURCES[kind]({ argument, row: undefined }, sources)];
	};
	const problems = () => SOURCES.problems({ argument: { uri: String(activeFile()) }, row: undefined }, sources);
	const choices: Choice<() => Promise<readonly Getter[]>>[] = [
		{ label: "$(selection) Selection", value: of("selection") },
		{ label: "$(file) Active File", value: of("file") },
		{ label: "$(files) Files...", value: pickFiles },
		{ label: "$(warning) Problems of the Active File", value: async () => [problems] },
		{ label: "$(warning) Problems of the Workspace", value: of("problems") },
		{ label: "$(diff) Unstaged Changes", value: of("diff", { staged: false }) },
		{ label: "$(diff) Staged Changes", value: of("diff", { staged: true }) },
		{ label: "$(terminal) Last Terminal Command", value: of("terminal") },
		{ label: "$(issues) Issue...", value: of("issue") },
		{ label: "$(issues) Issues of a Repository...", value: of("issues") },
		{ label: "$(squirrel) Pet...", value: of("pet") },
		{ label: "$(package) Order...", value: of("order") },
	];
	const answer = await askChoice({ title: "Ask in Chat", placeholder: "What should be attached?" }, choices);
	return answer === undefined || answer === BACK ? [] : answer();
}

async function pickFiles(): Promise<readonly Getter[]> {
	const uris = await vscode.window.showOpenDialog({ canSelectMany: true, openLabel: "Attach" });
	return (uris ?? []).map((uri) => () => fileSnapshot(uri));
}
