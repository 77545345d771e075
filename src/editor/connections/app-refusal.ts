import { readAppKey } from "#api/codehost/private-key.ts";
import { readAppSecret } from "#app/codehost/secret.ts";
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

/** The fingerprint of the key in an app's stored secret. Throws as `readAppSecret` and `readAppKey` do. */
export function fingerprintOf(secret: string): string {
	const { privateKey, passphrase } = readAppSecret(secret);
	return readAppKey(privateKey, { passphrase }).fingerprint;
}

/**
 * Why an app was not taken. A key that is not one of the app's is the most likely reason of a plain refusal, and the
 * service does not say it: both are named side by side, to be compared with the app's page.
 */
export function describeAppRefusal(error: unknown, { label, appId, fingerprint }: RefusedApp): string {
	if (!isAppRefusal(error)) return describeRefusal(error, label);
	const status = error.status === undefined ? "" : ` (${error.status})`;
	return `${label} refused App ID ${appId} with the key ${fingerprint()}${status}. ${APP_ADVICE}`;
}

/**
 * The same as an error, for whoever has brought the app in an argument: no view shows what was refused of it. An error of
 * something else stays as it is.
 */
export function namingApp(error: unknown, app: RefusedApp): unknown {
	if (!isAppRefusal(error)) return error;
	// Without the status, which is in the words, they are our own: those stay as they are.
	const { service, code, reason = "app-refused" } = error;
	return new ClientError(service, code, describeAppRefusal(error, app), { reason, cause: error });
}

function isAppRefusal(error: unknown): error is ClientError {
	return error instanceof ClientError && error.reason === "app-refused";
}
