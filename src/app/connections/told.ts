import type { Connection } from "./connection.ts";

/** Without what a service has said of a credential, when it is another one and was not asked about. */
export function untold(connection: Connection): Connection {
	if (connection.service !== "codehost") return connection;
	if (connection.credential.kind === "pat") {
		const { login: _, patKind: __, ...credential } = connection.credential;
		return { ...connection, credential };
	}
	const { account: _, fingerprint: __, ...credential } = connection.credential;
	return { ...connection, credential };
}

/** Whether the service has yet to say whose the credential is. */
export function isUntold(connection: Connection): boolean {
	if (connection.service !== "codehost") return false;
	const { credential } = connection;
	return (credential.kind === "pat" ? credential.login : credential.fingerprint) === undefined;
}

/** Without what a person has said of a secret, when it is replaced by another. */
export function withoutExpiry(connection: Connection): Connection {
	if (connection.service !== "codehost" || connection.credential.kind !== "pat") return connection;
	const { expiresAt: _, ...credential } = connection.credential;
	return { ...connection, credential };
}

/** Whether two differ in nothing but what a person says of them: the name, and when a token expires. */
export function isToldOtherwise(before: Connection, after: Connection): boolean {
	const rest = (connection: Connection) => JSON.stringify({ ...withoutExpiry(connection), label: "" });
	return rest(before) === rest(after);
}
