import { SIGN_IN_FIELD } from "#api/petstore/authorization.ts";
import type { AccessToken } from "#api/petstore/credential.ts";
import { decodeBaseUrl, headerValue } from "#app/connections/fields.ts";
import { pastedSecret } from "#app/connections/pasted-secret.ts";
import {
	PETSTORE_PRESETS,
	type PetstorePresetName,
	type PetstoreProfileSetting,
	signInTargetOf,
} from "#app/connections/petstore-profiles.ts";
import { bareToken } from "#app/petstore/secret.ts";
import type { ClientError } from "#base/errors.ts";
import { signInByPerson } from "../petstore/sign-in-prompt.ts";
import { askChoice, askText, type Choice } from "../prompts.ts";
import type { Step } from "../wizard.ts";
import { kept, mistakeIn, mistakeInSecret } from "./answers.ts";

/** The questions about a sign-in to a pet store. */
export type SignInStep = "signInHow" | "signInPage" | "signInClient" | "signIn" | "storeToken";

/** What the person has said so far of it. */
export interface SignInAnswers {
	store: PetstorePresetName;
	baseUrl: string;
	/** `elsewhere` is in the browser too, at another address or by another name than is usual. */
	how: "browser" | "elsewhere" | "token" | "none";
	/** Where the page is elsewhere, and what the store calls us there; empty for what is usual. */
	authUrl: string;
	clientId: string;
	/** A token that was typed. */
	token: string;
	/** What a sign-in has brought, and where it was made. */
	signedIn: { readonly at: string; readonly token: AccessToken } | undefined;
}

/** Nothing said yet. */
export function noSignInAnswers(): SignInAnswers {
	return { store: "custom", baseUrl: "", how: "browser", authUrl: "", clientId: "", token: "", signedIn: undefined };
}

const HOW: readonly Choice<SignInAnswers["how"]>[] = [
	{ label: "Sign In in the Browser", detail: "With OAuth 2.0, to list and change pets", value: "browser" },
	{
		label: "Sign In at Another Address...",
		detail: "In the browser too, where the page or our client ID is not the usual one",
		value: "elsewhere",
	},
	{ label: "Enter an Access Token", detail: "One that you have already", value: "token" },
	{ label: "Do Not Sign In", detail: "You can do it later; orders, users and some stores need none", value: "none" },
];

/** The questions, which keep their answers in `draft`. */
export function signInSteps(draft: SignInAnswers, isUnasked: () => boolean): readonly Step<SignInStep>[] {
	const isFor = (...ways: readonly SignInAnswers["how"][]) => !isUnasked() && ways.includes(draft.how);
	const usual = () => signInTargetOf("custom", draft.baseUrl);
	return [
		{
			name: "signInHow",
			skip: isUnasked,
			async ask(frame) {
				// Of a preset all is known.
				const offered = HOW.filter(({ value }) => value !== "elsewhere" || draft.store === "custom");
				const choices = offered.map((each) => ({ ...each, active: each.value === draft.how }));
				const answer = await askChoice({ ...frame, placeholder: "How do you sign in?" }, choices);
				return kept(answer, (how) => {
					draft.how = how;
				});
			},
		},
		{
			name: "signInPage",
			skip: () => !isFor("elsewhere"),
			async ask(frame) {
				const place = { service: "petstore", field: "The address" } as const;
				const answer = await askText({
					...frame,
					placeholder: usual().authUrl,
					prompt: "Address of the sign-in; its page is below it at /oauth/authorize",
					value: draft.authUrl || usual().authUrl,
					check: (text) => mistakeIn(() => decodeBaseUrl(text, place)),
				});
				return kept(answer, (text) => {
					const authUrl = decodeBaseUrl(text, place);
					draft.authUrl = authUrl === usual().authUrl ? "" : authUrl;
				});
			},
		},
		{
			name: "signInClient",
			skip: () => !isFor("elsewhere"),
			async ask(frame) {
				const place = { service: "petstore", field: "The client ID" } as const;
				const answer = await askText({
					...frame,
					placeholder: usual().clientId,
					prompt: "Client ID that the store knows the editor by",
					value: draft.clientId || usual().clientId,
					check: (text) => mistakeIn(() => headerValue(text, place)),
				});
				return kept(answer, (text) => {
					draft.clientId = text.trim() === usual().clientId ? "" : text.trim();
				});
			},
		},
		{
			name: "signIn",
			skip: () => !isFor("browser", "elsewhere") || draft.signedIn?.at === placeOf(draft),
			async ask({ step, totalSteps }) {
				const at = placeOf(draft);
				const frame = { title: `Sign In to ${petstoreLabel(draft)}` };
				const counted = step === undefined || totalSteps === undefined ? frame : { ...frame, step, totalSteps };
				draft.signedIn = { at, token: await signInByPerson(targetOf(draft), counted) };
				return true;
			},
		},
		{
			name: "storeToken",
			skip: () => !isFor("token"),
			async ask(frame) {
				const answer = await askText({
					...frame,
					placeholder: "Access token (OAuth)",
					prompt: `Kept in the editor's secret storage and sent to ${draft.baseUrl} only`,
					value: draft.token,
					password: true,
					check: (text) =>
						text.trim() === "" ? "The access token is missing." : mistakeInSecret(text, "The access token"),
				});
				return kept(answer, (text) => {
					draft.token = pastedSecret(text);
				});
			},
		},
	];
}

/** The question that can mend what went wrong with the sign-in or its token; undefined where it is about neither. */
export function signInStepFor(error: ClientError, draft: SignInAnswers): SignInStep | undefined {
	const isAbout = error.field === SIGN_IN_FIELD || error.reason === "sign-in-needed";
	if (!isAbout) return undefined;
	// What was refused is not offered once more.
	draft.signedIn = undefined;
	return draft.how === "token" ? "storeToken" : "signInHow";
}

/** The token that was typed or signed in for. */
export function tokenOf({ how, token, signedIn }: SignInAnswers): AccessToken | undefined {
	if (how === "none") return undefined;
	return how === "token" ? bareToken(token) : signedIn?.token;
}

/** The profile that the answers come to: the preset, or what differs from what every store of this API has. */
export function profileOf({ store, how, authUrl, clientId }: SignInAnswers): PetstoreProfileSetting {
	if (store !== "custom" || how !== "elsewhere" || (authUrl === "" && clientId === "")) return store;
	return { ...(authUrl === "" ? {} : { authUrl }), ...(clientId === "" ? {} : { clientId }) };
}

/** What the connection is called unless the person says otherwise. */
export function petstoreLabel({ store, baseUrl }: SignInAnswers): string {
	return store === "custom" ? (URL.parse(baseUrl)?.host ?? "") : PETSTORE_PRESETS[store].label;
}

function targetOf(draft: SignInAnswers) {
	return { ...signInTargetOf(profileOf(draft), draft.baseUrl), baseUrl: draft.baseUrl };
}

function placeOf(draft: SignInAnswers): string {
	const { authUrl, clientId, baseUrl } = targetOf(draft);
	return JSON.stringify([authUrl, clientId, baseUrl]);
}
