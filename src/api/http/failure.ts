import type { ErrorCode } from "#base/errors.ts";
import { isPassingStatus } from "./retry.ts";
import { plainSentence } from "./sentence.ts";

/** Statuses with a code of their own; others follow their hundred. */
const STATUSES: readonly (readonly [ErrorCode, ...statuses: number[]])[] = [
	// Only a conditional request expects a 304, and handles it first.
	["malformed", 304],
	["unauthorized", 401],
	["forbidden", 402, 403, 451],
	["not-found", 404, 405, 410],
	["proxy", 407],
	["timeout", 408, 504],
	["rate-limited", 429],
	["network", 511],
	["overloaded", 503, 529],
];

/** Error code of a status. A redirect is `not-found`: it does not come from the service. */
export function codeOfStatus(status: number): ErrorCode {
	const own = STATUSES.find(([, ...statuses]) => statuses.includes(status));
	if (own !== undefined) return own[0];
	if (status >= 500) return "server";
	if (status >= 400) return "invalid";
	return status >= 300 ? "not-found" : "malformed";
}

/** Meaning of status 407. */
export const PROXY_SIGN_IN = "the proxy requires a sign-in";

interface RuntimeFailure {
	readonly code: ErrorCode;
	/** Completes "The service could not be reached: ...". */
	readonly reason: string;
	/** True if a retry may succeed. */
	readonly passing: boolean;
	/** True if no connection was made: nothing was sent. */
	readonly unsent?: boolean;
	/** Status of a proxy that refused. */
	readonly status?: number;
	/** Next step, where there is a special one. */
	readonly fix?: string;
}

const refused: RuntimeFailure = { code: "network", reason: "the connection was refused", passing: true, unsent: true };
const closed: RuntimeFailure = { ...refused, reason: "the connection was closed", unsent: false };
const unresolved: RuntimeFailure = { ...refused, reason: "its host name could not be resolved" };
const unreachable: RuntimeFailure = { ...refused, reason: "there is no route to its host" };
const cutOff: RuntimeFailure = { ...unreachable, unsent: false };
const slow: RuntimeFailure = { ...closed, code: "timeout", reason: "the connection took too long" };
const slowToConnect: RuntimeFailure = { ...slow, unsent: true };
const untrusted: RuntimeFailure = {
	...refused,
	reason: "its certificate is from an issuer that is not trusted here",
	passing: false,
	fix: "Add the issuer to this machine's trusted certificates, or turn off http.proxyStrictSSL.",
};
const otherName: RuntimeFailure = {
	...refused,
	reason: "its certificate is for another name",
	passing: false,
	fix: "Use the certificate's name in the base URL.",
};
const outdated: RuntimeFailure = {
	...refused,
	reason: "its certificate has expired or is not valid yet",
	passing: false,
	fix: "Check this machine's clock. If it is right, the service needs a new certificate.",
};
const noTls: RuntimeFailure = { code: "network", reason: "no secure connection could be agreed on", passing: false };
const notHttp: RuntimeFailure = { ...closed, code: "malformed", reason: "the answer is not HTTP", passing: false };
const damaged: RuntimeFailure = { ...notHttp, reason: "its compression is damaged" };
const encoded: RuntimeFailure = { ...notHttp, reason: "its content encoding is unknown" };
/** Failure with the proxy that the error names. */
const failedProxy: RuntimeFailure = { ...refused, code: "proxy", reason: "the proxy failed" };
const refusedByProxy: RuntimeFailure = { ...failedProxy, reason: "the proxy refused the connection", passing: false };
const unknown: RuntimeFailure = { code: "network", reason: "the connection failed", passing: true };

