import * as vscode from "vscode";
import { signInTargetOf } from "#app/connections/petstore-profiles.ts";
import { withToken } from "#app/petstore/secret.ts";
import { type SignInParts, signIn, type TakeAnswer } from "#app/petstore/sign-in.ts";
import { systemClock } from "#base/clock.ts";
import type { Disposable } from "#base/disposables.ts";
import { invalid } from "#base/errors.ts";
import { fieldsOf, requiredText } from "../arguments.ts";
import type { Call } from "../codehost/call.ts";
import { pickConnection } from "../connections/manage-connections.ts";
import { confirmReadable } from "../connections/notices.ts";
import { withoutLinks } from "../plain.ts";
import { withProgress } from "../progress.ts";
import { openLoopbackPage } from "./loopback-page.ts";
import type { PetstoreParts } from "./petstore-commands.ts";

/** What `switchboard.petstore.signIn` resolves to. */
export interface SignInResult {
	readonly connection: string;
	/** What the token was given for. */
	readonly scopes: readonly string[];
	/** When the token ends, ISO 8601; null where the service does not say. */
	readonly expiresAt: string | null;
}

/** Signs in to a pet store in the browser and keeps the token beside the key, once the store takes it. */
export async function signInToPetstore(
	{ argument, row }: Call,
	{ registry }: PetstoreParts,
): Promise<SignInResult | undefined> {
	const fields = row?.fields ?? fieldsOf(argument);
	const stored = registry.list("petstore").filter(({ id }) => !registry.isPassing(id));
	const picked =
		fields === undefined
			? await pickConnection(stored, "Sign In")
			: registry.require(requiredText(fields, "connection"));
	if (picked === undefined) return undefined;
	const { id, label, baseUrl, profile } = registry.require(picked.id, "petstore");
	if (registry.isPassing(id)) throw invalid("petstore", "connection", "is the built-in sandbox, which is signed in");
	const byPerson = argument === undefined;
	const parts: SignInParts = {
		clock: systemClock,
		openPage: openLoopbackPage,
		// On a server the browser is on another machine: there the editor hands the port on.
		outside: async (address) => String(await vscode.env.asExternalUri(vscode.Uri.parse(address, true))),
		browse: async (url) => {
			await vscode.env.openExternal(vscode.Uri.parse(url.href, true));
		},
	};
	const target = signInTargetOf(profile, baseUrl);
	// There is no token yet; where it will go is to be known before.
	if (byPerson) await confirmReadable(baseUrl, { service: "petstore", secret: "token" });
	const token = byPerson ? await signInByPerson(parts, { target, label }) : await signIn(parts, target);
	const held = await registry.secret(registry.require(id));
	const secret = withToken(held.state === "present" ? held.secret : undefined, token);
	const keep = (signal?: AbortSignal) => registry.replaceSecret(id, secret, signal);
	await (byPerson ? withProgress(`Checking ${label}...`, keep) : keep());
	if (byPerson) void vscode.window.showInformationMessage(withoutLinks(`You are signed in to ${label}.`));
	const expiresAt = token.expiresAt === null ? null : new Date(token.expiresAt).toISOString();
	return { connection: id, scopes: token.scopes ?? [], expiresAt };
}

/** Waits with a box in which the address can be pasted; closing it ends the sign-in. */
async function signInByPerson(
	parts: SignInParts,
	{ target, label }: { readonly target: ReturnType<typeof signInTargetOf>; readonly label: string },
): ReturnType<typeof signIn> {
	const left = new AbortController();
	const paste = (take: TakeAnswer): Disposable => {
		const box = vscode.window.createInputBox();
		box.title = `Sign In to ${label}`;
		box.prompt = "Approve in your browser. If it does not come back by itself, paste the address it was sent to.";
		box.placeholder = "http://127.0.0.1/callback#access_token=...";
		box.password = true;
		box.ignoreFocusOut = true;
		box.busy = true;
		box.onDidAccept(() => {
			if (box.value !== "" && take(box.value) === undefined) {
				box.validationMessage = "This is not the address of this sign-in: paste all of it, from http to the end.";
			}
		});
		box.onDidChangeValue(() => {
			box.validationMessage = undefined;
		});
		box.onDidHide(() => left.abort());
		box.show();
		return box;
	};
	return signIn({ ...parts, paste }, target, left.signal);
}
