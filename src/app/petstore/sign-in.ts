import { unlessAborted } from "#api/http/exchange.ts";
import { authorizationUrl, readAuthorization, signInError } from "#api/petstore/authorization.ts";
import type { AccessToken } from "#api/petstore/credential.ts";
import type { Clock } from "#base/clock.ts";
import { type Disposable, DisposableStore } from "#base/disposables.ts";
import { ClientError } from "#base/errors.ts";

/** Takes the address of an answer and returns a sentence about it; undefined if it is not the answer. */
export type TakeAnswer = (address: string) => string | undefined;

/** Access of a sign-in to the person and the browser. */
export interface SignInWays {
	readonly clock: Clock;
	/** Opens a page for the browser, with its address as seen there. If that fails, the person pastes the answer. */
	readonly openPage: (take: TakeAnswer) => Promise<Disposable & { readonly address: string }>;
	readonly browse: (url: URL) => Promise<void>;
	/** Resolves to the refusal on a sign-in page, if any. Never rejects. */
	readonly refusalOf: (url: URL) => Promise<string | undefined>;
	/** Offers to paste the address, and shows a refusal, until the result is disposed. */
	readonly paste: (take: TakeAnswer, refusal: Promise<string | undefined>) => Disposable;
}

/** Sign-in page, and our client ID there. */
export interface SignInTarget {
	readonly authUrl: string;
	readonly clientId: string;
}

/** Address for services that refuse a page with a changing port, or if there is none: the answer is pasted. */
export const FIXED_ADDRESS = "http://127.0.0.1/callback";

/** Timeout for the person. Milliseconds. */
const PATIENCE_MS = 5 * 60_000;

/**
 * Signs a person in with the OAuth 2.0 implicit flow (contract section 5). Rejects with ClientError: `aborted`; for
 * `auth_url`, `forbidden` if denied, `timeout` after 5 minutes, and those of {@link readAuthorization}.
 */
export async function signIn(parts: SignInWays, target: SignInTarget, signal?: AbortSignal) {
	const { clock, openPage, browse, refusalOf, paste } = parts;
	const held = new DisposableStore();
	const state = newState();
	const answered = Promise.withResolvers<AccessToken>();
	const take: TakeAnswer = (address) => {
		try {
			const token = readAuthorization(address, { state, now: clock.now() });
			if (token === null) return undefined;
			answered.resolve(token);
			return "The editor has the answer. You can close this page and go back to it.";
		} catch (error) {
			answered.reject(error);
			return error instanceof ClientError ? `${error.message} You can close this page.` : "Something went wrong.";
		}
	};
	const ask = async () => {
		const page = await openPage(take).catch(() => ({ address: FIXED_ADDRESS, dispose: () => undefined }));
		held.add(page);
		const urlWith = (redirectUri: string, its = state) => authorizationUrl({ ...target, redirectUri, state: its });
		// With its own state: a service may refuse one that was used.
		const refusal = refusalOf(urlWith(page.address, newState()));
		held.add(paste(take, refusal));
		const redirectUri = (await refusal) === undefined ? page.address : FIXED_ADDRESS;
		// The person may have canceled meanwhile.
		if (!held.disposed) await browse(urlWith(redirectUri));
		return answered.promise;
	};
	try {
		const late = signInError("timeout", "The sign-in timed out after 5 minutes.");
		held.add(clock.after(PATIENCE_MS, () => answered.reject(late)));
		// The editor may ask the person before it opens a page, without an end.
		return await unlessAborted(Promise.race([answered.promise, ask()]), signal, "petstore");
	} finally {
		held.dispose();
	}
}

/** Random state of 256 bits, which cannot be guessed. */
function newState(): string {
	return [...crypto.getRandomValues(new Uint8Array(32))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
