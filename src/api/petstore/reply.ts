import { ClientError, withFacts } from "#base/errors.ts";
import { parseSourceJson } from "#base/exact-json.ts";
import { LIMITS } from "#base/limits.ts";
import type { WireReply } from "../http/exchange.ts";
import { isRecord } from "../http/json.ts";
import { excerptOf, isWebPage, reasonIn } from "../http/reason.ts";
import { timeOf } from "./date-time.ts";
import { decodePetstoreReply, malformedAt } from "./decode.ts";
import { apiResponseShape, type Session } from "./model.ts";
import type { AnyOperation } from "./operation.ts";
import { holdsSecret } from "./secrets.ts";
import type { AnyShape } from "./shape.ts";
import { readReplyXml, valueOfXml } from "./xml-reader.ts";

/** Parts of a reply that its content is read from. */
export type GoodReply = Pick<WireReply, "headers" | "body">;

/**
 * Reads a successful reply (contract section 4). JSON and XML are told apart by their beginning: services mislabel
 * them. If any reply is accepted (`anyReply`), an unreadable one is null, except for a web page: portals send one for
 * every request. Rejects with ClientError `malformed`, with an excerpt unless the body may hold a secret. `redact`
 * removes secrets that a service may repeat; `leftOut` hears the number of malformed items of a list.
 */
export async function readReply(
	{ headers, body }: GoodReply,
	{ anyReply, reply: shape }: AnyOperation,
	{ redact, leftOut }: { redact(text: string): string; leftOut?(count: number): void },
): Promise<unknown> {
	const text = body.replace(/^\uFEFF/, "").trim();
	const isSession = shape.kind === "session";
	const safe = ({ field, cause, message }: ClientError) => {
		// A parser names what it stumbled upon.
		if (holdsSecret(shape)) return new ClientError("petstore", "malformed", message, { field });
		const said = excerptOf(text, redact);
		const sentence = said === "" ? message : `${message} It says: "${said}"`;
		return new ClientError("petstore", "malformed", sentence, { field, cause });
	};
	// Many frameworks label every text as HTML: only one with a tag, and no JSON, is.
	const isHtml = /html/i.test(headers["content-type"] ?? "") && text.includes("<") && !/^[{["]/.test(text);
	if (isWebPage(text) || (isHtml && !(await isXmlOf(isSession ? apiResponseShape : shape, text)))) {
		const sentence = "The service answered with a web page. The change is not confirmed.";
		const unsure = new ClientError("petstore", "malformed", sentence);
		throw withFacts(safe(anyReply || isSession ? unsure : malformedAt("", "is a web page")), { isGateway: true });
	}
	if (isSession) return sessionOf({ headers, body: text }, redact);
	try {
		const data = decodePetstoreReply(shape, await valueIn(text, shape), { leftOut, isJson: !text.startsWith("<") });
		// The service's text may repeat what it was sent.
		return isRecord(data) && typeof data["message"] === "string" ? { ...data, message: redact(data["message"]) } : data;
	} catch (error) {
		if (!(error instanceof ClientError)) throw error;
		if (anyReply) return null;
		throw safe(error);
	}
}

/** Value of a body, in the form that it has in JSON. */
async function valueIn(text: string, shape: AnyShape): Promise<unknown> {
	if (text === "" && (shape.kind === "list" || shape.kind === "counts")) return null;
	if (text === "") throw malformedAt("", "is empty");
	if (shape.kind === "counts" && text.length > LIMITS.inventoryCharacters)
		throw malformedAt("", "has too many statuses");
	if (!text.startsWith("<")) {
		try {
			return parseSourceJson(text);
		} catch {
			throw malformedAt("", "is not JSON that can be read");
		}
	}
	return valueOfXml(shape, await readReplyXml(text));
}

async function isXmlOf(shape: AnyShape, text: string): Promise<boolean> {
	try {
		decodePetstoreReply(shape, valueOfXml(shape, await readReplyXml(text)));
		return true;
	} catch {
		return false;
	}
}

/** Session of a login: an ApiResponse or plain text, and facts in the headers. */
function sessionOf({ headers, body }: GoodReply, redact: (text: string) => string): Session {
	const { "x-rate-limit": limit, "x-expires-after": end } = headers;
	return {
		message: redact(reasonIn(body)),
		expiresAt: timeOf(end ?? ""),
		rateLimit: /^\s*\d{1,15}\s*$/.test(limit ?? "") ? Number(limit) : null,
	};
}
