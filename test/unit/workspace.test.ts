import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import launch from "../../.vscode/launch.json" with { type: "json" };
import tasks from "../../.vscode/tasks.json" with { type: "json" };
import manifest from "../../package.json" with { type: "json" };
import { pinnedNode, ROOT } from "../support/paths.ts";
import { until } from "../support/until.ts";

/** The files under `.vscode`, which let a person build, run and debug by one key. */
const [task] = tasks.tasks;
assert.ok(task);

test("a launch configuration builds by a task that there is", () => {
	const needed = launch.configurations.flatMap(({ preLaunchTask = [] }) => preLaunchTask);
	assert.deepEqual(needed, [task.label]);
	assert.equal(manifest.scripts[task.script as keyof typeof manifest.scripts], "node esbuild.mjs --watch");
});

test("a launch configuration names files that there are", () => {
	const path = /\$\{workspaceFolder\}\/([^"*]+[^"*/])"/g;
	const named = [...JSON.stringify(launch).matchAll(path)].map(([, each = ""]) => each);
	assert.ok(named.length > 4);
	// The Node of another platform is not installed.
	const missing = named.filter((each) => !existsSync(join(ROOT, each)) && !each.startsWith("node_modules/node/"));
	assert.deepEqual(missing, []);
	assert.ok(named.some((each) => pinnedNode() === process.execPath || join(ROOT, each) === pinnedNode()));
});

const matchOf = ({ regexp }: { readonly regexp: string }, line = "?") => new RegExp(regexp).exec(line);

test("the task sees when a build begins and ends, and where it failed", async () => {
	const { background, pattern } = task.problemMatcher;
	const [begins, ends] = [new RegExp(background.beginsPattern), new RegExp(background.endsPattern)];
	const folder = await mkdtemp(join(tmpdir(), "switchboard-watch-"));
	const entry = join(folder, "entry.ts");
	await writeFile(entry, '\nimport "./missing.ts";\n');
	const flags = ["--watch", `--entry=${entry}`, `--outdir=${join(folder, "dist")}`];
	const build = spawn(pinnedNode(), [join(ROOT, "esbuild.mjs"), ...flags]);
	try {
		// The errors come by another pipe than the lines about the build.
		const lines: string[] = [];
		const errors: string[] = [];
		createInterface(build.stdout).on("line", (line) => lines.push(line));
		createInterface(build.stderr).on("line", (line) => errors.push(line));
		const find = () => errors.findIndex((_, at) => pattern.every((each, next) => matchOf(each, errors[at + next])));
		await until(() => lines.some((line) => ends.test(line)) && find() !== -1, "a build that fails");
		assert.match(lines[0] ?? "", begins);
		const [message, , place] = pattern.map((each, next) => matchOf(each, errors[find() + next]));
		assert.deepEqual(message?.slice(1), ["ERROR", 'Could not resolve "./missing.ts"']);
		assert.deepEqual(place?.slice(2), ["2", "7"]);
		assert.match(place?.[1] ?? "", /entry\.ts$/);
		const before = lines.length;
		await writeFile(entry, "");
		await until(() => lines.slice(before).some((line) => ends.test(line)), "a build that ends");
		assert.deepEqual(lines.slice(before), ["[watch] build started", "[watch] build ready"]);
	} finally {
		build.kill();
		await once(build, "exit");
		// Its bundler is a process of its own that may outlive it, with these pipes open.
		build.stdout.destroy();
		build.stderr.destroy();
		await rm(folder, { recursive: true, force: true, maxRetries: 5 });
	}
});
