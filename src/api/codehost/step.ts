import { ClientError } from "#base/errors.ts";
import type { WireReply } from "../http/exchange.ts";
import { isOfGateway } from "../http/reason.ts";
import { followedUrl } from "../http/redirect.ts";
import { errorOfReply, type FaultReading } from "./fault.ts";
import type { Refusal } from "./model.ts";
import { serverTimeOf } from "./rate-limit.ts";

/** Outcome of a single request; some end the call. */
export type Step =
	| { readonly end: "reply"; readonly reply: WireReply }
	| { readonly end: "redirect"; readonly to: URL }
	| { readonly end: "limit"; readonly error: ClientError }
	| { readonly end: "refusal"; readonly error: ClientError; readonly refusal: Omit<Refusal, "repeats"> }
	| { readonly end: "failure"; readonly error: ClientError; readonly failed: Failed };

/** Facts that decide whether another try can help. */
interface Failed {
	/** Null when there was no reply. */
	readonly status: number | null;
	readonly headers: Readonly<Record<string, string>>;
	/** Of a connection that failed. */
	readonly passing: boolean;
}

/** The request, and the context in which its reply is read. */
export interface StepReading extends FaultReading {
	readonly call: {
		readonly method: "GET" | "POST";
		readonly url: URL;
		readonly etag?: string | undefined;
		/** Number of redirects followed so far. */
		readonly redirects: number;
		/** Token that was sent. */
		readonly token: string;
	};
}

/** Outcome that a reply means for its call. */
export function stepOf(reply: WireReply, { call, ...reading }: StepReading): Step {
	const { status, headers } = reply;
	const { method, url, etag, redirects, token } = call;
	if (status >= 200 && status <= 299) return { end: "reply", reply };
	if (status === 304 && etag !== undefined) return { end: "reply", reply };
	const error = errorOfReply(reply, reading);
	if (error.code === "rate-limited") return { end: "limit", error };
	if (status === 401 || status === 403) {
		const isPage = isOfGateway(reply);
		const serverTime = isPage ? null : serverTimeOf(headers);
		return { end: "refusal", error, refusal: { token, method, status, serverTime, isPage } };
	}
	const location = headers["location"];
	if (status >= 300 && status <= 399 && location !== undefined && method === "GET") {
		try {
			return { end: "redirect", to: followedUrl({ location, from: url, redirects, error }) };
		} catch (refused) {
			if (!(refused instanceof ClientError)) throw refused;
			return { end: "failure", error: refused, failed: { status, headers: {}, passing: false } };
		}
	}
	return { end: "failure", error, failed: { status, headers, passing: false } };
}
