import { relative, sep } from "node:path";
import * as vscode from "vscode";
import { askOnce, type ModelReply } from "#app/chat/ask-once.ts";
import { closingIssue, commitQuestion, issueOfBranch, messageIn } from "#app/chat/commit-message.ts";
import type { MessagesConnection } from "#app/connections/connection.ts";
import { CONTEXT, HAS } from "#app/contributions.ts";
import { systemClock } from "#base/clock.ts";
import { costOf, type Price } from "#base/cost.ts";
import { invalid } from "#base/errors.ts";
import { optional, trimmed } from "#base/schema.ts";
import { sizeOf } from "#base/tokens.ts";
import { nothing } from "../from-editor.ts";
import {
	chooseGitRepository,
	type GitRepository,
	gitName,
	gitRepositories,
	remoteOfBranch,
	UNTRACKED,
} from "../git.ts";
import { type Call, givenIn, type MenuEntry, runOn } from "../kit/command.ts";
import { confirmed, notify, sayQuietly } from "../kit/prompts.ts";
import type { Row } from "../kit/rows.ts";
import { syntheticRow } from "../kit/tree.ts";
import { setting } from "../settings.ts";
import { modelReplyWords } from "../words/reply-words.ts";
import { type ChatRoom, define, defineHidden } from "./chat-room.ts";

type CommitCall = Call<{ readonly repository?: string }>;

/** Entry in the title of git's repositories in Source Control, under any of some conditions. */
function inTitle(group: string, ...either: readonly string[]): MenuEntry {
	return { menu: "scm/title", group, when: either.map((each) => `scmProvider == git && ${each}`).join(" || ") };
}

/** Commands about the message of the next commit. */
export const COMMIT_COMMANDS = [
	define("switchboard.chat.writeCommitMessage", "Write Commit Message", {
		// The editor has a sparkle of its own there.
		icon: "edit",
		menus: [inTitle("navigation@1", ...HAS.messages.split(" || ").map((has) => `!${CONTEXT.writesCommit} && ${has}`))],
		input: { repository: optional(trimmed()) },
		gives: ["{repository, message, outcome}"],
		run: runOn(repositoryOf, writeMessage),
	}),
	defineHidden("switchboard.chat.stopCommitMessage", "Stop Writing Commit Message", {
		icon: "stop-circle",
		menus: [inTitle("navigation@1", CONTEXT.writesCommit)],
		gives: ["{stopped}"],
		run() {
			underWay?.abort();
			return { stopped: underWay !== undefined };
		},
	}),
	defineHidden("switchboard.chat.undoCommitMessage", "Undo Commit Message", {
		icon: "discard",
		menus: [inTitle("navigation@2", CONTEXT.wroteCommit)],
		gives: ["{undone}"],
		run({ argument, row }) {
			const held = heldMessage(row?.fields["repository"]);
			if (held !== undefined) held.repository.inputBox.value = held.before;
			else if (argument === undefined) sayQuietly("This box does not hold the message that was written.");
			if (heldMessage() === undefined) setWritten(undefined);
			return { undone: held !== undefined };
		},
	}),
];

/** Row for a command in the title of a repository in Source Control; undefined for any other call. */
export function sourceControlRow(given: unknown): Row | undefined {
	const root: unknown = Object(given).rootUri;
	return root instanceof vscode.Uri ? syntheticRow({ repository: String(root) }) : undefined;
}

/** Repository of a call, its only one, or the one that the person picks. */
async function repositoryOf(call: CommitCall, _: ChatRoom, title: string): Promise<GitRepository | undefined> {
	const all = await gitRepositories();
	const wanted = givenIn(call)?.repository ?? (all.length === 1 ? String(all[0]?.rootUri) : undefined);
	if (wanted === undefined && call.argument === undefined) return chooseGitRepository(title, all);
	const found = all.find(({ rootUri }) => wanted === String(rootUri) || wanted === rootUri.fsPath);
	if (found !== undefined) return found;
	throw invalid("messages", "repository", "must be the folder of an open git repository; of several it names one");
}

