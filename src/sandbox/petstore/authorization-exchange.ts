import type { ServerResponse } from "node:http";
import { type Exchange, readBody, sendJson } from "#sandbox/http.ts";
import type { AuthorizationDesk, Verdict } from "./authorization.ts";
import { sendQuestion, sendRefusal } from "./authorization-page.ts";
import type { Authorization } from "./behaviour.ts";

/** The largest form that is read, in bytes. */
const LARGEST_FORM = 32 * 1024;

/** Answers one request of a browser to the authorization endpoint: GET asks the person, POST is what the person said. */
export async function answerAuthorization(
	{ request, response, query }: Exchange,
	desk: AuthorizationDesk,
	behaviour: Authorization,
): Promise<void> {
	switch (request.method) {
		case "GET":
			request.resume();
			return show(response, desk.open(query, behaviour));
		case "POST": {
			const form = await readBody(request, LARGEST_FORM);
			return show(response, desk.decide(new URLSearchParams(form.toString("utf8")), behaviour));
		}
		default:
			request.resume();
			sendJson(response, {
				status: 405,
				headers: { allow: "GET, POST" },
				body: { code: 405, type: "error", message: "Only GET and POST are answered here" },
			});
	}
}

function show(response: ServerResponse, verdict: Verdict): void {
	switch (verdict.kind) {
		case "ask":
			sendQuestion(response, verdict.application);
			return;
		case "refuse":
			sendRefusal(response, verdict.why);
			return;
		case "redirect":
			response.writeHead(303, {
				location: verdict.to,
				"content-length": 0,
				"cache-control": "no-store",
				"referrer-policy": "no-referrer",
			});
			response.end();
	}
}
