/** Bytes per call: engines limit the number of arguments. */
const CHUNK = 8_192;

/** Encodes base64 without Buffer, which the panel lacks. */
export function base64Of(bytes: Uint8Array): string {
	let binary = "";
	for (let at = 0; at < bytes.length; at += CHUNK)
		binary += Reflect.apply(String.fromCharCode, null, bytes.subarray(at, at + CHUNK));
	return btoa(binary);
}
