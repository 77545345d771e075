import type { WireReply } from "../http/exchange.ts";
import type { Pass, RateGate } from "./gate.ts";
import type { TokenSource } from "./model.ts";
import { serverTimeOf } from "./rate-limit.ts";
import type { Step } from "./step.ts";
import type { Traffic } from "./traffic.ts";

/** Where a reply is booked. */
export interface Booking {
	/** What the reply came to. */
	readonly step: Step;
	/** Reads from the body of a success against whose limit the call counts; undefined where it does not say. */
	readonly bucketIn: ((body: string) => string | undefined) | undefined;
	readonly credential: TokenSource;
	readonly traffic: Traffic;
	/** The gate that the request went through, and with which pass. */
	readonly gate: RateGate;
	readonly pass: Pass;
}

/** Books what a reply tells beside its answer: the service's time, against whose limit it counts, and what is left of it. */
export function book(reply: WireReply, { step, bucketIn, credential, traffic, gate, pass }: Booking): void {
	const { status, headers, body } = reply;
	const isOwn = step.end === "redirect" || isOfService(reply);
	// What a refusal tells of the clocks is for the credential to judge.
	if (isOwn && step.end !== "refusal") traffic.hearTime(credential.origin, serverTimeOf(headers));
	const bucket = step.end === "reply" ? bucketIn?.(body) : undefined;
	if (bucket !== undefined) traffic.hearBucket(credential, bucket);
	const isRefusal = step.end === "limit";
	// A token that is not taken is nobody's: the limit of such a reply is that of strangers.
	if (!isRefusal && (!isOwn || status === 401)) return;
	const own = traffic.gate(credential);
	if (gate !== own) own.hear(headers, pass.names, { isRefusal });
	else if (isRefusal) gate.refuse(headers, pass);
	else gate.note(headers, pass);
}

/**
 * Whether a reply is surely the service's own, which speaks JSON (contract sections 4 and 7), and not that of a proxy or
 * gateway in its place: those answer with pages, and with what the service is not able to.
 */
function isOfService({ status, body }: WireReply): boolean {
	return status === 304 || (status < 500 && /^\s*[[{]/.test(body));
}
