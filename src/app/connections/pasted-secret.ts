/** Quotes around a key in a settings file, a script or a message. */
const QUOTED = /^(?:"(.+)"|'(.+)'|`(.+)`|\u201c(.+)\u201d|\u2018(.+)\u2019)$/s;
/** Scheme before a token in a header, the name of which may be copied along. */
const SCHEME = /^(?:authorization:\s*)?(?:bearer|token)\s+(?=\S)/i;

/** A key as it is meant: the blank space and the pair of quotes around it, which are often copied along, are no part of it. */
export function unquoted(pasted: string): string {
	const text = pasted.trim();
	const inside = QUOTED.exec(text)
		?.slice(1)
		.find((part) => part !== undefined);
	return inside === undefined ? text : unquoted(inside);
}

/**
 * Secret without the scheme before it, too. Of a key whose header is the person's own choice that
 * is not certain: the scheme may be what they want to be sent.
 */
export function pastedSecret(pasted: string): string {
	const text = unquoted(pasted);
	const bare = text.replace(SCHEME, "");
	return bare === text ? text : pastedSecret(bare);
}
