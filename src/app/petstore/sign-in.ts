import { authorizationUrl, readAuthorization, signInError } from "#api/petstore/authorization.ts";
import type { AccessToken } from "#api/petstore/credential.ts";
import type { Clock } from "#base/clock.ts";
import { type Disposable, DisposableStore } from "#base/disposables.ts";
import { ClientError } from "#base/errors.ts";

/** Takes what a browser was answered with; says in a sentence what became of it, undefined where it is not the answer. */
export type TakeAnswer = (address: string) => string | undefined;

/** What a sign-in works with. */
export interface SignInParts {
	readonly clock: Clock;
	/**
	 * Opens a page to which the browser is sent, with its address as the person's browser has to write it; it is closed
	 * with what is returned. Where it rejects there is only what can be pasted.
	 */
	readonly openPage: (take: TakeAnswer) => Promise<Disposable & { readonly address: string }>;
	/** Shows the page on which the person decides. */
	readonly browse: (url: URL) => Promise<void>;
	/** Offers the person to paste the address instead, until what is returned is disposed. */
	readonly paste?: ((take: TakeAnswer) => Disposable) | undefined;
}

/** At whom a person signs in, and what they call us there. */
export interface SignInTarget {
	readonly authUrl: string;
	readonly clientId: string;
}

/** Where the browser is sent while no page of ours can be reached: the person pastes the address that it shows then. */
const NOBODYS_PAGE = "http://127.0.0.1/callback";

/** How long a person may take. Milliseconds. */
const PATIENCE_MS = 5 * 60_000;

/**
 * Has a person sign in with the OAuth 2.0 implicit flow (contract section 5). An answer with another state is left
 * alone and ends nothing. Rejects with ClientError: `aborted`; for `auth_url`, `forbidden` when the person denies it,
 * `timeout` after 5 minutes, and what {@link readAuthorization} throws.
 */
export async function signIn(
	parts: SignInParts,
	target: SignInTarget,
	signal?: AbortSignal | undefined,
): Promise<AccessToken> {
	const { clock, openPage, browse, paste } = parts;
	const held = new DisposableStore();
	const state = newState();
	const answered = Promise.withResolvers<AccessToken>();
	let isOver = false;
	const take: TakeAnswer = (address) => {
		if (isOver) return undefined;
		try {
			const token = readAuthorization(address, { state, now: clock.now() });
			if (token === null) return undefined;
			answered.resolve(token);
			isOver = true;
			return "The editor has the answer. You can close this page and go back to it.";
		} catch (error) {
			answered.reject(error);
			isOver = true;
			return error instanceof ClientError ? `${error.message} You can close this page.` : "Something went wrong.";
		}
	};
	const stop = () => answered.reject(new ClientError("petstore", "aborted", "The sign-in was stopped."));
	const ask = async () => {
		const page = await openPage(take).catch((error: unknown) => {
			if (paste === undefined) throw error;
			return { address: NOBODYS_PAGE, dispose: () => undefined };
		});
		held.add(page);
		if (isOver) return answered.promise;
		if (paste !== undefined) held.add(paste(take));
		await browse(authorizationUrl({ ...target, redirectUri: page.address, state }));
		return answered.promise;
	};
	try {
		signal?.addEventListener("abort", stop, { once: true });
		if (signal?.aborted) stop();
		const late = signInError("timeout", "Nobody has signed in for 5 minutes.");
		held.add(clock.after(PATIENCE_MS, () => answered.reject(late)));
		// The editor may itself ask the person whether to show a page, and be left unanswered.
		return await Promise.race([answered.promise, ask()]);
	} finally {
		// An answer that is still on its way must not be told that it was taken.
		isOver = true;
		signal?.removeEventListener("abort", stop);
		held.dispose();
	}
}

/** 256 bits that nobody can guess. */
function newState(): string {
	return [...crypto.getRandomValues(new Uint8Array(32))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
