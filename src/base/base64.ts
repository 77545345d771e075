/** Bytes at a time: so many arguments a call may have everywhere. */
const CHUNK = 8_192;

/** Bytes in base64, without Node's Buffer: this layer also runs in the panel. */
export function base64Of(bytes: Uint8Array): string {
	let binary = "";
	for (let at = 0; at < bytes.length; at += CHUNK)
		binary += Reflect.apply(String.fromCharCode, null, bytes.subarray(at, at + CHUNK));
	return btoa(binary);
}
