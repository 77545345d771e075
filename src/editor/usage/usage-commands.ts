import { CONTEXT, HAS, USAGE_PANEL, VIEWS } from "#app/contributions.ts";
import { optional, trimmed } from "#base/schema.ts";
import { commandsOf, inTitle } from "../kit/command.ts";
import { askExportFile, fileAt, writeExport } from "../kit/export.ts";
import { PERIOD, type UsagePanel } from "./usage-panel.ts";

const define = commandsOf<UsagePanel>();

/** Commands about the usage of all connections. */
export const USAGE_COMMANDS = [
	define("switchboard.usage.show", "Show Usage", {
		palette: HAS.messages,
		menus: [inTitle(VIEWS.connections, "2_usage@1", CONTEXT.hasMessages)],
		input: { period: optional(PERIOD) },
		gives: ["{period, total, day, model, caller, connection}"],
		run: ({ argument }, panel) => panel.open(argument?.period),
	}),
	define("switchboard.usage.export", "Export Usage as CSV...", {
		icon: "export",
		palette: false,
		menus: [{ menu: "editor/title", when: `activeWebviewPanelId == ${USAGE_PANEL}`, group: "navigation@1" }],
		input: { period: optional(PERIOD), path: optional(trimmed()) },
		gives: ["{period, replies, text}", "{period, replies, path}"],
		async run({ argument }, panel) {
			const { text, ...facts } = await panel.csv(argument?.period);
			if (argument !== undefined && argument.path === undefined) return { ...facts, text };
			const ask = () => askExportFile("Export Usage", `usage-${facts.period}.csv`, { CSV: ["csv"] });
			const uri = fileAt(argument?.path) ?? (await ask());
			if (uri === undefined) return undefined;
			await writeExport(uri, text, argument === undefined);
			return { ...facts, path: uri.fsPath };
		},
	}),
];
