import * as vscode from "vscode";
import type { LocalEngine } from "#app/checks/local-engines.ts";
import type { ConnectionService } from "#app/connections/connection.ts";
import { SERVICES } from "#app/connections/services.ts";
import { type Answer, askChoice, type Choice } from "../kit/prompts.ts";
import type { StepFrame } from "../kit/wizard.ts";
import type { Answers } from "./connect.ts";
import { CONNECTED_SERVICES } from "./services.ts";

/** Answer to the first question about a new connection. */
type Place = Pick<Answers, "service" | "profile" | "baseUrl" | "isFound">;

/** Asks what to connect to: an engine that runs on this machine, a preset of the services, or the sandbox. */
export async function askPlace(
	{ hasSandbox, ...frame }: StepFrame & { readonly hasSandbox: boolean },
	services: readonly ConnectionService[],
	engines: readonly LocalEngine[],
): Promise<Answer<Place | undefined>> {
	const heading = (label: string) => ({ label, kind: vscode.QuickPickItemKind.Separator, value: undefined });
	const found = engines.map(({ label, models, ...engine }): Choice<Place> => {
		const count = models === 1 ? "1 model" : `${models === 0 ? "no" : models} models`;
		const value = { ...engine, service: "messages", isFound: true } as const;
		return { label: `${label}: ${count}`, detail: `Runs at ${engine.baseUrl}`, value };
	});
	const groups = services.map((service) => {
		const rows = Object.entries(SERVICES[service].presets).map(([profile, preset]): Choice<Place> => {
			const { label, baseUrl = "", detail = baseUrl } = preset;
			return { label, detail, value: { service, profile, baseUrl, isFound: false } };
		});
		return [heading(CONNECTED_SERVICES[service].heading), ...rows.filter(({ value }) => value.profile !== "sandbox")];
	});
	const [service = "messages"] = services;
	const { label, detail = "" } = SERVICES.messages.presets["sandbox"] ?? { label: "" };
	const trial = { label, detail, value: { service, profile: "sandbox", baseUrl: "", isFound: false } };
	return askChoice<Place | undefined>({ ...frame, placeholder: "Which service?" }, [
		...(found.length > 0 ? [heading("On This Machine"), ...found] : []),
		...groups.flat(),
		...(hasSandbox ? [heading("To Try"), trial] : []),
	]);
}
