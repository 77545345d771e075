import * as vscode from "vscode";
import { COMMANDS } from "#app/contributions.ts";
import type { CardContext, Ending } from "#app/ports.ts";
import { ClientError } from "#base/errors.ts";
import type { CardAction, ErrorCard } from "#protocol/panel.ts";
import { describeCodehostError, type FailureWords, sentence, whenAgain } from "./codehost/words.ts";
import { describePetstoreError } from "./petstore/words.ts";
import { withoutLinks } from "./plain.ts";
import { asked } from "./tree.ts";

/** The words and buttons of a reply that did not end as hoped: what happened, what to do, and the buttons that do it. */
export function describeEnding(ending: Ending, context: CardContext): ErrorCard | undefined {
	const card = cardOf(ending, context);
	if (card === undefined || context.superseded !== true) return card;
	return { ...card, advice: "It was asked for again below. What had arrived stays here." };
}

function cardOf({ outcome, error }: Ending, context: CardContext): ErrorCard | undefined {
	if (outcome === "truncated") {
		return {
			code: "truncated",
			title: "The reply was cut off at max_tokens.",
			advice: "Raise the limit and ask again.",
			actions: ["raise-max-tokens"],
		};
	}
	if (error === undefined || outcome === "stopped") return undefined;
	const { title, advice, actions } = words(error, context);
	const when =
		error.retryAfterMs === undefined ? undefined : `It asks to be asked again ${whenAgain(error.retryAfterMs)}.`;
	return { code: error.code, title, advice: withRequestId(when ?? advice, error), actions };
}

/** Where an error came about, as far as the person's next step depends on it. */
export interface ErrorPlace {
	/** The id and the label of the connection. */
	readonly connection?: { readonly id: string; readonly label: string } | undefined;
	/** Does again what failed. */
	readonly retry?: (() => unknown) | undefined;
}

/** Shows an error of something the person started, with what mends it and the log one click away. */
export async function showError(error: unknown, { connection, retry }: ErrorPlace = {}): Promise<void> {
	const showLog = "Show Log";
	const described = error instanceof ClientError ? describeFailure(error, connection?.label ?? "") : undefined;
	if (described === undefined) {
		const message = error instanceof Error ? sentence(error.message) : "Something went wrong.";
		const choice = await vscode.window.showErrorMessage(withoutLinks(message), showLog);
		if (choice === showLog) await vscode.commands.executeCommand(COMMANDS.showLog);
		return;
	}
	const { title, advice, remedy } = described;
	const mend = "Replace Key or Token";
	const edit = "Edit Connection";
	const again = "Retry";
	const buttons = [
		...(remedy === "replace" && connection !== undefined ? [mend] : []),
		...(remedy === "edit" && connection !== undefined ? [edit] : []),
		...(remedy === "retry" && retry !== undefined ? [again] : []),
		showLog,
	];
	const choice = await vscode.window.showErrorMessage(withoutLinks(`${title} ${advice}`), ...buttons);
	if (choice === mend) await vscode.commands.executeCommand(COMMANDS.replaceKey, asked({ connection: connection?.id }));
	if (choice === edit)
		await vscode.commands.executeCommand(COMMANDS.editConnection, asked({ connection: connection?.id }));
	if (choice === again) await retry?.();
	if (choice === showLog) await vscode.commands.executeCommand(COMMANDS.showLog);
}

/** Why an address or key was not taken, in one sentence for a prompt that stays open. */
export function describeRefusal(error: unknown, label: string): string {
	if (!(error instanceof ClientError)) return error instanceof Error ? sentence(error.message) : String(error);
	const { title, advice } = describeFailure(error, label) ?? words(error, { connection: label, model: "" });
	return `${title} ${advice}`;
}

/** The words of the services that have no cards in the chat; undefined for the others. */
function describeFailure(error: ClientError, label: string): FailureWords | undefined {
	switch (error.service) {
		case "codehost":
			return describeCodehostError(error, label);
		case "petstore":
			return describePetstoreError(error, label);
		case "messages":
			return undefined;
	}
}

interface Words {
	readonly title: string;
	readonly advice: string;
	readonly actions: readonly CardAction[];
}

