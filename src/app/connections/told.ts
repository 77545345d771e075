import type { CodehostCredential, Connection } from "./connection.ts";
import type { Held } from "./vault.ts";

/** Whose a credential is, as its service has said: a token's user, or the account that an app is installed on. */
export function holderOf(connection: Connection): string | undefined {
	if (connection.service !== "codehost") return undefined;
	const { credential } = connection;
	return credential.kind === "app" ? credential.account : credential.login;
}

/** The user whose token is that of a connection, as its service has said; undefined of what is nobody's token. */
export function whoseOf(connection: Connection): string | undefined {
	return connection.service === "codehost" && connection.credential.kind === "pat" ? holderOf(connection) : undefined;
}

/**
 * Whose the stored secret of a connection is, where that is known as another's than the settings name; undefined where
 * the two agree, or one says nothing.
 */
export function otherHolder(connection: Connection, held: Held): string | undefined {
	const named = whoseOf(connection);
	if (held.state !== "present" || named === undefined || held.whose === named) return undefined;
	return held.whose;
}

/**
 * The secret of a connection where it is that of the user whom the settings name. The two are written one after the
 * other, and settings come from other machines as well: a token that is known as another's is none of this user's.
 */
export function ownSecret(connection: Connection, held: Held): string | undefined {
	if (held.state !== "present") return undefined;
	return held.whose === undefined || held.whose === whoseOf(connection) ? held.secret : undefined;
}

/** Whether the service has yet to say whose the credential is. */
export function isUntold(connection: Connection): boolean {
	if (connection.service !== "codehost") return false;
	const { credential } = connection;
	return (credential.kind === "pat" ? credential.login : credential.fingerprint) === undefined;
}

/** Without what a person has said of a secret, when it is replaced by another. */
export function withoutExpiry(connection: Connection): Connection {
	return connection.service === "codehost" ? { ...connection, credential: undated(connection.credential) } : connection;
}

/** A credential without what a person has said of its end. */
export function undated(credential: CodehostCredential): CodehostCredential {
	if (credential.kind !== "pat") return credential;
	const { expiresAt: _, ...others } = credential;
	return others;
}

/** With a secret of which nobody has told anything yet: whose a token is, its service has to say. */
export function untold(connection: Connection): Connection {
	if (connection.service !== "codehost" || connection.credential.kind !== "pat") return connection;
	const { login: _login, patKind: _patKind, ...credential } = connection.credential;
	return { ...connection, credential };
}

/** Whether two differ in nothing but what a person says of them: the name, and when a token expires. */
export function isToldOtherwise(before: Connection, after: Connection): boolean {
	const rest = (connection: Connection) => JSON.stringify({ ...withoutExpiry(connection), label: "" });
	return rest(before) === rest(after);
}
