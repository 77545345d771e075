import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import type { Clock } from "#base/clock.ts";
import { msInWords } from "#base/duration.ts";
import { ClientError } from "#base/errors.ts";
import { abortedError, exchange, unlessAborted, unreachedError } from "../http/exchange.ts";
import { causeOf } from "../http/failure.ts";
import { isOfGateway } from "../http/reason.ts";
import type { Transport } from "../http/transport.ts";
import { ALLOWED_DRIFT_MS } from "./app-jwt.ts";
import { serverTimeOf } from "./rate-limit.ts";
import { anonymousHeaders, type CodehostEndpoint, operationUrl } from "./request.ts";

/** Names of the steps, in their order. */
export type StepName = "dns" | "tls" | "auth" | "clock" | "read";

/** Finding of one step. */
export interface DiagnosisStep {
	readonly name: StepName;
	readonly state: "ok" | "failed" | "skipped";
	/** Finding, or the reason for skipping, as a sentence or name that may come from the service. */
	readonly detail: string;
	readonly ms: number;
	/** Error of a failed step, or of one skipped for a rate limit. */
	readonly error?: ClientError;
}

/** Probes of the steps. Each rejects with ClientError. */
export interface DiagnosisProbes {
	/** The addresses of the service's host; absent where a proxy resolves its name. */
	resolve?(signal: AbortSignal): Promise<readonly string[]>;
	/** Reaches the service without a credential; resolves to its time in epoch milliseconds, null without a `Date`. */
	connect(signal: AbortSignal): Promise<number | null>;
	/** Uses the credential; gives who that is. */
	authenticate(signal: AbortSignal): Promise<string>;
	/** Reads something; gives what. */
	read(signal: AbortSignal): Promise<string>;
}

/** Options of a diagnosis. */
export interface DiagnosisOptions {
	readonly clock: Clock;
	readonly encrypted: boolean;
	/** True if the credential is dated by this machine's clock, as an app's is. */
	readonly dated: boolean;
	readonly signal?: AbortSignal | undefined;
	/** Called with each step as soon as it is over. */
	readonly onStep?: ((step: DiagnosisStep) => void) | undefined;
}

const LONGEST_STEP_MS = 15_000;

/** Diagnoses a connection; DNS may fail behind a proxy. Steps after a failed one are skipped. Rejects if aborted. */
export async function diagnose(probes: DiagnosisProbes, options: DiagnosisOptions): Promise<readonly DiagnosisStep[]> {
	const { clock, encrypted, dated, signal, onStep } = options;
	const steps: DiagnosisStep[] = [];
	const add = (step: DiagnosisStep) => {
		steps.push(step);
		onStep?.(step);
		return step.state === "ok";
	};
	const look = async (name: StepName, probe: DiagnosisProbes["read"]) =>
		add(await runStep(name, probe, { clock, signal }));
	const skip = (name: StepName, detail: string) => add({ name, state: "skipped", detail, ms: 0 });

	const { resolve } = probes;
	if (resolve !== undefined) await look("dns", async (cut) => (await resolve(cut)).join(", "));
	let skewMs: number | null = null;
	const reached = await look("tls", async (cut) => {
		const begun = clock.now();
		const serverTime = await probes.connect(cut);
		skewMs = serverTime === null ? null : skewOf(serverTime, { begun, ended: clock.now() });
		return encrypted ? "The certificate is trusted." : "The connection is not encrypted.";
	});
	const unreached = "The service was not reached.";
	const authenticated = reached ? await look("auth", probes.authenticate) : skip("auth", unreached);
	if (skewMs === null) skip("clock", reached ? "The service does not tell its time." : unreached);
	else add(clockStep(skewMs, dated));
	if (authenticated) await look("read", probes.read);
	else {
		const { error, detail = "" } = steps.find(({ name }) => name === "auth") ?? {};
		// A credential that a limit or a timeout kept from being tried was not refused.
		const isRefused = error?.code === "unauthorized" && error.reason !== "disposed";
		skip("read", isRefused ? "The credential was not accepted." : detail);
	}
	return steps;
}

