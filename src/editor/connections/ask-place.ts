import * as vscode from "vscode";
import type { LocalEngine } from "#app/checks/local-engines.ts";
import type { ConnectionService } from "#app/connections/connection.ts";
import { isThisMachine } from "#app/connections/fields.ts";
import { SERVICES } from "#app/connections/services.ts";
import { type Answer, askChoice, type Choice } from "../kit/prompts.ts";
import type { StepFrame } from "../kit/wizard.ts";
import type { Answers } from "./connect.ts";
import { CONNECTED_SERVICES } from "./services.ts";

/** Answer to the first question about a new connection. */
type Place = Pick<Answers, "service" | "profile" | "baseUrl" | "isPlaced">;

/** Asks which service to connect to: one that runs on this machine, or a preset; `active` is the last answer as JSON. */
export async function askPlace(
	frame: StepFrame,
	{
		services,
		engines,
		hasSandbox,
		active,
	}: {
		readonly services: readonly ConnectionService[];
		readonly engines: readonly LocalEngine[];
		readonly hasSandbox: boolean;
		readonly active: string;
	},
): Promise<Answer<Place | undefined>> {
	const row = (label: string, detail: string, value: Place): Choice<Place | undefined> => {
		return { label, detail, value, active: JSON.stringify(value) === active };
	};
	const heading = (label: string) => ({ label, kind: vscode.QuickPickItemKind.Separator, value: undefined });
	const found = engines.map(({ label, profile, baseUrl, models }) => {
		const count = models === 1 ? "1 model" : `${models === 0 ? "no" : models} models`;
		return row(`${label}: ${count}`, `Runs at ${baseUrl}`, { service: "messages", profile, baseUrl, isPlaced: true });
	});
	const groups = services.map((service) => {
		const { sandbox: _, ...presets } = SERVICES[service].presets;
		const rows = Object.entries(presets).map(([profile, { label, detail, baseUrl = "" }]) => {
			const isPlaced = baseUrl !== "" && !isThisMachine(new URL(baseUrl));
			return row(label, detail, { service, profile, baseUrl, isPlaced });
		});
		return [heading(CONNECTED_SERVICES[service].heading), ...rows];
	});
	const [service = "messages"] = services;
	const { label, detail } = SERVICES[service].presets["sandbox"] ?? { label: "", detail: "" };
	const trial = row(label, detail, { service, profile: "sandbox", baseUrl: "", isPlaced: true });
	return askChoice({ ...frame, placeholder: "Which service?" }, [
		...(found.length > 0 ? [heading("On This Machine"), ...found] : []),
		...groups.flat(),
		...(hasSandbox ? [heading("To Try"), trial] : []),
	]);
}
