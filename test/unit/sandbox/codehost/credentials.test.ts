import { strict as assert } from "node:assert";
import { createPrivateKey, sign } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { provenApp } from "#sandbox/codehost/credentials.ts";
import { SandboxAppKey } from "#sandbox/codehost/model.ts";
import { Refused } from "#sandbox/http.ts";

const NOW = 1_700_000_000_999;
const SECONDS = 1_700_000_000;
const app = { id: 7, slug: "app", key: new SandboxAppKey(), installations: [] };
const privateKey = createPrivateKey(await app.key.pem());
const appOf = (token: string) => provenApp(token, [app], NOW);

function signed(header: string, payload: string): string {
	const text = [header, payload].map((part) => Buffer.from(part).toString("base64url")).join(".");
	return `${text}.${sign("RSA-SHA256", Buffer.from(text), privateKey).toString("base64url")}`;
}

const HEADER = '{"alg":"RS256"}';
const good = signed(HEADER, JSON.stringify({ iss: "7", iat: SECONDS, exp: SECONDS + 600 }));

test("a JWT with a single character changed is refused, wherever it is", () => {
	fc.assert(
		fc.property(fc.nat(good.length - 1), fc.constantFrom(..."AQgw09-_.="), (at, character) => {
			fc.pre(good[at] !== character);
			const changed = good.slice(0, at) + character + good.slice(at + 1);
			assert.throws(() => appOf(changed), Refused);
		}),
	);
});

test("a signed JWT whose parts are no JSON objects in strict base64url is refused", () => {
	const claims = JSON.stringify({ iss: "7", iat: SECONDS, exp: SECONDS + 9 });
	for (const token of [
		signed("null", claims),
		signed('"RS256"', claims),
		signed("{", claims),
		signed(HEADER, "null"),
		signed(HEADER, "[]"),
		signed(HEADER, ""),
		signed(HEADER, `${claims}x`),
	]) {
		assert.throws(() => appOf(token), Refused, token);
	}
});

test("every credential is either accepted or refused, and nothing else is thrown", () => {
	fc.assert(
		fc.property(fc.string(), fc.string(), fc.string(), (a, b, c) => {
			for (const token of [`${a}.${b}.${c}`, signed(a, b), signed(HEADER, b)]) {
				assert.throws(() => appOf(token), Refused);
			}
		}),
		{ numRuns: 30 },
	);
});
