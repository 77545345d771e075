import type { Transport } from "#api/http/transport.ts";
import { MessagesClient } from "#api/messages/client.ts";
import { defaultPatience } from "#api/messages/model.ts";
import type { Clock } from "#base/clock.ts";
import { isThisMachine } from "../connections/fields.ts";
import { MESSAGES_PRESETS, type MessagesPreset } from "../connections/messages-profiles.ts";

/** Time in which an engine on this machine has to list its models, in ms. */
const ENGINE_MS = 1_000;

/** Model server that runs on this machine, with the number of its models and the preset at whose address it was found. */
export type LocalEngine = Awaited<ReturnType<typeof findEngines>>[number];

/** Finds model servers at the usual addresses of this machine, by asking all at once for their models. Never rejects. */
export async function findEngines(parts: { readonly transport: Transport; readonly clock: Clock }) {
	const presets: readonly (readonly [string, MessagesPreset])[] = Object.entries(MESSAGES_PRESETS);
	const asked = presets.flatMap(([profile, { label, headers, baseUrl, otherBaseUrl }]) =>
		[baseUrl, otherBaseUrl].map(async (url) => {
			if (url === undefined || !isThisMachine(new URL(url))) return [];
			const endpoint = { baseUrl: url, profile: headers };
			const client = new MessagesClient({ ...parts, endpoint, patience: defaultPatience });
			const models = await client.listModels(undefined, { leftMs: ENGINE_MS }).catch(() => null);
			return models === null ? [] : [{ profile, label, baseUrl: url, models: models.length }];
		}),
	);
	return (await Promise.all(asked)).flat();
}
