import { readAppSecret } from "../codehost/secret.ts";
import { readPetstoreSecret } from "../petstore/secret.ts";
import { type Connection, originOf } from "./connection.ts";
import { keyOf, type SecretOwner } from "./vault.ts";

/** Whose secret that of a connection is: a token never does for an app, nor the key of one app for another. */
export function ownerOf(connection: Connection): SecretOwner {
	const { service, id } = connection;
	return { service, origin: originOf(connection.baseUrl), identity: `${id}${credentialOf(connection)}` };
}

/** Identity of a connection: another address, kind of credential or installation makes another one. */
export function placeOf(connection: Connection): string {
	const isApp = connection.service === "codehost" && connection.credential.kind === "app";
	const installation = isApp ? connection.credential.installationId : null;
	return JSON.stringify([keyOf(ownerOf(connection)), connection.baseUrl, installation]);
}

function credentialOf(connection: Connection): string {
	if (connection.service !== "codehost") return "";
	const { credential } = connection;
	return credential.kind === "app" ? ` app ${credential.appId}` : " pat";
}

/** True if what is stored for an owner is the secret of its kind, as far as its parts go. */
export function isWholeSecret({ service, identity }: SecretOwner, secret: string): boolean {
	try {
		if (service === "petstore") readPetstoreSecret(secret);
		if (service === "codehost" && / app \S+$/.test(identity)) readAppSecret(secret);
		return true;
	} catch {
		return false;
	}
}
