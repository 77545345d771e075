import * as vscode from "vscode";
import type { DisposableStore } from "#base/disposables.ts";
import { PAGE_READY, type PageView } from "#protocol/page.ts";
import { leaving } from "./leaving.ts";

const OURS = { light: "switchboard-light.svg", dark: "switchboard-dark.svg" };

/** Icon of a tab, ours by default. The editor draws it as a picture, which takes no color from the theme. */
export function tabIcon(extensionUri: vscode.Uri, { light, dark } = OURS) {
	const at = (name: string) => vscode.Uri.joinPath(extensionUri, "media", name);
	return { light: at(light), dark: at(dark) };
}

/**
 * Loads a bundle of ours, its style sheet and the icons into a webview. It may run that one script, use our styles and
 * font, show the pictures below an address of ours, and make no HTML from strings.
 */
export function loadPage(webview: vscode.Webview, extensionUri: vscode.Uri, name: string, pictures?: vscode.Uri): void {
	const folder = vscode.Uri.joinPath(extensionUri, "dist");
	webview.options = { enableScripts: true, localResourceRoots: [folder, ...(pictures ? [pictures] : [])] };
	const nonce = crypto.randomUUID().replaceAll("-", "");
	const address = (file: string) => webview.asWebviewUri(vscode.Uri.joinPath(folder, file));
	const policy = [
		"default-src 'none'",
		"base-uri 'none'",
		"form-action 'none'",
		`script-src 'nonce-${nonce}'`,
		`style-src ${webview.cspSource}`,
		`font-src ${webview.cspSource}`,
		`img-src blob:${pictures ? ` ${webview.cspSource}` : ""}`,
		"require-trusted-types-for 'script'",
		"trusted-types 'none'",
	].join("; ");
	webview.html = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Switchboard</title>
<link rel="stylesheet" href="${address("codicon.css")}">
<link rel="stylesheet" href="${address(`${name}.css`)}">
</head>
<body>
<div id="app"></div>
<script nonce="${nonce}" src="${address(`${name}.js`)}"></script>
</body>
</html>`;
}

/** Content of a page. `icon` names files of `media`. `pressed` gets the ids of buttons, which are not trusted; `pictures` is the folder of pictures. */
interface PageSource {
	readonly icon?: typeof OURS;
	readonly view: () => PageView;
	readonly pressed?: (id: unknown) => void;
	readonly pictures?: vscode.Uri;
}

/**
 * Shows a page of ours in a panel, with its texts redacted. Returns the function that draws it again; that of a hidden
 * tab is gone, and asks once it is back.
 */
export function showPage(panel: vscode.WebviewPanel, extensionUri: vscode.Uri, source: PageSource): () => void {
	const draw = () => {
		const view = leaving(source.view());
		panel.title = view.tab ?? view.title;
		void panel.webview.postMessage(view);
	};
	panel.webview.onDidReceiveMessage((message: unknown) => {
		if (message === PAGE_READY) draw();
		else source.pressed?.(message);
	});
	panel.iconPath = tabIcon(extensionUri, source.icon);
	loadPage(panel.webview, extensionUri, "page", source.pictures);
	return draw;
}

/** Page of ours in an editor tab, of which there is at most one until `held` ends. Menus know it by its id. */
export function pageTab(id: string, extensionUri: vscode.Uri, held: DisposableStore, source: PageSource) {
	let open: { readonly panel: vscode.WebviewPanel; readonly draw: () => void } | undefined;
	const close = () => open?.panel.dispose();
	held.add({ dispose: close });
	return {
		get isOpen() {
			return open !== undefined;
		},
		close,
		/** Draws the page again, if it is open. */
		draw: () => open?.draw(),
		/** Shows the page in its tab or a new one. */
		show() {
			if (open !== undefined) {
				open.panel.reveal();
				open.draw();
				return;
			}
			const panel = vscode.window.createWebviewPanel(id, "", vscode.ViewColumn.Active, { enableFindWidget: true });
			open = { panel, draw: showPage(panel, extensionUri, source) };
			panel.onDidDispose(() => {
				open = undefined;
			});
		},
	};
}

/** Opens a web or mail address: a link of a reply or issue must not run a command. */
export async function openLink(address: string): Promise<void> {
	const url = URL.parse(address);
	if (url !== null && ["http:", "https:", "mailto:"].includes(url.protocol)) {
		await vscode.env.openExternal(vscode.Uri.parse(url.href, true));
	}
}
