import * as vscode from "vscode";
import { Traffic } from "#api/codehost/traffic.ts";
import type { RequestNotice } from "#api/http/notice.ts";
import { petstoreLanes } from "#api/petstore/client.ts";
import { ModelLists } from "#app/chat/model-lists.ts";
import { RefusedParameters } from "#app/chat/refused-parameters.ts";
import { CodehostClients } from "#app/codehost/clients.ts";
import { installationsOf } from "#app/codehost/probe.ts";
import type { ConnectionService } from "#app/connections/connection.ts";
import { ConnectionTests } from "#app/connections/connection-tests.ts";
import { isWholeSecret } from "#app/connections/credential-identity.ts";
import { probeOf } from "#app/connections/probe.ts";
import { ConnectionRegistry } from "#app/connections/registry.ts";
import { StoredSecrets } from "#app/connections/stored-secrets.ts";
import { type Held, Vault } from "#app/connections/vault.ts";
import { CONTEXT, REQUEST_SCHEME, type TreeId, VIEWS } from "#app/contributions.ts";
import { PetstoreClients } from "#app/petstore/clients.ts";
import { RequestLog } from "#app/requests/request-log.ts";
import { systemClock } from "#base/clock.ts";
import type { DisposableStore } from "#base/disposables.ts";
import { Redactor } from "#base/redaction.ts";
import { ACCESSIBILITY_HELP } from "#editor/chat/accessibility-help.ts";
import { startChat } from "#editor/chat/chat.ts";
import type { ChatDocuments } from "#editor/chat/chat-documents.ts";
import { ChosenConnection } from "#editor/chat/chosen-connection.ts";
import { clientOpener } from "#editor/chat/open-client.ts";
import type { ChatPanels } from "#editor/chat/panels.ts";
import { Accounts } from "#editor/codehost/accounts.ts";
import { startCodehost } from "#editor/codehost/codehost.ts";
import type { IssueDocuments } from "#editor/codehost/issue-documents.ts";
import { commandRunner, type RunCommand } from "#editor/commands.ts";
import { type Added, type AddParts, addByPrompts } from "#editor/connections/add-connection.ts";
import { ConnectionsTree } from "#editor/connections/connections-tree.ts";
import { tellProblems, tellReplaced } from "#editor/connections/notices.ts";
import { SANDBOX_IDS, SandboxConnection } from "#editor/connections/sandbox-connection.ts";
import type { Tree, TreeShell } from "#editor/kit/tree.ts";
import { EditorLog } from "#editor/log.ts";
import { Memory } from "#editor/memory.ts";
import { type ModelsRoom, startModels } from "#editor/models/models.ts";
import { EditorTransport } from "#editor/network.ts";
import { startPets } from "#editor/petstore/pet-room.ts";
import { dropOnPet } from "#editor/petstore/photo-commands.ts";
import type { PhotoFiles } from "#editor/petstore/photo-files.ts";
import type { RemoteFiles } from "#editor/petstore/remote-files.ts";
import { startStore } from "#editor/petstore/store-room.ts";
import { describeRefusal, showError } from "#editor/report.ts";
import { RequestDocuments } from "#editor/requests/request-documents.ts";
import { RequestsTree } from "#editor/requests/requests-tree.ts";
import { EditorSecrets } from "#editor/secrets.ts";
import { chatParameters, servicePatience, UserConnectionSettings } from "#editor/settings.ts";
import { ShownTexts } from "#editor/shown-texts.ts";
import { StatusItem } from "#editor/status-item.ts";

/** How other windows and extensions hear that accounts have come or gone. */
export type AccountsChange = vscode.AuthenticationProviderAuthenticationSessionsChangeEvent;

/** What was registered at activation and is filled now. */
export interface Shells {
	readonly trees: Readonly<Record<TreeId, TreeShell>>;
	readonly accountsChanged: vscode.EventEmitter<AccountsChange>;
	/** How the editor hears that the text of an issue's document has become another. */
	readonly issuesChanged: vscode.EventEmitter<vscode.Uri>;
	/** How the editor hears that the document of a pet has become another. */
	readonly petsChanged: vscode.EventEmitter<vscode.FileChangeEvent[]>;
	/** The same of the documents of a pet store. */
	readonly storeFilesChanged: vscode.EventEmitter<vscode.FileChangeEvent[]>;
	/** The same for the documents of requests. */
	readonly requestsChanged: vscode.EventEmitter<vscode.Uri>;
	/** How the editor hears that there are other models to choose among. */
	readonly modelsChanged: vscode.EventEmitter<void>;
	/** The same for the documents of the chat. */
	readonly chatChanged: vscode.EventEmitter<vscode.Uri>;
}

