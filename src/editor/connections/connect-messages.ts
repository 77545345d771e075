import { headerValue, unquoted } from "#app/connections/fields.ts";
import { ClientError } from "#base/errors.ts";
import { optionalSecret, optionalText } from "../kit/arguments.ts";
import { describeRefusal } from "../report.ts";
import { type Answers, defaultLabel, type Form, isMoved, presetOf, secretPrompt } from "./connect.ts";

/** Connections to messages services. */
export const MESSAGES_FORM: Form = {
	fields: [
		{
			name: "key",
			isSecret: true,
			when: (answers) => answers.before !== undefined || presetOf(answers).key !== "none",
			placeholder: (answers) => (isRequired(answers) ? "API key" : "API key, or nothing if the service takes none"),
			prompt: secretPrompt,
			help: ({ keyPage }) => keyPage,
			decode(text, answers) {
				const key = unquoted(text);
				if (key !== "") return headerValue(key, { service: "messages", field: "The key" });
				if (isRequired(answers)) throw new Error("The key is missing");
				return "";
			},
		},
		{
			name: "model",
			title: "Model",
			placeholder: (answers) => presetOf(answers).exampleModel ?? "model-name",
			prompt: () => "Default model. Leave empty for the one in the settings.",
			decode: (text) => text.trim(),
		},
	],
	secrets: () => ["key"],
	editable: () => ["model"],
	secretOf: ({ key }) => key || undefined,
	partsOf: ({ model }) => ({ model }),
	read(fields, answers) {
		const key = optionalSecret(fields, "key", unquoted);
		answers.key = key === undefined ? "" : headerValue(key, { service: "messages", field: "key" });
		answers.model = optionalText(fields, "model") ?? "";
	},
	fieldToFix: (error) =>
		error instanceof ClientError && ["unauthorized", "forbidden"].includes(error.code) ? "key" : undefined,
	describe: (error, answers) => describeRefusal(error, defaultLabel(answers)),
};

function isRequired(answers: Answers): boolean {
	return answers.before === undefined ? presetOf(answers).key === "required" : !isMoved(answers);
}
