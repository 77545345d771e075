import { spawn } from "node:child_process";

/** Exit code and output of a process. */
export interface ProcessResult {
	/** The exit code; 1 when a signal or the time limit ended it. */
	readonly code: number;
	/** Standard output and error in the order they came. */
	readonly output: string;
}

/** Folder, environment and limits of a process. */
export interface ProcessOptions {
	readonly cwd?: string;
	/** Added to this process's own environment. */
	readonly env?: Readonly<Record<string, string>>;
	/** Ends it after so many milliseconds. */
	readonly timeoutMs?: number;
	/** Shows its output as it comes, too. */
	readonly show?: boolean;
	/** Needed on Windows for commands that are scripts, such as `npm`. */
	readonly shell?: boolean;
}

/** Runs a command to its end. A command that cannot be started is a result with code 127, not an error. */
export function runProcess(
	command: string,
	args: readonly string[],
	options: ProcessOptions = {},
): Promise<ProcessResult> {
	return new Promise((resolve) => {
		const child = spawn(command, args, {
			cwd: options.cwd,
			env: { ...process.env, ...options.env },
			stdio: ["ignore", "pipe", "pipe"],
			shell: options.shell ?? false,
			...(options.timeoutMs === undefined ? {} : { timeout: options.timeoutMs, killSignal: "SIGKILL" }),
		});
		const pieces: Buffer[] = [];
		const collect = (piece: Buffer) => {
			pieces.push(piece);
			if (options.show) process.stdout.write(piece);
		};
		child.stdout.on("data", collect);
		child.stderr.on("data", collect);
		child.once("error", (error) => resolve({ code: 127, output: error.message }));
		child.once("close", (code) => resolve({ code: code ?? 1, output: Buffer.concat(pieces).toString() }));
	});
}

/** Runs the npm that started this process, else the one on PATH. */
export function runNpm(args: readonly string[], options: ProcessOptions = {}): Promise<ProcessResult> {
	const own = process.env["npm_execpath"];
	if (own !== undefined && /npm-cli\.[cm]?js$/.test(own)) return runProcess(process.execPath, [own, ...args], options);
	return runProcess("npm", args, { ...options, shell: process.platform === "win32" });
}
