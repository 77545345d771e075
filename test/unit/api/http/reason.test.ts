import { strict as assert } from "node:assert";
import { test } from "node:test";
import { isOfGateway, reasonIn } from "#api/http/reason.ts";

test("an error says why under the names in use, and nothing where it has no message", () => {
	for (const body of [
		{ message: "why" },
		{ status: 404, title: "Not Found", detail: "why" },
		{ title: "why" },
		{ error: "invalid_token", error_description: "why" },
		{ error: "why" },
		{ error: { message: "why" } },
		{ errors: ["why"] },
		{ detail: [{ loc: ["body"], msg: "why" }] },
		"why",
	]) {
		assert.equal(reasonIn(JSON.stringify(body)), "why", JSON.stringify(body));
	}
	for (const body of [
		{ errors: { name: ["why"] }, title: "Errors occurred" },
		{ name: ["why"] },
		{ errors: [{ field: "name", message: "why" }] },
		{ detail: [{ loc: ["body", "name"], msg: "why" }] },
	]) {
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
		"<html><body><h1>404 Not Found</h1></body></html>",
	]) {
		assert.equal(reasonIn(body), "", body);
	}
});

/** Errors as services send them, and what each says. */
const SHAPES: readonly (readonly [body: unknown, reason: string])[] = [
	[{ detail: [{ type: "missing", loc: ["body"], msg: "Field required", input: { a: 1 } }] }, "Field required"],
	[{ detail: [{ loc: ["body", "messages", 0, "role"], msg: "Field required" }] }, "messages.0.role: Field required"],
	[{ success: false, errors: [{ code: 2009, message: "Unauthorized gateway" }] }, "Unauthorized gateway"],
	[
		{
			error: {
				code: 502,
				message: "Provider returned error",
				metadata: { raw: '{"error":{"message":"at most 1 image"}}', provider_name: "Some Provider" },
			},
		},
		"Provider returned error: at most 1 image",
	],
	[
		{ error: { message: "Provider returned error", metadata: { raw: "The engine is out of memory" } } },
		"Provider returned error: The engine is out of memory",
	],
	[{ error: { message: "Bad Request", details: [{ info: { Msg: "no such thing" } }] } }, "Bad Request: no such thing"],
	[{ Message: "User is not authorized", __type: "AccessDeniedException" }, "User is not authorized"],
	[{ type: "about:blank", title: "Out of credit.", detail: "The balance is 30.", status: 403 }, "The balance is 30."],
	[
		{ title: "Constraint Violation", violations: [{ field: "name", message: "must not be blank" }] },
		"Constraint Violation: name: must not be blank",
	],
	[{ type: "about:blank", title: "Your request is not valid.", status: 400 }, "Your request is not valid."],
	[{ timestamp: 1, status: 409, error: "Conflict", message: "It is sold", path: "/pet/7" }, "It is sold"],
	[{ timestamp: 1, status: 409, error: "Conflict", path: "/pet/7" }, "Conflict"],
	[{ non_field_errors: ["Both are needed."] }, "Both are needed."],
	[{ email: ["is not an address", "is too long"], name: ["is missing"] }, "email: is not an address"],
	[{ message: "Validation failed", errors: { email: ["is taken"] } }, "Validation failed: email: is taken"],
	[{ message: { name: "Missing parameter in the query" } }, "name: Missing parameter in the query"],
	[{ statusCode: 400, message: ["name must be text"], error: "Bad Request" }, "name must be text"],
	[[{ error: { code: 400, message: "The key is not valid.", status: "INVALID_ARGUMENT" } }], "The key is not valid."],
	[{ error: "model 'x' not found" }, "model 'x' not found"],
	[{ error: { message: "x: Unsupported value", param: "x", code: "unsupported_value" } }, "x: Unsupported value"],
	[
		{ errors: [{ message: "Field 'a' is unknown", path: ["a"], extensions: { code: "X" } }], data: null },
		"Field 'a' is unknown",
	],
	[
		{ message: "Validation Failed", errors: [{ resource: "Issue", field: "title", code: "missing_field" }] },
		"Validation Failed: title: missing_field",
	],
	[
		{ fault: { detail: { errorcode: "oauth.v2.InvalidKey" }, faultstring: "The key is unknown" } },
		"The key is unknown",
	],
	[{ error: { root_cause: [{ type: "x_exception", reason: "no such index" }], status: 404 } }, "no such index"],
	[{ errorMessages: ["No issue has this key."], errors: {} }, "No issue has this key."],
	[{ base_resp: { status_code: 1004, status_msg: "The login has failed" } }, "The login has failed"],
	[{ error: { code: "AccessDenied", innererror: { "error-description": "Blocked by policy" } } }, "Blocked by policy"],
	[{ status: 404, error: "Not Found", exception: "#<NotFound: no pet 7>" }, "Not Found: #<NotFound: no pet 7>"],
	['event: error\ndata: {"type":"error","error":{"message":"The queue is full"}}\n\n', "The queue is full"],
	[
		"<S:Envelope><S:Fault><faultcode>c</faultcode><faultstring>no pet 7</faultstring></S:Fault></S:Envelope>",
		"no pet 7",
	],
	["<Error><Code>NoSuchKey</Code><Message><![CDATA[no <key> 7]]></Message><Key>k</Key></Error>", "no <key> 7"],
	['<problem xmlns="urn:ietf:rfc:7807"><title>Not Found</title><detail>no pet 7</detail></problem>', "no pet 7"],
	['<string xmlns="http://schemas.test/Serialization/">no pet 7</string>', "no pet 7"],
	[{ message: "模型不存在" }, "模型不存在"],
	[{ name: "Rex", request: { password: "two words" }, code: 400 }, ""],
	[{ code: 400, request: { messages: [{ role: "user", content: [{ type: "text", text: "my secret plan" }] }] } }, ""],
	...[
		"failureReason",
		"failure_reason",
		"errorText",
		"error_info",
		"problem",
		"failure",
		"messages",
		"text",
		"info",
	].map((name) => [{ code: 7, [name]: "no pet 7" }, "no pet 7"] as const),
	[{ error: { text: "no pet 7" } }, "no pet 7"],
	[{ messages: [{ type: "error", text: "no pet 7" }] }, "no pet 7"],
	['<error code="7" message="can\'t find &quot;pet&quot; 7"/>', `can't find "pet" 7`],
	["<e><message lang='en'>no pet 7</message></e>", "no pet 7"],
	...[
		"LLM request failed",
		"Model provider error",
		"Error calling provider API",
		"Oops! Something went wrong",
		"Internal error encountered.",
		"The server had an error while processing your request",
		"Unable to process request",
	].flatMap((message) =>
		[
			{ metadata: { raw: '{"error":{"message":"at most 1 image"}}' } },
			{ innererror: { message: "at most 1 image" } },
			{ cause: { detail: "at most 1 image" } },
			{ response: { body: '{"message":"at most 1 image"}' } },
		].map((wrap) => [{ error: { message, ...wrap } }, `${message.replace(".", "")}: at most 1 image`] as const),
	),
	[{ message: "The pet is sold", response: { message: "The pet is sold", error: "Bad Request" } }, "The pet is sold"],
	[{ message: "The pet is sold", body: { note: "two words" } }, "The pet is sold"],
	[
		{ error: { message: 'AnthropicException - {"type":"error","error":{"message":"The queue is full"}}' } },
		"AnthropicException: The queue is full",
	],
	[
		{ message: `litellm.APIError: b'{"error":{"message":"The queue is full"}}'. Received Model Group=a` },
		"litellm.APIError: The queue is full",
	],
	['Provider returned error: {"error":{"message":"at most 1 image"}}', "Provider returned error: at most 1 image"],
	['Unknown field {"name":"a"}', 'Unknown field {"name":"a"}'],
];

