import * as vscode from "vscode";
import { refusalOfPage } from "#api/petstore/authorization.ts";
import type { AccessToken } from "#api/petstore/credential.ts";
import { FIXED_ADDRESS, type SignInTarget, signIn, type TakeAnswer } from "#app/petstore/sign-in.ts";
import { systemClock } from "#base/clock.ts";
import { sentence } from "../kit/error-words.ts";
import { leaving } from "../kit/leaving.ts";
import { withoutLinks } from "../kit/plain.ts";
import { EditorTransport } from "../network.ts";
import { openLoopbackPage } from "./loopback-page.ts";
import { confirmReadable } from "./notices.ts";

/** Signs in as {@link signInInBrowser} does, after asking whether a token may go over plain http. */
export async function signInByPerson(
	target: SignInTarget & { readonly baseUrl: string; readonly connection?: string },
	title: string,
): Promise<AccessToken> {
	const ways = new Map([target.baseUrl, target.authUrl].map((address) => [new URL(address).host, address]));
	const { connection } = target;
	for (const way of ways.values()) await confirmReadable(way, { service: "petstore", secret: "token", connection });
	return signInInBrowser(target, title);
}

/** Signs in on the store's page; a box takes the final address by paste. Rejects as {@link signIn} does. */
export async function signInInBrowser(target: SignInTarget, title: string): Promise<AccessToken> {
	const left = new AbortController();
	const transport = new EditorTransport();
	let page: URL | undefined;
	const browse = async (url: URL) => {
		page = url;
		await open(url);
	};
	const paste = (take: TakeAnswer, refusal: Promise<string | undefined>) => {
		const again = { iconPath: new vscode.ThemeIcon("link-external"), tooltip: "Open the Page Again" };
		const box = vscode.window.createInputBox();
		Object.assign(box, {
			title,
			prompt: "Approve in your browser. If you are not brought back here, paste the address of the last page.",
			placeholder: `${FIXED_ADDRESS}#access_token=...`,
			password: true,
			ignoreFocusOut: true,
			busy: true,
			buttons: [again],
		});
		void refusal.then((said) => {
			if (said === undefined) return;
			const way = "Then approve in your browser, and paste the address of the last page.";
			const register = `Have ${FIXED_ADDRESS} registered there for ${target.clientId}.`;
			box.prompt = withoutLinks(leaving(`The sign-in page refused: ${sentence(said)} ${register} ${way}`));
		});
		box.onDidTriggerButton(() => {
			if (page !== undefined) void open(page);
		});
		box.onDidAccept(() => {
			if (box.value === "" || take(box.value) !== undefined) return;
			box.validationMessage =
				"This is not the address this sign-in led to: decide in the browser, then paste all of it, from http to the end.";
		});
		box.onDidChangeValue(() => {
			box.validationMessage = undefined;
		});
		box.onDidHide(() => left.abort());
		box.show();
		return box;
	};
	return signIn(
		{
			clock: systemClock,
			// In a remote window the editor forwards the port.
			openPage: (take) =>
				openLoopbackPage(take, async (address) =>
					String(await vscode.env.asExternalUri(vscode.Uri.parse(address, true))),
				),
			refusalOf: (url) => refusalOfPage(url, { transport, clock: systemClock }),
			browse,
			paste,
		},
		target,
		left.signal,
	).finally(() => transport.dispose());
}

/** Opens a page, given as a string: a Uri would lose which characters of a client's name were encoded. */
async function open(url: URL): Promise<void> {
	// A person may copy the address instead.
	await Reflect.apply(vscode.env.openExternal, vscode.env, [url.href]);
}
