import * as vscode from "vscode";
import { withFacts } from "#api/http/fault.ts";
import type { ConnectionTests, LastTest } from "#app/checks/connection-tests.ts";
import type { CodehostStatuses } from "#app/codehost/status.ts";
import type { Connection, ConnectionService } from "#app/connections/connection.ts";
import type { ConnectionRegistry } from "#app/connections/registry.ts";
import type { StoredSecrets } from "#app/connections/stored-secrets.ts";
import type { ClosedState } from "#app/connections/vault.ts";
import { CONTEXT } from "#app/contributions.ts";
import type { PetstoreClients } from "#app/petstore/clients.ts";
import { systemClock } from "#base/clock.ts";
import { msInWords } from "#base/duration.ts";
import { describeCodehostError } from "../codehost/words.ts";
import { type RowLook, type RowParts, titled, WARNING } from "../kit/rows.ts";
import { plainLine } from "../kit/text.ts";
import { Card, Tree, type TreeShell } from "../kit/tree.ts";
import { heldWords } from "../petstore/words.ts";
import { describeRefusal } from "../report.ts";
import {
	codehostCredential,
	codehostFact,
	codehostLook,
	type Fact,
	hostOf,
	SIGNED_OUT,
	secretTroubleWords,
	storageWords,
} from "./connection-facts.ts";

/** Icon and name of each kind of connection. */
const KINDS: Readonly<Record<ConnectionService, { readonly icon: string; readonly name: string }>> = {
	messages: { icon: "comment-discussion", name: "Messages service" },
	codehost: { icon: "account", name: "Code host" },
	petstore: { icon: "package", name: "Pet store" },
};

