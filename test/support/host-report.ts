/**
 * What a suite in an extension host tells the process that started it: one JSON object a line, over loopback. The
 * console of an extension host does not reach the terminal in every editor.
 */
export type HostReport =
	| { readonly type: "pass"; readonly title: string; readonly durationMs: number }
	| { readonly type: "skip"; readonly title: string }
	| { readonly type: "fail"; readonly title: string; readonly error: string }
	/** Sent last; a run without it has broken off. */
	| { readonly type: "end" };

/** The loopback port that hears the reports. */
export const REPORT_PORT = "SWITCHBOARD_HOST_REPORT_PORT";

/** The suite files of this run, as a JSON array of absolute paths. */
export const SUITE_FILES = "SWITCHBOARD_HOST_SUITES";
