import { COMMANDS, type CommandId } from "#app/contributions.ts";

/** Forms of a command's argument and of its result, as the reference writes them; `?` marks what may be left out. */
export interface CommandShapes {
	readonly takes: readonly string[];
	/** Empty where the guide to automation shows the result by an example. */
	readonly gives: readonly string[];
}

/** Argument and result of each command: the reference is written from them, and tests hold the commands to them. */
export const COMMAND_SHAPES: Readonly<Record<CommandId, CommandShapes>> = {
	[COMMANDS.addConnection]: {
		takes: [
			'{service: "messages", label, baseUrl, profile?, key?, model?}',
			'{service: "codehost", label, baseUrl, profile?, token, expiresAt?}',
			'{service: "codehost", label, baseUrl, profile?, appId, privateKey, passphrase?, installationId?}',
			'{service: "petstore", label, baseUrl, profile?, apiKey?, token?, format?}',
		],
		gives: ["{id, login?}"],
	},
	[COMMANDS.editConnection]: {
		takes: [
			"{connection, label?, baseUrl?, profile?, format?, model?, expiresAt?, installationId?, key?, apiKey?, token?, privateKey?, passphrase?}",
		],
		gives: ["{id}"],
	},
	[COMMANDS.removeConnection]: { takes: ["{connection}"], gives: ["{removed}"] },
	[COMMANDS.replaceKey]: {
		takes: [
			"{connection, key}",
			"{connection, token, expiresAt?}",
			"{connection, privateKey, passphrase?}",
			"{connection, apiKey?, token?}",
		],
		gives: ["{id}"],
	},
	[COMMANDS.signIn]: {
		takes: [
			"{connection, key}",
			"{connection, token, expiresAt?}",
			"{connection, privateKey, passphrase?}",
			"{connection, apiKey?, token?}",
		],
		gives: ["{id}"],
	},
	[COMMANDS.signOut]: { takes: ["{connection}"], gives: ["{signedOut}"] },
	[COMMANDS.testConnection]: { takes: ["{connection}"], gives: ["{ok, ms, status?, error?, steps?}"] },
	[COMMANDS.testAllConnections]: { takes: ["{}"], gives: ["{results}"] },
	[COMMANDS.showConnection]: { takes: ["{connection}"], gives: ["{connection}"] },
	[COMMANDS.trySandbox]: { takes: ["{}"], gives: ["{connections: {messages, codehost, codehostApp, petstore}}"] },
	[COMMANDS.getStarted]: { takes: ["{}"], gives: ["{}"] },
	[COMMANDS.showLog]: { takes: ["{}"], gives: ["{}"] },
	[COMMANDS.codehostAddConnection]: {
		takes: [
			"{label, baseUrl, profile?, token, expiresAt?}",
			"{label, baseUrl, profile?, appId, privateKey, passphrase?, installationId?}",
		],
		gives: ["{id, login?}"],
	},
	[COMMANDS.codehostWhoAmI]: {
		takes: ["{connection}"],
		gives: ["{connection, kind, login, name, appId, installationId, account}"],
	},
	[COMMANDS.codehostListInstallations]: {
		takes: ["{connection}"],
		gives: ["{installations: [{id, account, suspended}], complete}"],
	},
	[COMMANDS.codehostStatus]: {
		takes: ["{connection}"],
		gives: ["{connection, kind, access, tokenExpiresAt, tokenRenewsAt, exchanges, renewals, rate, skewMs, error}"],
	},
	[COMMANDS.codehostAddRepository]: { takes: ["{connection, repository}"], gives: ["{connection, repository}"] },
	[COMMANDS.codehostRemoveRepository]: { takes: ["{repository, connection?}"], gives: ["{removed}"] },
	[COMMANDS.codehostBindRepository]: { takes: ["{repository, connection?, to}"], gives: ["{connection, repository}"] },
	[COMMANDS.codehostRefreshRepositories]: { takes: ["{}"], gives: ["{ok}"] },
	[COMMANDS.codehostOpenRepository]: { takes: ["{repository, connection?}"], gives: ["{url}"] },
	[COMMANDS.codehostListIssues]: {
		takes: ["{connection, repository, query?, limit?}"],
		gives: ["{issues, pages, requests, complete, ignored, halted?}"],
	},
	[COMMANDS.codehostShowIssues]: { takes: ["{repository, connection?}"], gives: ["{connection, repository}"] },
	[COMMANDS.codehostRefreshIssues]: { takes: ["{repository?, connection?}"], gives: ["{ok}"] },
	[COMMANDS.codehostFilterIssues]: { takes: ["{text?, state?}"], gives: ["{text, state}"] },
	[COMMANDS.codehostClearFilter]: { takes: ["{}"], gives: ["{text, state}"] },
	[COMMANDS.codehostSortIssues]: { takes: ["{sort}"], gives: ["{sort}"] },
	[COMMANDS.codehostStopLoading]: { takes: ["{}"], gives: ["{stopped}"] },
	[COMMANDS.codehostLoadMore]: { takes: ["{repository, connection?}"], gives: ["{loaded, complete, halted?}"] },
	[COMMANDS.codehostRetry]: { takes: ["{repository, connection?}"], gives: ["{ok}"] },
	[COMMANDS.codehostOpenIssue]: { takes: ["{repository, connection?, number}"], gives: ["{number, title}"] },
	[COMMANDS.codehostOpenIssueInBrowser]: { takes: ["{repository, connection?, number}"], gives: ["{url}"] },
	[COMMANDS.codehostCopyIssueNumber]: { takes: ["{repository, connection?, number}"], gives: ["{copied}"] },
	[COMMANDS.codehostCopyIssueTitle]: { takes: ["{repository, connection?, number}"], gives: ["{copied}"] },
	[COMMANDS.codehostCopyIssueLink]: { takes: ["{repository, connection?, number}"], gives: ["{copied}"] },
	[COMMANDS.codehostAskInChat]: { takes: ["{repository, connection?, number}"], gives: ["{conversation}"] },
	[COMMANDS.petstoreAddConnection]: {
		takes: ["{label, baseUrl, profile?, apiKey?, token?, format?}"],
		gives: ["{id}"],
	},
	[COMMANDS.petstoreSignIn]: { takes: ["{connection}"], gives: ["{connection, scopes, expiresAt}"] },
	[COMMANDS.petstoreCall]: { takes: ["{connection, operation, params?}"], gives: ["{status, data, confirmed, ms}"] },
	[COMMANDS.petstoreOpenPet]: { takes: ["{connection, pet}"], gives: ["{connection, pet, name, status, uri}"] },
	[COMMANDS.petstoreNewPet]: {
		takes: ["{connection, name?, status?}"],
		gives: ["{connection, uri}", "{connection, pet, name, status, confirmed, now?}"],
	},
	[COMMANDS.petstoreEditPet]: {
		takes: ["{connection, pet, name?, status?}"],
		gives: ["{connection, pet, name, status, confirmed, now?}"],
	},
	[COMMANDS.petstoreDeletePet]: {
		takes: ["{connection, pet}"],
		gives: ["{connection, pet, name, status, deleted, confirmed, now?}"],
	},
	[COMMANDS.petstoreUndoPetChange]: {
		takes: ["{connection?, pet?}"],
		gives: ["{connection, pet, name, status, undone}", "{connection, pet, name, status, undone, moved, failed, left}"],
	},
	[COMMANDS.petstoreAskInChat]: { takes: ["{connection, pet}"], gives: ["{conversation}"] },
	[COMMANDS.petstoreShowInventory]: { takes: ["{connection}"], gives: ["{connection, inventory, total}"] },
	[COMMANDS.petstoreListOrders]: { takes: ["{connection}"], gives: ["{orders, complete}"] },
	[COMMANDS.petstorePlaceOrder]: {
		takes: ["{connection, petId?, quantity?, shipDate?, status?, complete?, id?}"],
		gives: ["{order, confirmed, now?}"],
	},
	[COMMANDS.petstoreOpenOrder]: { takes: ["{connection, id}"], gives: ["{order}"] },
	[COMMANDS.petstoreDeleteOrder]: { takes: ["{connection, id}"], gives: ["{deleted, confirmed, now?}"] },
	[COMMANDS.petstoreCreateUser]: {
		takes: ["{connection, username, password?, id?, firstName?, lastName?, email?, phone?, userStatus?}"],
		gives: ["{created, warnings, confirmed, now?}"],
	},
	[COMMANDS.petstoreCreateUsers]: {
		takes: ["{connection, users}", "{connection, text, format}"],
		gives: ["{created, warnings, confirmed, now?}"],
	},
	[COMMANDS.petstoreOpenUser]: { takes: ["{connection, username}"], gives: ["{user}"] },
	[COMMANDS.petstoreDeleteUser]: { takes: ["{connection, username}"], gives: ["{deleted, confirmed, now?}"] },
	[COMMANDS.petstoreLogIn]: {
		takes: ["{connection, username, password}"],
		gives: ["{connection, username, expiresAt, rateLimit}"],
	},
	[COMMANDS.petstoreLogOut]: { takes: ["{connection}"], gives: ["{loggedOut}"] },
	[COMMANDS.petstoreRefreshStore]: { takes: ["{connection?}"], gives: ["{ok}"] },
	[COMMANDS.petstoreRefreshPets]: {
		takes: ["{connection?}"],
		gives: ["{ok, stores: [{connection, counts: {available, pending, sold, other}, inventory}]}"],
	},
	[COMMANDS.petstoreFilterPets]: { takes: ["{text?, tags?}"], gives: ["{text, tags}"] },
	[COMMANDS.petstoreClearFilter]: { takes: ["{}"], gives: ["{text, tags}"] },
	[COMMANDS.petstoreFindByTag]: { takes: ["{connection, tags}"], gives: ["{connection, tags, pets}"] },
	[COMMANDS.petstoreMoveToStatus]: {
		takes: ["{connection, pets, status}"],
		gives: ["{status, moved, failed: [{pet, code, message}], left, confirmed}"],
	},
	[COMMANDS.petstoreUploadPhoto]: {
		takes: ["{connection, pet, name, base64, metadata?}"],
		gives: ["{pet, bytes, message, confirmed}"],
	},
	[COMMANDS.petstorePreviewPhoto]: { takes: ["{connection, pet, photo?}"], gives: ["{url, type, bytes}"] },
	[COMMANDS.petstoreStop]: { takes: ["{}"], gives: ["{stopped}"] },
	[COMMANDS.requestsList]: {
		takes: ["{service?, connection?, limit?}"],
		gives: [
			"{requests: [{id, at, service, connection, method, url, path, status, ms, attempt, sentBytes, receivedBytes, error}]}",
		],
	},
	[COMMANDS.requestsOpen]: { takes: ["{request}"], gives: ["{request}"] },
	[COMMANDS.requestsCopyAsCurl]: { takes: ["{request}"], gives: ["{copied}"] },
	[COMMANDS.requestsFilter]: { takes: ["{text?, service?, failed?}"], gives: ["{text, service, failed}"] },
	[COMMANDS.requestsClearFilter]: { takes: ["{}"], gives: ["{text, service, failed}"] },
	[COMMANDS.requestsClear]: { takes: ["{}"], gives: ["{cleared}"] },
	[COMMANDS.chatSend]: {
		takes: [
			"{text, connection?, model?, maxTokens?, system?, temperature?, topP?, topK?, stopSequences?, metadata?, stream?, conversation?, queue?, attachments?}",
		],
		gives: [],
	},
	[COMMANDS.chatStop]: { takes: ["{conversation?}"], gives: ["{stopped}"] },
	[COMMANDS.chatNew]: { takes: ["{}"], gives: ["{conversation}"] },
	[COMMANDS.chatRegenerate]: {
		takes: [
			"{conversation?, message?, connection?, model?, maxTokens?, system?, temperature?, topP?, topK?, stopSequences?, metadata?, stream?}",
		],
		gives: [],
	},
	[COMMANDS.chatEdit]: { takes: ["{conversation?, message?, text}"], gives: [] },
	[COMMANDS.chatContinue]: { takes: ["{conversation?, message?}"], gives: [] },
	[COMMANDS.chatFork]: { takes: ["{conversation?, message?}"], gives: ["{conversation, draft?}"] },
	[COMMANDS.chatSelectVersion]: {
		takes: ["{conversation?, message?, version?}"],
		gives: ["{message, version, versions}"],
	},
	[COMMANDS.chatListMessages]: {
		takes: ["{conversation?}"],
		gives: ["{conversation, title, messages: [{id, role, text, version, versions, outcome?}]}"],
	},
	[COMMANDS.chatQueue]: { takes: ["{conversation?, remove?, send?}"], gives: ["{conversation, queue: [{id, text}]}"] },
	[COMMANDS.chatSetConversation]: {
		takes: ["{conversation?, title?, connection?, parameters?}"],
		gives: ["{conversation, title, connection?, parameters}"],
	},
	[COMMANDS.chatAddConnection]: { takes: ["{label, baseUrl, profile?, key?, model?}"], gives: ["{id}"] },
	[COMMANDS.chatShowConversation]: { takes: ["{conversation}"], gives: ["{conversation}"] },
	[COMMANDS.chatSelectConnection]: { takes: ["{connection}"], gives: ["{connection}"] },
	[COMMANDS.chatSelectModel]: { takes: ["{model}"], gives: ["{model}"] },
	[COMMANDS.chatOpenInEditor]: { takes: ["{}"], gives: ["{conversation}"] },
	[COMMANDS.chatAttach]: {
		takes: ["{kind, conversation?, uri?, staged?, repository?, connection?, number?, pet?, id?}"],
		gives: ["{id, label, bytes, tokens}"],
	},
	[COMMANDS.chatAsk]: { takes: ["{}"], gives: ["{conversation}"] },
	[COMMANDS.chatShowRequest]: {
		takes: ["{conversation?, message?, text?}"],
		gives: ["{method, url, headers, body, note?}"],
	},
	[COMMANDS.chatSavePrompt]: { takes: ["{name, text}"], gives: ["{name}"] },
	[COMMANDS.chatHistory]: {
		takes: ["{query?, limit?}"],
		gives: ["{conversations: [{conversation, title, at, pinned, messages, snippet, message?}]}"],
	},
	[COMMANDS.chatList]: {
		takes: ["{deleted?, limit?}"],
		gives: ["{conversations: [{conversation, title, at, pinned, messages, snippet}]}"],
	},
	[COMMANDS.chatSearch]: {
		takes: ["{query, limit?}"],
		gives: ["{conversations: [{conversation, title, at, pinned, messages, snippet, message}]}"],
	},
	[COMMANDS.chatRename]: { takes: ["{conversation, title}"], gives: ["{title}"] },
	[COMMANDS.chatPin]: { takes: ["{conversation, pinned?}"], gives: ["{pinned}"] },
	[COMMANDS.chatDelete]: { takes: ["{conversation}"], gives: ["{conversation, deleted}"] },
	[COMMANDS.chatRestore]: { takes: ["{conversation}"], gives: ["{conversation, restored}"] },
	[COMMANDS.chatExport]: {
		takes: ["{conversation, format?, path?}"],
		gives: ["{conversation, format, text}", "{conversation, format, path}"],
	},
	[COMMANDS.chatImport]: { takes: ["{text}", "{path}"], gives: ["{conversation}"] },
	[COMMANDS.chatFind]: { takes: ["{}"], gives: ["{}"] },
	[COMMANDS.chatFocusLastMessage]: { takes: ["{}"], gives: ["{}"] },
	[COMMANDS.chatAccessibilityHelp]: { takes: ["{}"], gives: ["{}"] },
};
