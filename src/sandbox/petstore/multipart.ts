import { Violation } from "#sandbox/strict.ts";

/** The parts of an upload (contract section 4). */
export interface UploadParts {
	readonly additionalMetadata?: string;
	readonly file?: { readonly name: string; readonly bytes: Buffer };
}

/**
 * Reads a multipart/form-data body strictly: only the parts of the contract, each at most once, the file with a name.
 * Throws a `Violation`.
 */
export function readUploadParts(body: Buffer, boundary: string): UploadParts {
	const parts: { additionalMetadata?: string; file?: { name: string; bytes: Buffer } } = {};
	for (const part of split(body, boundary)) {
		const end = part.indexOf("\r\n\r\n");
		if (end < 0) throw broken("has a part without headers");
		const bytes = part.subarray(end + 4);
		const disposition = part
			.subarray(0, end)
			.toString("utf8")
			.split("\r\n")
			.map((line) => /^content-disposition:\s*form-data\s*;(.*)$/i.exec(line)?.[1])
			.find((found) => found !== undefined);
		if (disposition === undefined) throw broken("has a part without Content-Disposition: form-data");
		const name = parameter(disposition, "name");
		const fileName = parameter(disposition, "filename");
		if (name !== "additionalMetadata" && name !== "file") throw broken(`has an unknown part: ${name}`);
		if (parts[name] !== undefined) throw broken(`has the part ${name} twice`);
		if (name === "additionalMetadata") parts[name] = utf8(bytes);
		else if (fileName === undefined) throw broken("has a file without a filename");
		else parts[name] = { name: fileName, bytes };
	}
	return parts;
}

/** The bytes between the delimiters. */
function* split(body: Buffer, boundary: string): Generator<Buffer> {
	const delimiter = Buffer.from(`\r\n--${boundary}`);
	// The first delimiter may lack the line end in front of it.
	const all = Buffer.concat([Buffer.from("\r\n"), body]);
	let at = all.indexOf(delimiter);
	if (at < 0) throw broken("does not have the boundary that its header names");
	for (;;) {
		at += delimiter.length;
		const mark = all.toString("latin1", at, at + 2);
		if (mark === "--") return;
		if (mark !== "\r\n") throw broken("has something behind a boundary");
		const next = all.indexOf(delimiter, at);
		if (next < 0) throw broken("has no end");
		yield all.subarray(at + 2, next);
		at = next;
	}
}

function parameter(disposition: string, name: string): string | undefined {
	const [, quoted, bare] = new RegExp(`(?:^|;)\\s*${name}=(?:"([^"]*)"|([^\\s;"]+))`, "i").exec(disposition) ?? [];
	return quoted ?? bare;
}

function utf8(bytes: Buffer): string {
	try {
		return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
	} catch {
		throw broken("has text that is not in UTF-8");
	}
}

function broken(rule: string): Violation {
	return new Violation("The multipart body", rule);
}
