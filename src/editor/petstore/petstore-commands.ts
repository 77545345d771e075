import { OPERATIONS, type OperationName } from "#api/petstore/operations.ts";
import { type CallResult, callOperation, secretPlaces, templateOf } from "#app/petstore/call.ts";
import type { Users } from "#app/petstore/users.ts";
import { ClientError } from "#base/errors.ts";
import { parseExactJson } from "#base/exact-json.ts";
import { fieldsOf, requiredText } from "../arguments.ts";
import { pickConnection } from "../connections/manage-connections.ts";
import { confirmReadable } from "../connections/notices.ts";
import type { Call } from "../kit/call.ts";
import { withProgress } from "../progress.ts";
import { askChoice, askText, BACK } from "../prompts.ts";
import { describeRefusal, showError } from "../report.ts";
import type { PetRoom } from "./pet-room.ts";

/** Calls any of the twenty operations; a person is asked for its parameters and gets the result as a document. */
export async function callPetstore(
	{ argument, row }: Call,
	parts: PetRoom & { readonly users: Users },
): Promise<CallResult | undefined> {
	const { registry } = parts;
	const fields = fieldsOf(argument);
	if (fields !== undefined) {
		return callOperation(parts, {
			connection: requiredText(fields, "connection"),
			operation: requiredText(fields, "operation"),
			params: fields["params"] ?? {},
		});
	}
	const title = "Call Pet Store Operation";
	const named = row?.fields["connection"];
	const connection =
		named === undefined
			? await pickConnection(registry.list("petstore"), { registry, title })
			: registry.require(String(named));
	if (connection === undefined) return undefined;
	const operation = await askOperation(title);
	if (operation === undefined) return undefined;
	const wish = { connection: connection.id, operation };
	const frame = { title: `${title}: ${operation}`, operation, baseUrl: connection.baseUrl };
	let value = templateOf(operation);
	let problem: string | undefined;
	for (;;) {
		const typed = value === "{}" ? value : await askParameters({ ...frame, value, problem });
		if (typed === undefined) return undefined;
		const params = await withSecrets(parseExactJson(typed), frame);
		if (params === undefined) return undefined;
		try {
			const result = await withProgress(`Asking ${connection.label}...`, (signal) =>
				callOperation(parts, { ...wish, params }, { signal }),
			);
			await parts.texts.show(`${operation}.json`, `${JSON.stringify(result, null, 2)}\n`);
			return result;
		} catch (error) {
			// Only what was typed can be mended here.
			const isTyped = error instanceof ClientError && error.code === "invalid" && error.status === undefined;
			if (!isTyped || value === "{}") {
				if (!(error instanceof ClientError) || error.code === "aborted") throw error;
				void showError(error, { connection, retry: () => callPetstore({ argument, row }, parts) });
				return undefined;
			}
			value = typed;
			problem = describeRefusal(error, connection.label);
		}
	}
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

/** Which operation a person is asked about. */
interface Frame {
	readonly title: string;
	readonly operation: OperationName;
	/** Base URL of the store. */
	readonly baseUrl: string;
}

async function askParameters({
	title,
	operation,
	value,
	problem,
}: Frame & { readonly value: string; readonly problem: string | undefined }): Promise<string | undefined> {
	const places = secretPlaces(operation, parseExactJson(value));
	const later = places.length === 0 ? "" : `; leave out ${places[0]?.field}, which is asked for next`;
	const answer = await askText({
		...{ title, value, problem },
		placeholder: '{"petId": "1"}',
		prompt: `Parameters as JSON, by their names in the API${later}`,
		checkLate: true,
		check: (text) => {
			try {
				const shown = secretPlaces(operation, parseExactJson(text)).find(({ holder, field }) => field in holder);
				return shown && `Leave out ${shown.name}: it is asked for next, where nobody can read it.`;
			} catch {
				return "This is not JSON.";
			}
		},
	});
	return typeof answer === "string" ? answer : undefined;
}

/** The parameters with the secrets that are asked for one by one; undefined when the person left. */
async function withSecrets(params: unknown, { title, operation, baseUrl }: Frame): Promise<unknown> {
	for (const { name, required, holder, field } of secretPlaces(operation, params)) {
		const empty = required ? "" : `; empty for ${field === "api_key" ? "that of the connection" : "none"}`;
		const prompt = `${name}, sent to ${baseUrl} only${empty}`;
		const secret = await askText({ title, placeholder: "", prompt, password: true });
		if (typeof secret !== "string") return undefined;
		if (required || secret !== "") holder[field] = secret;
		await confirmReadable(baseUrl, { service: "petstore", secret });
	}
	return params;
}
