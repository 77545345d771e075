import { strict as assert } from "node:assert";
import { test } from "node:test";
import { isLoopback, proxyFor } from "#api/http/proxy.ts";

const url = (text: string) => new URL(text);
const proxy = "http://proxy.test:8080";

test("without a proxy anywhere the connection is direct", () => {
	assert.equal(proxyFor(url("https://a.test"), {}), null);
	assert.equal(proxyFor(url("https://a.test"), { proxy: "", environment: { HTTPS_PROXY: "" } }), null);
});

test("the editor's proxy wins over the environment's", () => {
	assert.equal(proxyFor(url("https://a.test"), { proxy, environment: { HTTPS_PROXY: "http://other.test" } }), proxy);
});

test("the environment's proxies are chosen by scheme, lowercase names first", () => {
	const environment = { HTTP_PROXY: "http://p1.test", http_proxy: "http://p2.test", HTTPS_PROXY: "http://p3.test" };
	assert.equal(proxyFor(url("http://a.test"), { environment }), "http://p2.test");
	assert.equal(proxyFor(url("https://a.test"), { environment }), "http://p3.test");
	assert.equal(proxyFor(url("https://a.test"), { environment: { HTTP_PROXY: "http://p1.test" } }), "http://p1.test");
	assert.equal(proxyFor(url("http://a.test"), { environment: { HTTPS_PROXY: "http://p3.test" } }), null);
});

test("this machine itself is never reached through a proxy", () => {
	for (const host of ["localhost", "127.0.0.1", "127.8.9.1", "[::1]", "LOCALHOST", "x.localhost", "localhost."]) {
		assert.ok(isLoopback(url(`http://${host}:1234/`)), host);
		assert.equal(proxyFor(url(`http://${host}:1234/`), { proxy }), null, host);
	}
	assert.ok(!isLoopback(url("http://localhost.test/")));
	assert.ok(!isLoopback(url("http://128.0.0.1/")));
});

test("noProxy entries name hosts, domains, wildcards and ports", () => {
	const direct = (target: string, ...noProxy: string[]) => proxyFor(url(target), { proxy, noProxy }) === null;
	assert.ok(direct("https://a.test", "a.test"));
	assert.ok(direct("https://x.a.test", "a.test"));
	assert.ok(direct("https://x.a.test", ".a.test"));
	assert.ok(direct("https://a.test", ".a.test"));
	assert.ok(direct("https://x.a.test", "*.a.test"));
	assert.ok(!direct("https://a.test", "*.a.test"));
	assert.ok(!direct("https://ba.test", "a.test"));
	assert.ok(direct("https://anything.test", "b.test", " * "));
	assert.ok(direct("https://a.test", "a.test:443"));
	assert.ok(direct("http://a.test:8080", "a.test:8080"));
	assert.ok(!direct("http://a.test:8081", "a.test:8080"));
	assert.ok(direct("https://A.test.", "a.TEST"));
	assert.ok(direct("http://[fe80::2]:80/", "[fe80::2]"));
	assert.ok(direct("http://[fe80::2]/", "fe80::2"));
	assert.ok(!direct("https://a.test", "", "  "));
});

test("noProxy of the editor replaces NO_PROXY of the environment", () => {
	const environment = { NO_PROXY: "b.test, a.test" };
	assert.equal(proxyFor(url("https://a.test"), { proxy, environment }), null);
	assert.equal(proxyFor(url("https://a.test"), { proxy, environment, noProxy: ["b.test"] }), proxy);
});
