import type { CodehostProfile } from "#api/codehost/model.ts";
import { CODEHOST_PRESETS } from "#app/connections/codehost-profiles.ts";

/** Least bits a character of a value that looks random, as gitleaks counts them. */
const RANDOM_BITS = 3.5;

const PROFILES: readonly CodehostProfile[] = Object.values(CODEHOST_PRESETS).map(({ profile }) => profile);
const PREFIXES = PROFILES.flatMap(({ patPrefixes }) => Object.values(patPrefixes ?? {}).flat());

/** Formats by which a secret is known, with the kind that a problem names. */
const FORMATS: readonly (readonly [kind: string, format: RegExp])[] = [
	["token of a code host", new RegExp(`\\b(?:${[...new Set(PREFIXES)].join("|")}|gh[a-z]_|glpat-)\\w{20,}`)],
	["key of a messages service", /\bsk-[\w-]{20,}/],
	["private key", /-----BEGIN [A-Z ]*PRIVATE KEY-----\s*(?:\\n)?[\w+/=\s\\]{64,}/],
	["JSON Web Token", /\beyJ[\w-]{15,}\.eyJ[\w-]{15,}\.[\w-]{10,}/],
	["key of a cloud", /\b(?:AKIA|ASIA)[A-Z2-7]{16}\b|\bAIza[\w-]{35}\b/],
	["token of a registry or forum", /\bnpm_\w{36}\b|\bhf_[A-Za-z]{34}\b|\bxox[a-z]-[\w-]{10,}|\bpypi-[\w-]{50,}/],
	["address with a password", /\b[a-z][a-z+]{1,9}:\/\/[\w.%-]+:[^\s/@"'`${}]{6,}@[\w.-]+/],
];

/** A literal that is given to a name which speaks of a secret. */
const NAMED =
	/(?:access|api|auth|credential|key|passw(?:or)?d|secret|token)[\w.-]{0,20}["'`]?\s{0,3}(?:=>?|:|,)\s{0,3}["'`]([\w+/=.-]{16,150})["'`]/gi;

/**
 * Secrets in a text, as `KIND: START...`: formats of our services and of common ones, and any value of a name like
 * `apiKey` that looks random, as gitleaks' rule for unknown services finds them.
 */
export function secretsIn(text: string): string[] {
	const known = FORMATS.flatMap(([kind, format]) => {
		const found = format.exec(text)?.[0];
		return found === undefined ? [] : [`${kind}: ${found.slice(0, 12)}...`];
	});
	const named = [...text.matchAll(NAMED)].map(([, value = ""]) => value).filter(isRandom);
	return [...known, ...named.map((value) => `value that looks random: ${value.slice(0, 6)}...`)];
}

function isRandom(value: string): boolean {
	if (!/\d/.test(value) || !/[a-z]/i.test(value)) return false;
	const counts = Map.groupBy(value, (character) => character).values();
	const bits = [...counts].map(({ length }) => (length / value.length) * Math.log2(value.length / length));
	return bits.reduce((sum, each) => sum + each, 0) >= RANDOM_BITS;
}
