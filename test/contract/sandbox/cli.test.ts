import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { ROOT } from "../../support/paths.ts";

const skip = process.platform === "win32" && "there a process cannot be told to end";

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
	test(`the key files of the sandbox end with it on ${signal}`, { skip, timeout: 60_000 }, async (t) => {
		const folder = mkdtempSync(join(tmpdir(), "switchboard-cli-"));
		t.after(() => rmSync(folder, { recursive: true, force: true }));
		const env = { ...process.env, TMPDIR: folder };
		const child = spawn(process.execPath, ["src/sandbox/cli.ts"], {
			cwd: ROOT,
			env,
			stdio: ["ignore", "pipe", "ignore"],
		});
		t.after(() => child.kill("SIGKILL"));
		await once(child.stdout, "data");
		assert.equal(readdirSync(folder).filter((name) => name.startsWith("switchboard-sandbox-")).length, 1);
		child.kill(signal);
		assert.deepEqual(await once(child, "exit"), [0, null]);
		assert.deepEqual(
			readdirSync(folder).filter((name) => name.startsWith("switchboard-sandbox-")),
			[],
		);
	});
}
