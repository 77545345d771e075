import * as vscode from "vscode";
import type { Snapshot } from "#app/chat/attachments.ts";
import { expandPrompt } from "#app/chat/prompts.ts";
import type { SettingKey } from "#app/settings.ts";
import type { ContextToHost, ToPanel } from "#protocol/panel.ts";
import { promptPlace } from "../from-editor.ts";
import { syntheticRow } from "../kit/tree.ts";
import { savedPrompts } from "../settings.ts";
import { findFiles, findIssues, findOrders, findPets, type Suggestion } from "./find.ts";
import { SOURCES, type SourceRooms } from "./sources.ts";

const MOST = 40;

/** Time after which the panel gets an empty list during a search, in ms. */
const LOOKING_MS = 150;

const MENTIONS: readonly (readonly [kind: keyof typeof SOURCES, detail: string, search?: string])[] = [
	["selection", "what is selected in the editor"],
	["file", "by its name", "file"],
	["problems", "of the workspace"],
	["diff", "what has changed in git"],
	["terminal", "its last command with the output"],
	["issue", "of your repositories", "issue"],
	["issues", "all of a repository", "issue"],
	["pet", "of your pet stores", "pet"],
	["order", "of your pet stores", "order"],
];

const SEARCHES = new Map(Object.entries({ file: findFiles, issue: findIssues, pet: findPets, order: findOrders }));

/** Suggestions for text after an `@` or a `/`. */
export class Suggestions {
	readonly #parts: SourceRooms;
	#rows = new Map<string, Suggestion>();
	#search = new vscode.CancellationTokenSource();

	constructor(parts: SourceRooms) {
		this.#parts = parts;
	}

	/** Posts results as they are found, and cancels the search before. */
	async list(
		{ trigger, query, request }: Extract<ContextToHost, { type: "suggest" }>,
		post: (message: ToPanel) => void,
	): Promise<void> {
		this.#search.cancel();
		this.#search = new vscode.CancellationTokenSource();
		const { token } = this.#search;
		const found = new Map<string, Suggestion>();
		const tell = (rows: readonly Suggestion[], more: boolean) => {
			if (token.isCancellationRequested) return;
			// A row that is found again stays in its place.
			for (const row of rows) if (found.has(row.id) || found.size < MOST) found.set(row.id, row);
			this.#rows = found;
			const items = [...found.values()].map(({ take: _take, ...view }) => view);
			post({ type: "suggestions", request, items, more: more && found.size < MOST });
		};
		const looking = setTimeout(() => {
			if (found.size === 0) tell([], true);
		}, LOOKING_MS);
		const steps = trigger === "/" ? prompts(query) : this.#mentions(query, token);
		try {
			for await (const rows of steps) {
				if (token.isCancellationRequested || found.size >= MOST) break;
				if (rows.length > 0) tell(rows, true);
			}
		} finally {
			clearTimeout(looking);
			// Ends the progress, even without a result.
			tell([], false);
		}
	}

	/** Reads the chosen row, if it is there. Rejects if it cannot be read. */
	async take(id: string): Promise<Snapshot | string | undefined> {
		return this.#rows.get(id)?.take?.();
	}

	async *#mentions(query: string, token: vscode.CancellationToken): AsyncGenerator<readonly Suggestion[]> {
		const [, kind = "", rest = ""] = /^(file|issue|pet|order)s?[: ](.*)$/s.exec(query) ?? [];
		const find = SEARCHES.get(kind);
		if (find !== undefined) {
			yield* find(rest.trim(), { ...this.#parts, token });
			return;
		}
		const word = query.toLowerCase();
		const named = MENTIONS.filter(([name]) => name.startsWith(word));
		yield named.map(([name, detail, search]): Suggestion => {
			const row = { id: name, kind: name, label: `@${name}`, detail };
			if (search !== undefined) return { ...row, next: `${search}:` };
			return { ...row, take: async () => SOURCES[name]({ argument: undefined, row: syntheticRow({}) }, this.#parts) };
		});
		if (word !== "") yield* findFiles(query, { ...this.#parts, token });
	}
}

async function* prompts(query: string): AsyncGenerator<readonly Suggestion[]> {
	const word = query.toLowerCase();
	const saved = savedPrompts();
	yield saved
		.filter(({ name }) => name.toLowerCase().startsWith(word))
		.map(({ name, text }) => ({
			id: `/${name}`,
			kind: "prompt",
			label: `/${name}`,
			detail: text.trim().split("\n", 1)[0] ?? "",
			take: () => expandPrompt(text, promptPlace()),
		}));
	if (word !== "") return;
	const take = () => {
		const key: SettingKey = "switchboard.chat.prompts";
		void vscode.commands.executeCommand("workbench.action.openSettings", key);
		return "";
	};
	const detail = saved.length === 0 ? "none is saved yet" : "in the settings";
	yield [{ id: "settings", kind: "settings", label: "Edit prompts", detail, take }];
}
