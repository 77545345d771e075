import { realpath } from "node:fs/promises";
import { isAbsolute, relative, sep } from "node:path";
import * as vscode from "vscode";
import { LARGEST_ATTACHMENT, type Snapshot } from "#app/chat/attachments.ts";
import { shownType } from "#app/chat/images.ts";
import type { PromptPlace } from "#app/chat/prompts.ts";
import { ClientError } from "#base/errors.ts";
import { LIMITS } from "#base/limits.ts";
import { sizeWords } from "#base/tokens.ts";
import { gitRepositories } from "./git.ts";
import { confirmed } from "./kit/prompts.ts";
import { joinParts } from "./kit/text.ts";
import { lastActiveEditor } from "./last-active-editor.ts";

/** Bytes at the beginning of a file in which binary data shows itself. */
const LOOKED_AT = 8_192;

/** Lines of problems that are attached at most. */
const MOST_PROBLEMS = 1_000;

const SEVERITIES = ["error", "warning", "info", "hint"] as const;

/** Attachment of the selected text. Throws if nothing is selected. */
export function selectionSnapshot(): Snapshot {
	const editor = lastActiveEditor();
	const selections = editor?.selections.filter((each) => !each.isEmpty) ?? [];
	const [first] = selections;
	if (editor === undefined || first === undefined) {
		throw nothing("selection", "Nothing is selected in an editor. Select text and try again.");
	}
	const { document } = editor;
	const sorted = selections.toSorted((a, b) => a.start.compareTo(b.start));
	const from = (sorted[0] ?? first).start.line + 1;
	const { end } = sorted.at(-1) ?? first;
	// A selection that ends at the start of a line does not include it.
	const to = Math.max(from, end.character === 0 ? end.line : end.line + 1);
	return {
		kind: "selection",
		label: `${nameOf(document.uri)}:${from === to ? from : `${from}-${to}`}`,
		text: sorted.map((each) => document.getText(each)).join("\n"),
		source: String(document.uri.with({ fragment: `L${from}-L${to}` })),
		language: document.languageId,
	};
}

/** True if something is selected in the last active editor. */
export function hasSelection(): boolean {
	return lastActiveEditor()?.selections.some((each) => !each.isEmpty) ?? false;
}

/** File of the last active editor. Throws if there is none. */
export function activeFile(): vscode.Uri {
	const uri = lastActiveEditor()?.document.uri;
	if (uri === undefined) throw nothing("file", "No file is active. Open one or click into it, and try again.");
	return uri;
}

/** True if the extension is that of an image that models take. */
export function isImageFile({ path }: vscode.Uri): boolean {
	return /\.(?:png|jpe?g|gif|webp)$/i.test(path);
}

/** Attachment of a file. Asks before it follows a link out of the workspace. Throws for other types or sizes. */
export async function fileSnapshot(uri: vscode.Uri): Promise<Snapshot> {
	const target = await targetOutside(uri);
	const label = target ?? nameOf(uri);
	if (target !== undefined) {
		const detail = "The link leads out of the workspace. What is there will be part of your message.";
		const isMeant = await confirmed(`${nameOf(uri)} is a link to ${target}. Attach it?`, "Attach", detail);
		if (!isMeant) throw new ClientError("messages", "aborted", `${nameOf(uri)} was not attached.`);
	}
	const shared = { kind: "file", label, source: String(uri) } as const;
	const open = vscode.workspace.textDocuments.find((each) => String(each.uri) === String(uri));
	if (open !== undefined) return { ...shared, text: open.getText(), language: open.languageId };
	const { type, size } = await Promise.resolve(vscode.workspace.fs.stat(uri)).catch((cause: unknown) => {
		throw new ClientError("messages", "invalid", `${label} cannot be read.`, { field: "file", cause });
	});
	if (type & vscode.FileType.Directory) throw nothing("file", `${label} is a folder. Attach files.`);
	const most = isImageFile(uri) ? LIMITS.pickedImageBytes : LARGEST_ATTACHMENT;
	if (size > most) throw tooLarge(label, size, most);
	const bytes = await vscode.workspace.fs.readFile(uri);
	if (shownType(bytes) !== undefined) {
		const name = uri.path.split("/").at(-1) ?? label;
		return { ...shared, kind: "image", label: name, text: "", picture: Uint8Array.from(bytes) };
	}
	const isUtf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
	if (!isUtf16 && bytes.subarray(0, LOOKED_AT).includes(0)) {
		throw nothing("file", `${label} is neither text nor a PNG, JPEG, WebP or GIF image.`);
	}
	const language = /\.(\w+)$/.exec(uri.path)?.[1];
	const text = await vscode.workspace.decode(bytes, { uri });
	return { ...shared, text, ...(language === undefined ? {} : { language }) };
}

