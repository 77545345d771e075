import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startSandboxFrom } from "./environment.ts";
import type { Sandbox } from "./sandbox.ts";

const [flag] = process.argv.slice(2);
if (flag !== undefined) {
	console.error("Usage: npm run sandbox\n\nIt takes no flags. docs/sandbox.md names the variables that it reads.");
	process.exit(flag === "--help" ? 0 : 2);
}

/** Runs the sandbox in a terminal until it is interrupted. */
try {
	const sandbox = await startSandboxFrom(process.env);
	// Private keys go into files that only this user can read, since a terminal keeps what is printed.
	const folder = mkdtempSync(join(tmpdir(), "switchboard-sandbox-"));
	const keyFiles = { app: join(folder, "app.pem"), otherApp: join(folder, "other-app.pem") };
	const close = () => {
		rmSync(folder, { recursive: true, force: true });
		void sandbox.close();
	};
	for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, close);
	const { app, otherApp } = sandbox.keys.codehost;
	writeFileSync(keyFiles.app, await app.privateKeyPem(), { mode: 0o600 });
	writeFileSync(keyFiles.otherApp, await otherApp.privateKeyPem(), { mode: 0o600 });
	console.log(`The sandbox is running until Ctrl+C.\n\n${helpOf(sandbox, keyFiles)}`);
} catch (error) {
	console.error(error instanceof Error ? error.message : error);
	process.exitCode = 1;
}

function helpOf({ baseUrls, keys }: Sandbox, keyFiles: { readonly app: string; readonly otherApp: string }): string {
	const { app, otherApp, ...tokens } = keys.codehost;
	const { apiKey, token, readOnlyToken, expiredToken, user, authUrl } = keys.petstore;
	return `  Messages base URL  ${baseUrls.messages}
  Messages key       ${keys.messages}

  curl -N ${baseUrls.messages}/v1/messages \\
    -H 'content-type: application/json' \\
    -H 'service-version: 2023-06-01' \\
    -H 'x-api-key: ${keys.messages}' \\
    -d '{"model":"sandbox","max_tokens":1024,"stream":true,"messages":[{"role":"user","content":"Hello"}]}'

  Code host base URL   ${baseUrls.codehost}
  Fine-grained token   ${tokens.fineGrained}
  Classic token        ${tokens.classic}
  Token of another user               ${tokens.otherUser}
  Token that has expired (401)        ${tokens.expired}
  Token that may not read issues      ${tokens.withoutIssues}
  Token for exchange/vault only       ${tokens.oneRepository}
  Token for public repositories only  ${tokens.publicOnly}
  App ID               ${app.appId}
  App private key      ${keyFiles.app}
  Installations        ${app.installationId} (exchange), ${app.selectedInstallationId} (ada/garden only), ${app.suspendedInstallationId} (suspended), ${app.installationIdWithoutIssues} (lin, no issues)
  Other App ID         ${otherApp.appId}
  Its private key      ${keyFiles.otherApp}
  Its installation     ${otherApp.installationId} (lin)

  Repositories: exchange/switchboard, ada/garden, exchange/paging (250 issues), exchange/archive (10,000), exchange/curiosities,
  exchange/empty, exchange/vault (private), ada/notes (private), exchange/telephone (renamed), quiet-office/ledger (no app).

  curl '${baseUrls.codehost}/repos/exchange/switchboard/issues?per_page=3' \\
    -H 'accept: application/vnd.service+json' \\
    -H 'authorization: Bearer ${tokens.fineGrained}'

  Pet store base URL   ${baseUrls.petstore}
  Key                  ${apiKey}
  Token                ${token}
  Token that may only read (403)   ${readOnlyToken}
  Token that has expired (401)     ${expiredToken}
  Authorization page   ${authUrl}/oauth/authorize
  Curious pets         ${baseUrls.curiosities}, with the same key
  User                 ${user.username}, ${user.password}

  curl '${baseUrls.petstore}/v2/pet/1' \\
    -H 'accept: application/json' \\
    -H 'api_key: ${apiKey}'
`;
}
