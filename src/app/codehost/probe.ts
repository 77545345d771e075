import type { DiagnosisStep } from "#api/codehost/diagnose.ts";
import type { Installation } from "#api/codehost/model.ts";
import type { CodehostConnection } from "../connections/connection.ts";
import type { ProbeResult } from "../connections/registry.ts";
import type { ClientsParts, CodehostClients } from "./clients.ts";

/** A connection to a code host that has no id yet. */
export type CodehostDraft = Omit<CodehostConnection, "id">;

/** An app whose installation has not been chosen yet. */
export type AppDraft = Pick<CodehostDraft, "baseUrl" | "profile"> & { readonly appId: string };

/**
 * Asks a code host whether it takes a credential: `/user` with a token; with an app's key its installations, of which
 * the chosen one must be there and not suspended, and one exchange. Never rejects.
 */
export declare function probeCodehost(
	parts: Omit<ClientsParts, "registry">,
	draft: CodehostDraft,
	options: { readonly secret: string | undefined; readonly signal?: AbortSignal | undefined },
): Promise<ProbeResult>;

/** The installations of an app to choose from; `secret` is {@link appSecret}'s. Rejects with ClientError. */
export declare function installationsOf(
	parts: Omit<ClientsParts, "registry">,
	draft: AppDraft,
	options: { readonly secret: string; readonly signal?: AbortSignal | undefined },
): Promise<readonly Installation[]>;

/**
 * Looks step by step at what is wrong with a connection, also with one that is signed out. `repository` is what is read
 * in the last step, `owner/repo`. Rejects only when aborted.
 */
export declare function diagnoseConnection(
	clients: CodehostClients,
	connection: CodehostConnection,
	options?: {
		readonly repository?: string | undefined;
		readonly signal?: AbortSignal | undefined;
		readonly onStep?: ((step: DiagnosisStep) => void) | undefined;
	},
): Promise<readonly DiagnosisStep[]>;
