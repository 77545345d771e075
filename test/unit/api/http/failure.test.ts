import { strict as assert } from "node:assert";
import { test } from "node:test";
import { inspect } from "node:util";
import { causeOf, codeOfStatus, failureOfError } from "#api/http/failure.ts";

test("every status met in the field has its code", () => {
	for (const [code, ...statuses] of [
		["invalid", 400, 409, 413, 422, 499],
		["unauthorized", 401],
		["forbidden", 402, 403],
		["not-found", 301, 404, 405, 410],
		["timeout", 408, 504],
		["rate-limited", 429],
		["server", 500, 502, 599],
		["proxy", 407],
		["overloaded", 503, 529],
		["malformed", 304],
	] as const) {
		for (const status of statuses) assert.equal(codeOfStatus(status), code, `${status}`);
	}
});

const coded = (code: string) => Object.assign(new Error("x"), { code });

test("a runtime error is identified by its code", () => {
	const told = (code: string) => {
		const { code: kind, passing } = failureOfError(coded(code));
		return `${kind} ${passing ? "passing" : "lasting"}`;
	};
	for (const code of [
		"ECONNREFUSED",
		"ECONNRESET",
		"EPIPE",
		"ENOTFOUND",
		"EAI_AGAIN",
		"UND_ERR_SOCKET",
		"EHOSTUNREACH",
	]) {
		assert.equal(told(code), "network passing", code);
	}
	for (const code of ["ETIMEDOUT", "UND_ERR_CONNECT_TIMEOUT"]) assert.equal(told(code), "timeout passing", code);
	for (const code of [
		"SELF_SIGNED_CERT_IN_CHAIN",
		"CERT_HAS_EXPIRED",
		"ERR_TLS_CERT_ALTNAME_INVALID",
		"ERR_SSL_WRONG",
	]) {
		assert.equal(told(code), "network lasting", code);
	}
	assert.equal(told("HPE_INVALID_CONSTANT"), "malformed lasting");
	assert.equal(told("SOMETHING_NEW"), "network passing");
});

test("only where no connection could be made nothing was sent", () => {
	for (const code of ["ECONNREFUSED", "ENOTFOUND", "UND_ERR_CONNECT_TIMEOUT", "CERT_HAS_EXPIRED", "UND_ERR_PRX_CONN"]) {
		assert.equal(failureOfError(coded(code)).unsent, true, code);
	}
	const connecting = Object.assign(coded("EHOSTUNREACH"), { syscall: "connect" });
	assert.equal(failureOfError(connecting).unsent, true);
	assert.deepEqual(failureOfError(causeOf(connecting, String)), failureOfError(connecting));
	for (const code of [
		"ECONNRESET",
		"UND_ERR_SOCKET",
		"ETIMEDOUT",
		"EHOSTUNREACH",
		"ENETDOWN",
		"HPE_INVALID_CONSTANT",
		"SOMETHING_NEW",
	]) {
		assert.notEqual(failureOfError(coded(code)).unsent, true, code);
	}
});

test("an answer that is not HTTP lasts, one that merely ends too early passes", () => {
	const parserError = (message: string) => Object.assign(new Error(message), { name: "HTTPParserError" });
	assert.equal(failureOfError(parserError("Response does not match (Expected HTTP/)")).code, "malformed");
	assert.deepEqual(
		failureOfError(parserError("Response does not match (Invalid EOF state)")),
		failureOfError(coded("EPIPE")),
	);
});

test("a known cause is found behind wrappers, and circles end", () => {
	const wrapped = new TypeError("fetch failed", { cause: new AggregateError([coded("ECONNREFUSED"), coded("EPIPE")]) });
	assert.equal(failureOfError(wrapped).reason, "the connection was refused");
	for (const code of ["ABORT_ERR", "UND_ERR_ABORTED"]) {
		const error = Object.assign(coded(code), { name: "AbortError" });
		assert.equal(failureOfError(error).code, "network", "only a signal tells that a person has stopped");
	}
	const circle = new Error("a");
	circle.cause = circle;
	assert.equal(failureOfError(circle).code, "network");
	for (const thrown of [undefined, null, "text", 7]) assert.equal(failureOfError(thrown).code, "network");
});

test("a cause keeps the facts of a runtime error without body bytes or secrets", () => {
	const parser = (message: string) =>
		Object.assign(new Error(message), { name: "HTTPParserError", data: "GET /?key=hunter22" });
	const redact = (text: string) => text.replaceAll("hunter22", "[redacted]");
	for (const error of [
		parser("Response does not match (Expected HTTP/)"),
		parser("Response does not match (Invalid EOF state)"),
		new TypeError("fetch failed: hunter22", { cause: parser("hunter22") }),
		new TypeError("fetch failed", { cause: new AggregateError([coded("ECONNREFUSED"), coded("EPIPE")]) }),
		Object.assign(coded("ENOTFOUND"), { hostname: "hunter22.test" }),
		new TypeError("fetch failed", { cause: new Error("Proxy response (403) !== 200 when HTTP Tunneling") }),
		Object.assign(new Error("the proxy http://a could not be reached", { cause: coded("EPIPE") }), {
			code: "ERR_PROXY",
		}),
		new DOMException("stop", "AbortError"),
	]) {
		const cause = causeOf(error, redact);
		assert.deepEqual(failureOfError(cause), failureOfError(error));
		assert.deepEqual([cause?.name, cause?.message], [error.name, redact(error.message)]);
		assert.ok(!inspect(cause, { depth: 9 }).includes("hunter22"), inspect(cause));
	}
	const circle = new Error("a");
	circle.cause = circle;
	assert.equal(causeOf(circle, redact)?.message, "a");
	for (const thrown of [undefined, null, "hunter22", 7]) assert.equal(causeOf(thrown, redact), undefined);
});
