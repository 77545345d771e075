import * as vscode from "vscode";
import { Traffic } from "#api/codehost/traffic.ts";
import type { RequestNotice } from "#api/http/notice.ts";
import { MessagesClient } from "#api/messages/client.ts";
import { probeMessages } from "#api/messages/probe.ts";
import { petstoreLanes } from "#api/petstore/client.ts";
import { ConversationArchive } from "#app/chat/archive.ts";
import { Conversations } from "#app/chat/conversations.ts";
import { CodehostClients } from "#app/codehost/clients.ts";
import { IssueLists } from "#app/codehost/issue-lists.ts";
import { installationsOf, probeCodehost } from "#app/codehost/probe.ts";
import { Repositories } from "#app/codehost/repositories.ts";
import { CodehostStatuses } from "#app/codehost/status.ts";
import type { ConnectionService, MessagesConnection } from "#app/connections/connection.ts";
import { headersOf } from "#app/connections/messages-profiles.ts";
import { ConnectionRegistry, type Probe } from "#app/connections/registry.ts";
import { Vault } from "#app/connections/vault.ts";
import { CONTEXT, type CommandId, type TreeId, VIEWS } from "#app/contributions.ts";
import { PetstoreClients } from "#app/petstore/clients.ts";
import { probePetstore } from "#app/petstore/probe.ts";
import { RequestLog } from "#app/requests/request-log.ts";
import { systemClock } from "#base/clock.ts";
import { type Disposable, DisposableStore } from "#base/disposables.ts";
import { Redactor } from "#base/redaction.ts";
import { ChosenConnection } from "#editor/chat/chosen-connection.ts";
import { ConversationFiles } from "#editor/chat/conversation-files.ts";
import { actForPanel } from "#editor/chat/panel-actions.ts";
import { ChatPanels } from "#editor/chat/panels.ts";
import { Accounts } from "#editor/codehost/accounts.ts";
import { BackgroundRefresh } from "#editor/codehost/background-refresh.ts";
import { IssueDocuments } from "#editor/codehost/issue-documents.ts";
import { IssuesTree } from "#editor/codehost/issues-tree.ts";
import { RepositoriesTree } from "#editor/codehost/repositories-tree.ts";
import { focusRepositories } from "#editor/codehost/repository-commands.ts";
import { StatusItem } from "#editor/codehost/status-item.ts";
import { WaitLine } from "#editor/codehost/wait-line.ts";
import { commandRunner } from "#editor/commands.ts";
import { type AddParts, addByPrompts } from "#editor/connections/add-connection.ts";
import { ConnectionsTree } from "#editor/connections/connections-tree.ts";
import { tellProblems, tellReplaced } from "#editor/connections/notices.ts";
import { SANDBOX_IDS, SandboxConnection } from "#editor/connections/sandbox-connection.ts";
import { ConnectionTests } from "#editor/connections/test-connections.ts";
import { EditorLog } from "#editor/log.ts";
import { Memory } from "#editor/memory.ts";
import { EditorTransport } from "#editor/network.ts";
import { describeEnding, showError } from "#editor/report.ts";
import { RequestsTree } from "#editor/requests/requests-tree.ts";
import { EditorSecrets } from "#editor/secrets.ts";
import {
	chatParameters,
	codehostPatience,
	patience,
	petstorePatience,
	UserConnectionSettings,
} from "#editor/settings.ts";
import type { Tree, TreeShell } from "#editor/tree.ts";

/** How other windows and extensions hear that accounts have come or gone. */
export type AccountsChange = vscode.AuthenticationProviderAuthenticationSessionsChangeEvent;

/** What was registered at activation and is filled now. */
export interface Shells {
	readonly trees: Readonly<Record<TreeId, TreeShell>>;
	readonly accountsChanged: vscode.EventEmitter<AccountsChange>;
	/** How the editor hears that the text of an issue's document has become another. */
	readonly issuesChanged: vscode.EventEmitter<vscode.Uri>;
}

/** What stands behind the registered commands and views. */
export interface Product extends Disposable {
	/** Does what a command does, and resolves to its result. */
	run(command: CommandId, argument: unknown): Promise<unknown>;
	readonly panels: ChatPanels;
	readonly trees: Readonly<Record<TreeId, Tree>>;
	readonly accounts: Accounts;
	readonly issueDocuments: IssueDocuments<vscode.Uri>;
	/** Resolves when all that happened so far is on the disk. */
	flush(): Promise<void>;
}

