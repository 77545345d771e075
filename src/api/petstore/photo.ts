import type { Clock } from "#base/clock.ts";
import { ClientError, invalid } from "#base/errors.ts";
import { LIMITS } from "#base/limits.ts";
import type { RequestNotice } from "../http/notice.ts";
import type { Transport } from "../http/transport.ts";

/** Means to fetch a photo, without any credential. */
export interface PhotoSource {
	readonly transport: Transport;
	readonly clock: Clock;
	/** The host of the store, with its port: a photo there needs nobody to have seen its address. */
	readonly storeHost?: string;
	/** An HTTP exchange is over. */
	readonly onRequest?: ((notice: RequestNotice) => void) | undefined;
}

/** A picture. */
export interface Photo extends ImageType {
	readonly bytes: Uint8Array;
}

/** Address at another host, which a person has to see before it is asked. */
export interface PhotoElsewhere {
	readonly elsewhere: string;
}

const MOST_REDIRECTS = 3;

const HEADERS = { accept: "image/*" };

/** The addresses among a pet's photos that can be looked at; a store could name anything. */
export function photoAddresses(photoUrls: readonly string[] | undefined): readonly string[] {
	return (photoUrls ?? []).flatMap((each) => {
		const url = URL.parse(each.trim());
		const isWeb = url?.protocol === "https:" || url?.protocol === "http:";
		return url !== null && isWeb && url.username === "" && url.password === "" ? [url.href] : [];
	});
}

/**
 * Fetches a photo without any credential, whoever's address it is. A redirect is followed at the same host and to the
 * store's; of another one its address is returned, and it is not asked. Rejects with ClientError: `invalid` for what is no
 * web address, `malformed` for what is no picture or too large, `timeout`, `aborted`.
 */
export async function fetchPhoto(
	address: string,
	parts: PhotoSource,
	signal?: AbortSignal,
): Promise<Photo | PhotoElsewhere> {
	const cut = new AbortController();
	const timer = parts.clock.after(LIMITS.readMs, () => cut.abort());
	const both = AbortSignal.any(signal === undefined ? [cut.signal] : [signal, cut.signal]);
	const told = (error: unknown, { host }: URL): ClientError => {
		if (signal?.aborted) return new ClientError("petstore", "aborted", "The request was stopped.");
		if (cut.signal.aborted) return new ClientError("petstore", "timeout", "The photo did not arrive in time.");
		if (error instanceof ClientError) return error;
		return new ClientError("petstore", "network", `The photo could not be fetched from ${host}.`, { cause: error });
	};
	try {
		let next = address;
		const hosts = new Set([parts.storeHost, URL.parse(address)?.host]);
		for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
			const [allowed] = photoAddresses([next]);
			if (allowed === undefined) throw invalid("petstore", "photoUrls", "has an address that is not of the web");
			const url = new URL(allowed);
			if (!hosts.has(url.host)) return { elsewhere: allowed };
			const reply = await ask(url, parts, { signal: both, told });
			if ("photo" in reply) return reply.photo;
			next = reply.location;
		}
		throw problem("The photo's address leads in a circle.");
	} finally {
		timer.dispose();
	}
}

/** Context of a request for one address. */
interface Asking {
	readonly signal: AbortSignal;
	/** Turns a failure into the error for the caller and the log. */
	readonly told: (error: unknown, url: URL) => ClientError;
}

async function ask(
	url: URL,
	{ transport, clock, onRequest }: PhotoSource,
	{ signal, told }: Asking,
): Promise<{ readonly photo: Photo } | { readonly location: string }> {
	const begun = clock.monotonic();
	let status: number | null = null;
	let size = 0;
	let failed: ClientError | undefined;
	try {
		const reply = await transport.send({ method: "GET", url, headers: HEADERS, alone: true, signal });
		status = reply.status;
		const chunks: Uint8Array[] = [];
		for await (const chunk of reply.body) {
			chunks.push(chunk);
			size += chunk.length;
			if (size > LIMITS.bodyBytes) throw problem(`The photo is larger than ${LIMITS.bodyBytes / 1024 / 1024} MB.`);
		}
		const { location } = reply.headers;
		if (status >= 300 && status <= 399 && location !== undefined) {
			return { location: URL.parse(location, url.href)?.href ?? location };
		}
		if (status !== 200) throw new ClientError("petstore", "not-found", "There is no photo at its address", { status });
		const bytes = Buffer.concat(chunks, size);
		const image = imageTypeOf(bytes);
		if (image === undefined) throw problem("What is at the photo's address is not a picture that can be shown.");
		return { photo: { ...image, bytes } };
	} catch (error) {
		failed = told(error, url);
		throw failed;
	} finally {
		onRequest?.({
			...{ service: "petstore", method: "GET", url: url.href, headers: HEADERS, body: null, attempt: 1 },
			...{ status, ms: clock.monotonic() - begun, sentBytes: 0, receivedBytes: size },
			...(failed === undefined ? {} : { error: failed }),
		});
	}
}

function problem(sentence: string): ClientError {
	return new ClientError("petstore", "malformed", sentence);
}

/** A kind of picture: its media type and how a file of it ends. */
export interface ImageType {
	readonly type: string;
	readonly suffix: string;
}

/** The first bytes, in hex. SVG is not among them: it can hold scripts. */
const SIGNATURES: readonly (readonly [type: string, suffix: string, signature: RegExp])[] = [
	["image/png", "png", /^89504e470d0a1a0a/],
	["image/jpeg", "jpg", /^ffd8ff/],
	["image/gif", "gif", /^474946383[79]61/],
	["image/webp", "webp", /^52494646.{8}57454250/],
	["image/avif", "avif", /^.{8}6674797061766966/],
	["image/bmp", "bmp", /^424d/],
];

/** Type of a picture by its first bytes, since names and labels can say anything; undefined for no picture. */
export function imageTypeOf(bytes: Uint8Array): ImageType | undefined {
	const head = [...bytes.subarray(0, 12)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
	const found = SIGNATURES.find(([, , signature]) => signature.test(head));
	return found === undefined ? undefined : { type: found[0], suffix: found[1] };
}
