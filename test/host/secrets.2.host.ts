import assert from "node:assert/strict";
import { after, before, describe, it } from "mocha";
import * as vscode from "vscode";
import { type EchoService, startEchoService } from "../support/echo-service.ts";
import { until } from "../support/until.ts";
import { KEY, type Stored, storedSurvivor } from "./survivor.ts";

describe("a key after the window was closed and opened again", () => {
	let service: EchoService;
	let stored: Stored;
	before(async () => {
		stored = storedSurvivor();
		service = await startEchoService(Number(new URL(stored.baseUrl).port));
	});
	after(() => service.close());

	it("is still there and is sent to its own origin", async () => {
		const result = await vscode.commands.executeCommand<{ outcome: string }>("switchboard.chat.send", {
			text: "after",
			connection: stored.id,
		});
		assert.equal(result.outcome, "complete");
		assert.equal(service.seen[0]?.headers["x-api-key"], KEY);
	});

	it("is gone with its connection", async () => {
		await vscode.commands.executeCommand("switchboard.removeConnection", { connection: stored.id });
		const list = () => vscode.workspace.getConfiguration().get<Stored[]>("switchboard.connections") ?? [];
		// The editor tells this window of a written setting by a message of its own.
		await until(() => !list().some(({ id }) => id === stored.id), "the connection to be gone from the settings");
	});
});