function words(error: ClientError, { connection, model }: CardContext): Words {
	const name = connection === "" ? "The service" : connection;
	const status = error.status === undefined ? "" : ` (${error.status})`;
	switch (error.code) {
		case "unauthorized":
			if (error.field === "key") {
				return {
					title: `${said(error, name)}`,
					advice: `Enter the key for ${name} again.`,
					actions: ["set-key", "retry"],
				};
			}
			return {
				title: `${name} refused the key${status}.`,
				advice: "Replace it with one that the service knows.",
				actions: ["set-key", "retry", "show-log"],
			};
		case "forbidden":
			return {
				title: `${name} does not allow this key to do that${status}: ${said(error, name)}`,
				advice: "Check the key's permissions and quota.",
				actions: ["set-key", "retry", "show-log"],
			};
		case "not-found":
			return {
				title: `${name} does not know what it was asked for${status}: ${said(error, name)}`,
				advice: `Check the base URL and the model's name${model === "" ? "" : ` (${model})`}.`,
				actions: ["select-model", "edit-connection", "retry"],
			};
		case "invalid":
			return invalidWords(error, name, status);
		case "rate-limited":
			return {
				title: `${name} asks for fewer requests${status}.`,
				advice: "Try again in a little while.",
				actions: ["retry", "show-log"],
			};
		case "overloaded":
			return {
				title: `${name} is overloaded${status}.`,
				advice: "Try again in a little while.",
				actions: ["retry", "show-log"],
			};
		case "server":
			return {
				title: `${name} failed${status}: ${said(error, name)}`,
				advice: "Try again, or look in the log.",
				actions: ["retry", "show-log"],
			};
		case "malformed":
			return {
				title: `${name} did not send a reply${status}.`,
				advice: `${said(error, name)} Check that the base URL is that of a messages API.`,
				actions: ["edit-connection", "retry", "show-log"],
			};
		case "network":
			return {
				title: said(error, name),
				advice: "Check that it is running, the base URL, and the network or proxy.",
				actions: ["retry", "edit-connection", "show-log"],
			};
		case "timeout":
			return {
				title: `${name} did not answer in time.`,
				advice: "Try again, or check the address.",
				actions: ["retry", "edit-connection", "show-log"],
			};
		case "stalled":
			return {
				title: `${name} went silent and the connection was closed.`,
				advice: "What had arrived stays here. Retry asks for the whole reply again.",
				actions: ["retry", "show-log"],
			};
		case "interrupted":
			return {
				title: `${name} ended the stream before the reply was complete.`,
				advice: "What had arrived stays here. Retry asks for the whole reply again.",
				actions: ["retry", "show-log"],
			};
		case "aborted":
			return { title: "Stopped.", advice: "Ask again when you are ready.", actions: ["retry"] };
	}
}

function invalidWords(error: ClientError, name: string, status: string): Words {
	if (error.field === "connection" && !error.message.includes("missing")) {
		return { title: said(error, name), advice: "Choose another connection.", actions: ["show-log"] };
	}
	if (error.field === "connection") {
		return {
			title: "There is no connection to send this to.",
			advice: "Add one; what you wrote stays here.",
			actions: ["add-connection", "retry"],
		};
	}
	if (error.status === 409) {
		return {
			title: `${name} was busy with something else${status}: ${said(error, name)}`,
			advice: "Try again.",
			actions: ["retry", "show-log"],
		};
	}
	const title = status === "" ? said(error, name) : `${name} refused the request${status}: ${said(error, name)}`;
	if (error.field === "model") {
		return { title, advice: "Choose a model that the service has.", actions: ["select-model", "retry"] };
	}
	if (error.field === "max_tokens") {
		return { title, advice: "Change max_tokens in the settings.", actions: ["raise-max-tokens", "retry"] };
	}
	return {
		title,
		advice: "Change what it names and try again.",
		actions: ["retry", "edit-connection", "show-log"],
	};
}

/** The service's support desk asks for the request's id; nobody else needs it. */
function withRequestId(advice: string, error: ClientError): string {
	return error.requestId === undefined ? advice : `${advice} Request ID: ${error.requestId}.`;
}

/** What an error says, with the service called by its name. */
function said(error: ClientError, name: string): string {
	return sentence(error.message.replace(/^The service\b/, name));
}
