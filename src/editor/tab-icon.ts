import * as vscode from "vscode";

/** The icon of a tab of ours. The editor draws it as a picture, which takes no colour from the theme. */
export function tabIcon(extensionUri: vscode.Uri): { readonly light: vscode.Uri; readonly dark: vscode.Uri } {
	const at = (name: string) => vscode.Uri.joinPath(extensionUri, "media", name);
	return { light: at("switchboard-light.svg"), dark: at("switchboard-dark.svg") };
}
