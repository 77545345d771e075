import { createHash, createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";
import { ClientError, invalid } from "#base/errors.ts";
import { LIMITS } from "#base/limits.ts";

const KEY_FILE = "the .pem file that the code host handed out when the key was made";

/** Advice for texts that are no private key, by their beginning. */
const NO_KEYS: readonly (readonly [start: RegExp, rule: string])[] = [
	[
		/^OPENSSH PRIVATE KEY$/,
		"is in OpenSSH's own format; convert a copy of the file with: ssh-keygen -p -N '' -m PEM -f copy-of-key",
	],
	[/PUBLIC KEY$|^(?:ssh-|ecdsa-sha2-)\S+ /, `is a public key; the private key is in ${KEY_FILE}`],
	[/CERTIFICATE/, `is a certificate; the private key is in ${KEY_FILE}`],
	[/^PuTTY-User-Key-File/, "is a PuTTY key; export it in PuTTYgen with Conversions > Export OpenSSH key (PEM)"],
	[/^service_pat_|^gh[a-z]_|^github_pat_/, "is an access token, not a private key; add it as a personal access token"],
];

/** RS256 with a shorter key is refused by the signer, and rightly so. */
const SHORTEST_KEY_BITS = 2048;

/** The private key of an app, ready to sign. The fingerprint is that of its public key, as code hosts show it. */
export type AppKey = ReturnType<typeof checked>;

/** Reads an app's private key. Throws ClientError `invalid` for `passphrase` or `private_key`, without key text. */
export function readAppKey(text: string, { passphrase }: { passphrase?: string | undefined } = {}): AppKey {
	const pem = readPem(text);
	const usesPassphrase = pem.encrypted && passphrase !== undefined && passphrase !== "";
	if (pem.encrypted && !usesPassphrase) {
		const facts = { field: "passphrase", reason: "passphrase-needed" } as const;
		throw new ClientError("codehost", "invalid", "passphrase is needed: the private key is encrypted", facts);
	}
	let key: KeyObject;
	try {
		key = createPrivateKey({ key: pem.text, ...(usesPassphrase ? { passphrase } : {}) });
	} catch (error) {
		throw usesPassphrase
			? undecryptable(error)
			: refuse("is damaged; copy the whole file again, from the BEGIN line to the END line");
	}
	return checked(key);
}

function checked(key: KeyObject) {
	const type = key.asymmetricKeyType;
	if (type !== "rsa") throw refuse(`must be an RSA key, and this is one of the type ${type}; use ${KEY_FILE}`);
	const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
	if (bits < SHORTEST_KEY_BITS) {
		throw refuse(
			`must have at least ${SHORTEST_KEY_BITS} bits, and this one has ${bits}; make a new key in the app's settings`,
		);
	}
	const der = createPublicKey(key).export({ type: "spki", format: "der" });
	return { key, bits, fingerprint: `SHA256:${createHash("sha256").update(der).digest("base64")}` };
}

/** Wrong passphrase or unsupported cipher: one wrong passphrase in 200 yields a "key" that the decoder rejects. */
function undecryptable(error: unknown): ClientError {
	const code = error instanceof Error && "code" in error ? String(error.code) : "";
	const decoded = error instanceof Error && error.message.includes("DECODER routines");
	if (!decoded && /UNSUPPORTED|UNKNOWN_(?:CIPHER|ALGORITHM)|INVALID_DIGEST/.test(code)) {
		return refuse(
			"is encrypted with an old cipher; decrypt a copy with: openssl rsa -provider legacy -provider default -in key.pem -out plain.pem",
		);
	}
	const facts = { field: "passphrase", reason: "passphrase-wrong" } as const;
	return new ClientError("codehost", "invalid", "passphrase does not open the private key", facts);
}

/** Labels of readable keys, RSA or not. */
const USABLE = /^(?:(?:RSA|EC|DSA|ENCRYPTED) )?PRIVATE KEY$/;

const BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----([\s\S]*?)-----END ([A-Z0-9 ]+)-----/g;

/** Private key in a text, its lines restored: from indented, quoted, `\n`-escaped, one-line or base64 text. */
function readPem(text: string): { readonly text: string; readonly encrypted: boolean } {
	if (text.length > LIMITS.pemCharacters) {
		throw refuse(`is longer than ${LIMITS.pemCharacters / 1_024} KB, as no key is; copy only the .pem file's text`);
	}
	const plain = unwrap(text);
	if (plain === "") throw refuse("is missing");
	const blocks = [...plain.matchAll(BLOCK)].map(([, label = "", body = "", end = ""]) => ({ label, body, end }));
	const usable = blocks.find(({ label }) => USABLE.test(label));
	if (usable !== undefined) return rebuild(usable);
	const label = blocks[0]?.label ?? /-----BEGIN ([A-Z0-9 ]+)-----/.exec(plain)?.[1];
	const [, rule] = NO_KEYS.find(([pattern]) => pattern.test(label ?? plain)) ?? [];
	if (rule !== undefined) throw refuse(rule);
	if (label === undefined)
		throw refuse("has no BEGIN line; copy the whole .pem file, from the BEGIN line to the END line");
	if (blocks.length === 0) throw refuse("breaks off before its END line; copy the whole file again");
	throw refuse(`is not a private key; use ${KEY_FILE}`);
}

/** Text without the wrapping of shells, settings files and secret stores. */
function unwrap(text: string): string {
	const plain = text
		.replaceAll(/\\r\\n|\\n|\\r/g, "\n")
		.trim()
		.replace(/^(["'`])([\s\S]*)\1$/, "$2")
		.trim();
	if (plain.includes("-----") || !/^[A-Za-z0-9+/=_\s-]{64,}$/.test(plain)) return plain;
	const decoded = Buffer.from(plain, "base64").toString("latin1");
	return decoded.includes("-----BEGIN ") ? decoded.trim() : plain;
}

/** The block as the crypto library wants it, whatever became of its line breaks. */
function rebuild({ label, body, end }: { label: string; body: string; end: string }): ReturnType<typeof readPem> {
	if (label !== end) throw refuse("is damaged: its END line does not match its BEGIN line; copy the whole file again");
	const header = /^\s*Proc-Type:\s*4,\s*ENCRYPTED\s+DEK-Info:\s*([A-Z0-9-]+,\s*[0-9A-F]+)\s+/i.exec(body);
	const data = body.slice(header?.[0].length ?? 0).replaceAll(/\s+/g, "");
	if (!/^[A-Za-z0-9+/]+={0,2}$/.test(data)) {
		throw refuse("is damaged: it holds characters that no key has; copy the whole file again");
	}
	const lines = data.match(/.{1,64}/g) ?? [];
	const head =
		header?.[1] === undefined ? [] : ["Proc-Type: 4,ENCRYPTED", `DEK-Info: ${header[1].replace(/\s/g, "")}`, ""];
	const text = [`-----BEGIN ${label}-----`, ...head, ...lines, `-----END ${label}-----`, ""].join("\n");
	return { text, encrypted: header !== null || label === "ENCRYPTED PRIVATE KEY" };
}

function refuse(rule: string): ClientError {
	return invalid("codehost", "private_key", rule);
}
