import { invalid } from "#base/errors.ts";
import type { PetstoreClients } from "./clients.ts";
import { orderText, readOrder } from "./orders.ts";
import type { RemoteDocument } from "./remote-text.ts";
import { maskedText } from "./user-text.ts";
import type { Users } from "./users.ts";

/** Subject of a document of a store. */
export type StoreSubject =
	| { readonly kind: "user"; readonly connection: string; readonly username: string }
	| { readonly kind: "order"; readonly connection: string; readonly id: string };

/** The path of a document. What a path cannot hold is written as in an address. */
export function pathOfSubject(subject: StoreSubject): string {
	const name = subject.kind === "user" ? `users/${escaped(subject.username)}` : `orders/${subject.id}`;
	return `/${escaped(subject.connection)}/${name}.json`;
}

/** Subject of the document of a path; undefined for any other path. */
export function subjectOfPath(path: string): StoreSubject | undefined {
	const [, place = "", kind, name = ""] = /^\/([^/]+)\/(users|orders)\/(.+)\.json$/s.exec(path) ?? [];
	if (kind === undefined) return undefined;
	try {
		const connection = decodeURIComponent(place);
		if (kind === "orders") return { kind: "order", connection, id: name };
		return { kind: "user", connection, username: decodeURIComponent(name) };
	} catch {
		return undefined;
	}
}

/** A user as a text that can be saved, or an order, which can only be read: the contract has no change of one (section 4). */
export function storeDocument(subject: StoreSubject, clients: PetstoreClients, users: Users): RemoteDocument {
	if (subject.kind === "user") {
		return { read: () => users.text(subject), check: maskedText, write: (text) => users.save(subject, text) };
	}
	const refuse = () => {
		throw invalid("petstore", "order", "can only be read");
	};
	const read = async () => {
		const { client } = await clients.open(subject.connection);
		return orderText(await readOrder(client, subject.id));
	};
	return { isReadonly: true, read, check: refuse, write: refuse };
}

function escaped(name: string): string {
	return name.replace(/[%/\\?#:*"<>|]/g, (character) => encodeURIComponent(character));
}
