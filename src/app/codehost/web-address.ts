/** The address of a web page, if it is one; a service could name anything. */
export function webAddress(address: string | null): string | undefined {
	const url = address === null ? null : URL.parse(address);
	return url !== null && (url.protocol === "https:" || url.protocol === "http:") ? url.href : undefined;
}
