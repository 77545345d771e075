import { parentPort } from "node:worker_threads";
import { decodePetstoreReply } from "#api/petstore/decode.ts";
import { petShape } from "#api/petstore/model.ts";
import { readReplyXml, valueOfXml } from "#api/petstore/xml-reader.ts";
import { ClientError } from "#base/errors.ts";

/** Result of reading a text: a pet, the reader's own error, or anything else in words. */
export type XmlOutcome = "read" | "refused" | { readonly broke: string };

parentPort?.on("message", async (text: string) => {
	let outcome: XmlOutcome = "read";
	try {
		decodePetstoreReply(petShape, valueOfXml(petShape, await readReplyXml(text)));
	} catch (error) {
		const isRefusal = error instanceof ClientError && error.code === "malformed";
		outcome = isRefusal ? "refused" : { broke: String(error) };
	}
	parentPort?.postMessage(outcome);
});
