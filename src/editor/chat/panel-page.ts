import * as vscode from "vscode";

/** The built files of the panel, relative to the extension's root. */
const SCRIPT = ["dist", "panel.js"];
const STYLES = [
	["dist", "codicon.css"],
	["dist", "panel.css"],
];

/** What a webview of ours may do: run its one script and read files from the extension's own folders. */
export function panelOptions(extensionUri: vscode.Uri): vscode.WebviewOptions {
	return {
		enableScripts: true,
		localResourceRoots: [vscode.Uri.joinPath(extensionUri, "dist"), vscode.Uri.joinPath(extensionUri, "media")],
	};
}

/**
 * The page of the chat panel. It holds nothing of the conversation: all of that comes as messages. The policy allows
 * one script by nonce, our styles and icon font, and no HTML from strings at all (Trusted Types without any policy).
 */
export function panelPage(webview: vscode.Webview, extensionUri: vscode.Uri): string {
	const nonce = crypto.randomUUID().replaceAll("-", "");
	const address = (path: readonly string[]) => webview.asWebviewUri(vscode.Uri.joinPath(extensionUri, ...path));
	const policy = [
		"default-src 'none'",
		"base-uri 'none'",
		"form-action 'none'",
		`script-src 'nonce-${nonce}'`,
		`style-src ${webview.cspSource}`,
		`font-src ${webview.cspSource}`,
		"require-trusted-types-for 'script'",
		"trusted-types 'none'",
	].join("; ");
	return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Switchboard Chat</title>
${STYLES.map((path) => `<link rel="stylesheet" href="${address(path)}">`).join("\n")}
</head>
<body>
<div id="app"></div>
<script nonce="${nonce}" src="${address(SCRIPT)}"></script>
</body>
</html>`;
}
