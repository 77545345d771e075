import type { Redactor } from "#base/redaction.ts";
import type { LoggedRequest } from "./logged-request.ts";

/** Parameters of an address whose values are nobody's business, whoever has put them there. */
const SECRET_NAME =
	/(?:^|[._-])(?:[a-z]*token|[a-z]*key|[a-z]*secret|auth|code|jwt|passw(?:or)?d|passphrase|pwd|sig|signature)$/i;

/**
 * Copy of a request without any secret that the redactor knows, in whatever field and form; the same object where there
 * was none.
 */
export function withoutSecrets(request: LoggedRequest, redactor: Redactor): LoggedRequest {
	const redact = (text: string) => redactor.redact(text);
	const url = withoutParameters(redact(request.url));
	const headers = Object.entries(request.headers).map(([name, value]): [string, string] => [
		redact(name),
		redact(value),
	]);
	const body = request.body === null ? null : withoutParameters(redact(request.body));
	const { error } = request;
	const message = error === null ? "" : withoutParameters(redact(error.message));
	const isSame =
		url === request.url &&
		body === request.body &&
		message === (error?.message ?? "") &&
		headers.every(([name, value]) => request.headers[name] === value);
	if (isSame) return request;
	return {
		...request,
		url,
		headers: Object.fromEntries(headers),
		body,
		error: error === null ? null : { ...error, message },
	};
}

/** A text that is an address, or has some in it, with names in place of the values of secret parameters and of passwords. */
function withoutParameters(text: string): string {
	return text
		.replaceAll(/([?&](?:amp;)?)([^=&#?\s]+)=([^&#\s"'<>\\]+)/g, (pair, mark: string, name: string, value: string) =>
			SECRET_NAME.test(name) && !/^\{[^{}]*\}$/.test(value) ? `${mark}${name}={${name}}` : pair,
		)
		.replaceAll(/(:\\?\/\\?\/[^\s/?#"'<>@:\\]*:)[^\s/?#"'<>@\\]+@/g, "$1{password}@");
}
