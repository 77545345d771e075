import { SIGN_IN_FIELD } from "#api/petstore/authorization.ts";
import { type AccessToken, headerText } from "#api/petstore/credential.ts";
import { contractProfile } from "#api/petstore/model.ts";
import type { PetstoreConnection } from "#app/connections/connection.ts";
import { BASE_URL, HEADER_VALUE, pastedSecret } from "#app/connections/fields.ts";
import { PETSTORE_FORMAT, PETSTORE_PROFILE, signInTargetOf } from "#app/connections/petstore-profiles.ts";
import { bareToken, keptOf, petstoreSecret } from "#app/connections/petstore-secret.ts";
import type { Held } from "#app/connections/vault.ts";
import { convert, parse, text } from "#base/schema.ts";
import type { Choice } from "../kit/prompts.ts";
import { describeTokenRefusal } from "../words/petstore-words.ts";
import { type Answers, addressField, defaultLabel, type Form, isMoved, LABEL_FIELD, secretPrompt } from "./connect.ts";
import { signInByPerson } from "./sign-in-prompt.ts";

const FORMATS: readonly Choice<string>[] = [
	{ label: "JSON", detail: "Supported by every store", value: "json" },
	{ label: "XML", detail: "For pets, where the service takes both; orders and users go as JSON", value: "xml" },
];

const WAYS_IN: readonly Choice<string>[] = [
	{ label: "Sign In in the Browser", detail: "With OAuth 2.0, to list and change pets", value: "browser" },
	{
		label: "Sign In at Another Address...",
		detail: "In the browser too, for a sign-in page or client ID of its own",
		value: "elsewhere",
	},
	{ label: "Enter an Access Token", detail: "Use one you already have", value: "token" },
	{ label: "Do Not Sign In", detail: "You can do it later; orders, users and some stores need none", value: "none" },
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
		/** Way to sign in. */
		how: "browser",
		authUrl: signIn?.authUrl ?? "",
		clientId: signIn?.clientId ?? "",
		/** Parts of the stored secret to keep where no new one is given. */
		kept: keptOf(held?.state === "present" ? held.secret : undefined),
	};
}

type PetstoreAnswers = Answers &
	ReturnType<typeof own> & {
		/** Token of a sign-in in the browser, and where it was made. */
		signedIn?: { readonly at: string; readonly token: AccessToken } | undefined;
	};

