import { type MessagesConnection, USAGE_LIMIT } from "#app/connections/connection.ts";
import { HEADER_VALUE, unquoted } from "#app/connections/fields.ts";
import { convert, number, text, union } from "#base/schema.ts";
import { type Answers, addressField, type Form, isMoved, LABEL_FIELD, presetOf, secretPrompt } from "./connect.ts";

const own = (before: MessagesConnection | undefined) => ({
	before,
	key: "",
	model: before?.model ?? "",
	dailyLimit: String(before?.limits?.day ?? ""),
	monthlyLimit: String(before?.limits?.month ?? ""),
});

type MessagesAnswers = Answers & ReturnType<typeof own>;

/** Limit on usage as it is typed, empty for none. */
const TYPED_LIMIT = convert(union(number(), text()), (given, place) => {
	const limit = String(given).trim();
	return limit && String(USAGE_LIMIT.read(Number(limit), place));
});

const limitField = <N extends "dailyLimit" | "monthlyLimit">(name: N, title: string) => ({
	...LABEL_FIELD,
	name,
	title,
	part: "limits" as const,
	given: "optional" as const,
	present: ({ [name]: limit }: MessagesAnswers) => limit || "none",
	placeholder: () => "5.00",
	prompt: () => `${title}, in the currency of its prices, or in tokens if it has none. Leave empty for no limit.`,
	said: `The ${title.toLowerCase()}`,
	schema: TYPED_LIMIT,
});

const limitOf = (limit: string) => (limit === "" ? undefined : Number(limit));

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
		limitField("dailyLimit", "Daily Limit"),
		limitField("monthlyLimit", "Monthly Limit"),
	],
	secretName: () => "Key",
	secretOf: ({ key }) => key || undefined,
	partsOf: ({ model, dailyLimit, monthlyLimit }) => ({
		model,
		limits: dailyLimit + monthlyLimit === "" ? undefined : { day: limitOf(dailyLimit), month: limitOf(monthlyLimit) },
	}),
	fieldToFix: ({ code }) => (["unauthorized", "forbidden"].includes(code) ? "key" : undefined),
};

function isRequired(answers: Answers): boolean {
	return answers.before === undefined ? presetOf(answers).needsKey === true : !isMoved(answers);
}
