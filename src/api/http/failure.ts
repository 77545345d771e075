import type { ErrorCode } from "#base/errors.ts";
import { isPassingStatus } from "./retry.ts";
import { plainSentence } from "./sentence.ts";

/** The statuses that mean something of their own; the others follow their hundred. */
const CODE_OF_STATUS: ReadonlyMap<number, ErrorCode> = new Map<number, ErrorCode>([
	// Only a conditional request expects a 304, and handles it first.
	[304, "malformed"],
	[401, "unauthorized"],
	[402, "forbidden"],
	[403, "forbidden"],
	[404, "not-found"],
	[405, "not-found"],
	[407, "proxy"],
	[408, "timeout"],
	[410, "not-found"],
	[429, "rate-limited"],
	[451, "forbidden"],
	[503, "overloaded"],
	[504, "timeout"],
	[511, "network"],
	[529, "overloaded"],
]);

/** Error code of an HTTP status that is not a success. A redirect is `not-found`: it does not come from the service. */
export function codeOfStatus(status: number): ErrorCode {
	const own = CODE_OF_STATUS.get(status);
	if (own !== undefined) return own;
	if (status >= 500) return "server";
	if (status >= 400) return "invalid";
	return status >= 300 ? "not-found" : "malformed";
}

/** Meaning of status 407. */
export const PROXY_SIGN_IN = "the proxy requires a sign-in";

/** Meaning of a runtime error. */
interface RuntimeFailure {
	readonly code: ErrorCode;
	/** Completes "The service could not be reached: ...". */
	readonly reason: string;
	/** True if the same request may well succeed a moment later. */
	readonly passing: boolean;
	/** True where no connection could be made: nothing of the request was sent; false where it may have been. */
	readonly unsent?: boolean;
	/** Status with which a proxy has refused. */
	readonly status?: number;
	/** Sentence with what to do, where that is special. */
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
/** Fails with the proxy that the error itself names. */
const failedProxy: RuntimeFailure = { ...refused, code: "proxy", reason: "the proxy failed" };
const closedByProxy: RuntimeFailure = { ...failedProxy, reason: "the proxy closed the connection" };
const refusedByProxy: RuntimeFailure = {
	...failedProxy,
	reason: "the proxy refused the connection",
	passing: false,
};
const otherProxy: RuntimeFailure = { ...refusedByProxy, reason: "the proxy's certificate is for another name" };
const unknown: RuntimeFailure = { code: "network", reason: "the connection failed", passing: true };

const FAILURE_OF_CODE: ReadonlyMap<string, RuntimeFailure> = new Map([
	["ECONNREFUSED", refused],
	["ECONNRESET", closed],
	["ECONNABORTED", closed],
	["EPIPE", closed],
	["UND_ERR_SOCKET", closed],
	["ENOTFOUND", unresolved],
	["EAI_AGAIN", unresolved],
	["EHOSTUNREACH", unreachable],
	["EHOSTDOWN", unreachable],
	["ENETUNREACH", unreachable],
	["ENETDOWN", unreachable],
	["EADDRNOTAVAIL", unreachable],
	["ETIMEDOUT", slow],
	["UND_ERR_CONNECT_TIMEOUT", slowToConnect],
	["UND_ERR_HEADERS_TIMEOUT", slow],
	["UND_ERR_BODY_TIMEOUT", slow],
	["ERR_PROXY", failedProxy],
	["UND_ERR_PRX_TLS", otherProxy],
	["UND_ERR_PRX_CONN", closedByProxy],
	["DEPTH_ZERO_SELF_SIGNED_CERT", untrusted],
	["SELF_SIGNED_CERT_IN_CHAIN", untrusted],
	["UNABLE_TO_VERIFY_LEAF_SIGNATURE", untrusted],
	["UNABLE_TO_GET_ISSUER_CERT", untrusted],
	["UNABLE_TO_GET_ISSUER_CERT_LOCALLY", untrusted],
	["ERR_TLS_CERT_ALTNAME_INVALID", otherName],
	["CERT_HAS_EXPIRED", outdated],
	["CERT_NOT_YET_VALID", outdated],
	["EPROTO", noTls],
	["ERR_ENCODING", encoded],
]);

const FAILURE_OF_PREFIX: readonly (readonly [string, RuntimeFailure])[] = [
	["UND_ERR_SOCKS5", refusedByProxy],
	["CERT_", untrusted],
	["ERR_TLS_", noTls],
	["ERR_SSL_", noTls],
	["HPE_", notHttp],
	["Z_", damaged],
	["ERR__ERROR_", damaged],
	["ZSTD_", damaged],
];

/** Depth to which an error is followed into its causes. */
const DEEPEST_CAUSE = 5;

/**
 * Failure below HTTP, from the runtime's own error or the first of its causes that is known. Anything unknown
 * is a `network` failure. It is never `aborted`: only the signal of the request tells that.
 */
export function failureOfError(error: unknown): RuntimeFailure {
	let current = error;
	for (let depth = 0; depth < DEEPEST_CAUSE && current instanceof Error; depth++) {
		const known = failureOfText(current) ?? failureOfCode("code" in current ? current.code : undefined);
		if (known === failedProxy) return { ...known, reason: current.message, passing: current.cause !== undefined };
		if (known === otherName) return { ...otherName, reason: `${otherName.reason}${namesIn(current.message)}` };
		// A route can be lost on the way of a request, too.
		if (known === unreachable && !("syscall" in current && current.syscall === "connect")) return cutOff;
		if (known !== undefined) return known;
		current = current instanceof AggregateError ? current.errors[0] : current.cause;
	}
	return unknown;
}

/**
 * Copy of a runtime error as the cause of another: its name, code, system call, redacted message and
 * its own cause likewise. undici's parser also keeps the bytes that it cannot read, in which a service may repeat the
 * request with its secrets. {@link failureOfError} says the same of both.
 */
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

/** Names of a certificate, as the runtime's message lists them. */
function namesIn(message: string): string {
	const names = /altnames: ((?:DNS|IP Address):.*)$/s.exec(message)?.[1] ?? "";
	return names === "" ? "" : plainSentence(`: ${names.replaceAll(/\b(?:DNS|IP Address):/g, "")}`);
}

/**
 * Failures that only a text tells: undici's parser gives its errors no code, where an end in the middle of a reply is one of
 * them, and the status of a proxy that refuses stands in a message of undici, or of the editor's own fetch.
 */
function failureOfText({ name, message }: Error): RuntimeFailure | undefined {
	if (name === "HTTPParserError") return message.includes("EOF") ? closed : notHttp;
	const refusal = /^Proxy response \((\d{3})\)|^Proxy Authentication Required/i.exec(message);
	if (refusal === null) return undefined;
	const status = Number(refusal[1] ?? 407);
	const reason = status === 407 ? PROXY_SIGN_IN : refusedByProxy.reason;
	return { ...refusedByProxy, reason: `${reason} (${status})`, passing: isPassingStatus(status), status };
}

function failureOfCode(code: unknown): RuntimeFailure | undefined {
	if (typeof code !== "string") return undefined;
	return FAILURE_OF_CODE.get(code) ?? FAILURE_OF_PREFIX.find(([prefix]) => code.startsWith(prefix))?.[1];
}
