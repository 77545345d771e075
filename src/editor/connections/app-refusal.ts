import { ClientError } from "#base/errors.ts";
import { APP_ADVICE } from "../codehost/words.ts";
import { describeRefusal } from "../report.ts";

/** The app that was refused. */
export interface RefusedApp {
	/** The name of the connection, or of the host where there is none yet. */
	readonly label: string;
	readonly appId: string;
	/** Of the key, as code hosts show it. */
	readonly fingerprint: () => string;
}

/**
 * Why an app was not taken. A key that is not one of the app's is the most likely reason of a plain refusal, and the
 * service does not say it: both are named side by side, to be compared with the app's page.
 */
export function describeAppRefusal(error: unknown, { label, appId, fingerprint }: RefusedApp): string {
	if (!(error instanceof ClientError && error.reason === "app-refused")) return describeRefusal(error, label);
	const status = error.status === undefined ? "" : ` (${error.status})`;
	return `${label} refused App ID ${appId} with the key ${fingerprint()}${status}. ${APP_ADVICE}`;
}
