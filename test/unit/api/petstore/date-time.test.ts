import { strict as assert } from "node:assert";
import { test } from "node:test";
import { timeOf, wireTime } from "#api/petstore/date-time.ts";

const TIME = Date.UTC(2026, 10, 21, 10, 18, 27);

test("a time is the same in every form in use", () => {
	for (const text of [
		"2026-11-21T10:18:27Z",
		"2026-11-21T10:18:27.000+0000",
		"2026-11-21T12:18:27+02:00",
		"2026-11-21T12:18:27+02",
		"2026-11-21 10:18:27",
		"2026-11-21T10:18:27,000z",
		"Sat, 21 Nov 2026 10:18:27 GMT",
		"Sat Nov 21 10:18:27 UTC 2026",
		"Sat Nov 21 2026 10:18:27",
		"Sat Nov 21 2026 04:18:27 GMT-0600 (CST)",
		"Sat Nov 21 18:18:27 GMT+08:00 2026",
		" 1795256307 ",
		"1795256307000",
	]) {
		assert.equal(timeOf(text), TIME, text);
	}
	assert.equal(timeOf("2026-11-21T10:18:27.678+0000"), TIME + 678);
});

test("an invalid date-time is rejected", () => {
	for (const text of ["", "5", "soon", "2026", "2026-11-21", "2026-13-45T10:00:00Z", "May", "x".repeat(1_000_000)]) {
		assert.equal(timeOf(text), null, text.slice(0, 30));
	}
});

test("a time in a zone whose name has several meanings is none", () => {
	for (const zone of ["CST", "EST", "PDT", "mst", "IST", "BST"]) {
		for (const text of [`Sat Nov 21 10:18:27 ${zone} 2026`, `Sat, 21 Nov 2026 10:18:27 ${zone}`]) {
			assert.equal(timeOf(text), null, text);
		}
	}
});

test("a time beyond what can be shown as a date is none", () => {
	assert.equal(timeOf("8640000000000000"), 8.64e15);
	for (const text of ["8640000000000001", "9007199254740991"]) assert.equal(timeOf(text), null, text);
});

test("a time is sent as it was given where that is a date-time, else in UTC", () => {
	assert.equal(wireTime("2026-11-21T12:18:27.123456+02:00"), "2026-11-21T12:18:27.123456+02:00");
	assert.equal(wireTime("2026-11-21T12:18:27.678+0200"), "2026-11-21T10:18:27.678Z");
	assert.equal(wireTime("2026-11-21T10:18"), "2026-11-21T10:18:00.000Z");
	assert.equal(wireTime("2028-02-29T00:00:00Z"), "2028-02-29T00:00:00Z");
});

test("a time that could only be guessed, or of a day that no month has, is not sent", () => {
	for (const text of ["tomorrow", "Mai 2026", "May 2026", "Sat, 21 Nov 2026 10:18:27 GMT", "1795256307"]) {
		assert.equal(wireTime(text), null, text);
	}
	for (const day of ["2026-02-31", "2026-02-29", "2026-04-31", "2026-13-01"]) {
		for (const time of ["T00:00:00Z", "T10:00:00.5+02:00", " 10:00"])
			assert.equal(wireTime(day + time), null, day + time);
	}
});
