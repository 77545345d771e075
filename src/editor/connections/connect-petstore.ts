import { headerText } from "#api/petstore/credential.ts";
import type { PetstoreConnection } from "#app/connections/connection.ts";
import { BASE_URL, HEADER_VALUE, pastedSecret } from "#app/connections/fields.ts";
import { PETSTORE_FORMAT, signInTargetOf } from "#app/connections/petstore-profiles.ts";
import { bareToken, keptOf, petstoreSecret } from "#app/connections/petstore-secret.ts";
import type { Held } from "#app/connections/vault.ts";
import { convert, text } from "#base/schema.ts";
import type { Choice } from "../kit/prompts.ts";
import { describeTokenRefusal } from "../words/petstore-words.ts";
import { type Answers, addressField, defaultLabel, type Form, isMoved, LABEL_FIELD, secretPrompt } from "./connect.ts";

const FORMATS: readonly Choice<string>[] = [
	{ label: "JSON", detail: "Supported by every store", value: "json" },
	{ label: "XML", detail: "For pets, where the service takes both; orders and users go as JSON", value: "xml" },
];

const SECRET = convert(text(), (typed, { field }) => {
	const secret = pastedSecret(typed);
	return secret === "" ? "" : headerText(field, secret);
});

function own(before: PetstoreConnection | undefined, held: Held | undefined) {
	const signIn = before && signInTargetOf(before.profile, before.baseUrl);
	return {
		before,
		format: before?.format ?? "json",
		apiKey: "",
		token: "",
		authUrl: signIn?.authUrl ?? "",
		clientId: signIn?.clientId ?? "",
		/** Parts of the stored secret to keep where no new one is given. */
		kept: keptOf(held?.secret),
	};
}

type PetstoreAnswers = Answers & ReturnType<typeof own>;

/** Asked in an edit only: a new store is tried without. */
const isEdited = ({ before }: PetstoreAnswers) => before !== undefined;

/** Connections to pet stores. A new one needs its address; what the store then refuses is asked for later. */
export const PETSTORE_FORM: Form<PetstoreAnswers> = {
	own,
	fields: [
		LABEL_FIELD,
		addressField("petstore"),
		{
			name: "format",
			title: "Format",
			when: isEdited,
			given: "optional",
			schema: PETSTORE_FORMAT,
			present: ({ format }) => format.toUpperCase(),
			placeholder: "Which format?",
			choices: () => FORMATS,
		},
		{
			name: "apiKey",
			isSecret: true,
			canWait: () => true,
			given: "optional",
			placeholder: ({ kept }) =>
				kept.apiKey === undefined
					? "API key. Leave empty if there is none."
					: "API key. Leave empty to keep the stored one.",
			prompt: secretPrompt,
			said: "The API key",
			schema: SECRET,
		},
		{
			name: "authUrl",
			title: "Sign-In Address",
			when: isEdited,
			placeholder: (answers) => usual(answers).authUrl,
			prompt: () => "Address of the sign-in; its page is below it at /oauth/authorize",
			said: "The address",
			part: "profile",
			schema: convert(text(), (typed, place) => (typed.trim() === "" ? "" : BASE_URL.read(typed, place))),
		},
		{
			name: "clientId",
			title: "Client ID for the Sign-In",
			when: isEdited,
			placeholder: (answers) => usual(answers).clientId,
			prompt: () => "Client ID of the editor at the store",
			said: "The client ID",
			part: "profile",
			schema: convert(text(), (typed, place) => (typed.trim() === "" ? "" : HEADER_VALUE.read(typed, place))),
		},
		{
			name: "token",
			isSecret: true,
			given: "optional",
			when: isEdited,
			placeholder: ({ kept }) =>
				kept.token === undefined
					? "Access token (OAuth). Leave empty if there is none."
					: "Access token (OAuth). Leave empty to keep the stored one.",
			prompt: secretPrompt,
			said: "The access token",
			schema: SECRET,
			check(token, answers) {
				if (token !== "" || !isEdited(answers)) return undefined;
				const isNothing = answers.apiKey === "" && petstoreSecret(answers.kept) === undefined;
				return isNothing && !isMoved(answers) ? "is missing; enter one, or go back for an API key" : undefined;
			},
		},
	],
	secretName: () => "Key or Token",
	secretOf(answers) {
		const { apiKey, token } = answers;
		const kept = isMoved(answers) ? {} : answers.kept;
		return petstoreSecret({ apiKey: apiKey || kept.apiKey, token: token === "" ? kept.token : bareToken(token) });
	},
	begin(answers, given) {
		// An empty secret removes the stored one.
		for (const name of ["apiKey", "token"] as const) {
			if (given[name] !== undefined) answers.kept = { ...answers.kept, [name]: undefined };
		}
	},
	partsOf: (answers) => ({ format: answers.format, profile: profileWithSignIn(answers) }),
	fieldToFix(error) {
		if (error.reason === "sign-in-needed") return "token";
		return ["unauthorized", "forbidden"].includes(error.code) ? "apiKey" : undefined;
	},
	words: (error, answers) =>
		error.reason === "sign-in-needed" && answers.token !== ""
			? describeTokenRefusal(error, defaultLabel(answers))
			: undefined,
};

/** Profile with the address and client ID of the sign-in, if they differ from the defaults. */
function profileWithSignIn({ profile, authUrl, clientId, baseUrl, before }: PetstoreAnswers): unknown {
	if (before === undefined) return profile;
	const own = signInTargetOf("custom", baseUrl);
	const differing = {
		...(authUrl !== "" && authUrl !== own.authUrl && { authUrl }),
		...(clientId !== "" && clientId !== own.clientId && { clientId }),
	};
	const others = Object.entries(Object(profile)).filter(([name]) => name === "basePath");
	return { ...Object.fromEntries(others), ...differing };
}

function usual({ baseUrl }: Answers) {
	return signInTargetOf("custom", baseUrl);
}
