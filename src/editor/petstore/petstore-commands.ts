import { OPERATIONS, type OperationName } from "#api/petstore/operations.ts";
import type { PetstoreConnection } from "#app/connections/connection.ts";
import { CONTEXT, VIEWS } from "#app/contributions.ts";
import { callOperation, type SecretPlace, secretPlaces, templateOf } from "#app/petstore/call.ts";
import { ClientError } from "#base/errors.ts";
import { parseExactJson } from "#base/exact-json.ts";
import { anything, optional, trimmed } from "#base/schema.ts";
import { confirmReadable } from "../connections/notices.ts";
import { commandsOf, onRows } from "../kit/command.ts";
import { askChoice, askText, BACK, walk } from "../kit/prompts.ts";
import { withProgress } from "../progress.ts";
import { describeRefusal } from "../report.ts";
import { lineStep, storeOf } from "./chosen-store.ts";
import type { PetstoreRoom } from "./petstore-room.ts";

/** Command that calls any of the operations of a pet store. */
export const PETSTORE_COMMANDS = [
	commandsOf<PetstoreRoom>()("switchboard.petstore.call", "Call Pet Store Operation...", {
		service: "petstore",
		icon: "symbol-method",
		palette: CONTEXT.hasPetstore,
		menus: [onRows(VIEWS.connections, "=~ /^connection\\.petstore\\b/", "1_use@6")],
		input: { connection: trimmed(), operation: trimmed(), params: optional(anything()) },
		gives: ["{status, data, confirmed, ms}"],
		async run(call, room) {
			const { argument } = call;
			if (argument !== undefined) return callOperation(room, { ...argument, params: argument.params ?? {} });
			const title = "Call Pet Store Operation";
			const store = await storeOf(call, room.registry, title);
			const operation = store && (await askOperation(title));
			return operation && callByPrompts(operation, store, room);
		},
	}),
];

/** Asks for the parameters of an operation, calls it, and shows the result as a document. */
function callByPrompts(operation: OperationName, { id, label, baseUrl }: PetstoreConnection, room: PetstoreRoom) {
	const title = `Call Pet Store Operation: ${operation}`;
	const answers = { params: templateOf(operation) };
	const hasParameters = answers.params !== "{}";
	const [secret] = secretPlaces(operation, parseExactJson(answers.params));
	const later = secret === undefined ? "" : `; leave out ${secret.field}, which is asked for next`;
	const step = lineStep("params", answers, {
		placeholder: '{"petId": "1"}',
		prompt: `Parameters as JSON, by their names in the API${later}`,
		checkLate: true,
		check: (text) => {
			try {
				const shown = secretPlaces(operation, parseExactJson(text)).find(({ holder, field }) => field in holder);
				return shown && `Leave out ${shown.name}. You enter it next, in a hidden field.`;
			} catch {
				return "This is not JSON.";
			}
		},
	});
	return walk({
		title,
		steps: hasParameters ? [step] : [],
		finish: async () => {
			const params = parseExactJson(answers.params);
			if (!(await askSecrets(title, baseUrl, secretPlaces(operation, params)))) return undefined;
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

/** Puts the secrets that a person is asked for one by one into their places; false when the person left. */
async function askSecrets(title: string, baseUrl: string, places: readonly SecretPlace[]): Promise<boolean> {
	for (const { name, required, holder, field } of places) {
		const empty = required ? "" : `; empty for ${field === "api_key" ? "that of the connection" : "none"}`;
		const prompt = `${name}, sent to ${baseUrl} only${empty}`;
		const secret = await askText({ title, placeholder: "", prompt, password: true });
		if (typeof secret !== "string") return false;
		if (required || secret !== "") holder[field] = secret;
		await confirmReadable(baseUrl, { service: "petstore", secret });
	}
	return true;
}

async function askOperation(title: string): Promise<OperationName | undefined> {
	const names = Object.keys(OPERATIONS) as OperationName[];
	const answer = await askChoice(
		{ title, placeholder: "Which operation?" },
		names.map((name) => {
			const { method, path, deprecated } = OPERATIONS[name];
			return { label: name, description: `${method} ${path}${deprecated ? ", deprecated" : ""}`, value: name };
		}),
	);
	return answer === BACK ? undefined : answer;
}
