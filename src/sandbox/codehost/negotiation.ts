import { createHash } from "node:crypto";
import { mediaRangesOf } from "#sandbox/accept.ts";
import { Refused } from "./refusal.ts";

/** The version of the API (contract section 9). */
const VERSION = "2022-11-28";

/** The media type of the API (contract section 9). */
const VENDOR_TYPE = "application/vnd.service+json";

const ACCEPTABLE: ReadonlySet<string> = new Set([VENDOR_TYPE, "application/json", "application/*", "*/*"]);

/** Refuses another version of the API than the one there is. The header is optional. */
export function checkVersion(version: string | undefined): void {
	if (version === undefined || version === VERSION) return;
	throw new Refused(400, `The header X-Service-Api-Version must be ${VERSION}.`);
}

/** Refuses a client that accepts nothing that is sent here, with 406. The header is only recommended. */
export function checkAccept(accept: string | undefined, refuseVendorType: boolean): void {
	if (accept === undefined) return;
	const accepted = mediaRangesOf(accept).filter(
		({ type, quality }) => quality > 0 && ACCEPTABLE.has(type) && !(refuseVendorType && type === VENDOR_TYPE),
	);
	if (accepted.length === 0) throw new Refused(406, `Only ${VENDOR_TYPE} and application/json are sent here.`);
}

/** The entity tag of a reply for one bucket: nobody is told that what somebody else saw has not changed. */
export function entityTag(body: unknown, { bucket, link }: { bucket: string; link: string | undefined }): string {
	const hash = createHash("sha256").update(JSON.stringify([bucket, link, body]));
	return `W/"${hash.digest("base64url").slice(0, 27)}"`;
}

/** True if `If-None-Match` names the tag; tags are compared weakly, as for every GET. */
export function isUnchanged(ifNoneMatch: string | undefined, tag: string): boolean {
	if (ifNoneMatch === undefined) return false;
	if (ifNoneMatch.trim() === "*") return true;
	const opaque = (text: string) => text.trim().replace(/^W\//, "");
	return ifNoneMatch.split(",").some((one) => opaque(one) === opaque(tag));
}
