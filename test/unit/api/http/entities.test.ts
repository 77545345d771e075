import { strict as assert } from "node:assert";
import { test } from "node:test";
import { withoutEntities } from "#api/http/entities.ts";

test("entities are read by number, and by name where that is of ASCII or Latin-1", () => {
	assert.equal(withoutEntities("&#233;&#x00E9;&#Xe9;&eacute;&Eacute;&yuml;&iexcl;"), "ééééÉÿ¡");
	assert.equal(withoutEntities("&lcub;&plus;&percnt;&Hat;&rbrack;&#x1F50C;"), "{+%^]🔌");
});

test("what is no entity stays, and a number of no character goes", () => {
	assert.equal(
		withoutEntities("a & b; &constructor; &toString; &Amp &#x110000;&#0;c"),
		"a & b; &constructor; &toString; &Amp c",
	);
});
