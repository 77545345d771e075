import type { Clock } from "#base/clock.ts";
import { ClientError, invalid } from "#base/errors.ts";
import { type ImageType, imageTypeOf } from "#base/image.ts";
import { LIMITS } from "#base/limits.ts";
import { abortedError } from "../http/exchange.ts";
import { codeOfStatus, failureOfError } from "../http/failure.ts";
import { wordsOfReply } from "../http/fault.ts";
import { leadsOn, type RequestNotice } from "../http/notice.ts";
import type { Transport } from "../http/transport.ts";

/** Means to fetch a photo. None of them is a credential. */
export interface PhotoSource {
	readonly transport: Transport;
	readonly clock: Clock;
	/** Host and port of the store: a photo there needs no confirmation. */
	readonly storeHost?: string;
	/** An HTTP exchange is over. */
	readonly onRequest?: ((notice: RequestNotice) => void) | undefined;
}

/** A picture. */
export interface Photo extends ImageType {
	readonly bytes: Uint8Array;
}

const MOST_REDIRECTS = 3;

const HEADERS = { accept: "image/*" };

/** Web addresses among a pet's photos; a store could name anything. */
export function photoAddresses(photoUrls: readonly string[] | undefined): readonly string[] {
	return (photoUrls ?? []).flatMap((each) => {
		const url = URL.parse(each.trim());
		const isWeb = url?.protocol === "https:" || url?.protocol === "http:";
		return url !== null && isWeb && url.username === "" && url.password === "" ? [url.href] : [];
	});
}

/**
 * Fetches a photo without credentials. Redirects on its host and to the store's are followed, but not from `https:` to
 * `http:`; a person must confirm any other, which is returned. Rejects with ClientError: `invalid` for no web address, `malformed` for no picture or too
 * large, `timeout`, `aborted`.
 */
export async function fetchPhoto(
	address: string,
	{ transport, clock, storeHost, onRequest }: PhotoSource,
	signal?: AbortSignal,
): Promise<Photo | { readonly elsewhere: string }> {
	const cut = new AbortController();
	const timer = clock.after(LIMITS.readMs, () => cut.abort());
	const both = AbortSignal.any(signal === undefined ? [cut.signal] : [signal, cut.signal]);
	const failureOf = (error: unknown, { host }: URL): ClientError => {
		if (signal?.aborted) return abortedError("petstore");
		if (cut.signal.aborted) return new ClientError("petstore", "timeout", "The photo did not arrive in time.");
		if (error instanceof ClientError) return error;
		const { code, reason, status } = failureOfError(error);
		const sentence = `The photo could not be fetched from ${host}: ${reason}.`;
		return new ClientError("petstore", code, sentence, { status, cause: error });
	};
	/** The photo of an address, or the address that it redirects to. */
	const ask = async (url: URL): Promise<Photo | string> => {
		const begun = clock.monotonic();
		let status: number | null = null;
		let size = 0;
		let failed: ClientError | undefined;
		try {
			const reply = await transport.send({ method: "GET", url, headers: HEADERS, alone: true, signal: both });
			status = reply.status;
			const chunks: Uint8Array[] = [];
			for await (const chunk of reply.body) {
				chunks.push(chunk);
				size += chunk.length;
				if (size > LIMITS.bodyBytes) throw problem(`The photo is larger than ${LIMITS.bodyBytes / 1024 / 1024} MB.`);
			}
			const { location } = reply.headers;
			if (leadsOn(status) && location !== undefined) return URL.parse(location, url.href)?.href ?? location;
			if (status !== 200) {
				const { message, said } = wordsOfReply(status === 404 ? "There is no photo at its address" : "", status);
				throw new ClientError("petstore", codeOfStatus(status), message, { status, said });
			}
			const bytes = Buffer.concat(chunks, size);
			const image = imageTypeOf(bytes);
			if (image === undefined) throw problem("The file at the photo's address is not a picture that can be shown.");
			return { ...image, bytes };
		} catch (error) {
			failed = failureOf(error, url);
			throw failed;
		} finally {
			onRequest?.({
				service: "petstore",
				method: "GET",
				url: url.href,
				headers: HEADERS,
				body: null,
				isExact: true,
				status,
				ms: clock.monotonic() - begun,
				attempt: 1,
				sentBytes: 0,
				receivedBytes: size,
				...(failed && { error: failed }),
			});
		}
	};
	try {
		let next = address;
		const { host, protocol }: Partial<URL> = URL.parse(address) ?? {};
		for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
			const [allowed] = photoAddresses([next]);
			if (allowed === undefined) throw invalid("petstore", "photoUrls", "has an address that is not of the web");
			const url = new URL(allowed);
			const isSafe = protocol !== "https:" || url.protocol === protocol;
			if (!isSafe || ![storeHost, host].includes(url.host)) return { elsewhere: allowed };
			const reply = await ask(url);
			if (typeof reply !== "string") return reply;
			next = reply;
		}
		throw problem("The photo's address redirects in a circle.");
	} finally {
		timer.dispose();
	}
}

function problem(sentence: string): ClientError {
	return new ClientError("petstore", "malformed", sentence);
}
