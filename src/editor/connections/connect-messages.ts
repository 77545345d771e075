import { HEADER_VALUE, unquoted } from "#app/connections/fields.ts";
import { ClientError, invalid } from "#base/errors.ts";
import { convert, text } from "#base/schema.ts";
import { describeRefusal } from "../words/show-error.ts";
import { type Answers, defaultLabel, type Form, isMoved, presetOf, secretPrompt } from "./connect.ts";

/** Connections to messages services. */
export const MESSAGES_FORM: Form = {
	fields: [
		{
			name: "key",
			isSecret: true,
			when: (answers) => answers.before !== undefined || presetOf(answers).key !== "none",
			placeholder: (answers) => (isRequired(answers) ? "API key" : "API key. Leave empty if the service needs none."),
			prompt: secretPrompt,
			help: ({ keyPage }) => keyPage,
			said: "The key",
			schema: (answers) =>
				convert(text(), (typed, place) => {
					const key = unquoted(typed);
					if (key !== "") return HEADER_VALUE.read(key, place);
					if (isRequired(answers)) throw invalid(place.service, place.field, "is missing");
					return "";
				}),
		},
		{
			name: "model",
			title: "Model",
			placeholder: (answers) => presetOf(answers).exampleModel ?? "model-name",
			prompt: () => "Default model. Leave empty for the first that the service lists.",
			said: "The model",
			schema: () => convert(text(), (model) => model.trim()),
		},
	],
	secretOf: ({ key }) => key || undefined,
	partsOf: ({ model }) => ({ model }),
	fieldToFix: (error) =>
		error instanceof ClientError && ["unauthorized", "forbidden"].includes(error.code) ? "key" : undefined,
	describe: (error, answers) => describeRefusal(error, defaultLabel(answers)),
};

function isRequired(answers: Answers): boolean {
	return answers.before === undefined ? presetOf(answers).key === "required" : !isMoved(answers);
}
