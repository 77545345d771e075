import { dirname } from "node:path";
import { parseArgs } from "node:util";
import { launchEditor, obtainEditorParts } from "./launch.ts";

/**
 * Stands in for the executable of a desktop VS Code where none can be had: `node headless-editor.ts [ARGUMENTS]` takes its
 * arguments, starts a VS Code server and a window of it in a headless browser, and exits with the code of the tests. The
 * window opens the folder `workspace` beside the user data. All of it ends with the process that holds the standard input.
 */
const { values } = parseArgs({
	strict: false,
	options: {
		extensionDevelopmentPath: { type: "string" },
		extensionTestsPath: { type: "string" },
		"user-data-dir": { type: "string" },
		"inspect-brk-extensions": { type: "string" },
		"remote-debugging-port": { type: "string" },
	},
});
const argumentOf = (name: string) => (typeof values[name] === "string" ? values[name] : undefined);

process.stdin.resume().once("close", () => process.exit(1));
const ended = Promise.withResolvers<number>();
const editor = await launchEditor(dirname(argumentOf("user-data-dir") ?? ""), {
	...(await obtainEditorParts()),
	developmentPath: argumentOf("extensionDevelopmentPath"),
	testsPath: argumentOf("extensionTestsPath"),
	inspectPort: argumentOf("inspect-brk-extensions"),
	debuggingPort: Number(argumentOf("remote-debugging-port") ?? 0),
	onTestsEnded: ended.resolve,
});
const code = await ended.promise;
await editor.dispose();
process.exit(code);
