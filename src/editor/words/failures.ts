import { SIGN_IN_FIELD } from "#api/petstore/authorization.ts";
import { SERVICES } from "#app/connections/services.ts";
import type { ClientError, Service } from "#base/errors.ts";
import {
	entryFor,
	type FailureWords,
	fillTemplate,
	gatewayWords,
	type Remedy,
	saidOf,
	sentence,
	TEST_HINT,
	type WordsEntry,
	type WordsTable,
} from "../kit/error-words.ts";
import type { NextStep } from "../kit/prompts.ts";
import { replyWords } from "./reply-words.ts";

/** Advice for an app that was refused: the service does not say which of the two is wrong. */
export const APP_ADVICE =
	"The App ID and the key do not match, or the key was deleted. Compare both with the app's page.";

type Entry = WordsEntry<Remedy>;

const SIGNED_OUT: Entry = ["{name} is signed out.", "Enter its token or key again.", "replace"];
const SIGN_IN = "The sign-in to {name} was not completed: {own}";
const SILENT: Entry = ["{name} did not answer in time.", "Try again, or test the connection.", "retry"];
const FAILED: Entry = ["{name} failed{status}{said}", "Try again {again}.", "retry"];
const UNREACHED: Entry = ["{name} could not be reached{said}", `{fix} ${TEST_HINT}`, "retry"];
const STRANGE = "{name} sent an unexpected response{status}{said}";
const REFUSED = "{name} refused the request{status}{said}";
const UNFIT: Entry = [
	REFUSED,
	"The connection's preset (profile) may not fit this service. Choose another one, or check the base URL.",
	"edit",
];
const HIDDEN: Entry = [
	"Not found on {name}, or hidden from this credential{status}.",
	"Check the owner and the name, and whether the credential may see the repository.",
	"retry",
];
const ABSENT: Entry = ["Not found on {name}{status}{said}", "Check the id or the name, and the base URL.", "edit"];
const UNWELCOME: Entry = ["{name} refused this{status}{said}", "Check the base URL, or log in to the store.", "none"];

/** The failures that are the same story at every service. */
const COMMON: WordsTable<Remedy> = {
	// The connection was changed, signed out or removed meanwhile.
	disposed: ["{own}", "Repeat the action if you still need it.", "retry"],
	lost: [
		"The credential of {name} is not in the editor's secret storage.",
		"Reload the window if another one stored it. Else enter it again.",
		"replace",
	],
	unreadable: [
		"The stored credential of {name} cannot be read.",
		"The stored copy was left untouched. Enter the credential again.",
		"replace",
	],
	network: UNREACHED,
	proxy: UNREACHED,
	"rate-limited": ["{name}: rate limit reached{status}.", "Try again {again}.", "retry"],
	timeout: SILENT,
	stalled: SILENT,
	malformed: [STRANGE, "Check that the base URL points to {api}.", "edit"],
	// A reply that lacks one field is most likely the service's own, not that of another program.
	"malformed#": [STRANGE, "Try again. If this persists, the service differs from {api} here.", "retry"],
	server: FAILED,
	overloaded: FAILED,
	interrupted: FAILED,
	aborted: ["Stopped.", "You can retry.", "retry"],
	// An error that was found here has a complete message.
	invalid: ["{own}", "", "none"],
	"invalid/other-origin": ["{own}", "The credential was not sent.", "replace"],
};

/** Words that differ at each service: no others stand in for them. */
type ServiceWords = WordsTable<Remedy> & Readonly<Record<"unauthorized" | "forbidden" | "not-found", Entry>>;

