import assert from "node:assert/strict";
import dns from "node:dns";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { after, before, describe, it } from "mocha";
import * as vscode from "vscode";
import type { TestResult } from "#app/checks/connection-tests.ts";
import { type Sandbox, startSandbox } from "#sandbox/sandbox.ts";
import { run } from "../support/checked-run.ts";
import { type ProxyRule, serveThroughProxies } from "../support/proxied-services.ts";

/** Names of the services, of which none is this machine's own: those never take a proxy. Each has its own connections. */
const NAMES = ["messages", "codehost", "petstore"].map((service) => `${service}.test`);
const PASSWORD = "someone:secret-of-the-proxy";
const BASIC = `Basic ${Buffer.from(PASSWORD).toString("base64")}`;

type Scheme = "http" | "https";
type Proxies = Readonly<Record<Scheme, string>>;

/** A network as the editor's settings and the environment tell it, and the way that requests take in it. */
interface Route {
	readonly settings?: (proxies: Proxies) => Readonly<Record<string, unknown>>;
	readonly environment?: (proxies: Proxies) => Readonly<Record<string, string>>;
	readonly rule?: ProxyRule;
	/** False if the certificate of the services is not among those of this machine. */
	readonly trusts?: boolean;
	/** Schemes of the services that are asked, both unless given. */
	readonly schemes?: readonly Scheme[];
	readonly proxied: boolean;
	/** Code and status of the failure, if there is one. */
	readonly fails?: readonly [code: string, status?: number];
}

const http = ({ http }: Proxies) => ({ "http.proxy": `http://${http}` });

const ROUTES: Readonly<Record<string, Route>> = {
	"a direct connection": { proxied: false },
	"a proxy": { settings: http, proxied: true },
	"a proxy with a password in its URL": {
		settings: (at) => ({ "http.proxy": `http://${PASSWORD}@${at.http}` }),
		rule: { wants: PASSWORD },
		proxied: true,
	},
	"a proxy with a header of its own": {
		settings: (at) => ({ ...http(at), "http.proxyAuthorization": BASIC }),
		rule: { wants: PASSWORD },
		proxied: true,
	},
	"a proxy that speaks https": { settings: (at) => ({ "http.proxy": `https://${at.https}` }), proxied: true },
	"a proxy that does not know the person": {
		settings: http,
		rule: { wants: PASSWORD },
		proxied: true,
		fails: ["proxy", 407],
	},
	"a proxy that forbids": {
		settings: http,
		rule: { refuses: 403 },
		schemes: ["https"],
		proxied: true,
		fails: ["proxy", 403],
	},
	"a proxy that reaches nothing": {
		settings: http,
		rule: { refuses: 502 },
		schemes: ["https"],
		proxied: true,
		fails: ["proxy", 502],
	},
	"a proxy that is not for this host": {
		settings: (at) => ({ ...http(at), "http.noProxy": NAMES }),
		proxied: false,
	},
	"a proxy that the editor is told not to use": {
		settings: (at) => ({ ...http(at), "http.proxySupport": "off" }),
		proxied: false,
	},
	"a proxy of the environment": {
		environment: (at) => ({ HTTP_PROXY: `http://${at.http}`, HTTPS_PROXY: `http://${at.http}` }),
		proxied: true,
	},
	"a proxy of the environment that is not for this host": {
		environment: (at) => ({
			HTTP_PROXY: `http://${at.http}`,
			HTTPS_PROXY: `http://${at.http}`,
			NO_PROXY: NAMES.join(),
		}),
		proxied: false,
	},
	"an unknown certificate": { trusts: false, schemes: ["https"], proxied: false, fails: ["network"] },
	"an unknown certificate behind a proxy": {
		settings: http,
		trusts: false,
		schemes: ["https"],
		proxied: true,
		fails: ["network"],
	},
	"an unknown certificate that is not checked": {
		settings: () => ({ "http.proxyStrictSSL": false }),
		trusts: false,
		schemes: ["https"],
		proxied: false,
	},
};

