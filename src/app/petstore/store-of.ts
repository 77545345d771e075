import type { PetstoreConnection } from "../connections/connection.ts";
import { petstoreProfileOf } from "../connections/petstore-profiles.ts";

/**
 * The store that a connection leads to: what two connections have in common, or one before and after it was edited, if
 * what is known of the one is true of the other. It is the same by http and https, with any key, token or format.
 */
export function storeOf({ baseUrl, profile, format }: PetstoreConnection): string {
	const { host, pathname } = new URL(baseUrl);
	return `${host}${pathname.replace(/\/$/, "")}${petstoreProfileOf(profile, format).basePath}`;
}
