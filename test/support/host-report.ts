/**
 * What the process that started an editor tells the suite runner of each window, as the only line it sends after the
 * runner has connected. A window that is reloaded connects again and gets what comes next.
 */
export interface HostTask {
	/** The suite files to run, absolute paths of CommonJS modules. */
	readonly suites: readonly string[];
	/** Whether the window is to be reloaded after them. */
	readonly thenReload: boolean;
}

/**
 * What a suite in an extension host tells the process that started it: one JSON object a line, over loopback. The
 * console of an extension host does not reach the terminal in every editor.
 */
export type HostReport =
	| { readonly type: "pass"; readonly title: string; readonly durationMs: number }
	| { readonly type: "skip"; readonly title: string }
	| { readonly type: "fail"; readonly title: string; readonly error: string }
	/** Sent last by each window; a run in which a window has not sent it has broken off. */
	| { readonly type: "end" };

/** The loopback port that gives the tasks and hears the reports. */
export const REPORT_PORT = "SWITCHBOARD_HOST_REPORT_PORT";

/** The loopback port at which the editor lets its pages be read: see `shown-panels.ts`. */
export const PAGES_PORT = "SWITCHBOARD_HOST_PAGES_PORT";
