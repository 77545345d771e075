import { readAppSecret } from "../codehost/secret.ts";
import { readPetstoreSecret } from "../petstore/secret.ts";
import { type Connection, originOf } from "./connection.ts";
import type { SecretOwner } from "./vault.ts";

/** Whose secret that of a connection is: a token never does for an app, nor the key of one app for another. */
export function ownerOf(connection: Connection): SecretOwner {
	const { service, id } = connection;
	return { service, origin: originOf(connection.baseUrl), identity: `${id}${credentialOf(connection)}` };
}

function credentialOf(connection: Connection): string {
	if (connection.service !== "codehost") return "";
	const { credential } = connection;
	return credential.kind === "app" ? ` app ${credential.appId}` : " pat";
}

/** Whether what is stored for an owner is the secret of its kind, as far as its parts go. */
export function isWholeSecret({ service, identity }: SecretOwner, secret: string): boolean {
	try {
		if (service === "petstore") readPetstoreSecret(secret);
		if (service === "codehost" && / app \S+$/.test(identity)) readAppSecret(secret);
		return true;
	} catch {
		return false;
	}
}
