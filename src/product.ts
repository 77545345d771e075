import * as vscode from "vscode";
import { RateLimits } from "#api/codehost/gate.ts";
import type { RequestNotice } from "#api/http/notice.ts";
import { petstoreLimiters } from "#api/petstore/client.ts";
import { ModelLists } from "#app/chat/model-lists.ts";
import { ModelPicks } from "#app/chat/model-picks.ts";
import { RefusedParameters } from "#app/chat/refused-parameters.ts";
import { apiKeyOf } from "#app/chat/reply-under-way.ts";
import { ToolApprovals } from "#app/chat/tool-box.ts";
import { ConnectionTests, probeOf } from "#app/checks/connection-tests.ts";
import { findEngines } from "#app/checks/local-engines.ts";
import { CodehostClients, findApi, installationsOf } from "#app/codehost/clients.ts";
import { KnownSecrets } from "#app/connections/known-secrets.ts";
import { ConnectionRegistry } from "#app/connections/registry.ts";
import { Vault } from "#app/connections/vault.ts";
import {
	CHAT_SCHEME,
	type DocumentScheme,
	type FileScheme,
	ISSUE_PAGE,
	ISSUE_SCHEME,
	PASTED_SCHEME,
	PET_CARD,
	PET_SCHEME,
	PHOTO_SCHEME,
	REQUEST_SCHEME,
	ROWS_TYPE,
	STORE_SCHEME,
	TEXT_SCHEME,
	type TreeId,
	VIEWS,
} from "#app/contributions.ts";
import { PetstoreClients } from "#app/petstore/clients.ts";
import { RequestLog } from "#app/requests/request-log.ts";
import { Budget } from "#app/usage/budget.ts";
import { Ledger } from "#app/usage/ledger.ts";
import { systemClock } from "#base/clock.ts";
import type { DisposableStore } from "#base/disposables.ts";
import { Redactor } from "#base/redaction.ts";
import { startChat } from "#editor/chat/chat.ts";
import { openChatLink, useAdded } from "#editor/chat/chat-commands.ts";
import { ChosenConnection } from "#editor/chat/chosen-connection.ts";
import { ConversationFiles } from "#editor/chat/conversation-files.ts";
import { clientOpener } from "#editor/chat/open-client.ts";
import { showStatus } from "#editor/chat/status-item.ts";
import { startAccounts } from "#editor/codehost/accounts.ts";
import { startCodehost } from "#editor/codehost/codehost.ts";
import { draggedLinks } from "#editor/codehost/issue-commands.ts";
import { showIssuePage } from "#editor/codehost/issue-pages.ts";
import { commandRunner } from "#editor/commands.ts";
import { type Added, type AddTools, addByPrompts } from "#editor/connections/ask-connection.ts";
import { addByPerson } from "#editor/connections/connection-commands.ts";
import { treeOfConnections } from "#editor/connections/connections-tree.ts";
import { tellProblems, tellReplaced } from "#editor/connections/notices.ts";
import { SANDBOX_IDS, sandboxConnector } from "#editor/connections/sandbox-connection.ts";
import { redactExits } from "#editor/kit/leaving.ts";
import { leadTo } from "#editor/kit/prompts.ts";
import type { TreeShell } from "#editor/kit/tree.ts";
import { EditorLog } from "#editor/log.ts";
import { Memory } from "#editor/memory.ts";
import { startModels } from "#editor/models/models.ts";
import { editorToolBox } from "#editor/models/tool-box.ts";
import { EditorTransport } from "#editor/network.ts";
import { dropPets } from "#editor/petstore/many-pets.ts";
import { showPetCard } from "#editor/petstore/pet-card.ts";
import { startPetstore } from "#editor/petstore/petstore-room.ts";
import { dropOnPet } from "#editor/petstore/photo-commands.ts";
import { requestDocuments } from "#editor/requests/request-documents.ts";
import { treeOfRequests } from "#editor/requests/requests-tree.ts";
import { chatParameters, defaultTools, servicePatience, setting, userConnections } from "#editor/settings.ts";
import { ShownTexts } from "#editor/shown-texts.ts";
import { usagePanel } from "#editor/usage/usage-panel.ts";
import { describeRefusal, showError } from "#editor/words/show-error.ts";

