import type { Connection } from "#app/connections/connection.ts";
import type { SaveOptions } from "#app/connections/registry.ts";
import { ClientError } from "#base/errors.ts";
import { withoutIcons } from "../kit/plain.ts";
import { askChoice, BACK } from "../kit/prompts.ts";
import { withProgress } from "../progress.ts";

/** Connection that is saved, and how a person is asked about it. */
interface Saving extends Pick<Connection, "service" | "label" | "baseUrl"> {
	readonly title: string;
	/** Choice that leads back to what was entered, where there is a way; the error is thrown then. */
	readonly back?: string;
}

/**
 * Saves what a service takes. Where the service cannot be reached, the person may try again, go back, or save it all the
 * same, but for a code host's. Rejects with what the service refuses it for, or `aborted` when the person leaves.
 */
export async function saveOrAsk<T>(saving: Saving, save: (options: SaveOptions) => Promise<T>): Promise<T> {
	const { service, label } = saving;
	for (;;) {
		try {
			return await withProgress(`Checking ${label}...`, (_, doing) => save(doing), { label });
		} catch (error) {
			if (!(error instanceof ClientError && (error.code === "network" || error.code === "timeout"))) throw error;
			const next = await askUnreached(error, saving);
			if (next === "keep") return save({ unasked: true });
			if (next === "back" || next === BACK) throw error;
			if (next !== "again") throw new ClientError(service, "aborted", "The person left");
		}
	}
}

function askUnreached({ message }: ClientError, { service, title, label, baseUrl, back }: Saving) {
	const frame = { title, placeholder: `${label} does not answer. What now?`, stays: true, hasBack: back !== undefined };
	return askChoice<"again" | "back" | "keep">(frame, [
		{ label: "Try Again", detail: withoutIcons(message), value: "again" },
		...(back === undefined ? [] : [{ label: back, detail: withoutIcons(baseUrl), value: "back" as const }]),
		...(service === "codehost" ? [] : [SAVE_ANYWAY]),
	]);
}

const SAVE_ANYWAY = {
	label: "Save Anyway",
	detail: "Saves the connection unchecked. Test Connection checks it later.",
	value: "keep",
} as const;
