import assert from "node:assert/strict";
import { test } from "node:test";
import { ROOT } from "../support/paths.ts";
import { runProcess } from "../support/run-process.ts";

for (const script of [
	"test/support/start.ts",
	"test/support/screenshots.ts",
	"test/support/package.ts",
	"test/support/test.ts",
]) {
	test(`${script} answers --help and unknown flags before it builds anything`, async () => {
		const run = (flag: string) => runProcess(process.execPath, [script, flag], { cwd: ROOT });
		const [help, unknown] = await Promise.all([run("--help"), run("--chekc")]);
		assert.deepEqual([help.code, unknown.code], [0, 2]);
		assert.match(help.output, /^[A-Z][^\n]*\.\n\nUsage: npm (?:start|run [\w:]+) -- /);
		assert.match(unknown.output, /'--chekc'[\s\S]*\n\nUsage: npm/);
	});
}

test("the sandbox takes no flags, and says where its variables are named", async () => {
	const run = (flag: string) => runProcess(process.execPath, ["src/sandbox/cli.ts", flag], { cwd: ROOT });
	for (const [flag, code] of [
		["--help", 0],
		["--port=1", 2],
	] as const) {
		const ended = await run(flag);
		assert.deepEqual([ended.code, /docs\/sandbox\.md/.test(ended.output)], [code, true], flag);
	}
});
