import type { RequestNotice } from "#api/http/notice.ts";
import type { Transport } from "#api/http/transport.ts";
import { MessagesClient } from "#api/messages/client.ts";
import type { MessagesConnection } from "#app/connections/connection.ts";
import { headersOf, isLocalEngine } from "#app/connections/messages-profiles.ts";
import type { Clock } from "#base/clock.ts";
import { LIMITS } from "#base/limits.ts";
import type { Redactor } from "#base/redaction.ts";
import { patience } from "../settings.ts";

/** Collaborators of the clients of messages services. */
export interface OpenerParts {
	readonly transport: Transport;
	readonly clock: Clock;
	readonly redactor: Redactor;
	/** Hears of each HTTP exchange of the connection of that id. */
	readonly requested: (notice: RequestNotice, connection: string) => void;
}

/** Makes the client of a connection, as the settings are when it is made. */
export function clientOpener({ transport, clock, redactor, requested }: OpenerParts) {
	return async (connection: MessagesConnection, key: string | undefined) =>
		new MessagesClient({
			transport,
			clock,
			patience: patience(isLocalEngine(connection) ? LIMITS.localFirstByteMs : LIMITS.cloudFirstByteMs),
			redact: (text) => redactor.redact(text),
			observer: { onRequest: (notice) => requested(notice, connection.id) },
			endpoint: { baseUrl: connection.baseUrl, profile: headersOf(connection.profile), key },
		});
}
