import { SERVICES } from "#app/connections/services.ts";
import { type LoggedRequest, pathOf } from "#app/requests/request-log.ts";
import type { RowLook } from "../kit/rows.ts";
import { plainBody, plainLine } from "../kit/text.ts";

/** Row of a request; `connection` is the label of its connection, if it is to be shown. */
export function requestLook(request: LoggedRequest, connection: string): RowLook {
	const { method, url, status, ms, attempt, error, caller = "" } = request;
	const label = plainLine(`${method} ${pathOf(url)}`);
	const outcome = status === null ? (error?.code ?? "no reply") : String(status);
	const again = attempt > 1 ? `try ${attempt}` : "";
	const name = plainLine(connection);
	const said = [outcome, timeInWords(ms), again, name, caller].filter((part) => part !== "");
	return {
		label,
		description: said.join(" · "),
		...markOf(request),
		spoken: `${error === null ? "Request" : "Failed request"} ${label}: ${said.join(", ")}`,
		context: "request",
		command: { id: "switchboard.requests.open", title: "Open Request" },
	};
}

/** Facts of a request as names and values, some empty. */
export function requestFacts(request: LoggedRequest, connection: string): readonly (readonly [string, string])[] {
	const { service, url, status, ms, attempt, sentBytes, receivedBytes, error, at } = request;
	const { name } = SERVICES[service];
	return [
		["Service", name.charAt(0).toUpperCase() + name.slice(1)],
		["Connection", plainLine(connection)],
		["Asked By", request.caller ?? ""],
		["Host", hostOf(url)],
		["Status", status === null ? "no reply" : String(status)],
		["Error", error === null ? "" : `${error.code}: ${plainLine(error.message)}`],
		["Time", timeInWords(ms)],
		["Try", String(attempt)],
		["Sent", `${sentBytes} bytes`],
		["Received", `${receivedBytes} bytes`],
		["Began", new Date(at).toISOString().replace("T", " ").replace("Z", " UTC")],
	];
}

/** Document of a request; `connection` is the label of its connection. */
export function requestDocument(request: LoggedRequest, connection: string): string {
	const { method, url, headers, body, sentBytes } = request;
	const facts = requestFacts(request, connection).filter(([, value]) => value !== "");
	const named = (pairs: readonly (readonly [string, string])[]) =>
		pairs.map(([name, value]) => `${plainLine(name)}: ${plainLine(value)}`);
	const sent = body === null ? "Not kept: not text, or too long for the log." : plainBody(body);
	const parts = [
		[plainLine(`${method} ${pathOf(url)}`)],
		named(facts),
		["Headers that were sent", ...named(Object.entries(headers))],
		...(body === null && sentBytes === 0 ? [] : [["Body that was sent", sent]]),
	];
	return `${parts.map((lines) => lines.join("\n")).join("\n\n")}\n`;
}

function markOf({ status, error }: LoggedRequest): Pick<RowLook, "icon" | "color"> {
	if (error?.code === "aborted") return { icon: "circle-slash" };
	if (error !== null) return { icon: "error", color: "list.errorForeground" };
	return { icon: status !== null && status < 400 ? "pass" : "info" };
}

/** Host without `https://`: a card would turn that into a link. */
function hostOf(url: string): string {
	const { protocol, host } = URL.parse(url) ?? { protocol: "", host: "" };
	return protocol === "http:" ? `${host} (http)` : host;
}

function timeInWords(ms: number): string {
	return ms < 10_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}
