import { ClientError, type ErrorCode } from "#base/errors.ts";
import type { WireReply } from "../http/exchange.ts";
import { parseJson } from "../http/json.ts";
import { reasonIn } from "../http/reason.ts";
import { decodeModels } from "./client.ts";
import { ask, type MessagesTarget, wireRequest } from "./request.ts";

const LONGEST_PROBE_MS = 10_000;

/** Timeout of the list of models, and of what follows it, in ms. */
const LONGEST_STEP_MS = 3_000;

/** Statuses that refuse the key. */
const REFUSED: ReadonlySet<number> = new Set([401, 402, 403, 407, 511]);

/** Failures of a request to a server that has just listed its models. */
const BROKEN: ReadonlySet<ErrorCode> = new Set(["network", "timeout", "malformed", "interrupted"]);

/**
 * Checks the address and the key of a messages service: by its list of models, which no server minds, then by a request
 * without messages, which generates nothing. Not ok: 401 (`unauthorized`), 402 and 403 (`forbidden`), 404 (unless it is
 * about the model), 405, redirects and web pages (`not-found`), `invalid`, `aborted`, and where no models are listed no
 * connection (`network`, `timeout` after 10 s). Everything else is ok, even 429 and 5xx: the service is there and has not
 * refused the key. Never rejects. Services check the key before the `model`: nearly any name will do.
 */
export async function probeMessages(
	target: MessagesTarget,
	{ model = "probe", signal }: { readonly model?: string | undefined; readonly signal?: AbortSignal | undefined } = {},
) {
	const { clock, endpoint } = target;
	const begun = clock.monotonic();
	try {
		const isListed = await ask(target, wireRequest(endpoint), {
			budget: { leftMs: LONGEST_STEP_MS },
			signal,
			read: ({ body }, redact) => decodeModels(parseJson(body), redact) !== undefined,
		}).catch(() => false);
		const leftMs = isListed ? LONGEST_STEP_MS : LONGEST_PROBE_MS - (clock.monotonic() - begun);
		const body = JSON.stringify({ model, max_tokens: 1, messages: [] });
		const status = await ask(target, wireRequest(endpoint, { body }), {
			budget: { leftMs },
			signal,
			succeeds: (each) => !REFUSED.has(each),
			read: statusOf,
		}).catch((error: unknown) => {
			// A simple server may break on a request without messages.
			if (isListed && error instanceof ClientError && BROKEN.has(error.code)) return 200;
			throw error;
		});
		return { ok: true as const, status, ms: clock.monotonic() - begun };
	} catch (error) {
		if (!(error instanceof ClientError)) throw error;
		return { ok: false as const, error, ms: clock.monotonic() - begun };
	}
}

/** Status of a reply. Throws ClientError `not-found` if it is not from a messages API. */
function statusOf({ status, headers, body }: WireReply): number {
	const isPage = status < 300 && /^text\/html\b/i.test(headers["content-type"] ?? "");
	// Some services check the model first: a 404 about it still comes from a messages API.
	const missesModel = status === 404 && /model/i.test(reasonIn(body));
	if (!isPage && (status !== 404 || missesModel) && status !== 405 && (status < 300 || status >= 400)) return status;
	const sentence = `There is no messages API at this address (status ${status}).`;
	throw new ClientError("messages", "not-found", sentence, { isGateway: isPage });
}
