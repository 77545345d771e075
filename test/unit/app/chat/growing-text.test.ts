import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { CensoredStream, GrowingText, RestText } from "#app/chat/growing-text.ts";
import { Redactor } from "#base/redaction.ts";

const SECRET = "secret-key-of-a";

function censorOf(...secrets: readonly string[]) {
	const redactor = new Redactor();
	for (const secret of secrets) redactor.register(secret);
	return {
		redact: <T>(value: T) => redactor.redactAll(value),
		heldBack: (text: string) => redactor.heldBack(text),
		cutOff: (text: string) => redactor.cutOff(text),
		redactEnded: (text: string) => redactor.redactEnded(text),
	};
}

function setUp() {
	const censor = censorOf(SECRET);
	const heard: string[] = [];
	return { heard, stream: new CensoredStream(censor, (text) => heard.push(text)) };
}

test("however a text is cut, no more of a secret is passed on than the few characters that any word may begin with", () => {
	const whole = `The key ${SECRET} is wrong: ${SECRET}${SECRET}. `;
	for (let size = 1; size <= whole.length; size++) {
		const { heard, stream } = setUp();
		for (let at = 0; at < whole.length; at += size) stream.push(whole.slice(at, at + size));
		stream.end();
		const text = heard.join("");
		assert.doesNotMatch(text, /secret|key-of-a|of-a/, `${size}: ${text}`);
		assert.match(
			text,
			/^The key [secrt]{0,5}\[redacted\] is wrong: [secrt]{0,5}\[redacted\][secrt]{0,5}\[redacted\]\. $/,
		);
	}
});

test("text without secrets is passed on at once, and an end that was held back when the text is whole", () => {
	const { heard, stream } = setUp();
	for (const piece of ["one", " two", "", " secret-"]) stream.push(piece);
	assert.deepEqual(heard, ["one", " two", " "]);
	stream.end();
	assert.deepEqual(heard, ["one", " two", " ", "secret-"]);
});

test("of a text that is over within a secret, most of it is not passed on, however it was cut", () => {
	const whole = `The key is ${SECRET.slice(0, -2)}`;
	for (let size = 1; size <= whole.length; size++) {
		const { heard, stream } = setUp();
		for (let at = 0; at < whole.length; at += size) stream.push(whole.slice(at, at + size));
		stream.end();
		assert.match(heard.join(""), /^The key is [secrt]{0,5}\[redacted\]$/);
	}
});

test("however a text is cut, it is in the end what it would be redacted at once, secrets that overlap included", () => {
	const secrets = ["abcabcabcabcab", "cabcabcabcabd", "abcabcabcabcabcabd"];
	const censor = censorOf(...secrets);
	const piece = fc.oneof(
		fc.constantFrom(...secrets),
		fc.string({ unit: fc.constantFrom("a", "b", "c", "d"), maxLength: 9 }),
	);
	fc.assert(
		fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
			const growing = new GrowingText(censor);
			let told = "";
			const take = (piece: string, whole = false) => {
				const { at, over, text } = growing.take(piece, { whole });
				assert.equal(told.slice(at), over);
				told = told.slice(0, at) + text;
				for (const secret of secrets) assert.ok(!told.includes(secret));
			};
			for (const each of pieces) take(each);
			take("", true);
			assert.equal(told, censor.redactEnded(pieces.join("")));
			assert.equal(growing.heard, pieces.join("").length);
		}),
		{ numRuns: 2_000, examples: [[["abcabcabcabcab", "cabc", "abcabcabcabcab"]]] },
	);
});

test("however a text and its rest are cut, no secret is in the two together, and nothing else is missing", () => {
	const censor = censorOf(SECRET);
	const piece = fc.oneof(
		fc.constantFrom(SECRET, SECRET.slice(0, -2), " and "),
		fc.string({ unit: fc.constantFrom(...SECRET), maxLength: 4 }),
	);
	fc.assert(
		fc.property(
			fc.array(piece, { maxLength: 4 }),
			fc.nat(),
			fc.array(fc.nat(12), { maxLength: 9 }),
			(all, cut, sizes) => {
				const whole = all.join("");
				const before = whole.slice(0, cut % (whole.length + 1));
				let rest = whole.slice(before.length);
				const growing = new RestText(censor, before);
				let [first, second] = [censor.redact(before), ""];
				const take = (piece: string, isWhole = false) => {
					const { back, at, text } = growing.take(piece, { whole: isWhole });
					first = first.slice(0, first.length - back);
					second = second.slice(0, at) + text;
				};
				for (const size of sizes) {
					take(rest.slice(0, size));
					rest = rest.slice(size);
				}
				take(rest, true);
				assert.equal(first + second, censor.redactEnded(whole), `"${before}" and the rest of "${whole}"`);
			},
		),
		{ numRuns: 2_000 },
	);
});

test("what was told is not looked at again: only the last piece, and what is held back before it", () => {
	let looked = 0;
	const censor = censorOf(SECRET);
	const growing = new GrowingText({
		redact: (value) => {
			looked += String(value).length;
			return censor.redact(value);
		},
		heldBack: (text) => {
			looked += text.length;
			return censor.heldBack(text);
		},
		cutOff: censor.cutOff,
	});
	for (let n = 0; n < 10_000; n++) growing.take("ten more, ");
	assert.ok(looked < 4 * 100_000, `${looked} characters`);
});
