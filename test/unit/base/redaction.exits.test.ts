import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Redactor } from "#base/redaction.ts";
import { ROOT } from "../../support/paths.ts";

/** Every exit of text, and the call in its file that what leaves there goes through. */
const EXITS: Readonly<Record<string, readonly [file: string, call: string]>> = {
	"the log": ["editor/log.ts", "[level](this.#redactor.redactForLog(message))"],
	"the list of requests": ["app/requests/request-log.ts", "redactor.redact(text)"],
	"the error of a messages service": ["editor/chat/open-client.ts", "redactor.redact(text)"],
	"the error of a code host": ["app/codehost/clients.ts", "redactor.redact(text)"],
	"the error of a pet store": ["app/petstore/clients.ts", "redactor.redact(text)"],
	"a request to a model": ["app/chat/reply-under-way.ts", "secretFilter.redact(wanted)"],
	"a reply of a model": ["app/chat/reply-under-way.ts", "new RedactedReply(parts.secretFilter)"],
	"a journal": ["app/chat/open-journal.ts", "journalLine(isPiece ? record : secretFilter.redact(record))"],
	"a journal of a closed conversation": ["app/chat/conversation-store.ts", "journalLine(secretFilter.redact(record))"],
	"a draft": ["app/chat/drafts.ts", "JSON.stringify(secretFilter.redact(saved))"],
	"an attachment": ["editor/chat/attachment-controller.ts", "...this.#secretFilter.redact(snapshot)"],
	"an export": ["editor/chat/transfer-commands.ts", "redactor.leaving(format"],
	"the panel": ["editor/chat/panel-host.ts", "postMessage(secretFilter.redact(message))"],
	"the clipboard": ["editor/chat/panel-host.ts", "writeText(this.#room.secretFilter.redact(message.text))"],
	"the list of conversations": ["editor/chat/history-pick.ts", "redactor.leaving(title)"],
	"the document of a request": [
		"editor/chat/chat-documents.ts",
		"redactor.leaving(JSON.stringify(await request(asked)",
	],
	"the result of a command": ["editor/commands.ts", "redactor.leaving(result)"],
	"the result of a tool": ["editor/models/tools.ts", "redactor.leaving(await tool.run("],
};

for (const [exit, [file, call]] of Object.entries(EXITS)) {
	test(`${exit} is without secrets`, () => {
		assert.ok(readFileSync(join(ROOT, "src", file), "utf8").includes(call), `${file}: ${call}`);
	});
}

test("no exit has any form of a planted secret", () => {
	const secret = 'planted/secret "key" + 0123456789';
	const redactor = new Redactor();
	redactor.register(secret);
	const forms = [
		...[secret, Buffer.from(secret).toString("base64"), Buffer.from(`x:${secret}`).toString("base64")],
		...[encodeURIComponent(secret), new URLSearchParams({ key: secret }).toString(), JSON.stringify(secret)],
	];
	for (const form of forms) {
		for (const left of [redactor.redact(form), redactor.redactForLog(form), ...redactor.leaving([form])]) {
			assert.match(left, /\[redacted\]/, form);
			assert.doesNotMatch(left, /planted|cGxhbnRlZ|NlY3JldC/, form);
		}
	}
});
