import type { CodehostCredential, Connection } from "./connection.ts";

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
