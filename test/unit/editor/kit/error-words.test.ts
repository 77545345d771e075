import assert from "node:assert/strict";
import { test } from "node:test";
import { ClientError } from "#base/errors.ts";
import { describeWait } from "#editor/kit/error-words.ts";
import { describeFailure } from "#editor/words/failures.ts";
import { replyWords } from "#editor/words/reply-words.ts";

test("a wait is described by its remaining time and its cause", () => {
	const said = (why: "rate-limit" | "retry" | "new-token") =>
		describeWait({ why, until: 3_000 }, { label: "acme", now: 0 });
	assert.equal(said("rate-limit"), "Resuming in 3 s: rate limit of acme reached.");
	assert.equal(said("retry"), "Retrying in 3 s: acme failed.");
	assert.equal(said("new-token"), "Retrying in 3 s: acme is still activating the new token.");
});

test("a proxy that refuses is named with the setting that helps, at every service", () => {
	const said = (service: "codehost" | "petstore" | "messages", status: number | undefined, why: string) => {
		const error = new ClientError(service, "proxy", `The service could not be reached: ${why}.`, { status, said: why });
		const { title, advice } =
			service === "messages" ? replyWords(error, { connection: "Acme", model: "" }) : describeFailure(error, "Acme");
		return `${title} ${advice.replace(" Run Test Connection to check each step.", "")}`.replace(/: [tT]/, ": T");
	};
	for (const [status, why, advice] of [
		[
			407,
			"the proxy requires a sign-in (407)",
			"Put the user and password into http.proxy, or the header into http.proxyAuthorization.",
		],
		[
			403,
			"the proxy refused the connection (403)",
			"Check that the proxy may reach this host, or add the host to http.noProxy.",
		],
		[
			undefined,
			"the proxy socks4://a cannot be used",
			"Check http.proxy, or HTTP_PROXY, HTTPS_PROXY and ALL_PROXY in the environment.",
		],
	] as const) {
		for (const service of ["codehost", "petstore", "messages"] as const) {
			assert.equal(said(service, status, why), `Acme could not be reached: T${why.slice(1)}. ${advice}`);
		}
	}
});