/** Tree with one node for each connection, and what is known of its credential below. */
export function treeOfConnections(
	shell: TreeShell,
	registry: ConnectionRegistry,
	statuses: CodehostStatuses,
	petstores: PetstoreClients,
	secrets: StoredSecrets,
	tests: ConnectionTests,
): Tree {
	function connectionRow(connection: Connection): RowParts {
		const fields = { connection: connection.id };
		return {
			key: connection.id,
			fields,
			look: lookOf(connection),
			card: () => cardOf(connection),
			children: () =>
				factsOf(connection).map(([name, fact, command]) => ({
					key: name,
					fields,
					look: factLook(name, fact, command),
					// The hover repeats the description, which is wider than many a sidebar.
					card: () => new Card().title(fact.label).text(fact.description).markdown,
				})),
		};
	}

	function lookOf(connection: Connection): RowLook {
		const { id, label, service } = connection;
		const closed = secrets.closedBy(id);
		const isOut = closed === "signed-out";
		const kept = registry.isEphemeral(id) ? "passing" : isOut ? "stored.out" : "stored";
		const failed = failureWords(connection);
		if (service === "codehost") {
			return codehostLook(connection, { status: statuses.of(id), now: systemClock.now(), failed, kept });
		}
		const { icon, name } = KINDS[service];
		const host = hostOf(connection);
		const endsAt = petstores.peek(id)?.held.token?.expiresAt ?? Number.POSITIVE_INFINITY;
		const ended = endsAt <= systemClock.now() ? "sign-in ended" : undefined;
		const trouble = isOut ? SIGNED_OUT : closed !== undefined ? `credential ${closed}` : (ended ?? failed);
		const spoken = `${label}, ${name.toLowerCase()} at ${host}`;
		return {
			label,
			description: trouble ?? host,
			// No warning after a sign-out: a store may need no credential.
			...(trouble === undefined || isOut ? { icon } : WARNING),
			spoken: trouble === undefined ? spoken : `${spoken}, ${trouble}`,
			context: `connection.${service}.${kept}`,
			opens: "closed",
		};
	}

	/** Reason why the last test failed; undefined where it did not, or all has gone well since. */
	function failureWords({ id, label }: Connection): string | undefined {
		const last = tests.failed(id);
		if (last === undefined) return undefined;
		// Behind a limit nothing was found out.
		const what = last.error?.code === "rate-limited" ? "not tested" : "test failed";
		return `${what}: ${testWords(last, label, systemClock.now())}`;
	}

	function cardOf({ id, label, service, baseUrl }: Connection): vscode.MarkdownString {
		const card = new Card().title(label).fact("Service", KINDS[service].name);
		card.fact("Address", baseUrl).fact("Name for commands", id);
		const error = service === "codehost" ? statuses.of(id).error : null;
		const failed = tests.failed(id);
		if (error !== null) {
			const { title, advice } = describeCodehostError(error, label);
			card.rule().text(`${title} ${advice}`);
		} else if (failed !== undefined) card.rule().text(testWords(failed, label, systemClock.now()));
		return card.markdown;
	}

	/** Facts of a connection, in the order in which they stand, each with its name and what Enter does. */
	function factsOf(connection: Connection): readonly (readonly [string, Fact, RowLook["command"]?])[] {
		const { id } = connection;
		const closed = closedBy(connection);
		const wayIn =
			closed === undefined
				? undefined
				: closed === "signed-out"
					? { id: "switchboard.signIn", title: "Sign In" }
					: { id: "switchboard.replaceKey", title: "Replace Key or Token" };
		const credential = (own: () => string) => {
			const description = closed === undefined ? own() : secretTroubleWords(closed);
			return ["credential", { label: "Credential", icon: "key", description }, wayIn] as const;
		};
		const web = vscode.env.uiKind === vscode.UIKind.Web;
		const storage = storageWords({ passing: registry.isEphemeral(id), access: closed, web });
		const others = [
			["storage", { label: "Storage", icon: "lock", description: storage }],
			["test", testFact(connection), { id: "switchboard.testConnection", title: "Test Connection" }],
		] as const;
		switch (connection.service) {
			case "messages": {
				const description = connection.model ?? "the one in the settings";
				const model = { label: "Model", icon: "symbol-misc", description };
				return [credential(() => `API key for ${hostOf(connection)}`), ["model", model], ...others];
			}
			case "petstore": {
				const format = { label: "Format", icon: "code", description: connection.format.toUpperCase() };
				return [credential(() => heldBy(id)), ["format", format], ...others];
			}
			case "codehost": {
				const known = { status: statuses.of(id), now: systemClock.now() };
				const isGone = closed === "signed-out" || closed === "lost";
				return [
					["credential", codehostCredential(connection, { isGone })],
					["token", codehostFact("token", connection, known), wayIn],
					["rate", codehostFact("rate", connection, known)],
					...(known.status.kind === "app" ? [["key", codehostFact("key", connection, known)] as const] : []),
					...others,
				];
			}
		}
	}

	/** Reason why a connection has no usable secret; undefined where it has one, or that is not known yet. */
	function closedBy({ id, service }: Connection): ClosedState | undefined {
		const closed = secrets.closedBy(id);
		if (closed === "signed-out" || service !== "codehost") return closed;
		const { access } = statuses.of(id);
		return access === "unused" || access === "open" ? undefined : access;
	}

	/** Credential of a pet store, known once it was opened; this opens it, and is drawn again then. */
	function heldBy(id: string): string {
		const access = petstores.peek(id);
		if (access === undefined && petstores.stateOf(id) === "unused") petstores.open(id).catch(() => undefined);
		return heldWords(access?.held, systemClock.now()) ?? "looking...";
	}

	function testFact({ id, label }: Connection): Fact {
		const fact = (icon: string, description: string) => ({ label: "Last Test", icon, description });
		const last = tests.last(id);
		if (last === undefined) return fact("pulse", "not tested in this window");
		const now = systemClock.now();
		const ago = `${msInWords(now - last.at)} ago`;
		if (!last.result.ok) return fact("error", `${testWords(last, label, now)} (${ago})`);
		const said = last.refusedWith === undefined ? "all well" : "answers, without a credential for pets";
		return fact("pass", `${said}, ${ago}`);
	}

	return new Tree(shell, {
		changes: [
			...[registry.onDidChange, registry.onDidChangeSecret, statuses.onDidChange],
			...[petstores.onDidChange, secrets.onDidChange, tests.onDidChange],
		],
		roots: () => registry.list().map(connectionRow),
		head() {
			const stored = (service: ConnectionService) => registry.stored().some((each) => each.service === service);
			return {
				contexts: {
					[CONTEXT.hasConnections]: registry.list().length > 0,
					[CONTEXT.hasCodehost]: registry.list("codehost").length > 0,
					[CONTEXT.hasPetstore]: registry.list("petstore").length > 0,
					[CONTEXT.addedMessages]: stored("messages"),
					[CONTEXT.addedCodehost]: stored("codehost"),
				},
			};
		},
		ends: () => [
			...registry.list().flatMap(({ id, service }) => {
				const last = tests.last(id);
				const tested = last?.error?.retryAfterMs === undefined ? null : last.at + last.error.retryAfterMs;
				const limited = service === "codehost" ? statuses.of(id).rate?.closedUntil : undefined;
				const signedIn = service === "petstore" ? petstores.peek(id)?.held.token?.expiresAt : undefined;
				return [tested, limited ?? null, signedIn ?? null];
			}),
			// The age of a change is shown, which goes on without an end.
			Number.POSITIVE_INFINITY,
		],
	});
}

function factLook(name: string, { label, icon, description }: Fact, command: RowLook["command"]): RowLook {
	const mark = icon === WARNING.icon ? WARNING : { icon };
	return { ...titled(label, description), ...mark, command, context: `detail.${name}` };
}

/** Reason why a test failed, in words that hold now: the rest of a rate limit's wait shrinks with time. */
function testWords({ error, at }: LastTest, label: string, now: number): string {
	const wait = error?.retryAfterMs;
	const left = error === undefined || wait === undefined ? error : withFacts(error, { retryAfterMs: at + wait - now });
	return plainLine(describeRefusal(left, label));
}
