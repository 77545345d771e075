import { startSandboxFrom } from "./environment.ts";

/** Runs the sandbox in a terminal until it is interrupted. */
try {
	const sandbox = await startSandboxFrom(process.env);
	const { baseUrls, keys } = sandbox;
	console.log(`The sandbox is running until Ctrl+C.

  Messages base URL  ${baseUrls.messages}
  Messages key       ${keys.messages}
  A key without quota (403)  ${keys.messagesWithoutQuota}

  curl -N ${baseUrls.messages}/v1/messages \\
    -H 'content-type: application/json' \\
    -H 'service-version: 2023-06-01' \\
    -H 'x-api-key: ${keys.messages}' \\
    -d '{"model":"sandbox","max_tokens":1024,"stream":true,"messages":[{"role":"user","content":"Hello"}]}'
`);
	process.once("SIGINT", () => void sandbox.close());
	process.once("SIGTERM", () => void sandbox.close());
} catch (error) {
	console.error(error instanceof Error ? error.message : error);
	process.exitCode = 1;
}
