import { ClientError } from "#base/errors.ts";
import { parseExactJson } from "#base/exact-json.ts";
import { isRecord, textOf } from "../http/json.ts";
import { timeOf } from "./date-time.ts";
import { decode, malformed } from "./decode.ts";
import { excerptOf } from "./excerpt.ts";
import type { Session } from "./model.ts";
import type { AnyOperation } from "./operation.ts";
import type { AnyShape } from "./shape.ts";
import { readXml, valueOfXml } from "./xml-reader.ts";

/** A reply whose status is a success. */
export interface GoodReply {
	/** Names in lower case. */
	readonly headers: Readonly<Record<string, string>>;
	readonly body: string;
}

/** How a reply is read. */
export interface ReplyReading {
	readonly operation: AnyOperation;
	/** Removes secrets: a service may repeat what it was sent. */
	readonly redact: (text: string) => string;
}

/**
 * What a successful reply brings (contract section 4). JSON and XML are told apart by how they begin, for services
 * label one as the other. Rejects with ClientError `malformed`, with an excerpt of the body; where any reply will do
 * (`anyReply`), what cannot be read is null.
 */
export async function readReply({ headers, body }: GoodReply, { operation, redact }: ReplyReading): Promise<unknown> {
	const text = body.replace(/^\uFEFF/, "").trim();
	if (operation.reply.kind === "session") return await sessionOf({ headers, body: text }, redact);
	try {
		const data = decode(operation.reply, await valueIn(text, operation.reply));
		// What a service says in words may repeat what it was sent.
		return isRecord(data) && typeof data["message"] === "string" ? { ...data, message: redact(data["message"]) } : data;
	} catch (error) {
		if (!(error instanceof ClientError)) throw error;
		if (operation.anyReply) return null;
		const said = excerptOf(text, redact);
		const { field, cause, message } = error;
		throw new ClientError("petstore", "malformed", said === "" ? message : `${message} It says: "${said}"`, {
			...(field === undefined ? {} : { field }),
			...(cause === undefined ? {} : { cause }),
		});
	}
}

/** The value of a body in the form that it has in exact JSON. */
async function valueIn(text: string, shape: AnyShape): Promise<unknown> {
	if (text === "") throw malformed("", "is empty");
	if (!text.startsWith("<")) {
		try {
			return parseExactJson(text);
		} catch {
			throw malformed("", "is not JSON");
		}
	}
	if (/^<(?:!doctype\s+html|html)[\s>]/i.test(text)) throw malformed("", "is a web page");
	return valueOfXml(shape, await readXml(text));
}

/** A login is answered with an ApiResponse or with plain text; what it is about stands in the headers. */
async function sessionOf({ headers, body }: GoodReply, redact: (text: string) => string): Promise<Session> {
	const limit = headers["x-rate-limit"]?.trim() ?? "";
	const message = await messageOf(body);
	return {
		message: redact(message),
		expiresAt: timeOf(headers["x-expires-after"] ?? ""),
		rateLimit: /^\d{1,9}$/.test(limit) ? Number(limit) : null,
	};
}

async function messageOf(body: string): Promise<string> {
	if (body.startsWith("<")) {
		const root = await readXml(body).catch(() => null);
		return root?.children.find(({ name }) => name === "message")?.text ?? root?.text.trim() ?? "";
	}
	try {
		const json = parseExactJson(body);
		return (isRecord(json) ? textOf(json["message"]) : textOf(json)) ?? (isRecord(json) ? "" : body);
	} catch {
		return body;
	}
}
