import { ClientError } from "#base/errors.ts";
import { LIMITS } from "#base/limits.ts";
import type { WireReply } from "../http/exchange.ts";
import { isRecord, parseJson, textOf } from "../http/json.ts";
import { excerptOf, isOfGateway } from "../http/reason.ts";
import { plainSentence } from "../http/sentence.ts";
import { describeModels } from "./local-servers.ts";
import { factsOf, type ServedModel } from "./model-facts.ts";
import { ask, type MessagesTarget, modelsRequest } from "./request.ts";

/** Reads all models of a service (`GET /v1/models`), at most 5,000; null if it has no list. Rejects with ClientError. */
export async function listModels(target: MessagesTarget, signal?: AbortSignal): Promise<readonly ServedModel[] | null> {
	const found = new Map<string, ServedModel>();
	const asked = new Set<string | undefined>();
	let after: string | undefined;
	const budget = { leftMs: LIMITS.readMs };
	do {
		asked.add(after);
		const question = { budget, signal, read: pageIn };
		const page = await ask(target, modelsRequest(target.endpoint, after), question).catch((error: unknown) => {
			// Other services answer what they do not have with a redirect, or say that the method is wrong.
			if (error instanceof ClientError && error.code === "not-found") return null;
			throw error;
		});
		if (page === null && asked.size === 1) return null;
		if (page === null) break;
		for (const model of page.models) found.set(model.id, model);
		after = page.next;
	} while (after !== undefined && !asked.has(after) && found.size < LIMITS.models);
	return describeModels([...found.values()].slice(0, LIMITS.models), target, { budget, signal });
}

/** Maximum length of a model's id, which may be a file path. UTF-16 units. */
const LONGEST_ID = 300;

interface ModelsPage {
	readonly models: readonly ServedModel[];
	/** Id of the last model before the next page; undefined for the last page. */
	readonly next: string | undefined;
}

function pageIn(reply: WireReply, redact: (text: string) => string): ModelsPage {
	const page = decodeModels(parseJson(reply.body), redact);
	if (page !== undefined) return page;
	const said = excerptOf(reply.body, redact);
	throw new ClientError("messages", "malformed", said || "The reply is not a list of models.", {
		isGateway: isOfGateway(reply),
	});
}

/** Decodes a page of models and skips broken entries; undefined for anything else. */
export function decodeModels(value: unknown, redact: (text: string) => string): ModelsPage | undefined {
	if (!isRecord(value) || !Array.isArray(value["data"])) return undefined;
	const models = value["data"].filter(isRecord).flatMap((entry) => {
		const id = textOf(entry["id"]) ?? "";
		if (id.trim() === "" || id.length > LONGEST_ID || /\p{Cc}/u.test(id)) return [];
		const name = plainSentence(redact(textOf(entry["display_name"]) ?? "")) || plainSentence(redact(id));
		return [{ id, name, ...factsOf(entry) }];
	});
	const next = value["has_more"] === true ? (textOf(value["last_id"]) ?? models.at(-1)?.id) : undefined;
	return { models, next };
}
