import type { InstallationListing } from "#api/codehost/model.ts";
import type { CodehostPresetName } from "#app/connections/codehost-profiles.ts";

/** The questions about a code host. */
export type CodehostStep =
	| "host"
	| "hostAddress"
	| "kind"
	| "token"
	| "expiry"
	| "appId"
	| "privateKey"
	| "passphrase"
	| "installation";

/** What the person has said so far of a code host. */
export interface CodehostAnswers {
	host: CodehostPresetName;
	baseUrl: string;
	kind: "pat" | "app";
	token: string;
	expiresAt: string;
	appId: string;
	privateKey: string;
	passphrase: string;
	installation: number | undefined;
	account: string | undefined;
	/** What the service listed last to choose from. */
	installations: Pick<InstallationListing, "value" | "complete">;
}

/** Nothing said yet. */
export function noCodehostAnswers(): CodehostAnswers {
	return {
		host: "custom",
		baseUrl: "",
		kind: "pat",
		token: "",
		expiresAt: "",
		appId: "",
		privateKey: "",
		passphrase: "",
		installation: undefined,
		account: undefined,
		installations: { value: [], complete: true },
	};
}
