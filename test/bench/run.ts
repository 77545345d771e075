import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { arch, cpus, loadavg, platform } from "node:os";
import { promisify } from "node:util";
import type { BenchRow } from "./row.ts";
import { within } from "./within.ts";

/** Every bench; each measures its own rounds, interleaved, and gives medians. */
const BENCHES: Readonly<Record<string, () => Promise<{ measure(): Promise<BenchRow[]> }>>> = {
	activation: () => import("./activation.ts"),
	codehost: () => import("./codehost.ts"),
	connections: () => import("./connections.ts"),
	decode: () => import("./decode.ts"),
	editor: () => import("./editor.ts"),
	groups: () => import("./groups.ts"),
	history: () => import("./history.ts"),
	issues: () => import("./issues.ts"),
	panel: () => import("./panel.ts"),
	pets: () => import("./pets.ts"),
	petstore: () => import("./petstore.ts"),
	references: () => import("./references.ts"),
	request: () => import("./request.ts"),
	usage: () => import("./usage.ts"),
};

/** Longest bench, in ms. */
const LONGEST = 60 * 60_000;

const RESULTS = new URL("results.md", import.meta.url);

/**
 * Runs the benches named on the command line, or all, prints each one's table and puts it in `results.md` in place of
 * its former one. Figures compare only within one table: each is measured on the machine its heading names.
 */
async function main(names: readonly string[]): Promise<void> {
	const sections = await readSections();
	const where = `${platform()} ${arch()}, ${cpus().length} x ${cpus()[0]?.model.trim() ?? "unknown"}, Node ${process.version}`;
	for (const name of names) {
		const load = BENCHES[name];
		if (load === undefined)
			throw new Error(`There is no bench "${name}"; there are ${Object.keys(BENCHES).join(", ")}.`);
		const { measure } = await load();
		const [busy = 0] = loadavg();
		const rows = await within(`the end of ${name}`, measure(), LONGEST);
		const commit = await currentCommit();
		const section = `${new Date().toISOString().slice(0, 10)}, ${commit}, ${where}, load ${busy.toFixed(1)} before\n\n${table(rows)}\n`;
		sections.set(name, section);
		await writeFile(RESULTS, render(sections));
		process.stdout.write(`\n## ${name}\n\n${section}`);
	}
}

function table(rows: readonly BenchRow[]): string {
	const cells = rows.map(({ name, value, unit, goal, met, note }) => [
		name,
		`${format(value)} ${unit}`,
		goal === "" ? "" : `${goal} ${unit}`,
		met === null ? "" : met ? "met" : "**missed**",
		note ?? "",
	]);
	const lines = [["figure", "median", "goal", "", "note"], ["---", "---:", "---:", "---", "---"], ...cells];
	return lines.map((line) => `| ${line.join(" | ")} |`).join("\n");
}

function format(value: number): string {
	return Math.abs(value) >= 100 ? value.toFixed(0) : value.toFixed(2).replace(/\.?0+$/, "");
}

const HEADING = "# Bench results\n\nWritten by `npm run bench`; compare figures only within one table.\n";

function render(sections: ReadonlyMap<string, string>): string {
	const parts = [...sections].sort(([a], [b]) => a.localeCompare(b)).map(([name, body]) => `\n## ${name}\n\n${body}`);
	return HEADING + parts.join("");
}

async function readSections(): Promise<Map<string, string>> {
	const text = await readFile(RESULTS, "utf8").catch(() => "");
	const parts = text.split(/^## (.+)\n\n/m).slice(1);
	const sections = new Map<string, string>();
	for (let at = 0; at + 1 < parts.length; at += 2)
		sections.set(parts[at] ?? "", `${(parts[at + 1] ?? "").trimEnd()}\n`);
	return sections;
}

async function currentCommit(): Promise<string> {
	const git = promisify(execFile)("git", ["rev-parse", "--short", "HEAD"]);
	return git.then(
		({ stdout }) => `commit ${stdout.trim()}`,
		() => "no commit",
	);
}

const chosen = process.argv.slice(2);
await main(chosen.length > 0 ? chosen : Object.keys(BENCHES)).catch((error: unknown) => {
	console.error(error);
	// A bench that waits in vain has left its browser or its processes behind, which would keep this one.
	process.exit(1);
});
