import type { ModelLists } from "#app/chat/model-lists.ts";
import type { ConnectionTests, LastTest } from "#app/checks/connection-tests.ts";
import type { CodehostStatuses } from "#app/codehost/status.ts";
import type { Connection, ConnectionService } from "#app/connections/connection.ts";
import type { KnownSecrets } from "#app/connections/known-secrets.ts";
import type { ConnectionRegistry } from "#app/connections/registry.ts";
import { SERVICES } from "#app/connections/services.ts";
import { CONTEXT } from "#app/contributions.ts";
import type { PetstoreClients } from "#app/petstore/clients.ts";
import type { Budget } from "#app/usage/budget.ts";
import { systemClock } from "#base/clock.ts";
import { withFacts } from "#base/errors.ts";
import type { RowParts } from "../kit/rows.ts";
import { joinParts, plainLine } from "../kit/text.ts";
import { Card, Tree, type TreeShell, wordsCard } from "../kit/tree.ts";
import { editorSwitch, onSettingChange } from "../settings.ts";
import { describeFailure } from "../words/failures.ts";
import { describeRefusal } from "../words/show-error.ts";
import { connectionFacts, connectionLook, type KnownFacts } from "./connection-facts.ts";
import { CONNECTED_SERVICES } from "./services.ts";

/** Tree with one node for each connection, and what is known of its credential below. */
export function treeOfConnections(
	shell: TreeShell,
	registry: ConnectionRegistry,
	statuses: CodehostStatuses,
	petstores: PetstoreClients,
	secrets: KnownSecrets,
	tests: ConnectionTests,
	models: ModelLists,
	budget: Pick<Budget, "words" | "onDidChange">,
): Tree {
	function knownOf(connection: Connection): KnownFacts {
		const { id, label } = connection;
		const now = systemClock.now();
		const last = tests.last(id);
		const messages = registry.get(id, "messages");
		return {
			closed: secrets.closedBy(id),
			isHeld: secrets.holds(id),
			isEphemeral: registry.isEphemeral(id),
			status: registry.get(id, "codehost") && statuses.of(id),
			held: petstores.peek(id)?.held,
			models: (each) => models.known(each),
			editorSwitch,
			last,
			refusal: refusalWords(last, label, now),
			isFailed: tests.failed(id) !== undefined,
			usage: messages === undefined ? [] : budget.words(messages),
			now,
		};
	}

	function connectionRow(connection: Connection): RowParts {
		const { id, service } = connection;
		const { icon, facts, opens } = CONNECTED_SERVICES[service];
		const fields = { connection: id };
		const known = knownOf(connection);
		const hasFacts = connectionFacts(facts(connection, known), known).length > 0;
		return {
			key: id,
			fields,
			look: { ...connectionLook(connection, known, icon), command: opens, opens: hasFacts ? "closed" : undefined },
			card: () => cardOf(connection, knownOf(connection)),
			children() {
				// A pet store's credential is known once it was opened, which redraws the row; so are the models of a service.
				const service = registry.get(id, "messages");
				if (service !== undefined) void models.of(service);
				if (petstores.stateOf(id) === "unused") petstores.open(id).catch(() => undefined);
				const known = knownOf(connection);
				return connectionFacts(facts(connection, known), known).map(({ look, more }) => {
					const words = joinParts([look.description, more], ". ");
					return { key: look.label, fields, look, card: () => wordsCard(look.label, words) };
				});
			},
		};
	}

	return new Tree(shell, {
		// The statuses tell of every connection that changes.
		changes: [
			statuses.onDidChange,
			petstores.onDidChange,
			secrets.onDidChange,
			tests.onDidChange,
			models.onDidLearn,
			budget.onDidChange,
			(changed) => onSettingChange("chat", changed),
		],
		roots: () => registry.list().map(connectionRow),
		head() {
			const stored = (service: ConnectionService) => registry.stored().some((each) => each.service === service);
			return {
				contexts: {
					[CONTEXT.hasConnections]: registry.list().length > 0,
					[CONTEXT.hasCodehost]: registry.list("codehost").length > 0,
					[CONTEXT.hasPetstore]: registry.list("petstore").length > 0,
					[CONTEXT.hasMessages]: registry.list("messages").length > 0,
					[CONTEXT.addedCodehost]: stored("codehost"),
				},
			};
		},
		ends: () => [
			...registry.list().flatMap((connection) => {
				const { status, held, last } = knownOf(connection);
				const tested = last?.error?.retryAfterMs === undefined ? null : last.at + last.error.retryAfterMs;
				return [tested, status?.rate?.closedUntil ?? null, held?.token?.expiresAt ?? null];
			}),
			// The age of the last test is shown, which never stops growing.
			Number.POSITIVE_INFINITY,
		],
	});
}

function cardOf({ id, label, service, baseUrl }: Connection, { status, refusal, isFailed }: KnownFacts) {
	const card = new Card().title(label).fact("Service", SERVICES[service].name);
	card.fact("Address", baseUrl).fact("Name for commands", id);
	const error = status?.error;
	if (error) {
		const { title, advice } = describeFailure(error, label);
		card.rule().text(`${title} ${advice}`);
	} else if (isFailed) card.rule().text(refusal);
	return card.markdown;
}

/** Reason why a test failed; the rest of a rate limit's wait shrinks with `now`. */
function refusalWords(last: LastTest | undefined, label: string, now: number): string {
	if (last?.error === undefined) return "";
	const { error, at } = last;
	const wait = error.retryAfterMs;
	const left = wait === undefined ? error : withFacts(error, { retryAfterMs: at + wait - now });
	return plainLine(describeRefusal(left, label));
}