/** Connections to pet stores. */
export const PETSTORE_FORM: Form<PetstoreAnswers> = {
	own,
	fields: [
		LABEL_FIELD,
		addressField("petstore", (whose) => `Base URL of ${whose}; the API is below it at ${contractProfile.basePath}`),
		{
			name: "format",
			title: "Format",
			given: "optional",
			schema: PETSTORE_FORMAT,
			present: ({ format }) => format.toUpperCase(),
			placeholder: "Which format?",
			choices: () => FORMATS,
		},
		{
			name: "apiKey",
			isSecret: true,
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
			name: "how",
			placeholder: "How do you sign in?",
			choices: ({ profile }) => WAYS_IN.filter(({ value }) => value !== "elsewhere" || profile === "custom"),
		},
		{
			name: "authUrl",
			title: "Sign-In Address",
			when: isElsewhere,
			placeholder: (answers) => usual(answers).authUrl,
			prompt: () => "Address of the sign-in; its page is below it at /oauth/authorize",
			said: "The address",
			part: "profile",
			schema: convert(text(), (typed, place) => (typed.trim() === "" ? "" : BASE_URL.read(typed, place))),
		},
		{
			name: "clientId",
			title: "Client ID for the Sign-In",
			when: isElsewhere,
			placeholder: (answers) => usual(answers).clientId,
			prompt: () => "Client ID of the editor at the store",
			said: "The client ID",
			part: "profile",
			schema: convert(text(), (typed, place) => (typed.trim() === "" ? "" : HEADER_VALUE.read(typed, place))),
		},
		{
			name: "signIn",
			when: (answers) => ["browser", "elsewhere"].includes(answers.how) && answers.signedIn?.at !== placeOf(answers),
			async ask(answers, { step }) {
				const at = placeOf(answers);
				const title = `Sign In to ${defaultLabel(answers)}`;
				answers.signedIn = { at, token: await signInByPerson(targetOf(answers), title, step) };
				return true;
			},
		},
		{
			name: "token",
			isSecret: true,
			given: "optional",
			when: ({ how, before }) => how === "token" || before !== undefined,
			placeholder({ before, kept }) {
				if (before === undefined) return "Access token (OAuth)";
				return `Access token (OAuth)${kept.token === undefined ? ". Leave empty if there is none." : ". Leave empty to keep the stored one."}`;
			},
			prompt: secretPrompt,
			said: "The access token",
			schema: SECRET,
			check(token, answers) {
				if (token !== "") return undefined;
				if (answers.before === undefined) return answers.how === "token" ? "is missing" : undefined;
				const isNothing = answers.apiKey === "" && petstoreSecret(answers.kept) === undefined;
				return isNothing && !isMoved(answers) ? "is missing; enter one, or go back for an API key" : undefined;
			},
		},
	],
	secretName: () => "Key or Token",
	secretOf(answers) {
		const { apiKey, token, how, before, signedIn } = answers;
		const kept = isMoved(answers) ? {} : answers.kept;
		const ofSignIn = before === undefined && how !== "token" && how !== "none" ? signedIn?.token : undefined;
		const typed = token === "" || (before === undefined && how !== "token") ? undefined : bareToken(token);
		return petstoreSecret({ apiKey: apiKey || kept.apiKey, token: ofSignIn ?? typed ?? kept.token });
	},
	begin(answers, given) {
		answers.how = given["token"] ? "token" : "none";
		// An empty secret removes the stored one.
		for (const name of ["apiKey", "token"] as const) {
			if (given[name] !== undefined) answers.kept = { ...answers.kept, [name]: undefined };
		}
	},
	partsOf: (answers) => ({ format: answers.format, profile: profileWithSignIn(answers) }),
	fieldToFix(error, answers) {
		if (error.reason === "xml-needed") return "format";
		if (error.field === SIGN_IN_FIELD || error.reason === "sign-in-needed") {
			// Does not offer a refused sign-in again.
			answers.signedIn = undefined;
			return answers.how === "token" || answers.before !== undefined ? "token" : "how";
		}
		return ["unauthorized", "forbidden"].includes(error.code) ? "apiKey" : undefined;
	},
	words: (error, answers) =>
		error.reason === "sign-in-needed" && answers.token !== ""
			? describeTokenRefusal(error, defaultLabel(answers))
			: undefined,
};

/** Profile with the address and client ID of the sign-in, if they differ from the defaults. */
function profileWithSignIn({ profile, how, authUrl, clientId, baseUrl, before }: PetstoreAnswers): unknown {
	if (before === undefined && how !== "elsewhere") return profile;
	const own = signInTargetOf("custom", baseUrl);
	const differing = {
		...(authUrl !== "" && authUrl !== own.authUrl && { authUrl }),
		...(clientId !== "" && clientId !== own.clientId && { clientId }),
	};
	if (before === undefined && Object.keys(differing).length === 0) return profile;
	const others = Object.entries(Object(profile)).filter(([name]) => name === "basePath");
	return { ...Object.fromEntries(others), ...differing };
}

function isElsewhere({ how, before }: PetstoreAnswers): boolean {
	return how === "elsewhere" || before !== undefined;
}

function usual({ baseUrl }: Answers) {
	return signInTargetOf("custom", baseUrl);
}

function targetOf(answers: PetstoreAnswers) {
	const profile = parse(PETSTORE_PROFILE, profileWithSignIn(answers), "petstore", "profile");
	return { ...signInTargetOf(profile, answers.baseUrl), baseUrl: answers.baseUrl };
}

function placeOf(answers: PetstoreAnswers): string {
	return JSON.stringify(targetOf(answers));
}
