import { getCACertificates } from "node:tls";
import * as vscode from "vscode";
import type { Transport, TransportReply, TransportRequest } from "#api/http/transport.ts";
import { createTransport } from "#api/http/undici-transport.ts";
import type { Disposable } from "#base/disposables.ts";

/** Transport with the editor's network settings, rebuilt when they change; pending requests finish on the old one. */
export class EditorTransport implements Transport, Disposable {
	readonly #subscription: vscode.Disposable;
	#current: Transport | undefined;

	constructor() {
		this.#subscription = vscode.workspace.onDidChangeConfiguration((event) => {
			if (event.affectsConfiguration("http")) this.#current = undefined;
		});
	}

	send(request: TransportRequest): Promise<TransportReply> {
		this.#current ??= build();
		return this.#current.send(request);
	}

	isProxied(url: URL): boolean {
		this.#current ??= build();
		return this.#current.isProxied?.(url) ?? false;
	}

	async close(): Promise<void> {
		this.#subscription.dispose();
		await this.#current?.close();
	}

	readonly dispose = () => this.close();
}

function build(): Transport {
	const http = vscode.workspace.getConfiguration("http");
	const noProxy = http.get<string[]>("noProxy") ?? [];
	const proxies = {
		proxy: http.get<string>("proxy") || undefined,
		noProxy: noProxy.length > 0 ? noProxy : undefined,
		proxyAuthorization: http.get<string | null>("proxyAuthorization") ?? undefined,
		environment: process.env,
		fallbackFetch: globalThis.fetch,
	};
	return createTransport({
		...(http.get<string>("proxySupport") === "off" ? {} : proxies),
		strictSsl: http.get<boolean>("proxyStrictSSL") ?? true,
		ca: http.get<boolean>("systemCertificates") === false ? undefined : certificates,
	});
}

/** Certificates of Node and of the machine. Reading the machine's takes a moment. */
const certificates = () => [...new Set([...getCACertificates("default"), ...getCACertificates("system")])];
