import type { RequestNotice } from "#api/http/notice.ts";
import type { Transport } from "#api/http/transport.ts";
import { probeMessages } from "#api/messages/probe.ts";
import type { Clock } from "#base/clock.ts";
import type { CodehostAccessServices } from "../codehost/clients.ts";
import { probeCodehost } from "../codehost/probe.ts";
import { headersOf } from "../connections/messages-profiles.ts";
import type { Probe } from "../connections/probe-result.ts";
import type { PetstoreAccessServices } from "../petstore/clients.ts";
import { probePetstore } from "../petstore/probe.ts";

/** Asks each service in its own way. */
export function probeOf({
	transport,
	clock,
	codehost,
	petstore,
	model,
	requested,
}: {
	readonly transport: Transport;
	readonly clock: Clock;
	readonly codehost: CodehostAccessServices;
	readonly petstore: PetstoreAccessServices;
	/** The model to name where a connection to a messages service names none. */
	readonly model: () => string | undefined;
	/** Hears of each request, by the id of the connection, which may not be in the list yet. */
	readonly requested: (notice: RequestNotice, connection: string) => void;
}): Probe {
	return async (connection, secret, asking) => {
		const onRequest = (notice: RequestNotice) => requested(notice, connection.id);
		switch (connection.service) {
			case "codehost":
				return probeCodehost(codehost, connection, { ...asking, secret, onRequest });
			case "petstore":
				return probePetstore(petstore, connection, { ...asking, secret, onRequest });
			case "messages": {
				const endpoint = { baseUrl: connection.baseUrl, profile: headersOf(connection.profile), key: secret };
				const options = { model: connection.model ?? model() ?? "default", signal: asking.signal };
				return probeMessages({ transport, clock, endpoint, onRequest }, options);
			}
		}
	};
}
