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

test("ALL_PROXY serves where no other is named, and http is the default scheme", () => {
	const environment = { ALL_PROXY: "socks5://p1.test", HTTPS_PROXY: "p2.test:3128" };
	assert.equal(proxyFor(url("http://a.test"), { environment }), "socks5://p1.test");
	assert.equal(proxyFor(url("https://a.test"), { environment }), "http://p2.test:3128");
	assert.equal(proxyFor(url("https://a.test"), { environment: { all_proxy: "http://p3.test" } }), "http://p3.test");
	assert.equal(proxyFor(url("https://a.test"), { environment: { ...environment, NO_PROXY: "a.test" } }), null);
});

test("this machine itself is never reached through a proxy", () => {
	for (const host of [
		"localhost",
		"127.0.0.1",
		"127.8.9.1",
		"[::1]",
		"LOCALHOST",
		"x.localhost",
		"localhost.",
		"[::ffff:127.0.0.1]",
	]) {
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
	assert.ok(direct("https://a.test", "b.test;a.test") && direct("https://a.test", "b.test, a.test"));
	assert.ok(direct("https://git.corp.test", "git.*") && !direct("https://agit.corp.test", "git.*"));
	assert.ok(direct("https://10.1.2.3", "10.*") && !direct("https://110.1.2.3", "10.*"));
	assert.ok(direct("https://a.test:8443", "*:8443") && !direct("https://a.test", "*:8443"));
});

test("noProxy of the editor replaces NO_PROXY of the environment", () => {
	const environment = { NO_PROXY: "b.test, a.test" };
	assert.equal(proxyFor(url("https://a.test"), { proxy, environment }), null);
	assert.equal(proxyFor(url("https://a.test"), { proxy, environment, noProxy: ["b.test"] }), proxy);
});

test("noProxy entries name ranges of addresses, and <local> names without a dot", () => {
	const direct = (host: string, noProxy: string) =>
		proxyFor(url(`http://${host}/`), { proxy, environment: { NO_PROXY: noProxy } }) === null;
	for (const [host, entry] of [
		["10.1.2.3", "10.0.0.0/8"],
		["172.31.255.255", "a.test;172.16.0.0/12"],
		["192.168.1.7", "192.168.1.7/32"],
		["10.1.2.3", "0.0.0.0/0"],
		["[::ffff:10.1.2.3]", "10.0.0.0/8"],
		["[fd12::1]", "fd00::/8"],
		["[fd12::1]", "[fd00::]/8:80"],
		["[fe80::2]", "FE80:0:0:0:0:0:0:2"],
		["192.168.1.7", "192.168."],
		["10.1.2.3", "10."],
		["x.münchen.test", "MÜNCHEN.test"],
		["x.münchen.test", "*.münchen.test:80"],
		["a.test", "https://a.test/"],
		["intranet", "<local>"],
		["intranet", "10.0.0.0/8,<local>"],
	] as const) {
		assert.ok(direct(host, entry), `${host} ${entry}`);
	}
	for (const [host, entry] of [
		["11.1.2.3", "10.0.0.0/8"],
		["192.16.8.7", "192.168."],
		["b.test", "münchen.test"],
		["172.32.0.1", "172.16.0.0/12"],
		["[fe80::1]", "fd00::/8"],
		["10.a.test", "10.0.0.0/8"],
		["10.1.2.3", "10.0.0.0/33"],
		["10.1.2.3", "10.0.0.0/x"],
		["[fd12::1]", "fd00::/129"],
		["a.test", "<local>"],
		["10.1.2.3", "<local>"],
		["[fd12::1]", "<local>"],
	] as const) {
		assert.ok(!direct(host, entry), `${host} ${entry}`);
	}
});