/** Distance of a service's time, in whole seconds, from the span in which it was sent, in epoch milliseconds. */
function skewOf(serverTime: number, { begun, ended }: { readonly begun: number; readonly ended: number }): number {
	if (serverTime > ended) return serverTime - ended;
	return serverTime + 1_000 > begun ? 0 : serverTime - begun;
}

async function runStep(
	name: StepName,
	probe: DiagnosisProbes["read"],
	{ clock, signal }: { clock: Clock; signal: AbortSignal | undefined },
): Promise<DiagnosisStep> {
	const begun = clock.monotonic();
	const late = new AbortController();
	const cut = signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]);
	const lateError = new ClientError("codehost", "timeout", `There was no answer within ${LONGEST_STEP_MS / 1_000} s.`);
	const timer = clock.after(LONGEST_STEP_MS, () => late.abort());
	try {
		// Not every probe can be aborted: the step ends in time all the same.
		const detail = await unlessAborted(probe(cut), cut, "codehost");
		return { name, state: "ok", detail, ms: clock.monotonic() - begun };
	} catch (cause) {
		if (signal?.aborted) throw abortedError("codehost");
		const known = late.signal.aborted ? lateError : cause;
		const error = known instanceof ClientError ? known : new ClientError("codehost", "network", `${known}`, { cause });
		// A limit, met here or in the answer, leaves the result of the step unknown.
		const isLimit = error.code === "rate-limited";
		const detail = isLimit ? `Not checked: ${error.message}` : error.message;
		return { name, state: isLimit ? "skipped" : "failed", detail, ms: clock.monotonic() - begun, error };
	} finally {
		timer.dispose();
	}
}

function clockStep(skewMs: number, dated: boolean): DiagnosisStep {
	const seconds = Math.round(Math.abs(skewMs) / 1_000);
	if (Math.abs(skewMs) <= ALLOWED_DRIFT_MS) {
		return { name: "clock", state: "ok", detail: `The clocks differ by ${seconds} s.`, ms: 0 };
	}
	const side = skewMs > 0 ? "behind" : "ahead of";
	const detail = `The clock of this machine is ${msInWords(Math.abs(skewMs))} ${side} the service's.`;
	if (!dated) return { name: "clock", state: "ok", detail: `${detail} A token works all the same.`, ms: 0 };
	const error = new ClientError("codehost", "unauthorized", detail, { reason: "clock-skew" });
	return { name: "clock", state: "failed", detail, ms: 0, error };
}

/** The steps before a credential is used, at a service. */
export function openProbes(
	at: CodehostEndpoint & { readonly transport: Transport },
): Pick<DiagnosisProbes, "resolve" | "connect"> {
	const url = operationUrl(at, "/");
	const host = url.hostname.replace(/^\[|\]$/g, "");
	const resolve = async () => {
		if (isIP(host) !== 0) return [host];
		return (await lookup(host, { all: true }).catch(unreached)).map(({ address }) => address);
	};
	return {
		...(at.transport.isProxied?.(url) ? {} : { resolve }),
		// Any reply proves that the service is there, and over TLS that it is the right one.
		async connect(signal) {
			const enough = new AbortController();
			const cut = AbortSignal.any([signal, enough.signal]);
			const request = { method: "GET", url, headers: anonymousHeaders(at.profile), signal: cut } as const;
			const reply = await at.transport.send(request).catch(unreached);
			enough.abort();
			return serverTimeOf(reply.headers);
		},
	};
}

/** True if the API of a code host answers at an address. Sends no credential. Rejects with ClientError if nothing does. */
export async function isApiAt(
	{ transport, clock, ...at }: CodehostEndpoint & { readonly transport: Transport; readonly clock: Clock },
	signal: AbortSignal,
): Promise<boolean> {
	const headers = anonymousHeaders(at.profile);
	const request = { method: "GET", url: operationUrl(at, "/user"), headers, signal } as const;
	const how = { service: "codehost", transport, clock, silenceLimitMs: LONGEST_STEP_MS, redact: String } as const;
	const heard = await exchange(request, how);
	if (!heard.ok) throw heard.error;
	const { status } = heard.reply;
	return !isOfGateway(heard.reply) && status !== 404 && status !== 406 && (status < 300 || status >= 400);
}

function unreached(error: unknown): never {
	// Nothing secret was sent there.
	throw unreachedError("codehost", causeOf(error, String));
}