test("the first text that says something is the reason, behind a vague one", () => {
	for (const [body, reason] of SHAPES) {
		const text = typeof body === "string" ? body : JSON.stringify(body);
		assert.equal(reasonIn(text), reason, text);
	}
});

const WHY = "Pet 7 is in quarantine";

/** Error pages as the frameworks make them by default. */
const PAGES: Readonly<Record<string, string>> = {
	Express: `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Error</title>
</head>
<body>
<pre>Error: ${WHY}<br> &nbsp; &nbsp;at /app/index.js:5:9<br> &nbsp; &nbsp;at next (/app/router/route.js:157:13)</pre>
</body>
</html>`,
	Flask: `<!doctype html>\n<html lang=en>\n<title>409 Conflict</title>\n<h1>Conflict</h1>\n<p>${WHY}</p>`,
	"Flask's debugger": `<!doctype html>
<html lang=en>
  <head>
    <title>ValueError: ${WHY}
 // Werkzeug Debugger</title>
    <link rel="stylesheet" href="?__debugger__=yes&amp;cmd=resource&amp;f=style.css">
    <script>var TRACEBACK = 140, SECRET = "hidden";</script>
  </head>
  <body style="background-color: #fff">
    <div class="debugger">
<h1>ValueError</h1>
<div class="detail">
  <p class="errormsg">ValueError: ${WHY}
</p>
</div>`,
	Django: `<!DOCTYPE html>
<html lang="en">
<head>
  <meta http-equiv="content-type" content="text/html; charset=utf-8">
  <title>ValueError
          at /v2/pet/7</title>
  <style>html * { padding:0; }</style>
  <script>function hideAll(elems) {}</script>
</head>
<body>
<header id="summary">
  <h1>ValueError
       at /v2/pet/7</h1>

    <pre class="exception_value">${WHY}</pre>

  <table class="meta">
    <tr><th scope="row">Request Method:</th><td>GET</td></tr>
    <tr><th scope="row">Exception Type:</th><td>ValueError</td></tr>
    <tr><th scope="row">Exception Value:</th><td><pre>${WHY}</pre></td></tr>
  </table>
</header>`,
	Tomcat: `<!doctype html><html lang="en"><head><title>HTTP Status 409 – Conflict</title><style type="text/css">body {font-family:Tahoma,Arial,sans-serif;} h1, h2 {color:white;}</style></head><body><h1>HTTP Status 409 – Conflict</h1><hr class="line" /><p><b>Type</b> Status Report</p><p><b>Message</b> ${WHY}</p><p><b>Description</b> The request could not be completed due to a conflict with the current state of the target resource.</p><hr class="line" /><h3>Apache Tomcat/10.1.34</h3></body></html>`,
	"Tomcat 7": `<html><head><title>Apache Tomcat/7.0.109 - Error report</title></head><body><h1>HTTP Status 409 - ${WHY}</h1><HR size="1" noshade="noshade"><p><b>type</b> Status report</p><p><b>message</b> <u>${WHY}</u></p><p><b>description</b> <u>The request could not be completed.</u></p></body></html>`,
	Spring: `<html><body><h1>Whitelabel Error Page</h1><p>This application has no explicit mapping for /error, so you are seeing this as a fallback.</p><div id='created'>Thu Nov 26 10:00:00 UTC 2026</div><div>There was an unexpected error (type=Conflict, status=409).</div><div>${WHY}</div><div style='white-space:pre-wrap;'>java.lang.IllegalStateException: trace</div></body></html>`,
	"Rails 6": `<!DOCTYPE html>
<html lang="en">
<head>
  <meta charset="utf-8" />
  <title>Action Controller: Exception caught</title>
  <style>body { color: #333; }</style>
</head>
<body>
<header>
  <h1>
    RuntimeError
      in PetsController#show
  </h1>
</header>

<div id="container">
  <h2>${WHY}</h2>
  <div class="source " id="frame-source-0-0">
    <div class="info">Extracted source (around line <strong>#3</strong>):</div>
  </div>
  <p><code>Rails.root: /app</code></p>`,
	"Rails 8": `<!DOCTYPE html><html lang="en"><head><title>Action Controller: Exception caught</title></head><body>
<header role="banner"><h1>RuntimeError in PetsController#show</h1></header>
<main role="main" id="container">
  <div class="exception-message">
  <div class="message">${WHY}</div>
    <div class="actions"><button>Copy as text</button></div>
  </div>
  <p><code>Rails.root: /app</code></p></main>`,
	Jetty: `<html>
<head>
<meta http-equiv="Content-Type" content="text/html;charset=ISO-8859-1"/>
<title>Error 409 ${WHY}</title>
</head>
<body>
<h2>HTTP ERROR 409 ${WHY}</h2>
<table>
<tr><th>URI:</th><td>/v2/pet/7</td></tr>
<tr><th>STATUS:</th><td>409</td></tr>
<tr><th>MESSAGE:</th><td>${WHY}</td></tr>
<tr><th>SERVLET:</th><td>petstore</td></tr>
</table>
<hr/><a href="https://jetty.org/">Powered by Jetty:// 12.0.15</a><hr/>
</body>
</html>`,
	"Jetty 8": `<html><head><title>Error 409</title></head><body><h2>HTTP ERROR: 409</h2>
<p>Problem accessing /v2/pet/7. Reason:
<pre>    ${WHY}</pre></p><hr /><i><small>Powered by Jetty://</small></i></body></html>`,
};

