import { createHash, createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";
import { ClientError } from "#base/errors.ts";
import { readPem, refuse } from "./pem.ts";

/** RS256 with a shorter key is refused by the signer, and rightly so. */
const SHORTEST_KEY_BITS = 2048;

/** The private key of an app, ready to sign. */
export interface AppKey {
	readonly key: KeyObject;
	/** `SHA256:` and the base64 of the public key's hash, as code hosts show it beside the key. Not a secret. */
	readonly fingerprint: string;
	readonly bits: number;
}

/**
 * Reads an app's private key in any of the shapes in which people have it. What only lost its line breaks is repaired
 * silently; anything else is named, with what to do about it.
 *
 * @throws ClientError `invalid`: field `passphrase` with reason `passphrase-needed` or `passphrase-wrong`, field
 * `private_key` for a text that is no usable key. No message contains any of the text.
 */
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
		throw usesPassphrase ? undecryptable(error) : unreadable();
	}
	return checked(key);
}

function checked(key: KeyObject): AppKey {
	const type = key.asymmetricKeyType;
	if (type !== "rsa") {
		const name = TYPE_NAMES[type ?? ""] ?? "another kind of";
		throw refuse(`must be an RSA key, and this is ${name} key; use the .pem file that the code host made for the app`);
	}
	const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
	if (bits < SHORTEST_KEY_BITS) {
		throw refuse(
			`must have at least ${SHORTEST_KEY_BITS} bits, and this one has ${bits}; make a new key in the app's settings`,
		);
	}
	const der = createPublicKey(key).export({ type: "spki", format: "der" });
	return { key, bits, fingerprint: `SHA256:${createHash("sha256").update(der).digest("base64")}` };
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
	"rsa-pss": "an RSA-PSS",
	ec: "an elliptic curve (EC)",
	ed25519: "an Ed25519",
	ed448: "an Ed448",
	x25519: "an X25519",
	x448: "an X448",
	dsa: "a DSA",
	dh: "a Diffie-Hellman",
};

/**
 * Ciphers that the crypto library knows nothing of are the one failure that another passphrase cannot heal. One wrong
 * passphrase in two hundred yields bytes that look like a key until its decoder calls them unsupported.
 */
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

function unreadable(): ClientError {
	return refuse("is damaged; copy the whole file again, from the BEGIN line to the END line");
}
