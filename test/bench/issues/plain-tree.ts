import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** A tree of the extension that {@link writePlainTrees} writes. */
export interface PlainTree {
	/** The name of its view, as it stands in its head. */
	readonly name: string;
	/** The command that shows it. */
	readonly focus: string;
}

/** Its rows have a label and an icon. */
export const PLAIN: PlainTree = { name: "Plain Tree", focus: "benchPlain.focus" };

/** Its rows have all that those of the Issues view have. */
export const RICH: PlainTree = { name: "Rich Tree", focus: "benchRich.focus" };

/**
 * Writes an extension whose views show what the Issues view shows, without a service and with nothing to work out: one
 * repository, rows by the hundred and a Load More that adds the next hundred. What paging costs there is what the
 * editor's own tree costs.
 */
export async function writePlainTrees(folder: string): Promise<void> {
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
		viewsContainers: { activitybar: [{ id: "benchTrees", title: "Trees", icon: "$(list-tree)" }] },
		views: {
			benchTrees: [
				{ id: "benchPlain", name: PLAIN.name },
				{ id: "benchRich", name: RICH.name, visibility: "collapsed" },
			],
		},
	},
};

const PROGRAM = `"use strict";
const { commands, EventEmitter, ThemeColor, ThemeIcon, TreeItem, TreeItemCollapsibleState, window } = require("vscode");

function dress(item, row) {
	item.description = "good first issue · needs: wiring";
	item.iconPath = new ThemeIcon("issues", new ThemeColor("charts.green"));
	item.accessibilityInformation = { label: "Open issue " + row.label + ", by somebody" };
	item.contextValue = "issue.linked";
	item.command = { command: "benchRich.open", title: "Open", arguments: [row] };
}

function show(context, id, isRich) {
	const group = { label: "rows" };
	const more = { label: "Load More" };
	const rows = [];
	const grow = () => {
		for (let n = 0; n < 100; n++) rows.push({ label: "#" + (10_000 - rows.length) + " Row of a tree" });
	};
	grow();
	const changed = new EventEmitter();
	const treeDataProvider = {
		onDidChangeTreeData: changed.event,
		getChildren: (row) => (row === undefined ? [group] : rows.length < 10_000 ? [...rows, more] : [...rows]),
		getParent: (row) => (row === group ? undefined : group),
		getTreeItem(row) {
			const state = row === group ? TreeItemCollapsibleState.Expanded : TreeItemCollapsibleState.None;
			const item = new TreeItem(row.label, state);
			item.id = row.label;
			item.iconPath = new ThemeIcon(row === group ? "repo" : "issues");
			if (row === more) item.command = { command: id + ".more", title: "Load More" };
			else if (isRich && row !== group) dress(item, row);
			return item;
		},
	};
	context.subscriptions.push(
		window.createTreeView(id, { treeDataProvider }),
		commands.registerCommand(id + ".more", () => {
			grow();
			changed.fire(group);
		}),
	);
}

exports.activate = (context) => {
	show(context, "benchPlain", false);
	show(context, "benchRich", true);
};
`;
