import type { RequestNotice } from "#api/http/notice.ts";
import { type LoggedRequest, RequestLog } from "#app/requests/request-log.ts";
import { Redactor } from "#base/redaction.ts";
import { FakeClock } from "./fake-clock.ts";

/** An exchange with nothing special about it. */
export const notice: RequestNotice = {
	service: "codehost",
	method: "GET",
	url: "https://host.example/user",
	headers: { accept: "application/json" },
	body: null,
	isExact: true,
	status: 200,
	ms: 41,
	attempt: 1,
	sentBytes: 0,
	receivedBytes: 12,
};

/** A log, and what it works with. */
export function openLog(most?: number) {
	const clock = new FakeClock();
	const redactor = new Redactor();
	return { clock, redactor, log: new RequestLog(clock, redactor, most) };
}

/** A request as a log keeps it. */
export function logged(changes: Partial<RequestNotice> = {}, connection: string | null = "codehost-1"): LoggedRequest {
	const { log } = openLog();
	log.add({ ...notice, ...changes }, connection);
	const [request] = log.list();
	if (request === undefined) throw new Error("The log has kept nothing.");
	return request;
}
