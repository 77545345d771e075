import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "mocha";
import * as vscode from "vscode";
import { type EchoService, startEchoService } from "../support/echo-service.ts";
import { KEY, type Stored, storedSurvivor } from "./survivor.ts";

describe("a key after the window was reloaded", () => {
	let service: EchoService;
	let stored: Stored;
	before(async () => {
		stored = storedSurvivor();
		service = await startEchoService(Number(new URL(stored.baseUrl).port));
	});
	after(() => service.close());

	it("is taken out of what is attached before it was used", async () => {
		const folder = await mkdtemp(join(tmpdir(), "switchboard-attach-"));
		const file = join(folder, "keys.txt");
		await writeFile(file, `the key is ${KEY}.`);
		const attached = await vscode.commands.executeCommand<{ bytes: number }>("switchboard.chat.attach", {
			kind: "file",
			uri: String(vscode.Uri.file(file)),
		});
		await rm(folder, { recursive: true });
		assert.equal(attached.bytes, "the key is [redacted].".length);
		const request = JSON.stringify(
			await vscode.commands.executeCommand("switchboard.chat.showRequest", { text: "look" }),
		);
		assert.match(request, /the key is \[redacted\]/);
	});

	it("is still there and is sent to its own origin", async () => {
		const result = await vscode.commands.executeCommand<{ outcome: string }>("switchboard.chat.send", {
			text: "after the reload",
			connection: stored.id,
		});
		assert.equal(result.outcome, "complete");
		assert.equal(service.seen[0]?.headers["x-api-key"], KEY);
	});
});
