import { strict as assert } from "node:assert";
import { test } from "node:test";
import { isOfGateway, reasonIn } from "#api/http/reason.ts";

const tomcat = (parts: string) =>
	`<!doctype html><html lang="en"><head><title>HTTP Status 404 – Not Found</title><style>h1 {color:white;}</style></head><body><h1>HTTP Status 404 – Not Found</h1><hr class="line" /><p><b>Type</b> Status Report</p>${parts}<h3>Apache Tomcat/10.1</h3></body></html>`;
const spring = (message: string) =>
	`<html><body><h1>Whitelabel Error Page</h1><p>This application has no explicit mapping for /error, so you are seeing this as a fallback.</p><div id='created'>Sat Nov 21 10:18:27 UTC 2026</div><div>There was an unexpected error (type=Bad Request, status=400).</div><div>${message}</div></body></html>`;

const PAGES: Readonly<Record<string, readonly [page: string, reason: string]>> = {
	Express: [
		'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>Error</title>\n</head>\n<body>\n<pre>Cannot GET /pet/&quot;1&quot;</pre>\n</body>\n</html>\n',
		'Cannot GET /pet/"1"',
	],
	"Express with a stack": [
		"<!DOCTYPE html><title>Error</title><pre>Error: no room<br> &nbsp; &nbsp;at f (/app.js:1)</pre>",
		"Error: no room",
	],
	Flask: [
		"<!doctype html>\n<html lang=en>\n<title>404 Not Found</title>\n<h1>Not Found</h1>\n<p>The requested URL was not found on the server. If you entered the URL manually please check your spelling and try again.</p>\n",
		"The requested URL was not found on the server. If you entered the URL manually please check your spelling and try again.",
	],
	Django: [
		'\n<!doctype html>\n<html lang="en">\n<head>\n  <title>Not Found</title>\n</head>\n<body>\n  <h1>Not Found</h1><p>The requested resource was not found on this server.</p>\n</body>\n</html>\n',
		"The requested resource was not found on this server.",
	],
	"Django, 500": ["<!doctype html><title>Server Error (500)</title><h1>Server Error (500)</h1><p></p>", ""],
	Tomcat: [
		tomcat("<p><b>Message</b> No pet 7</p><p><b>Description</b> The origin server did not find it.</p>"),
		"No pet 7",
	],
	"Tomcat without a message": [
		tomcat("<p><b>Description</b> The origin server did not find it.</p>"),
		"The origin server did not find it.",
	],
	Spring: [spring("Name must not be blank"), "Name must not be blank"],
	"Spring without a message": [spring("No message available"), ""],
	Rails: [
		"<!DOCTYPE html><title>The page you were looking for doesn't exist (404)</title><h1>The page you were looking for doesn't exist.</h1><p>You may have mistyped the address.</p>",
		"The page you were looking for doesn't exist.",
	],
	Jetty: [
		"<html><head><title>Error 400 Bad Request</title></head><body><h2>HTTP ERROR 400 Bad Request</h2><table><tr><th>URI:</th><td>/pet</td></tr><tr><th>MESSAGE:</th><td>No id</td></tr></table></body></html>",
		"No id",
	],
	nginx: [
		"<html><head><title>404 Not Found</title></head><body><center><h1>404 Not Found</h1></center></body></html>",
		"",
	],
};

test("of a web framework's page the text that says why is taken, and never its title", () => {
	for (const [name, [page, reason]] of Object.entries(PAGES)) assert.equal(reasonIn(page), reason, name);
});

test("an error says why under the names in use, and nothing where it has no message", () => {
	for (const body of [
		{ message: "why" },
		{ status: 404, title: "Not Found", detail: "why" },
		{ title: "why" },
		{ error: "invalid_token", error_description: "why" },
		{ error: "why" },
		{ error: { message: "why" } },
		{ errors: [{ field: "name", message: "why" }] },
		{ errors: ["why"] },
		{ detail: [{ loc: ["body"], msg: "why" }] },
		"why",
	]) {
		assert.equal(reasonIn(JSON.stringify(body)), "why", JSON.stringify(body));
	}
	for (const body of [{ errors: { name: ["why"] }, title: "Errors occurred" }, { name: ["why"] }]) {
		assert.equal(reasonIn(JSON.stringify(body)), "name: why", "of frameworks that list messages by field");
	}
	assert.equal(reasonIn("<e><code>1</code><message>why &amp; how</message></e>"), "why & how");
	assert.equal(reasonIn("why"), "why");
	for (const body of [
		"",
		"{}",
		"42",
		"[]",
		'{"id":7}',
		'{"message":"wh',
		"<e><id>7</id></e>",
		"<e><message><b>x</b>",
	]) {
		assert.equal(reasonIn(body), "", body);
	}
});

test("a page that lets nobody in, or stands for a success, is not the service's", () => {
	const page = " <?xml version='1.0'?><!-- x --><html><form></form></html>";
	for (const status of [200, 401, 403, 511]) assert.ok(isOfGateway({ status, body: page }), `${status}`);
	for (const status of [404, 500, 502]) assert.ok(!isOfGateway({ status, body: page }), `${status}`);
	for (const body of ["", "{}", "<Pet><id>1</id></Pet>"]) assert.ok(!isOfGateway({ status: 401, body }), body);
});