/** The composition root: builds the parts and wires them. */
export function startProduct(context: vscode.ExtensionContext, shells: Shells): Product {
	const held = new DisposableStore();
	const clock = systemClock;
	const redactor = new Redactor();
	const log = held.add(new EditorLog(redactor));
	const transport = held.add(new EditorTransport());
	const report = (error: unknown) => {
		log.error(error instanceof Error ? error.message : String(error));
		void showError(error);
	};

	const requests = held.add(new RequestLog({ clock, redactor }));
	const common = { transport, clock, redactor, log };
	const access = { ...common, traffic: new Traffic(clock), patience: codehostPatience };
	const petstoreAccess = { ...common, lanes: petstoreLanes(), patience: petstorePatience };
	const probe: Probe = async (connection, secret, signal) => {
		const { id } = connection;
		// One that is being added is not in the list yet.
		const onRequest = (notice: RequestNotice) => requests.add(notice, registry.get(id) === undefined ? null : id);
		switch (connection.service) {
			case "codehost":
				return probeCodehost(access, connection, { secret, signal, onRequest });
			case "petstore":
				return probePetstore(petstoreAccess, connection, { secret, signal, onRequest });
			case "messages": {
				const endpoint = { baseUrl: connection.baseUrl, profile: headersOf(connection.profile), key: secret };
				const model = connection.model ?? chatParameters().model ?? "default";
				return probeMessages({ transport, clock, endpoint, observer: { onRequest } }, { model, signal });
			}
		}
	};
	const vault = new Vault(new EditorSecrets(context.secrets), redactor, log);
	const registry = held.add(
		new ConnectionRegistry({ settings: new UserConnectionSettings(), vault, probe, clock, log }),
	);
	held.add(registry.onDidFindProblems((problems) => void tellProblems(problems)));

	const clients = held.add(new CodehostClients({ ...access, registry }));
	const petstores = held.add(new PetstoreClients({ ...petstoreAccess, registry }));
	held.add(clients.onRequest(({ connection, ...notice }) => requests.add(notice, connection)));
	held.add(petstores.onRequest(({ connection, ...notice }) => requests.add(notice, connection)));
	const repositories = held.add(new Repositories({ store: new Memory(context.globalState), registry, clients }));
	const lists = held.add(new IssueLists({ registry, clients, repositories }));
	const statuses = held.add(new CodehostStatuses({ registry, clients, clock }));
	const tests = held.add(new ConnectionTests({ registry, clients, repositories, clock }));
	const issueDocuments = held.add(new IssueDocuments({ lists, repositories, changed: shells.issuesChanged }));
	held.add(vscode.workspace.onDidCloseTextDocument(({ uri }) => issueDocuments.forget(uri)));

	const chosen = held.add(new ChosenConnection({ memento: context.globalState, registry, clock }));
	held.add(chosen.onDidReplace(({ gone, now }) => void tellReplaced(gone, now)));
	const sandbox = held.add(
		new SandboxConnection(async () => (await import("#sandbox/environment.ts")).startSandboxFrom(process.env), {
			registry,
			repositories,
		}),
	);
	// Who talked to the sandbox before the window was reloaded goes on talking to it.
	if (chosen.id === SANDBOX_IDS.messages) sandbox.connect().catch((error: unknown) => log.error(String(error)));

	const open = async (connection: MessagesConnection, key: string | undefined) =>
		new MessagesClient({
			transport,
			clock,
			patience: patience(),
			redact: (text) => redactor.redact(text),
			observer: { onRequest: (notice) => requests.add(notice, connection.id) },
			endpoint: { baseUrl: connection.baseUrl, profile: headersOf(connection.profile), key },
		});
	const archive = held.add(
		new ConversationArchive({
			files: new ConversationFiles((context.storageUri ?? context.globalStorageUri).fsPath),
			clock,
			log,
			redact: (value) => redactor.redactAll(value),
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

	const trees = {
		[VIEWS.repositories]: held.add(
			new RepositoriesTree({ shell: shells.trees[VIEWS.repositories], registry, repositories, lists, statuses }),
		),
		[VIEWS.issues]: held.add(
			new IssuesTree({ shell: shells.trees[VIEWS.issues], registry, repositories, lists, clock }),
		),
		[VIEWS.connections]: held.add(
			new ConnectionsTree({ shell: shells.trees[VIEWS.connections], registry, statuses, petstores, tests, clock }),
		),
		[VIEWS.requests]: held.add(
			new RequestsTree({ shell: shells.trees[VIEWS.requests], registry, log: requests, clock }),
		),
	};
	const showWait = (line: string | undefined) => {
		// An empty message takes the line away.
		shells.trees[VIEWS.issues].view.message = line ?? "";
	};
	held.add(new WaitLine({ statuses, repositories, lists, clock, show: showWait }));
	held.add(new StatusItem(statuses, clock));
	held.add(new BackgroundRefresh({ lists, repositories, statuses, clock }));

	const trySandbox = async () => {
		const ids = await sandbox.connect();
		await chosen.choose(ids.messages);
		return ids;
	};
	const adding: AddParts = {
		registry,
		trySandbox,
		findInstallations: (draft, options) =>
			installationsOf(access, draft, { ...options, onRequest: (notice) => requests.add(notice, null) }),
	};
	const accounts = held.add(
		new Accounts({
			registry,
			changed: shells.accountsChanged,
			addToken: async () => (await addByPrompts(adding, { service: "codehost", tokensOnly: true }))?.id,
			report,
		}),
	);

	const refresh = () => {
		panels.composerChanged();
		const connections = registry.list();
		const has = (wanted: ConnectionService) => connections.some(({ service }) => service === wanted);
		void vscode.commands.executeCommand("setContext", CONTEXT.hasConnections, connections.length > 0);
		void vscode.commands.executeCommand("setContext", CONTEXT.hasCodehost, has("codehost"));
		void vscode.commands.executeCommand("setContext", CONTEXT.hasPetstore, has("petstore"));
	};
	held.add(registry.onDidChange(refresh));
	held.add(chosen.onDidChange(refresh));
	held.add(
		vscode.workspace.onDidChangeConfiguration((event) => event.affectsConfiguration("switchboard") && refresh()),
	);
	refresh();

	const connectionParts = {
		...adding,
		trySandbox,
		tests,
		tree: trees[VIEWS.connections],
		added: async (id: string) => {
			if (registry.get(id, "messages") !== undefined) await chosen.choose(id);
		},
		showSandbox: async () => {
			await focusRepositories();
			await panels.reveal();
		},
	};
	const addConnection = () => addByPrompts(adding, { service: "messages" });
	const run = commandRunner({
		chat: { conversations, panels, registry, chosen, addConnection },
		connections: connectionParts,
		codehost: {
			registry,
			clients,
			repositories,
			statuses,
			addCodehost: async () => (await addByPrompts(adding, { service: "codehost" }))?.id,
			revealConnection: (id) => trees[VIEWS.connections].reveal(id),
		},
		issues: {
			registry,
			repositories,
			lists,
			documents: issueDocuments,
			tree: trees[VIEWS.issues],
			draft: async (text) => {
				await panels.draft(text);
				return conversations.active.id;
			},
		},
		petstore: { registry, clients: petstores },
		requests: { registry, log: requests, tree: trees[VIEWS.requests] },
		log,
		redactor,
		refreshRepositories: () => trees[VIEWS.repositories].tree.refresh(),
	});
	return {
		run,
		panels,
		accounts,
		issueDocuments,
		trees: {
			[VIEWS.repositories]: trees[VIEWS.repositories].tree,
			[VIEWS.issues]: trees[VIEWS.issues].tree,
			[VIEWS.connections]: trees[VIEWS.connections].tree,
			[VIEWS.requests]: trees[VIEWS.requests].tree,
		},
		flush: () => archive.flush(),
		dispose: () => held.dispose(),
	};
}

function composerOf(connection: MessagesConnection | undefined): { connection?: string; model?: string } {
	if (connection === undefined) return {};
	const model = connection.model ?? chatParameters().model;
	return { connection: connection.label, ...(model === undefined ? {} : { model }) };
}