/** What stands behind the registered commands and views. */
export interface Product {
	/** Does what a command does, and resolves to its result. */
	readonly run: RunCommand;
	readonly panels: ChatPanels;
	readonly trees: Readonly<Record<TreeId, Tree>>;
	readonly accounts: Accounts;
	readonly issueDocuments: IssueDocuments<vscode.Uri>;
	readonly petFiles: RemoteFiles;
	readonly storeFiles: RemoteFiles;
	/** The photos of pets that are shown. */
	readonly photos: PhotoFiles;
	/** The texts that were made once. */
	readonly texts: ShownTexts;
	/** Takes what was dropped on a row of the Pets view; what goes wrong is told. */
	dropOnPet(row: object | undefined, dropped: vscode.DataTransfer): Promise<void>;
	readonly requestDocuments: RequestDocuments<vscode.Uri>;
	/** What the editor's own Chat and other extensions can use. */
	readonly models: ModelsRoom;
	readonly chatDocuments: ChatDocuments;
	/** Rows of a tree are being dragged. */
	dragged(rows: readonly object[]): void;
	/** The text of the document that helps with the chat. */
	readonly help: string;
	/** Resolves when all that happened so far is on the disk. */
	flush(): Promise<void>;
}

/** The composition root: builds the parts and wires them; `held` takes all that has to end with the window. */
export function startProduct(context: vscode.ExtensionContext, shells: Shells, held: DisposableStore): Product {
	const clock = systemClock;
	const redactor = new Redactor();
	const log = held.add(new EditorLog(redactor));
	const transport = held.add(new EditorTransport());
	const report = (error: unknown) => {
		log.error(error instanceof Error ? error.message : String(error));
		void showError(error);
	};

	const requests = held.add(new RequestLog(clock, redactor));
	const common = { transport, clock, redactor, log };
	const access = { ...common, traffic: new Traffic(clock), patience: servicePatience };
	const petstoreAccess = { ...common, lanes: petstoreLanes(), patience: servicePatience };
	const probe = probeOf({
		...{ transport, clock, codehost: access, petstore: petstoreAccess },
		model: () => chatParameters().model,
		// One that is being added is not in the list yet.
		requested: (notice, id) => requests.add(notice, registry.get(id) === undefined ? null : id),
	});
	const vault = new Vault(new EditorSecrets(context.secrets), redactor, log, isWholeSecret);
	const registry = held.add(
		new ConnectionRegistry({ settings: new UserConnectionSettings(), vault, probe, clock, log }),
	);
	held.add(registry.onDidFindProblems((problems) => void tellProblems(problems)));

	const clients = held.add(new CodehostClients({ ...access, registry }));
	const petstores = held.add(new PetstoreClients({ ...petstoreAccess, registry }));
	// At once, since a person may type or attach any of them before it is used.
	const memory = new Memory(context.globalState, clock);
	const workspace = new Memory(context.workspaceState, clock);
	const onRead = (id: string, read: Held) => clients.take(id, read);
	const secrets = held.add(new StoredSecrets({ registry, redactor, log, onRead }));
	held.add(clients.onRequest(({ connection, ...notice }) => requests.add(notice, connection)));
	held.add(petstores.onRequest(({ connection, ...notice }) => requests.add(notice, connection)));
	const codehost = startCodehost(
		{
			...{ clients, store: memory, workspace, issuesChanged: shells.issuesChanged },
			shells: { repositories: shells.trees[VIEWS.repositories], issues: shells.trees[VIEWS.issues] },
			addCodehost: async () => (await addByPrompts(adding, { service: "codehost" }))?.id,
			revealConnection: (id) => trees[VIEWS.connections].reveal(id),
		},
		held,
	);
	const { repositories, statuses } = codehost;
	const tests = held.add(new ConnectionTests({ registry, clients, repositories, requests, clock }));
	const requestDocuments = held.add(
		new RequestDocuments({
			log: requests,
			labelOf: (id) => (id === null ? "" : (registry.get(id)?.label ?? id)),
			changed: shells.requestsChanged,
		}),
	);
	held.add(
		vscode.workspace.onDidCloseTextDocument(({ uri }) => {
			if (uri.scheme === REQUEST_SCHEME) requestDocuments.forget(uri);
		}),
	);

	const texts = new ShownTexts();
	const pets = startPets(
		{
			...{ clients: petstores, texts },
			...{ shell: shells.trees[VIEWS.pets], filesChanged: shells.petsChanged },
			fetching: (connection: string) => ({
				transport,
				clock,
				onRequest: (notice: RequestNotice) => requests.add(notice, connection),
			}),
		},
		held,
	);
	const store = startStore(
		{
			...{ clients: petstores, store: memory },
			...{ shell: shells.trees[VIEWS.store], extensionUri: context.extensionUri },
			filesChanged: shells.storeFilesChanged,
		},
		held,
	);

	const chosen = held.add(new ChosenConnection(memory, registry, clock));
	held.add(chosen.onDidReplace(({ gone, now }) => void tellReplaced(gone, now)));
	const sandbox = held.add(
		new SandboxConnection(async () => (await import("#sandbox/environment.ts")).startSandboxFrom(process.env), {
			registry,
			repositories,
			users: store.known,
		}),
	);
	// Who talked to the sandbox before the window was reloaded goes on talking to it.
	if (chosen.id === SANDBOX_IDS.messages) sandbox.connect().catch((error: unknown) => log.error(String(error)));

	const requested = (notice: RequestNotice, connection: string) => requests.add(notice, connection);
	const open = clientOpener(transport, clock, redactor, requested);
	const asking = { registry, open, defaults: chatParameters, refused: new RefusedParameters(memory) };
	const models = held.add(new ModelLists(asking, clock, log));
	held.add(models.onDidChange(() => shells.modelsChanged.fire()));
	const chat = startChat(
		{
			...{ registry, chosen, clock, log, redactor, secrets, open, models, report },
			...{
				extensionUri: context.extensionUri,
				folder: context.globalStorageUri.fsPath,
				memory: workspace,
			},
			sources: {
				issues: codehost,
				pets,
				store,
			},
			documentsChanged: shells.chatChanged,
		},
		held,
	);
	const { conversations, panels } = chat;

	const trees = {
		[VIEWS.repositories]: codehost.repositoriesTree,
		[VIEWS.issues]: codehost.issuesTree,
		[VIEWS.connections]: held.add(
			new ConnectionsTree(shells.trees[VIEWS.connections], { registry, statuses, petstores, secrets, tests, clock }),
		),
		[VIEWS.requests]: held.add(new RequestsTree(shells.trees[VIEWS.requests], registry, requests)),
	};
	held.add(new StatusItem(statuses, conversations, clock));

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
		new Accounts(registry, memory, {
			changed: shells.accountsChanged,
			addToken: async () => (await addByPrompts(adding, { service: "codehost", tokensOnly: true }))?.id,
			report,
		}),
	);

	const refresh = () => {
		panels.composerChanged();
		const connections = registry.list();
		const own = registry.stored();
		const has = (wanted: ConnectionService, among = connections) => among.some(({ service }) => service === wanted);
		const contexts = {
			[CONTEXT.hasConnections]: connections.length > 0,
			[CONTEXT.hasCodehost]: has("codehost"),
			[CONTEXT.hasPetstore]: has("petstore"),
			[CONTEXT.addedMessages]: has("messages", own),
			[CONTEXT.addedCodehost]: has("codehost", own),
		};
		for (const [key, value] of Object.entries(contexts)) {
			void vscode.commands.executeCommand("setContext", key, value);
		}
	};
	held.add(registry.onDidChange(refresh));
	held.add(chosen.onDidChange(refresh));
	held.add(
		vscode.workspace.onDidChangeConfiguration((event) => {
			if (event.affectsConfiguration("switchboard.chat")) models.changed();
			if (event.affectsConfiguration("switchboard")) refresh();
		}),
	);
	refresh();

	const connectionParts = {
		...adding,
		trySandbox,
		tests,
		tree: trees[VIEWS.connections],
		added: (added: Added) => chosen.added(added),
		showSandbox: async () => {
			await vscode.commands.executeCommand(`${VIEWS.repositories}.focus`);
			await panels.reveal();
		},
	};
	const addConnection = () => addByPrompts(adding, { service: "messages" });
	const run = commandRunner({
		chat: { ...chat, registry, chosen, models, addConnection, clock, redactor },
		context: chat.context,
		connections: connectionParts,
		codehost,
		store,
		pets,
		requests: { registry, log: requests, tree: trees[VIEWS.requests] },
		log,
		redactor,
	});
	return {
		run,
		panels,
		accounts,
		issueDocuments: codehost.documents,
		petFiles: pets.documents.files,
		storeFiles: store.documents.files,
		photos: pets.photos,
		texts,
		dropOnPet: async (row, dropped) => {
			await dropOnPet(row, dropped, pets).catch(report);
		},
		requestDocuments,
		models: startModels({
			...{ ...asking, models, addConnection, secretFilter: chat.secretFilter, chosen: () => chosen.get() },
			tools: {
				registry,
				codehosts: clients,
				petstores,
				repositories,
				redactor,
				describe: describeRefusal,
			},
		}),
		chatDocuments: chat.context.documents,
		dragged: (rows) => chat.context.attachments.dragged(rows),
		trees: {
			[VIEWS.repositories]: trees[VIEWS.repositories].tree,
			[VIEWS.issues]: trees[VIEWS.issues].tree,
			[VIEWS.pets]: pets.tree.tree,
			[VIEWS.store]: store.tree.tree,
			[VIEWS.connections]: trees[VIEWS.connections].tree,
			[VIEWS.requests]: trees[VIEWS.requests].tree,
		},
		help: ACCESSIBILITY_HELP,
		flush: () => chat.store.flush(),
	};
}
