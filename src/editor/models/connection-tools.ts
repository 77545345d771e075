import { statusResult } from "#app/codehost/results.ts";
import { TOOL_CONNECTION, toolsOf } from "./tool.ts";

const define = toolsOf({ topic: "connections" });

/** Tools about connections. They tell no secret, for they have none. */
export const CONNECTION_TOOLS = [
	define("switchboard_list_connections", "List Connections", {
		...{ toolReferenceName: "switchboardConnections", icon: "plug", writes: false },
		userDescription: "List the services that you are connected to",
		modelDescription:
			"Lists the person's connections to code hosts, pet stores and messages services, one JSON object a line: id, label, service, address and state (ready, signed-out, lost or unreadable).",
		input: {},
		title: () => "List connections",
		async run(_, { rooms: { registry, secrets } }) {
			const rows = registry.list().map(({ id, label, service, baseUrl }) => {
				return JSON.stringify({ id, label, service, address: baseUrl, state: secrets.closedBy(id) ?? "ready" });
			});
			return rows.length === 0 ? "There is no connection." : rows.join("\n");
		},
	}),
	define("switchboard_get_rate_limits", "Get Rate Limits", {
		...{ toolReferenceName: "switchboardRateLimits", icon: "dashboard", writes: false },
		userDescription: "Show how many requests the code hosts have left",
		modelDescription:
			"Returns the rate limit of each code host, or of one, as it reported it last, one JSON object a line. `rate` is null before the first request, `remaining` counts the requests left until `resetAt`.",
		input: TOOL_CONNECTION,
		title: () => "Read rate limits",
		async run({ connection }, { rooms: { statuses } }) {
			const wanted = connection === undefined ? statuses.list() : [statuses.of(connection)];
			const rows = wanted.map((status) => {
				const { connection: id, rate, tokenExpiresAt } = statusResult(status);
				return JSON.stringify({ connection: id, label: status.label, rate, tokenExpiresAt });
			});
			return rows.length === 0 ? "There is no connection to a code host." : rows.join("\n");
		},
	}),
];