const KEYS = ["http.proxy", "http.proxySupport", "http.proxyAuthorization", "http.noProxy", "http.proxyStrictSSL"];
const VARIABLES = ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY"].flatMap((name) => [name, name.toLowerCase()]);

describe("the network of the editor", () => {
	const known = getCACertificates("default");
	const { lookup } = dns;
	const variables = new Map(VARIABLES.map((name) => [name, process.env[name]]));
	const connections: { readonly scheme: Scheme; readonly service: string; readonly id: string }[] = [];
	let sandbox: Sandbox;
	let network: Awaited<ReturnType<typeof serveThroughProxies>>;

	/** Makes the settings, the environment and the certificates those of a route. */
	async function enter({ settings, environment, rule, trusts = true }: Route): Promise<void> {
		const own = settings?.(network.proxies) ?? {};
		// Connections that were made by another route go with the settings that they were made by.
		await vscode.workspace
			.getConfiguration()
			.update("http.proxy", "http://none.test", vscode.ConfigurationTarget.Global);
		for (const key of KEYS) {
			await vscode.workspace.getConfiguration().update(key, own[key], vscode.ConfigurationTarget.Global);
		}
		for (const name of VARIABLES) delete process.env[name];
		Object.assign(process.env, environment?.(network.proxies));
		setDefaultCACertificates(trusts ? [...known, network.certificate] : known);
		network.begin(rule);
	}

	before(async () => {
		sandbox = await startSandbox({ messages: { wordDelayMs: 1 } });
		network = await serveThroughProxies(NAMES, sandbox.port);
		// Nowhere else is there a service by this name.
		dns.lookup = ((name: string, ...rest: readonly unknown[]) =>
			Reflect.apply(lookup, dns, [NAMES.includes(name) ? "127.0.0.1" : name, ...rest])) as typeof lookup;
		await enter({ proxied: false });
		const { messages, codehost, petstore } = sandbox.keys;
		for (const scheme of ["http", "https"] as const) {
			for (const service of [
				{ service: "messages", key: messages, model: "sandbox" },
				{ service: "codehost", token: codehost.fineGrained, profile: "sandbox" },
				{ service: "petstore", apiKey: petstore.apiKey, token: petstore.token, profile: "sandbox" },
			]) {
				const label = `${service.service} by ${scheme}`;
				const baseUrl = `${scheme}://${service.service}.test:${network.ports[scheme]}/${service.service}`;
				const { id } = await run<{ id: string }>("addConnection", { label, baseUrl, ...service });
				connections.push({ scheme, id, service: service.service });
			}
		}
	});
	after(async () => {
		for (const { id } of connections) await run("removeConnection", { connection: id });
		await enter({ proxied: false });
		for (const [name, value] of variables) if (value !== undefined) process.env[name] = value;
		setDefaultCACertificates(known);
		dns.lookup = lookup;
		network.close();
		await sandbox.close();
	});

	for (const [name, route] of Object.entries(ROUTES)) {
		it(`reaches all three services, or says why not: ${name}`, async () => {
			await enter(route);
			const { schemes = ["http", "https"], proxied, fails } = route;
			for (const { scheme, service, id } of connections.filter(({ scheme }) => schemes.includes(scheme))) {
				network.asked.length = 0;
				const { ok, status, error } = await run<TestResult>("testConnection", { connection: id });
				assert.deepEqual(
					[ok, error?.code, status],
					[fails === undefined, fails?.[0], fails?.[1]],
					`${id}: ${error?.message}`,
				);
				const asked = new Set(network.asked);
				const way = `${scheme === "https" ? "CONNECT" : "http"} ${service}.test`;
				assert.equal(asked.has(way), proxied, `${id}: ${[...asked]}`);
			}
		});
	}
});
