import type { RequestNotice } from "#api/http/notice.ts";
import type { Transport } from "#api/http/transport.ts";
import { MessagesClient } from "#api/messages/client.ts";
import type { OpenClient } from "#app/chat/reply-under-way.ts";
import { headersOf, presetOfProfile } from "#app/connections/messages-profiles.ts";
import type { Clock } from "#base/clock.ts";
import type { Redactor } from "#base/redaction.ts";
import { patience } from "../settings.ts";

/** Creates clients with the current settings; `requested` is called after each HTTP exchange. */
export function clientOpener(
	transport: Transport,
	clock: Clock,
	redactor: Redactor,
	requested: (notice: RequestNotice & { readonly caller?: string | undefined }, connection: string) => void,
): (...asked: Parameters<OpenClient>) => Promise<MessagesClient> {
	return async (connection, key, firstByteMs, caller) =>
		new MessagesClient({
			transport,
			clock,
			patience: patience(firstByteMs),
			redact: (text) => redactor.redact(text),
			onRequest: (notice) => requested({ ...notice, caller }, connection.id),
			endpoint: {
				baseUrl: connection.baseUrl,
				key,
				profile: headersOf(connection.profile),
				describes: presetOfProfile(connection.profile)?.describes,
			},
		});
}
