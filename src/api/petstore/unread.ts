/** Beside what could be read of a reply stands, under this, what could not. Nothing that is written down or sent has it. */
export const UNREAD: unique symbol = Symbol("unread");

/** What a reply says and nobody here can read. */
export interface Unread {
	/** A fingerprint of each under its place, such as `price` or `tags[0].id`: what it is may be a secret. */
	readonly fields: Readonly<Record<string, string>>;
	/** The whole reply, where it is JSON. */
	readonly json?: string;
}

/** Something that was read, but perhaps not all of it. */
export interface PartlyRead {
	readonly [UNREAD]?: Unread | undefined;
}

/** The places of what could not be read of something, in the order of the reply. */
export function unreadFields(read: PartlyRead): readonly string[] {
	return Object.keys(read[UNREAD]?.fields ?? {});
}