/** Words by the service. The failures of a messages service are those of its cards in the chat. */
const FAILURES: Readonly<Record<Service, ServiceWords | undefined>> = {
	messages: undefined,
	codehost: {
		unauthorized: [
			"{name} refused the credential{status}{said}",
			"The credential is wrong, expired or revoked. Replace it.",
			"replace",
		],
		"unauthorized#token": SIGNED_OUT,
		"unauthorized#key": SIGNED_OUT,
		"clock-skew": [
			"The clocks of {name} and of this machine differ too much{status}{said}",
			"Set this machine's clock and retry. The key is fine.",
			"retry",
		],
		"repository-refused": [
			"{name} refused the credential for this repository{status}{said}",
			"This token cannot read this repository, but it works elsewhere. Give it access, or choose another connection.",
			"retry",
		],
		"not-installed": [
			"{name} does not give the app access here{status}{said}",
			"Install the app on the repository's owner, or give it Issues: read. The credential is fine.",
			"retry",
		],
		"app-refused": [
			"{name} refused the app{status}{said}",
			`${APP_ADVICE} The Connections view names both.`,
			"replace",
		],
		forbidden: [
			"{name} does not allow this{status}{said}",
			"Check which repositories, permissions and scopes the credential was given.",
			"retry",
		],
		suspended: [
			"The app's installation that {name} uses is suspended{status}.",
			"Ask the owner of the account to end the suspension.",
			"retry",
		],
		moved: ["{own}", "Retry to follow it to its new name.", "retry"],
		"not-found/not-installed": [
			"{name} did not find this installation of the app{status}.",
			"Choose one from the list of the app's installations.",
			"edit",
		],
		"not-found#base_url": ["{name} has no code host's API at this address{status}.", "Check the base URL.", "edit"],
		"not-found": HIDDEN,
		"not-found@404": HIDDEN,
		"not-found@410": ["{name} no longer has this{status}{said}", "It was removed or switched off there.", "retry"],
		"not-found@": [
			"{name} is not at this address{status}{said}",
			"Check the base URL. A network that wants a sign-in, or a proxy, may answer in its place.",
			"edit",
		],
		"invalid@": UNFIT,
		"invalid/other-origin@": UNFIT,
		"passphrase-wrong": ["{own}", "Type it again, or choose a copy of the key that is not encrypted.", "none"],
	},
	petstore: {
		"log-in-needed": ["{name} requires a login for this{status}{said}", "Log in, then try again.", "none"],
		"log-in-refused": ["{name} refused the login{status}{said}", "Check the username and password.", "none"],
		"key-needed": ["{name} requires an API key{status}{said}", "Enter the key.", "replace"],
		"key-refused": ["{name} refused the API key{status}{said}", "Replace it with one that may do this.", "replace"],
		"sign-in-needed": [
			"{name} requires a sign-in{status}{said}",
			"Sign in, and approve both write:pets and read:pets.",
			"sign-in",
		],
		"not-confirmed": ["Not confirmed by {name}{status}{said}", "Check what is there before you try again.", "none"],
		absent: ["Not found on {name}{status}{said}", "Someone may have deleted it: it is no longer listed.", "none"],
		"xml-needed": ["{name} does not speak JSON here{status}{said}", "Edit its connection, and choose XML.", "edit"],
		"not-applied": [
			"{name} accepted the save but changed nothing.",
			"Your text is kept. Check which fields the store lets you change.",
			"none",
		],
		// The store itself was not asked anything yet.
		[`#${SIGN_IN_FIELD}`]: [SIGN_IN, "Sign in again.", "sign-in"],
		[`malformed#${SIGN_IN_FIELD}`]: [SIGN_IN, "Check the sign-in's address in its connection.", "sign-in"],
		[`invalid#${SIGN_IN_FIELD}`]: [SIGN_IN, "Check the sign-in's address and client ID in its connection.", "edit"],
		unauthorized: UNWELCOME,
		forbidden: UNWELCOME,
		"not-found": [
			"{name} did not accept this operation{status}{said}",
			"Check the id or the name, and the base URL.",
			"edit",
		],
		"not-found/other-origin": ["{name} did not accept this operation{status}{said}", "Check the base URL.", "edit"],
		"not-found@404": ABSENT,
		"not-found@410": ABSENT,
		"invalid@": [REFUSED, "Check what was entered, or the preset and format of the connection.", "none"],
		"invalid/other-origin@": [REFUSED, "The credential was not sent.", "replace"],
	},
};

const SIGN_IN_AGAIN: NextStep = { label: "Sign In Again", command: "switchboard.petstore.signIn" };

/** Words and fix of a failure. `label` is the connection's or empty; `retryAfterMs` is the rest of the wait. */
export function describeFailure(error: ClientError, label: string, retryAfterMs = error.retryAfterMs): FailureWords {
	const { service, message, page } = error;
	const table = FAILURES[service];
	if (table === undefined) {
		// An error that was found here has a complete message.
		const isOwn =
			error.status === undefined &&
			error.reason !== "over-budget" &&
			["aborted", "invalid", "forbidden", "not-found"].includes(error.code);
		if (isOwn) return { title: sentence(message), advice: "", remedy: "none" };
		const { title, advice, actions } = replyWords(error, { connection: label, model: "" });
		const remedy = actions.includes("set-key") ? "replace" : actions[0] === "edit-connection" ? "edit" : "retry";
		return { title, advice, remedy };
	}
	const name = label === "" ? `The ${SERVICES[service].name}` : label;
	const [title, advice, remedy] = entryFor(error, table, COMMON) ?? FAILED;
	const own = message.replace(/^(?:private_key|repository|token)\b/, (field) => `The ${field.replace("_", " ")}`);
	const parts = { ...saidOf(error, name, retryAfterMs), own: sentence(own), api: `a ${SERVICES[service].name}` };
	const filled = { title: fillTemplate(title, parts), advice: fillTemplate(advice, parts), remedy };
	const words = gatewayWords(remedy === "sign-in" ? { ...filled, fix: SIGN_IN_AGAIN } : filled, error, name);
	if (page === undefined) return words;
	const open = { label: "Authorize in Browser", command: "vscode.open", argument: page };
	return { ...words, advice: "Authorize the credential for this organization in the browser, then retry.", fix: open };
}
