import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** The name of the plain tree's view, as it stands in its head. */
export const PLAIN_VIEW = "Plain Tree";

/** Shows the view of the plain tree. */
export const PLAIN_FOCUS = "benchPlain.focus";

/**
 * Writes an extension whose view shows what the Issues view shows, without a service and with nothing to work out: one
 * repository, rows by the hundred and a Load More that adds the next hundred. What paging costs there is what the
 * editor's own tree costs.
 */
export async function writePlainTree(folder: string): Promise<void> {
	const home = join(folder, "plain");
	await mkdir(home, { recursive: true });
	await writeFile(join(home, "package.json"), JSON.stringify(MANIFEST));
	await writeFile(join(home, "main.cjs"), PROGRAM);
}

const MANIFEST = {
	name: "plain",
	publisher: "bench",
	version: "0.0.0",
	engines: { vscode: "^1.106.0" },
	main: "./main.cjs",
	contributes: {
		viewsContainers: { activitybar: [{ id: "benchPlain", title: PLAIN_VIEW, icon: "$(list-tree)" }] },
		views: { benchPlain: [{ id: "benchPlain", name: PLAIN_VIEW }] },
	},
};

const PROGRAM = `"use strict";
const { commands, EventEmitter, ThemeIcon, TreeItem, TreeItemCollapsibleState, window } = require("vscode");

const group = { label: "plain/rows" };
const more = { label: "Load More" };
const rows = [];
const grow = () => {
	for (let n = 0; n < 100; n++) rows.push({ label: "#" + (10_000 - rows.length) + " Row of a plain tree" });
};
grow();

exports.activate = (context) => {
	const changed = new EventEmitter();
	const treeDataProvider = {
		onDidChangeTreeData: changed.event,
		getChildren: (row) => (row === undefined ? [group] : rows.length < 10_000 ? [...rows, more] : [...rows]),
		getParent: (row) => (row === group ? undefined : group),
		getTreeItem(row) {
			const item = new TreeItem(row.label, row === group ? TreeItemCollapsibleState.Expanded : TreeItemCollapsibleState.None);
			item.id = row.label;
			item.iconPath = new ThemeIcon(row === group ? "repo" : "issues");
			if (row === more) item.command = { command: "benchPlain.more", title: "Load More" };
			return item;
		},
	};
	context.subscriptions.push(
		window.createTreeView("benchPlain", { treeDataProvider }),
		commands.registerCommand("benchPlain.more", () => {
			grow();
			changed.fire(group);
		}),
	);
};
`;