/** Target of a link that leads out of the workspace; undefined for other files. */
async function targetOutside(uri: vscode.Uri): Promise<string | undefined> {
	if (uri.scheme !== "file" || vscode.workspace.getWorkspaceFolder(uri) === undefined) return undefined;
	const real = ({ fsPath }: vscode.Uri) => realpath(fsPath).catch(() => fsPath);
	const target = await real(uri);
	const roots = await Promise.all((vscode.workspace.workspaceFolders ?? []).map((folder) => real(folder.uri)));
	const ways = roots.map((root) => relative(root, target));
	const isIn = ways.some((way) => !isAbsolute(way) && way.split(sep, 1)[0] !== "..");
	return isIn ? undefined : target;
}

/** Problems of a file, or of the workspace. Throws if there are none. */
export function problemsSnapshot(uri?: vscode.Uri): Snapshot {
	const files =
		uri === undefined ? vscode.languages.getDiagnostics() : [[uri, vscode.languages.getDiagnostics(uri)] as const];
	const all = files.flatMap(([file, problems]) => problems.map((problem) => ({ file, problem })));
	const where = uri === undefined ? "the workspace" : nameOf(uri);
	if (all.length === 0) throw nothing("problems", `There are no problems in ${where}.`);
	const left = all.length - MOST_PROBLEMS;
	// Of too many the errors stay.
	const shown = left > 0 ? all.toSorted((one, other) => one.problem.severity - other.problem.severity) : all;
	const lines = shown.slice(0, MOST_PROBLEMS).map(({ file, problem }) => problemLine(file, problem));
	const more = left > 0 ? [`(${left} more are not shown)`] : [];
	return {
		kind: "problems",
		label: `${all.length} ${all.length === 1 ? "problem" : "problems"} in ${where}`,
		text: [...lines, ...more].join("\n"),
		...(uri === undefined ? {} : { source: String(uri) }),
	};
}

/** Changes in the workspace's repositories: staged, not staged, or both. Throws if there are none. */
export async function diffSnapshot(staged?: boolean): Promise<Snapshot> {
	const repositories = await gitRepositories();
	const found: { readonly title: string; readonly text: string }[] = [];
	for (const repository of repositories) {
		const name = repositories.length > 1 ? ` of ${nameOf(repository.rootUri)}` : "";
		for (const isStaged of [true, false].filter((each) => staged === undefined || each === staged)) {
			const text = await repository.diff(isStaged);
			if (text !== "") found.push({ title: `${isStaged ? "Staged" : "Unstaged"} changes${name}`, text });
		}
	}
	const [first] = found;
	const kind = staged === undefined ? "" : staged ? "staged " : "unstaged ";
	if (first === undefined) throw nothing("diff", `There are no ${kind}changes to attach.`);
	const shared = { kind: "diff", language: "diff" } as const;
	if (found.length === 1) return { ...shared, label: first.title, text: first.text };
	const text = found.map((each) => `${each.title}:\n\n${each.text.trimEnd()}\n`).join("\n");
	return { ...shared, label: staged === undefined ? "Staged and unstaged changes" : "Changes", text };
}

/** Values of the placeholders of prompts, from the last active editor. */
export function promptPlace(): PromptPlace {
	const editor = lastActiveEditor();
	if (editor === undefined) return {};
	return { selection: editor.document.getText(editor.selection), file: nameOf(editor.document.uri) };
}

/** Error for an attachment that is too large. `bytes` is its size, `most` the limit. */
export function tooLarge(label: string, bytes: number, most = LARGEST_ATTACHMENT): ClientError {
	return nothing("attachment", `${label} has ${sizeWords(bytes)}. The limit is ${sizeWords(most)}.`);
}

/** Name of a file for a person. */
function nameOf(uri: vscode.Uri): string {
	return vscode.workspace.asRelativePath(uri);
}

function problemLine(file: vscode.Uri, { range, severity, message, source, code }: vscode.Diagnostic): string {
	const name = typeof code === "object" ? code.value : code;
	const rule = joinParts([source, String(name ?? "")], " ");
	const place = `${nameOf(file)}:${range.start.line + 1}:${range.start.character + 1}`;
	return `${place} ${SEVERITIES[severity]}: ${message}${rule === "" ? "" : ` (${rule})`}`;
}

/** Error for an attachment that is refused, with a complete sentence. */
export function nothing(field: string, sentence: string): ClientError {
	return new ClientError("messages", "invalid", sentence, { field });
}