/** Staged changes of a repository, else those of its files. Rejects where there are none. */
async function changesOf(repository: GitRepository) {
	await repository.status();
	const staged = await repository.diff(true);
	if (staged !== "") return { diff: staged, untracked: [] };
	const { rootUri, state } = repository;
	const untracked = [...state.workingTreeChanges, ...state.untrackedChanges]
		.filter(({ status }) => status === UNTRACKED)
		.map(({ uri }) => relative(rootUri.fsPath, uri.fsPath).replaceAll(sep, "/"));
	const diff = await repository.diff(false);
	if (diff !== "" || untracked.length > 0) return { diff, untracked };
	throw nothing("repository", `There are no changes in ${gitName(repository)}. Change or stage a file, and try again.`);
}

/** Shows that something is under way in Source Control. */
function inProgress<T>(run: () => Promise<T>): Thenable<T> {
	return vscode.window.withProgress({ location: vscode.ProgressLocation.SourceControl }, run);
}

const NOT_WHOLE = "The commit message may not be whole. Raise the reply limit in the settings, or write it again.";
const EMPTY = "The model gave no message. Try again, or with another.";
/** Pause between two writes into the box: a key that is typed while one is on its way is overwritten. Milliseconds. */
const WRITE_MS = 100;

const PARTLY = "The changes are too large to send whole: the model has seen a part. Check the message, or stage less.";

async function writeMessage(repository: GitRepository, call: CommitCall, room: ChatRoom) {
	const { models, conversations } = room;
	const isAsked = call.argument === undefined;
	// Before anything is written: this takes the focus from where the person may be typing by then.
	if (isAsked && call.row === undefined) await vscode.commands.executeCommand("workbench.scm.focus");
	const changes = await changesOf(repository);
	if (isAsked && conversations.active.target.connection === undefined) await room.addConnection();
	const { connection, model: named } = conversations.active.target;
	if (connection === undefined && isAsked) return undefined;
	if (connection === undefined) throw invalid("messages", "connection", "is missing: there is no connection yet");
	call.connection = connection.id;
	const known = await inProgress(() => models.of(connection));
	const model = models.modelFor(connection, named);
	const { system, text, isCut } = commitQuestion({
		...changes,
		earlier: (await repository.log({ maxEntries: 10 }).catch(() => [])).map(({ message }) => message),
		typed: typedIn(repository),
		instructions: setting("switchboard.chat.commitInstructions"),
		contextTokens: models.capabilities(connection, model).contextTokens,
	});
	const size = { tokens: sizeOf(system + text).tokens, price: known.find(({ id }) => id === model)?.price };
	const ask = `Send the changes in "${gitName(repository)}" to ${connection.label}${model && ` (${model})`}?`;
	if (isAsked && !(await mayBeSent(ask, size, connection, room))) return undefined;
	const messages = [{ role: "user", content: text }] as const;
	const question = { caller: "Commit message", connection: connection.id, messages, parameters: { model, system } };
	let whole = "";
	const isWhole = ({ outcome }: ModelReply) => outcome === "complete" || outcome === "stop-sequence";
	const write = () =>
		writeInto(repository, async (show, signal) => {
			const finding = issueOf(repository, room, signal);
			let timer: vscode.Disposable | undefined;
			const onText = (more: string) => {
				whole += more;
				timer ??= systemClock.after(WRITE_MS, () => {
					timer = undefined;
					show(messageIn(whole));
				});
			};
			const answer = await askOnce(question, room.parts, { signal, onText });
			timer?.dispose();
			show(closingIssue(messageIn(whole), isWhole(answer) ? await finding : undefined));
			return answer;
		});
	const answer = await inProgress(write);
	const { outcome, error } = answer;
	if (outcome !== "stopped" && error !== undefined) throw error;
	const refused = outcome === "refused" ? modelReplyWords(answer, [], connection.label) : undefined;
	const words =
		refused ?? (!isWhole(answer) ? NOT_WHOLE : messageIn(whole) === "" ? EMPTY : isCut ? PARTLY : undefined);
	if (isAsked && outcome !== "stopped" && words !== undefined) void notify("Warning", words);
	return { repository: repository.rootUri.fsPath, message: repository.inputBox.value, outcome };
}

