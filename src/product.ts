import * as vscode from "vscode";
import { MessagesClient } from "#api/messages/client.ts";
import { probeMessages } from "#api/messages/probe.ts";
import { ConversationArchive } from "#app/chat/archive.ts";
import { Conversations } from "#app/chat/conversations.ts";
import type { Connection } from "#app/connections/connection.ts";
import { headersOf } from "#app/connections/profiles.ts";
import { ConnectionRegistry, type Probe } from "#app/connections/registry.ts";
import { Vault } from "#app/connections/vault.ts";
import { CONTEXT, type CommandId } from "#app/contributions.ts";
import { systemClock } from "#base/clock.ts";
import { type Disposable, DisposableStore } from "#base/disposables.ts";
import { Redactor } from "#base/redaction.ts";
import { ChosenConnection } from "#editor/chat/chosen-connection.ts";
import { ConversationFiles } from "#editor/chat/conversation-files.ts";
import { actForPanel } from "#editor/chat/panel-actions.ts";
import { ChatPanels } from "#editor/chat/panels.ts";
import { commandRunner } from "#editor/commands.ts";
import { SANDBOX_MESSAGES_ID, SandboxConnection } from "#editor/connections/sandbox-connection.ts";
import { EditorLog } from "#editor/log.ts";
import { EditorTransport } from "#editor/network.ts";
import { describeEnding, showError } from "#editor/report.ts";
import { EditorSecrets } from "#editor/secrets.ts";
import { chatParameters, patience, UserConnectionSettings } from "#editor/settings.ts";

/** What stands behind the registered commands and views. */
export interface Product extends Disposable {
	/** Does what a command does, and resolves to its result. */
	run(command: CommandId, argument: unknown): Promise<unknown>;
	readonly panels: ChatPanels;
}

/** The composition root: builds the parts and wires them. */
export function startProduct(context: vscode.ExtensionContext): Product {
	const held = new DisposableStore();
	const clock = systemClock;
	const redactor = new Redactor();
	const log = held.add(new EditorLog(redactor));
	const transport = held.add(new EditorTransport());

	const probe: Probe = (draft, key, signal) =>
		probeMessages(
			{ transport, clock, endpoint: { baseUrl: draft.baseUrl, profile: headersOf(draft.profile), key } },
			{ model: draft.model ?? chatParameters().model ?? "default", signal },
		);
	const vault = new Vault(new EditorSecrets(context.secrets), redactor, log);
	const registry = held.add(
		new ConnectionRegistry({ settings: new UserConnectionSettings(), vault, probe, clock, log }),
	);
	const chosen = new ChosenConnection(context.globalState, registry);
	const sandbox = held.add(
		new SandboxConnection(
			async () => (await import("#sandbox/environment.ts")).startSandboxFrom(process.env),
			registry,
		),
	);

	// Who talked to the sandbox before the window was reloaded goes on talking to it.
	if (chosen.id === SANDBOX_MESSAGES_ID) sandbox.connect().catch((error: unknown) => log.error(String(error)));

	const open = async (connection: Connection, key: string | undefined) =>
		new MessagesClient({
			transport,
			clock,
			patience: patience(),
			redact: (text) => redactor.redact(text),
			endpoint: { baseUrl: connection.baseUrl, profile: headersOf(connection.profile), key },
		});
	const archive = held.add(
		new ConversationArchive({
			files: new ConversationFiles(context.storageUri ?? context.globalStorageUri),
			clock,
			log,
			redact: (text) => redactor.redact(text),
		}),
	);
	const conversations = held.add(
		new Conversations(
			{
				registry,
				clock,
				log,
				open,
				defaults: chatParameters,
				chosen: () => chosen.get(),
				save: (session) => archive.save(session),
			},
			(session) => archive.follow(session),
		),
	);
	const restored = archive.restore().then((found) => conversations.restore(found));
	restored.catch((error: unknown) => log.error(String(error)));
	const report = (error: unknown) => {
		log.error(error instanceof Error ? error.message : String(error));
		void showError(error);
	};
	const panels = held.add(
		new ChatPanels({
			extensionUri: context.extensionUri,
			conversations,
			clock,
			describe: describeEnding,
			composer: () => composerOf(chosen.get()),
			act: (action, message) => actForPanel(action, message, { conversations, registry }),
			report,
			redactor,
		}),
	);

	const refresh = () => {
		panels.composerChanged();
		void vscode.commands.executeCommand("setContext", CONTEXT.hasConnections, registry.list().length > 0);
	};
	held.add(registry.onDidChange(refresh));
	held.add(chosen.onDidChange(refresh));
	held.add(
		vscode.workspace.onDidChangeConfiguration((event) => event.affectsConfiguration("switchboard") && refresh()),
	);
	refresh();

	const trySandbox = () => sandbox.connect();
	const run = commandRunner({ conversations, panels, registry, chosen, log, redactor, trySandbox });
	return { run, panels, dispose: () => held.dispose() };
}

function composerOf(connection: Connection | undefined): { connection?: string; model?: string } {
	if (connection === undefined) return {};
	const model = connection.model ?? chatParameters().model;
	return { connection: connection.label, ...(model === undefined ? {} : { model }) };
}