/** Event by which other windows and extensions hear that accounts have come or gone. */
export type AccountsChange = vscode.AuthenticationProviderAuthenticationSessionsChangeEvent;

/** Views registered at activation, to be filled now, and events by which the editor hears of changes. */
export interface Shells {
	readonly trees: Readonly<Record<TreeId, TreeShell>>;
	readonly documents: Readonly<Record<DocumentScheme, vscode.EventEmitter<vscode.Uri>>>;
	/** Notifies the editor that the document of a pet, a user or an order has changed. */
	readonly files: vscode.EventEmitter<vscode.FileChangeEvent[]>;
	readonly accounts: vscode.EventEmitter<AccountsChange>;
	/** Fires when there are other models to choose among. */
	readonly models: vscode.EventEmitter<void>;
}

/** File system calls of the editor; a read-only one has no `writeFile`. */
interface Files extends Pick<vscode.FileSystemProvider, "stat" | "readFile"> {
	writeFile?(uri: vscode.Uri, content: Uint8Array): Promise<void>;
}

/** Implementation behind the registered commands and views. */
export type Product = ReturnType<typeof startProduct>;

/** The composition root: builds the parts and wires them; `held` takes all that has to end with the window. */
export function startProduct(context: vscode.ExtensionContext, shells: Shells, held: DisposableStore) {
	const clock = systemClock;
	const redactor = new Redactor();
	redactExits(redactor);
	const log = held.add(new EditorLog(redactor));
	const transport = held.add(new EditorTransport());
	const report = (error: unknown) => {
		log.error(error instanceof Error ? error.message : String(error));
		void showError(error);
	};

	const requests = held.add(new RequestLog(clock, redactor));
	const requested = (notice: RequestNotice, connection: string | null) => requests.add(notice, connection);
	const common = { transport, clock, redactor, log };
	const access = { ...common, rateLimits: new RateLimits(clock), patience: servicePatience };
	const petstoreAccess = { ...common, limiters: petstoreLimiters(), patience: servicePatience };
	const probe = probeOf({
		transport,
		clock,
		codehost: access,
		petstore: petstoreAccess,
		// One that is being added is not in the list yet.
		requested: (notice, id) => requested(notice, registry.get(id) === undefined ? null : id),
	});
	const vault = new Vault(context.secrets, redactor, log);
	const registry = held.add(new ConnectionRegistry({ settings: userConnections, vault, probe, clock, log }));
	held.add(registry.onDidFindProblems((problems) => void tellProblems(problems)));

	// At once, since a person may type or attach any of them before it is used.
	const secrets = held.add(new KnownSecrets(registry, log));
	const clients = held.add(new CodehostClients({ ...access, registry, secrets }));
	const petstores = held.add(new PetstoreClients({ ...petstoreAccess, registry, secrets }));
	const memory = new Memory(context.globalState, clock);
	const workspace = new Memory(context.workspaceState, clock);
	for (const { onRequest } of [clients, petstores]) {
		held.add(onRequest(({ connection, ...notice }) => requested(notice, connection)));
	}
	const codehost = startCodehost(
		{
			clients,
			store: memory,
			workspace,
			issuesChanged: shells.documents[ISSUE_SCHEME],
			shells: { repositories: shells.trees[VIEWS.repositories], issues: shells.trees[VIEWS.issues] },
			addCodehost: async () => (await addByPrompts(adding, "codehost"))?.id,
			revealConnection: (id) => trees[VIEWS.connections].revealAt(id),
		},
		held,
	);
	const { repositories, statuses } = codehost;
	const tests = held.add(new ConnectionTests({ registry, clients, repositories, requests, clock }));
	const requestView = treeOfRequests(shells.trees[VIEWS.requests], registry, requests);
	const labelOf = (id: string | null) => (id === null ? "" : registry.labelOf(id));
	const requestText = requestDocuments(requests, redactor, labelOf, shells.documents[REQUEST_SCHEME], held);

	const texts = new ShownTexts();
	const petstore = startPetstore(
		{
			clients: petstores,
			texts,
			store: memory,
			extensionUri: context.extensionUri,
			shells: { pets: shells.trees[VIEWS.pets], store: shells.trees[VIEWS.store] },
			filesChanged: shells.files,
			fetching: (connection) => ({ transport, clock, onRequest: (notice) => requested(notice, connection) }),
		},
		held,
	);

	const chosen = held.add(new ChosenConnection(memory, registry, clock));
	held.add(chosen.onDidReplace(({ gone, now }) => tellReplaced(gone, now)));
	const connectSandbox = sandboxConnector(
		async (own) => (await import("#sandbox/environment.ts")).startSandboxFrom(process.env, own),
		registry,
		repositories,
		petstore.known,
		held,
	);
	// A conversation with the sandbox continues after the window was reloaded.
	if (chosen.id === SANDBOX_IDS.messages) connectSandbox().catch((error: unknown) => log.error(String(error)));

	const adding: AddTools = {
		registry,
		async trySandbox() {
			const ids = await connectSandbox();
			await chosen.choose(ids.messages);
			return ids;
		},
		findInstallations: (draft, options) =>
			installationsOf(access, draft, { ...options, onRequest: (notice) => requested(notice, null) }),
		findApi: (draft, signal) => findApi(access, draft, signal),
		findEngines: () => findEngines({ transport, clock }),
	};
	const added = (each: Added) => useAdded(each, chat);
	const addConnection = () => addByPerson({ ...adding, added }, "messages");

	const open = clientOpener(transport, clock, redactor, (notice, id) => requests.add(notice, id));
	const asking = { registry, clock, log, open, defaults: chatParameters, refused: new RefusedParameters(memory) };
	const prices = () => setting("switchboard.chat.prices");
	const models = held.add(new ModelLists({ ...asking, picks: new ModelPicks(memory), prices }));
	held.add(models.onDidChange(() => shells.models.fire()));
	const storage = context.globalStorageUri.fsPath;
	const ledger = held.add(new Ledger(new ConversationFiles(storage, "usage"), clock));
	held.add(ledger.onDidFail((sentence) => report(new Error(sentence))));
	const showUsage = { label: "Show Usage", command: "switchboard.usage.show" };
	const warn = (sentence: string) => leadTo(sentence, showUsage);
	const budget = new Budget({ ledger, prices: models, store: memory, clock, warn });
	const known = { registry, redactor, secrets };
	const toolRooms = {
		...known,
		repositories,
		statuses,
		codehosts: clients,
		pets: petstore.service,
		listedPets: (connection: string) => petstore.pets.of(connection).pets,
		describe: describeRefusal,
	};
	const chat = startChat(
		{
			...known,
			chosen,
			clock,
			log,
			open,
			models,
			budget,
			report,
			addConnection,
			texts,
			tools: editorToolBox(toolRooms, vscode, defaultTools),
			approvals: new ToolApprovals(memory),
			extensionUri: context.extensionUri,
			folder: storage,
			memory: workspace,
			sources: { issues: codehost, petstore },
			documentsChanged: shells.documents[CHAT_SCHEME],
		},
		held,
	);
	const { conversations, panels } = chat;

	const trees = {
		[VIEWS.repositories]: codehost.repositoriesTree,
		[VIEWS.issues]: codehost.issuesTree,
		[VIEWS.pets]: petstore.petsTree,
		[VIEWS.store]: petstore.storeTree,
		[VIEWS.connections]: held.add(
			treeOfConnections(shells.trees[VIEWS.connections], registry, statuses, petstores, secrets, tests, models, budget),
		),
		[VIEWS.requests]: held.add(requestView.tree),
	};
	showStatus(statuses, conversations, panels, clock, held);

	const accountOptions = {
		changed: shells.accounts,
		addToken: async () => (await addByPrompts(adding, "codehost", { tokensOnly: true }))?.id,
		report,
	};
	const accounts = startAccounts(registry, memory, accountOptions, held);

	const refresh = () => panels.composerChanged();
	held.add(registry.onDidChange(refresh));
	held.add(chosen.onDidChange(refresh));
	held.add(repositories.onDidChange(refresh));
	held.add(
		vscode.workspace.onDidChangeConfiguration((event) => {
			if (event.affectsConfiguration("switchboard.chat")) models.changed();
			if (event.affectsConfiguration("switchboard")) refresh();
		}),
	);
	held.add(models.onDidLearn(refresh));
	refresh();

	let dragged: readonly object[] = [];
	const run = commandRunner({
		trees,
		chat,
		connections: {
			...adding,
			tests,
			log,
			tree: trees[VIEWS.connections],
			added,
			extensionId: context.extension.id,
			userFolder: vscode.Uri.joinPath(context.globalStorageUri, "../..").fsPath,
			showSandbox: async () => {
				// Those of services without a connection begin collapsed, and the focus opens them.
				for (const view of [VIEWS.pets, VIEWS.issues, VIEWS.repositories]) {
					await vscode.commands.executeCommand(`${view}.focus`);
				}
				await panels.reveal();
			},
		},
		codehost,
		petstore,
		requests: {
			registry,
			log: requests,
			...requestView,
			clients: {
				codehost: clients,
				petstore: petstores,
				messages: {
					async open(id) {
						const connection = registry.require(id, "messages");
						return { client: await open(connection, await apiKeyOf(connection, registry)) };
					},
				},
			},
			written: petstore.pets.refreshSoon.bind(petstore.pets),
		},
		usage: usagePanel(ledger, budget, registry, clock, context.extensionUri, held),
		redactor,
	});
	const files: Readonly<Record<FileScheme, Files>> = {
		[PET_SCHEME]: petstore.documents,
		[STORE_SCHEME]: petstore.documents,
		[PHOTO_SCHEME]: petstore.photos,
		[PASTED_SCHEME]: chat.pasted,
	};
	return {
		run,
		panels,
		accounts,
		files,
		/** Gives the text of a document. */
		documents: {
			[ISSUE_SCHEME]: (uri: vscode.Uri) => codehost.documents.text(uri),
			[REQUEST_SCHEME]: requestText,
			[CHAT_SCHEME]: (uri: vscode.Uri) => chat.textOf(uri),
			[TEXT_SCHEME]: (uri: vscode.Uri) => texts.text(uri),
		},
		/** Handles a drop on a row of the Pets view; errors are reported. */
		dropOnPet: async (row: object | undefined, dropped: vscode.DataTransfer) => {
			const isRows = dropped.get(ROWS_TYPE) !== undefined;
			await (isRows ? dropPets(row, dragged, petstore) : dropOnPet(row, dropped, petstore)).catch(report);
		},
		models: startModels({ ...chat.parts, models, addConnection, toolRooms }),
		/** Shows the page of an address in an editor. */
		pages: {
			[PET_CARD]: (uri: vscode.Uri, panel: vscode.WebviewPanel) => showPetCard(uri, panel, petstore),
			[ISSUE_PAGE]: (uri: vscode.Uri, panel: vscode.WebviewPanel) =>
				showIssuePage(uri, panel, codehost, context.extensionUri),
		},
		/** Follows a link to us. */
		handleUri: (uri: vscode.Uri) => openChatLink(uri, chat).catch(report),
		/** Keeps dragged rows; resolves to the text that an editor takes, empty for none. */
		dragged(rows: readonly object[]): Promise<string> {
			dragged = rows;
			chat.attachments.dragged(rows);
			return draggedLinks(rows, codehost);
		},
		trees,
		/** Resolves when all that happened so far is on the disk. */
		flush: () => chat.store.flush(),
	};
}
