import type { RequestNotice } from "#api/http/notice.ts";
import type { Transport } from "#api/http/transport.ts";
import { MessagesClient } from "#api/messages/client.ts";
import type { MessagesConnection } from "#app/connections/connection.ts";
import { headersOf, presetOfProfile } from "#app/connections/messages-profiles.ts";
import type { Clock } from "#base/clock.ts";
import type { Redactor } from "#base/redaction.ts";
import { patience } from "../settings.ts";

/** Creates clients with the current settings; `requested` is called after each HTTP exchange. */
export function clientOpener(
	transport: Transport,
	clock: Clock,
	redactor: Redactor,
	requested: (notice: RequestNotice, connection: string) => void,
) {
	return async (connection: MessagesConnection, key: string | undefined, firstByteMs?: number) =>
		new MessagesClient({
			transport,
			clock,
			patience: patience(firstByteMs),
			redact: (text) => redactor.redact(text),
			onRequest: (notice) => requested(notice, connection.id),
			endpoint: {
				baseUrl: connection.baseUrl,
				key,
				profile: headersOf(connection.profile),
				describes: presetOfProfile(connection.profile)?.describes,
			},
		});
}
