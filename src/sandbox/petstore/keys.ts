import type { Tokens } from "./tokens.ts";

/** The pet store's credentials, valid for this start only. */
export interface PetstoreKeys {
	/** For the header `api_key`. */
	readonly apiKey: string;
	/** An OAuth token with both scopes, which lasts a day. */
	readonly token: string;
	/** A token that may only read: 403, as every operation on pets wants both scopes. */
	readonly readOnlyToken: string;
	/** A token that has expired: 401. */
	readonly expiredToken: string;
	/** One of the seeded users; the others have the same password. */
	readonly user: { readonly username: string; readonly password: string };
	/** What `{auth_url}` of the contract is: `/oauth/authorize` below it is the authorization page. */
	readonly authUrl: string;
}

/** What the keys are made of. */
export interface KeyMaterial {
	readonly tokens: Tokens;
	readonly apiKey: string;
	readonly password: string;
	readonly authUrl: string;
}

/** Mints the credentials of a start. */
export function issuePetstoreKeys({ tokens, apiKey, password, authUrl }: KeyMaterial): PetstoreKeys {
	return {
		apiKey,
		token: tokens.mint({ expiresInSeconds: 86_400 }),
		readOnlyToken: tokens.mint({ scopes: ["read:pets"], expiresInSeconds: 86_400 }),
		expiredToken: tokens.mint({ expiresInSeconds: -1 }),
		user: { username: "ada", password },
		authUrl,
	};
}