/** Pages that say no more than their status. */
const VAGUE_PAGES: readonly string[] = [
	"<html><head><title>502 Bad Gateway</title></head><body><center><h1>502 Bad Gateway</h1></center><hr><center>nginx/1.25.3</center></body></html>",
	"<!DOCTYPE html><html><head><title>Error</title></head><body><pre>Internal Server Error</pre></body></html>",
	"<!doctype html><html lang='en'><head><title>Server Error (500)</title></head><body><h1>Server Error (500)</h1><p></p></body></html>",
	"<html><body><h1>Whitelabel Error Page</h1><p>This application has no explicit mapping for /error, so you are seeing this as a fallback.</p><div id='created'>Thu Nov 26 10:00:00 UTC 2026</div><div>There was an unexpected error (type=Conflict, status=409).</div></body></html>",
	"<!doctype html><html><head><title>HTTP Status 409 – Conflict</title></head><body><h1>HTTP Status 409 – Conflict</h1></body></html>",
	'<html><head><title>Error 404 Not Found</title></head><body><h2>HTTP ERROR 404 Not Found</h2><table><tr><th>URI:</th><td>/v2/pet/7</td></tr><tr><th>STATUS:</th><td>404</td></tr></table><hr/><a href="https://jetty.org/">Powered by Jetty:// 12.0.15</a></body></html>',
];