/** Failures by prefixes of error codes; the first match counts. */
const FAILURES: readonly (readonly [RuntimeFailure, ...beginnings: string[]])[] = [
	[refused, "ECONNREFUSED"],
	[closed, "ECONNRESET", "ECONNABORTED", "EPIPE", "UND_ERR_SOCKET"],
	[unresolved, "ENOTFOUND", "EAI_AGAIN"],
	[unreachable, "EHOSTUNREACH", "EHOSTDOWN", "ENETUNREACH", "ENETDOWN", "EADDRNOTAVAIL"],
	[slow, "ETIMEDOUT", "UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT"],
	[slowToConnect, "UND_ERR_CONNECT_TIMEOUT"],
	[failedProxy, "ERR_PROXY"],
	[refusedByProxy, "UND_ERR_SOCKS5", "UND_ERR_PRX_CONN"],
	[outdated, "CERT_HAS_EXPIRED", "CERT_NOT_YET_VALID"],
	[untrusted, "CERT_", "DEPTH_ZERO_SELF_SIGNED_CERT", "SELF_SIGNED_CERT_IN_CHAIN", "UNABLE_TO_"],
	[otherName, "ERR_TLS_CERT_ALTNAME_INVALID"],
	[noTls, "EPROTO", "ERR_TLS_", "ERR_SSL_"],
	[notHttp, "HPE_"],
	[damaged, "Z_", "ERR__ERROR_", "ZSTD_"],
	[encoded, "ERR_ENCODING"],
];

const DEEPEST_CAUSE = 5;

/** Failure below HTTP, by the first known cause; `network` if unknown. Only a request's signal tells `aborted`. */
export function failureOfError(error: unknown): RuntimeFailure {
	let current = error;
	for (let depth = 0; depth < DEEPEST_CAUSE && current instanceof Error; depth++) {
		const code = "code" in current ? String(current.code) : "";
		const byCode = FAILURES.find(([, ...beginnings]) => beginnings.some((each) => code.startsWith(each)));
		const known = failureOfText(current) ?? byCode?.[0];
		if (known === failedProxy) return { ...known, reason: current.message, passing: current.cause !== undefined };
		if (known === otherName) return { ...otherName, reason: `${otherName.reason}${namesIn(current.message)}` };
		// A route can also be lost during a request.
		if (known === unreachable && !("syscall" in current && current.syscall === "connect")) return cutOff;
		if (known !== undefined) return known;
		current = current instanceof AggregateError ? current.errors[0] : current.cause;
	}
	return unknown;
}

/** Redacted copy of a runtime error and its causes, without other fields: unparsable bytes may repeat secrets. */
export function causeOf(error: unknown, redact: (text: string) => string, depth = DEEPEST_CAUSE): Error | undefined {
	if (!(error instanceof Error) || depth === 0) return undefined;
	const inner = causeOf(error instanceof AggregateError ? error.errors[0] : error.cause, redact, depth - 1);
	const kept = new Error(redact(error.message), inner && { cause: inner });
	return Object.assign(
		kept,
		{ name: error.name },
		"code" in error && { code: error.code },
		"syscall" in error && { syscall: error.syscall },
	);
}

/** Names of a certificate, as the message of the runtime lists them. */
function namesIn(message: string): string {
	const names = /altnames: ((?:DNS|IP Address):.*)$/s.exec(message)?.[1] ?? "";
	return names === "" ? "" : plainSentence(`: ${names.replaceAll(/\b(?:DNS|IP Address):/g, "")}`);
}

/** Failure that only a message tells: parser errors of undici have no code, refusals of proxies no status. */
function failureOfText({ name, message }: Error): RuntimeFailure | undefined {
	if (name === "HTTPParserError") return message.includes("EOF") ? closed : notHttp;
	const refusal = /^Proxy response \((\d{3})\)|^Proxy Authentication Required/i.exec(message);
	if (refusal === null) return undefined;
	const status = Number(refusal[1] ?? 407);
	const reason = status === 407 ? PROXY_SIGN_IN : refusedByProxy.reason;
	return { ...refusedByProxy, reason: `${reason} (${status})`, passing: isPassingStatus(status), status };
}
