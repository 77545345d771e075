import { type ClientError, invalid } from "#base/errors.ts";
import { LIMITS } from "#base/limits.ts";

/** A private key's PEM text, made whole again. */
export interface PrivateKeyPem {
	readonly text: string;
	/** True if it takes a passphrase to read it. */
	readonly encrypted: boolean;
}

/** Advice for PEM labels other than those of usable keys. */
const NAMES_OF_LABELS: readonly (readonly [label: RegExp, rule: string])[] = [
	[
		/^OPENSSH PRIVATE KEY$/,
		"is in OpenSSH's own format; convert a copy of the file with: ssh-keygen -p -N '' -m PEM -f copy-of-key",
	],
	[
		/PUBLIC KEY$/,
		"is a public key; the private key is in the .pem file that the code host handed out when the key was made",
	],
	[
		/CERTIFICATE$|^X509 CRL$/,
		"is a certificate; the private key is in the .pem file that the code host handed out when the key was made",
	],
	[
		/CERTIFICATE REQUEST$/,
		"is a certificate request; the private key is in the .pem file that the code host handed out",
	],
	[
		/^PGP /,
		"is a PGP key; apps sign with the RSA key in the .pem file that the code host handed out when the key was made",
	],
	[/ PARAMETERS$/, "holds only parameters; the private key is in another part of the file: paste all of it"],
];

/** Advice for texts that are no PEM, by their beginning. */
const NAMES_OF_OTHERS: readonly (readonly [start: RegExp, rule: string])[] = [
	[
		/^(?:ssh-(?:rsa|dss|ed25519)|ecdsa-sha2-\S+) /,
		"is a public key in OpenSSH's format; use the .pem file that the code host handed out when the key was made",
	],
	[/^PuTTY-User-Key-File/, "is a PuTTY key; export it in PuTTYgen with Conversions > Export OpenSSH key (PEM)"],
	[/^\{/, "is JSON; use the .pem file that the code host handed out when the key was made"],
	[/^service_pat_|^gh[a-z]_|^github_pat_/, "is an access token, not a private key; add it as a personal access token"],
];

/** Labels of keys that the crypto library reads. Which of them are RSA shows when they are read. */
const USABLE = /^(?:(?:RSA|EC|DSA|ENCRYPTED) )?PRIVATE KEY$/;

const BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----([\s\S]*?)-----END ([A-Z0-9 ]+)-----/g;

/**
 * Finds the private key in a text and gives it back its lines: from a file with other parts, with Windows line ends,
 * indentation or quotes, on one line with `\n` written out, with spaces where line breaks were, or encoded in base64
 * as a whole.
 *
 * @throws ClientError `invalid` for `private_key`, naming what the text is instead and what to do.
 */
export function readPem(text: string): PrivateKeyPem {
	if (text.length > LIMITS.pemCharacters) {
		throw refuse(`is longer than ${LIMITS.pemCharacters / 1_024} KB, as no key is; copy only the .pem file's text`);
	}
	const plain = unwrap(text);
	if (plain === "") throw refuse("is missing");
	const blocks = [...plain.matchAll(BLOCK)].map(([, label = "", body = "", end = ""]) => ({ label, body, end }));
	const usable = blocks.find(({ label }) => USABLE.test(label));
	if (usable !== undefined) return rebuild(usable);
	const label = blocks[0]?.label ?? /-----BEGIN ([A-Z0-9 ]+)-----/.exec(plain)?.[1];
	if (label === undefined) throw refuse(describeOther(plain));
	const named = NAMES_OF_LABELS.find(([pattern]) => pattern.test(label));
	if (named !== undefined) throw refuse(named[1]);
	if (blocks.length === 0) throw refuse("breaks off before its END line; copy the whole file again");
	throw refuse("is not a private key; use the .pem file that the code host handed out when the key was made");
}

/** The text without what a shell, a settings file or a secret store put around it. */
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
function rebuild({ label, body, end }: { label: string; body: string; end: string }): PrivateKeyPem {
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

function describeOther(text: string): string {
	const named = NAMES_OF_OTHERS.find(([start]) => start.test(text));
	if (named !== undefined) return named[1];
	return "has no BEGIN line; copy the whole .pem file, from the BEGIN line to the END line";
}

/** Error of a private key that breaks a rule: `invalid`, field `private_key`. */
export function refuse(rule: string): ClientError {
	return invalid("codehost", "private_key", rule);
}
