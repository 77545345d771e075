import assert from "node:assert/strict";
import { test } from "node:test";
import { CSV_HEADER, csvLine } from "#app/usage/csv.ts";
import type { UsageLine } from "#app/usage/ledger.ts";

const LINE: UsageLine = {
	id: "1",
	at: Date.UTC(2026, 10, 28, 15, 30, 1, 5),
	connection: "c1",
	model: "large",
	caller: "Chat",
	input: 1200,
	output: 34,
};

test("a reply is a row with its time in UTC, and what is unknown is left empty", () => {
	const priced = { ...LINE, cached: 200, cost: 0.1 + 0.2, currency: "EUR" };
	assert.equal(
		CSV_HEADER + csvLine(LINE, "Cloud") + csvLine(priced, "Cloud"),
		[
			"Time (UTC),Connection,Model,Caller,Input Tokens,Cached Tokens,Output Tokens,Cost,Currency",
			"2026-11-28T15:30:01.005Z,Cloud,large,Chat,1200,,34,,",
			"2026-11-28T15:30:01.005Z,Cloud,large,Chat,1200,200,34,0.3,EUR",
			"",
		].join("\r\n"),
	);
});

test("quotes, commas and line breaks are quoted by RFC 4180", () => {
	const line = csvLine({ ...LINE, model: 'a "b"', caller: "x\r\ny" }, "Cloud, EU");
	assert.ok(line.includes(',"Cloud, EU","a ""b""","x\r\ny",1200,'));
});

test("a name that a spreadsheet would take for a formula is text", () => {
	for (const model of ["=1+1", "+1", "-1", "@sum", "\t=1", " =1", "\r=1", "＝1"]) {
		const cell = csvLine({ ...LINE, model }, "=HYPERLINK(1)").replace(/"/g, "");
		assert.ok(cell.includes(`,'=HYPERLINK(1),'${model},`), JSON.stringify(cell));
	}
	assert.ok(csvLine({ ...LINE, model: "a=b-c@d" }, "Cloud").includes(",a=b-c@d,"));
});
