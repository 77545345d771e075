import { type ParseArgsOptionsConfig, parseArgs } from "node:util";

/**
 * Flags and other arguments of a script. It ends here, before it has built or downloaded anything: with its usage and 0
 * for `--help`, with 2 for a flag that it does not know.
 */
export function flagsOf<const O extends ParseArgsOptionsConfig>(usage: string, options: O) {
	const help = { type: "boolean", short: "h" } as const;
	try {
		const { help: isAsked } = parseArgs({ options: { help }, strict: false }).values;
		if (isAsked !== true) return parseArgs({ options, allowPositionals: true });
		console.log(usage);
		process.exit(0);
	} catch (error) {
		console.error(`${error instanceof Error ? error.message : error}\n\n${usage}`);
		process.exit(2);
	}
}
