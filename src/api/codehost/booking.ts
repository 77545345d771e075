import type { WireReply } from "../http/exchange.ts";
import type { Pass, RateGate } from "./gate.ts";
import type { TokenSource } from "./model.ts";
import { serverTimeOf } from "./rate-limit.ts";
import type { Step } from "./step.ts";
import type { Traffic } from "./traffic.ts";

/** Context in which a reply is recorded. */
export interface Booking {
	/** The outcome of the reply. */
	readonly step: Step;
	readonly credential: TokenSource;
	readonly traffic: Traffic;
	/** The gate that the request went through, and with which pass. */
	readonly gate: RateGate;
	readonly pass: Pass;
}

/** Records what a reply tells beside its answer: the service's time and its rate limit. */
export function record(reply: WireReply, { step, credential, traffic, gate, pass }: Booking): void {
	const { status, headers } = reply;
	const isOwn = step.end === "redirect" || isOfService(reply);
	// The credential judges by itself what a refusal tells of the clocks.
	if (isOwn && step.end !== "refusal") traffic.hearTime(credential.origin, serverTimeOf(headers));
	if (step.end === "limit") gate.refuse(headers, pass);
	// A token that is not taken is nobody's: the limit of such a reply is that of strangers.
	else if (isOwn && status !== 401) gate.note(headers, pass);
}

/** True for a reply of the service itself, which speaks JSON (contract sections 4 and 7), and not of a gateway. */
function isOfService({ status, body }: WireReply): boolean {
	return status === 304 || (status < 500 && /^\s*[[{]/.test(body));
}