/** Issue that is worked on, or that the branch names if it is among the loaded or newest ones of its added repository. */
async function issueOf(repository: GitRepository, { sources: { issues } }: ChatRoom, stop: AbortSignal) {
	const started = issues.started.referenceOn(repository);
	if (started !== undefined) return started;
	const number = issueOfBranch(repository.state.HEAD?.name ?? "");
	const added = issues.repositories.addedAt(remoteOfBranch(repository));
	if (number === undefined || added === undefined) return undefined;
	const signal = AbortSignal.any([stop, AbortSignal.timeout(10_000)]);
	const find = () => issues.lists.find(added, number, { signal, most: 1_000 }).catch(() => undefined);
	const issue = issues.lists.get(added, number) ?? (await find())?.issue;
	return issue?.isPullRequest === false ? `#${number}` : undefined;
}

/** True if the person agrees to the size and cost, which are told before the first use and above the budget. */
async function mayBeSent(
	question: string,
	{ tokens, price }: { readonly tokens: number; readonly price: Price | undefined },
	{ id }: MessagesConnection,
	{ memory }: ChatRoom,
): Promise<boolean> {
	const told = `switchboard.commitMessages.${id}`;
	const budget = setting("switchboard.chat.contextBudget");
	if (tokens <= budget && memory.get(told) === true) return true;
	const cost = price && costOf({ inputTokens: tokens, outputTokens: 0 }, price);
	const words = (cost ?? 0) < 0.01 ? "less than 0.01" : `about ${cost?.toFixed(2)}`;
	const count = (number: number) => `${number.toLocaleString("en")} tokens`;
	const detail = [
		`The changes and the last ten commit messages are about ${count(tokens)}, without known secrets.`,
		price ? `They cost ${words} ${price.currency}; the reply comes on top.` : "",
		tokens > budget ? `Your budget is ${count(budget)}.` : "You are asked once in this workspace.",
	];
	const isMeant = await confirmed(question, "Write Message", detail.filter(Boolean).join(" "));
	if (isMeant) await memory.set(told, true);
	return isMeant;
}

/** Commit message that a model has written into a box. */
interface WrittenMessage {
	readonly repository: GitRepository;
	/** Text of the person, which it has taken the place of. */
	readonly before: string;
	readonly after: string;
}

let underWay: AbortController | undefined;
let written: WrittenMessage | undefined;
let listening: vscode.Disposable | undefined;

/** Runs what shows a growing message in a box. It is aborted by Stop, and once the person types. */
async function writeInto<T>(
	repository: GitRepository,
	run: (show: (message: string) => void, signal: AbortSignal) => Promise<T>,
): Promise<T> {
	if (underWay !== undefined) throw nothing("repository", "A commit message is being written. Stop it first.");
	const { inputBox } = repository;
	const before = typedIn(repository);
	// The editor reports each text back, also those that have been replaced by then.
	const shown = new Set([inputBox.value]);
	const abort = new AbortController();
	setUnderWay(abort);
	try {
		return await run((message) => {
			// What the person types is theirs for good.
			if (!shown.has(inputBox.value)) shown.clear();
			if (shown.size === 0) abort.abort();
			if (shown.size === 0 || message === "") return;
			shown.add(message);
			inputBox.value = message;
		}, abort.signal);
	} finally {
		setUnderWay(undefined);
		const after = inputBox.value;
		if (shown.size > 1 && shown.has(after)) setWritten({ repository, before, after });
	}
}

/** Text of the person in a box: what a message of ours has taken the place of, else what is there. */
function typedIn({ rootUri, inputBox }: GitRepository): string {
	return heldMessage(String(rootUri))?.before ?? inputBox.value;
}

/** Last message, as long as its box holds it; `root` is the repository that is meant, if one is. */
function heldMessage(root?: unknown): WrittenMessage | undefined {
	const { repository, after } = written ?? {};
	const isMeant = root === undefined || root === String(repository?.rootUri);
	return isMeant && repository?.inputBox.value === after ? written : undefined;
}

function setUnderWay(abort: AbortController | undefined): void {
	underWay = abort;
	void vscode.commands.executeCommand("setContext", CONTEXT.writesCommit, abort !== undefined);
}

function setWritten(message: WrittenMessage | undefined): void {
	listening?.dispose();
	written = message;
	listening = message?.repository.state.onDidChange(() => heldMessage() ?? setWritten(undefined));
	void vscode.commands.executeCommand("setContext", CONTEXT.wroteCommit, message !== undefined);
}
