import assert from "node:assert/strict";
import { test } from "node:test";
import type { QuickPickItem } from "vscode";
import { fakeVscode } from "../../../support/fake-vscode.ts";
import { settle } from "../../../support/scripted-sender.ts";

const noEvent = () => undefined;
const SEPARATOR = -1;
/** A list that highlights the first row of all that it is given, as the editor does. */
const pick = {
	value: "",
	activeItems: [] as readonly QuickPickItem[],
	all: [] as readonly QuickPickItem[],
	get items() {
		return pick.all;
	},
	set items(items) {
		pick.all = items;
		pick.activeItems = items.filter(({ kind }) => kind !== SEPARATOR).slice(0, 1);
	},
	onDidTriggerButton: noEvent,
	onDidTriggerItemButton: noEvent,
	onDidAccept: noEvent,
	onDidHide: noEvent,
	onDidChangeValue: noEvent,
	show: noEvent,
};
const { askName } = await import("#editor/kit/prompts.ts");

test("the highlight stays on its row when more rows come above it", async () => {
	fakeVscode({ window: { createQuickPick: () => pick }, QuickPickItemKind: { Separator: SEPARATOR } });
	let names = ["b", "c"];
	const row = (name: string) => ({ label: name, value: name });
	const more = Promise.withResolvers<void>();
	void askName<string>(
		{ title: "", placeholder: "" },
		{
			rows: () => [{ label: "Pinned", kind: SEPARATOR, value: "c" }, ...names.map(row)],
			key: (name) => name,
			typed: () => undefined,
			later: [more.promise],
			press: async () => undefined,
		},
	);
	const highlighted = () => pick.activeItems.map(({ label }) => label);
	pick.activeItems = pick.items.slice(-1);
	names = ["a", "b", "c"];
	more.resolve();
	await settle();
	assert.deepEqual([pick.items.length, highlighted()], [4, ["c"]]);
});
