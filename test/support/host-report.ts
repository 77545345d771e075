/**
 * Task of the suite runner of a window: the only line that the process that started the editor sends after the runner has
 * connected. A window that is reloaded connects again and gets the next one.
 */
export interface HostTask {
	/** The suite files to run, absolute paths of CommonJS modules. */
	readonly suites: readonly string[];
	/** True if the window is to be reloaded after them. */
	readonly thenReload: boolean;
}

/**
 * Report of a suite in an extension host to the process that started it: one JSON object a line, over loopback. The
 * console of an extension host does not reach the terminal. `suite` is the path that the task named.
 */
export type HostReport =
	| { readonly type: "pass"; readonly suite: string; readonly title: string; readonly durationMs: number }
	| { readonly type: "skip"; readonly suite: string; readonly title: string }
	| { readonly type: "fail"; readonly suite: string; readonly title: string; readonly error: string }
	/** Sent last by each window; a run in which a window has not sent it has broken off. */
	| { readonly type: "end" };

/** The loopback port that gives the tasks and hears the reports. */
export const REPORT_PORT = "SWITCHBOARD_HOST_REPORT_PORT";

/** The loopback port at which the editor lets its pages be read: see `shown-rows.ts`. */
export const PAGES_PORT = "SWITCHBOARD_HOST_PAGES_PORT";