test("a short message is no vague one, and a long one of general words is", () => {
	const error = { message: "An error occurred", reason: "The key has expired" };
	assert.equal(reasonIn({ error }), "An error occurred: The key has expired");
	const quota = { message: "Quota exceeded", details: "Learn more in our docs" };
	assert.equal(reasonIn({ error: quota }), "Quota exceeded");
});

test("the error page of a web framework says why, behind what all of its pages say", () => {
	for (const [framework, page] of Object.entries(PAGES)) {
		assert.match(reasonIn(page), new RegExp(`^(?:\\w*Error: )?${WHY}`), framework);
	}
	for (const page of VAGUE_PAGES) assert.equal(reasonIn(page), "", page);
	assert.equal(reasonIn("<!DOCTYPE html><title>Error</title><pre>Cannot GET /pet</pre>"), "Cannot GET /pet");
	assert.equal(reasonIn("<html><body><h1>Access denied</h1>"), "Access denied");
	assert.equal(reasonIn("<html><body><p>Something went wrong</p><p>Quota exceeded</p>"), "Quota exceeded");
	assert.equal(reasonIn("<html><body><h1>错误</h1><p>模型不存在</p>"), "模型不存在");
	assert.equal(reasonIn("<html><body><p>Tom &amp; Jerry&#39;s &#x27;pet&#x27;</p>"), "Tom & Jerry's 'pet'");
});

test("a hostile body of the greatest length is read in a moment", () => {
	const most = 64 * 1024;
	for (const piece of [
		"<a ",
		"<p>",
		"<h1>",
		"<!--",
		"<![CDATA[",
		"<b>",
		":",
		":<p>",
		"<x class=",
		"(type=",
		" ",
		"&#",
		"{",
		"[",
	]) {
		for (const head of ["<html>", "<e>", ""]) {
			const begun = performance.now();
			reasonIn(head + piece.repeat(most / piece.length));
			assert.ok(performance.now() - begun < 30_000, head + piece);
		}
	}
});

test("a web page with a success, 401 or 403 is not the service's", () => {
	const page = " <?xml version='1.0'?><!-- x --><html><form></form></html>";
	for (const status of [200, 401, 403, 511]) assert.ok(isOfGateway({ status, body: page }), `${status}`);
	for (const status of [404, 500, 502]) assert.ok(!isOfGateway({ status, body: page }), `${status}`);
	for (const body of ["", "{}", "<Pet><id>1</id></Pet>"]) assert.ok(!isOfGateway({ status: 401, body }), body);
});
