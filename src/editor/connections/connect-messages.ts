import type { MessagesConnection } from "#app/connections/connection.ts";
import { HEADER_VALUE, unquoted } from "#app/connections/fields.ts";
import { convert, text } from "#base/schema.ts";
import { type Answers, addressField, type Form, isMoved, LABEL_FIELD, presetOf, secretPrompt } from "./connect.ts";

const own = (before: MessagesConnection | undefined) => ({ before, key: "", model: before?.model ?? "" });

type MessagesAnswers = Answers & ReturnType<typeof own>;

/** Connections to messages services. */
export const MESSAGES_FORM: Form<MessagesAnswers> = {
	own,
	fields: [
		LABEL_FIELD,
		addressField("messages"),
		{
			name: "key",
			isSecret: true,
			given: "optional",
			canWait: (answers) => !isRequired(answers),
			placeholder: (answers) => (isMoved(answers) ? "API key. Leave empty if the service needs none." : "API key"),
			prompt: secretPrompt,
			help: (answers) => presetOf(answers).keyPage,
			said: "The key",
			schema: convert(text(), (typed, place) => {
				const key = unquoted(typed);
				return key === "" ? "" : HEADER_VALUE.read(key, place);
			}),
			check: (key, answers) => (key === "" && isRequired(answers) ? "is missing" : undefined),
		},
		{
			name: "model",
			title: "Model",
			when: ({ before }) => before !== undefined,
			given: "optional",
			present: ({ model }) => model || "the first that is listed",
			placeholder: () => "model-name",
			prompt: () => "Default model. Leave empty for the first that the service lists.",
			said: "The model",
			schema: convert(text(), (model) => model.trim()),
		},
	],
	secretName: () => "Key",
	secretOf: ({ key }) => key || undefined,
	partsOf: ({ model }) => ({ model }),
	fieldToFix: ({ code }) => (["unauthorized", "forbidden"].includes(code) ? "key" : undefined),
};

function isRequired(answers: Answers): boolean {
	return answers.before === undefined ? presetOf(answers).needsKey === true : !isMoved(answers);
}
