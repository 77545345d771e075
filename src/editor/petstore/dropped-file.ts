import * as vscode from "vscode";
import { type PhotoWish, refuseTooLarge } from "#app/petstore/upload-photo.ts";
import { invalid } from "#base/errors.ts";

/** The file at an address. Throws ClientError `invalid` where it is larger than any store takes. */
export async function fileAt(uri: vscode.Uri): Promise<PhotoWish["file"]> {
	refuseTooLarge((await vscode.workspace.fs.stat(uri)).size);
	return { name: uri.path.split("/").at(-1) ?? "", bytes: await vscode.workspace.fs.readFile(uri) };
}

/** The one file that was dropped. Throws ClientError `invalid` where there is none, several, or one as {@link fileAt}. */
export async function droppedFile(dropped: vscode.DataTransfer): Promise<PhotoWish["file"]> {
	const files = [...dropped].flatMap(([, item]) => item.asFile() ?? []);
	const list = files.length > 0 ? "" : ((await dropped.get("text/uri-list")?.asString()) ?? "");
	// An address of the web is no file: nothing is fetched because something was dropped.
	const addresses = list.split(/\r?\n/).filter((line) => /^[\w.+-]+:/.test(line) && !/^https?:/i.test(line));
	if (files.length + addresses.length > 1) throw invalid("petstore", "file", "must be one: drop a single picture");
	const [file] = files;
	if (file !== undefined) {
		const { name, uri } = file;
		// It is read wherever the editor runs. Of its size an address tells only where it can be looked up from here.
		if (uri !== undefined)
			refuseTooLarge(
				await vscode.workspace.fs.stat(uri).then(
					({ size }) => size,
					() => 0,
				),
			);
		return { name, bytes: await file.data() };
	}
	const [address] = addresses;
	if (address !== undefined) return fileAt(vscode.Uri.parse(address, true));
	throw invalid("petstore", "file", "is missing: drop a picture file, for nothing is fetched from the web");
}
