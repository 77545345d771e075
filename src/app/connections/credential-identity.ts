import {
	type AppCredential,
	type CodehostConnection,
	type CodehostCredential,
	type Connection,
	originOf,
} from "./connection.ts";
import { type SecretOwner, storageKeyOf } from "./vault.ts";

/** Owner of a credential: a token's user or an app's account, as the service reports it. */
export function holderOf(connection: Connection): string | undefined {
	if (!("credential" in connection)) return undefined;
	const { credential } = connection;
	return credential.kind === "app" ? credential.account : credential.login;
}

/** True if a connection acts as an app. */
export function isApp(connection: Connection): connection is CodehostConnection & { credential: AppCredential } {
	return "credential" in connection && connection.credential.kind === "app";
}

/** True if the service has yet to say whose the credential is. */
export function isUnidentified(connection: Connection): connection is CodehostConnection {
	if (!("credential" in connection)) return false;
	const { credential } = connection;
	return (credential.kind === "pat" ? credential.login : credential.fingerprint) === undefined;
}

/** The connection without the expiry date of its token, which ends with the token. */
export function withoutExpiry(connection: Connection): Connection {
	return "credential" in connection ? { ...connection, credential: undated(connection.credential) } : connection;
}

/** A credential without an expiry date. */
export function undated(credential: CodehostCredential): CodehostCredential {
	if (credential.kind !== "pat") return credential;
	const { expiresAt: _, ...others } = credential;
	return others;
}

/** The connection without the owner of its token, which the service has yet to report. */
export function unidentified(connection: Connection): Connection {
	if (!("credential" in connection) || connection.credential.kind !== "pat") return connection;
	const { login: _login, patKind: _patKind, ...credential } = connection.credential;
	return { ...connection, credential };
}

/** True if two differ only in label or token expiry, which need no request. */
export function isSameAccess(before: Connection, after: Connection): boolean {
	const rest = (connection: Connection) => JSON.stringify({ ...withoutExpiry(connection), label: "" });
	return rest(before) === rest(after);
}

/** Owner of a connection's secret: a token never serves an app, nor the key of one app another. */
export function ownerOf(connection: Connection): SecretOwner {
	const { service, id, baseUrl } = connection;
	const kind = "credential" in connection ? " pat" : "";
	const identity = `${id}${isApp(connection) ? ` app ${connection.credential.appId}` : kind}`;
	return { service, origin: originOf(baseUrl), identity };
}

/** Identity of a connection: another address, kind of credential or installation makes another one. */
export function connectionIdentity(connection: Connection): string {
	const installation = isApp(connection) ? connection.credential.installationId : null;
	return JSON.stringify([storageKeyOf(ownerOf(connection)), connection.baseUrl, installation]);
}
