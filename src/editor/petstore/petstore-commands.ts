import { parseJson } from "#api/http/json.ts";
import { type AccessToken, scopesMissing } from "#api/petstore/credential.ts";
import type { Parameter } from "#api/petstore/operation.ts";
import { OPERATIONS, type OperationName } from "#api/petstore/operations.ts";
import { holdsSecret } from "#api/petstore/secrets.ts";
import type { PetstoreConnection } from "#app/connections/connection.ts";
import { signInTargetOf } from "#app/connections/petstore-profiles.ts";
import { withToken } from "#app/connections/petstore-secret.ts";
import type { SaveOptions } from "#app/connections/registry.ts";
import { HAS } from "#app/contributions.ts";
import { callOperation, templateOf } from "#app/petstore/call.ts";
import { ClientError, invalid } from "#base/errors.ts";
import { parseExactJson } from "#base/exact-json.ts";
import { anything, optional, trimmed } from "#base/schema.ts";
import { connectionOf, saveOrAsk } from "../connections/manage-connections.ts";
import { signInByPerson, signInInBrowser } from "../connections/sign-in-prompt.ts";
import { commandsOf } from "../kit/command.ts";
import { choose, notify } from "../kit/prompts.ts";
import { walk } from "../kit/wizard.ts";
import { withProgress } from "../progress.ts";
import { describeRefusal } from "../words/show-error.ts";
import { lineStep, storeOf } from "./chosen-store.ts";
import type { PetstoreRoom } from "./petstore-room.ts";

const define = commandsOf<PetstoreRoom>({ service: "petstore", palette: HAS.petstore });

/** Commands that call any operation, and sign in to a store in the browser. */
export const PETSTORE_COMMANDS = [
	define("switchboard.petstore.call", "Call Pet Store Operation...", {
		input: { connection: trimmed(), operation: trimmed(), params: optional(anything()) },
		gives: ["{status, data, confirmed, ms}"],
		async run(call, room) {
			const { argument } = call;
			if (argument !== undefined) return callOperation(room, { ...argument, params: argument.params ?? {} });
			const title = "Call Pet Store Operation";
			const store = await storeOf(call, room, title);
			const operation = store && (await askOperation(title));
			return operation && callByPrompts(operation, store, room);
		},
	}),
	define("switchboard.petstore.signIn", "Sign In to Pet Store...", {
		palette: false,
		input: { connection: trimmed() },
		gives: ["{connection, scopes, expiresAt}"],
		async run(call, { registry }) {
			const among = registry.list("petstore").filter(({ id }) => !registry.isEphemeral(id));
			const store = await connectionOf(call, registry, { title: "Sign In", service: "petstore", among });
			if (store === undefined) return undefined;
			const { id, label, profile, baseUrl } = store;
			if (registry.isEphemeral(id)) {
				throw invalid("petstore", "connection", "is the built-in sandbox, which is signed in");
			}
			const target = signInTargetOf(profile, baseUrl);
			const title = `Sign In to ${label}`;
			const keep = async (token: AccessToken, options?: SaveOptions) => {
				const held = await registry.secret(registry.require(id));
				const secret = withToken(held.secret, token);
				await registry.replaceSecret(id, secret, options);
			};
			if (call.argument !== undefined) {
				const token = await signInInBrowser(target, title);
				await keep(token);
				return resultOf(id, token);
			}
			const token = await signInByPerson({ ...target, baseUrl, connection: id }, title);
			await saveOrAsk({ service: "petstore", label, baseUrl, title }, (options) => keep(token, options));
			const missing = scopesMissing(token.scopes);
			const told = `You are signed in to ${label}`;
			if (missing.length === 0) void notify("Information", `${told}.`);
			else void notify("Warning", `${told}, but without ${missing.join(" and ")}.`);
			return resultOf(id, token);
		},
	}),
];

/** Result of a sign-in. The expiry is ISO 8601, null if unknown. */
function resultOf(connection: string, { scopes, expiresAt }: AccessToken) {
	return { connection, scopes: scopes ?? [], expiresAt: expiresAt === null ? null : new Date(expiresAt).toISOString() };
}

/** Asks for parameters, calls an operation, and opens its result as a document. */
function callByPrompts(operation: OperationName, { id, label }: PetstoreConnection, room: PetstoreRoom) {
	const title = `Call Pet Store Operation: ${operation}`;
	const answers = { params: templateOf(operation) };
	const hasParameters = answers.params !== "{}";
	const step = lineStep("params", answers, {
		placeholder: '{"petId": "1"}',
		prompt: "Parameters as JSON, by their names in the API",
		checkLate: true,
		check: (text) => (parseJson(text, parseExactJson) === undefined ? "This is not JSON." : undefined),
	});
	return walk({
		title,
		steps: hasParameters ? [step] : [],
		finish: async () => {
			const params = parseExactJson(answers.params);
			const run = (signal: AbortSignal) => callOperation(room, { connection: id, operation, params }, { signal });
			const result = await withProgress(`Asking ${label}...`, run);
			await room.texts.show(`${operation}.json`, `${JSON.stringify(result, null, 2)}\n`);
			return result;
		},
		stepToFix(error) {
			// Only typed input can be corrected here.
			const isTyped = error instanceof ClientError && error.code === "invalid" && error.status === undefined;
			if (!isTyped || !hasParameters) throw error;
			return { step: "params", problem: describeRefusal(error, label) };
		},
	});
}

/** Asks for an operation. Those with a secret have commands of their own, with a hidden box. */
function askOperation(title: string): Promise<OperationName | undefined> {
	const all = Object.keys(OPERATIONS) as OperationName[];
	const names = all.filter((name) =>
		Object.values<Parameter<unknown>>(OPERATIONS[name].parameters).every(({ shape }) => !holdsSecret(shape)),
	);
	return choose(
		{ title, placeholder: "Which operation?" },
		names.map((name) => {
			const { method, path, deprecated } = OPERATIONS[name];
			return { label: name, description: `${method} ${path}${deprecated ? ", deprecated" : ""}`, value: name };
		}),
	);
}
