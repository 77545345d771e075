import assert from "node:assert/strict";
import { test } from "node:test";
import { signInError } from "#api/petstore/authorization.ts";
import { notAppliedError } from "#app/petstore/write.ts";
import { ClientError, type ErrorFacts } from "#base/errors.ts";
import { describeFailure } from "#editor/words/failures.ts";
import { describeTokenRefusal, failedWords, notConfirmedWords } from "#editor/words/petstore-words.ts";

const error = (code: "unauthorized" | "forbidden", facts: ErrorFacts, said = "The token has expired") =>
	new ClientError("petstore", code, said, { status: code === "forbidden" ? 403 : 401, ...facts });
const remedyOf = (failure: ClientError) => describeFailure(failure, "Pets").remedy;

test("a failure that a sign-in fixes offers it, and a refused key a new credential", () => {
	assert.equal(remedyOf(error("unauthorized", { reason: "sign-in-needed" })), "sign-in");
	assert.equal(remedyOf(error("forbidden", { reason: "sign-in-needed" })), "sign-in");
	for (const reason of ["key-refused", "key-needed"] as const) {
		for (const code of ["unauthorized", "forbidden"] as const)
			assert.equal(remedyOf(error(code, { reason })), "replace");
	}
});

test("advice about a credential is only given where one was sent or is needed", () => {
	for (const facts of [{}, { reason: "log-in-refused" }, { reason: "log-in-needed" }] as const) {
		for (const code of ["unauthorized", "forbidden"] as const) {
			const { title, advice, remedy } = describeFailure(error(code, facts, "No"), "Pets");
			assert.equal(remedy, "none");
			assert.doesNotMatch(`${title} ${advice}`, /\bkey\b|token|credential|sign in/i);
		}
	}
	const { title, advice } = describeFailure(error("unauthorized", { reason: "log-in-refused" }, "No"), "Pets");
	assert.equal(`${title} ${advice}`, "Pets refused the login (401): No. Check the username and password.");
});

test("lost and unreadable credentials have different words, and both are re-entered", () => {
	const words = (reason: "lost" | "unreadable") =>
		describeFailure(new ClientError("petstore", "unauthorized", "x", { field: "key", reason }), "Pets");
	assert.match(words("lost").title, /^The credential of Pets is not in the editor's secret storage\.$/);
	assert.match(words("unreadable").title, /^The stored credential of Pets cannot be read\.$/);
	assert.deepEqual([words("lost").remedy, words("unreadable").remedy], ["replace", "replace"]);
});

test("a person who types access tokens is asked for another one, not for a sign-in", () => {
	const words = (code: "unauthorized" | "forbidden") =>
		describeTokenRefusal(error(code, { reason: "sign-in-needed" }), "Pets");
	assert.equal(words("unauthorized"), "Pets refused the access token (401): The token has expired. Enter another one.");
	assert.match(words("forbidden"), /access token \(403\): .* Enter one that was given write:pets and read:pets\.$/);
});

test("the words for a sign-in say what the store said and what to do", () => {
	const { title, advice } = describeFailure(error("forbidden", { reason: "sign-in-needed" }), "Pets");
	assert.equal(title, "Pets requires a sign-in (403): The token has expired.");
	assert.match(advice, /approve both write:pets and read:pets/);
});

test("a failed sign-in is never described as a refusal of the store", () => {
	for (const code of ["forbidden", "timeout", "server"] as const) {
		const { title, remedy } = describeFailure(signInError(code, "Nobody came."), "Pets");
		assert.deepEqual([title, remedy], ["The sign-in to Pets was not completed: Nobody came.", "sign-in"]);
	}
	const { advice, remedy } = describeFailure(signInError("invalid", "x"), "Pets");
	assert.match(advice, /client ID/);
	assert.equal(remedy, "edit");
});

test("a field keeps its spelling, and an unreachable store is said once", () => {
	const title = (code: "invalid" | "network", message: string, said?: string) =>
		describeFailure(new ClientError("petstore", code, message, { said }), "Pets").title;
	assert.equal(title("invalid", "photoUrls is missing"), "photoUrls is missing.");
	assert.equal(describeFailure(new ClientError("petstore", "invalid", "x"), "Pets").advice, "");
	assert.equal(title("invalid", "the pet is gone"), "The pet is gone.");
	const refused = "the connection was refused";
	const unreached = `The service could not be reached: ${refused}.`;
	assert.equal(title("network", unreached, refused), "Pets could not be reached: The connection was refused.");
	assert.equal(title("network", ""), "Pets could not be reached.");
});

test("a write whose answer was lost is described as not confirmed, without a retry", () => {
	const lost = new ClientError("petstore", "network", "The service could not be reached: the connection was closed", {
		reason: "not-confirmed",
		said: "the connection was closed",
	});
	assert.deepEqual(describeFailure(lost, "Pets"), {
		title: "Not confirmed by Pets: The connection was closed.",
		advice: "Check what is there before you try again.",
		remedy: "none",
	});
	assert.equal(notConfirmedWords("Pets", "Rex is gone."), "Not confirmed: Pets did not answer. Rex is gone.");
});

test("a save that changed nothing is not called not confirmed, alone or among many", () => {
	const notApplied = notAppliedError();
	assert.deepEqual(describeFailure(notApplied, "Pets"), {
		title: "Pets accepted the save but changed nothing.",
		advice: "Your text is kept. Check which fields the store lets you change.",
		remedy: "none",
	});
	assert.deepEqual(failedWords([{ error: notApplied }], "moved back"), ["1 pet could not be moved back."]);
});

test("a store that wants XML leads to the form of its connection", () => {
	const refused = new ClientError("petstore", "invalid", "Not JSON", { status: 415, reason: "xml-needed" });
	const { remedy, advice } = describeFailure(refused, "Pets");
	assert.deepEqual([remedy, advice], ["edit", "Edit its connection, and choose XML."]);
});

test("the base URL is not blamed for a pet, an order or a user that is gone", () => {
	const gone = new ClientError("petstore", "not-found", "Pet not found", { status: 404, reason: "absent" });
	const { title, advice, remedy } = describeFailure(gone, "Pets");
	assert.deepEqual([title, remedy], ["Not found on Pets (404): Pet not found.", "none"]);
	assert.match(advice, /may have deleted it/);
	assert.doesNotMatch(advice, /base URL/);
});

test("only a not-found reply of the store is described as missing", () => {
	const title = (status: number) =>
		describeFailure(new ClientError("petstore", "not-found", "Moved.", { status }), "Pets").title;
	assert.equal(title(404), "Not found on Pets (404): Moved.");
	assert.equal(title(302), "Pets did not accept this operation (302): Moved.");
	const elsewhere = new ClientError("petstore", "not-found", "Moved.", { status: 302, reason: "other-origin" });
	assert.equal(describeFailure(elsewhere, "Pets").advice, "Check the base URL.");
});

test("pets of which no answer came are not said to be refused", () => {
	const refused = { error: new ClientError("petstore", "server", "x") };
	const lost = { error: new ClientError("petstore", "timeout", "x", { reason: "not-confirmed" }) };
	assert.deepEqual(failedWords([refused, lost, lost], "moved"), [
		"1 pet could not be moved.",
		"2 pets are not confirmed: no answer came.",
	]);
	assert.deepEqual(failedWords([], "moved"), []);
});
