/**
 * Every name that package.json holds too. They live here once; a test compares both files in both directions.
 */

/** Command ids: what they do is in `editor/commands.ts`. */
export const COMMANDS = {
	addConnection: "switchboard.addConnection",
	editConnection: "switchboard.editConnection",
	removeConnection: "switchboard.removeConnection",
	replaceKey: "switchboard.replaceKey",
	testConnection: "switchboard.testConnection",
	trySandbox: "switchboard.trySandbox",
	showLog: "switchboard.showLog",
	chatSend: "switchboard.chat.send",
	chatStop: "switchboard.chat.stop",
	chatNew: "switchboard.chat.new",
	chatShowConversation: "switchboard.chat.showConversation",
	chatSelectConnection: "switchboard.chat.selectConnection",
	chatSelectModel: "switchboard.chat.selectModel",
	chatOpenInEditor: "switchboard.chat.openInEditor",
} as const;

/** The id of a command of ours. */
export type CommandId = (typeof COMMANDS)[keyof typeof COMMANDS];

/** The fields of each command's argument, those that may be left out with a `?`; the README's table says the same. */
export const ARGUMENTS = {
	[COMMANDS.addConnection]: ["service", "label", "baseUrl", "profile?", "key?", "model?"],
	[COMMANDS.editConnection]: ["connection", "label?", "baseUrl?", "profile?", "key?", "model?"],
	[COMMANDS.removeConnection]: ["connection"],
	[COMMANDS.replaceKey]: ["connection", "key"],
	[COMMANDS.testConnection]: ["connection"],
	[COMMANDS.trySandbox]: [],
	[COMMANDS.showLog]: [],
	[COMMANDS.chatSend]: [
		"text",
		"connection?",
		"model?",
		"maxTokens?",
		"system?",
		"temperature?",
		"topP?",
		"topK?",
		"stopSequences?",
		"metadata?",
		"stream?",
		"conversation?",
	],
	[COMMANDS.chatStop]: ["conversation?"],
	[COMMANDS.chatNew]: [],
	[COMMANDS.chatShowConversation]: ["conversation"],
	[COMMANDS.chatSelectConnection]: ["connection"],
	[COMMANDS.chatSelectModel]: ["model"],
	[COMMANDS.chatOpenInEditor]: [],
} as const satisfies Record<CommandId, readonly string[]>;

/** View containers and views. */
export const VIEWS = {
	chatContainer: "switchboard-chat",
	chat: "switchboard.chat",
} as const;

/** The webview type of the chat in an editor tab; it has no entry in the manifest but its activation event. */
export const CHAT_EDITOR = "switchboard.chatEditor";

/** Setting keys, whole. */
export const SETTINGS = {
	connections: "switchboard.connections",
	model: "switchboard.chat.model",
	maxTokens: "switchboard.chat.maxTokens",
	system: "switchboard.chat.system",
	temperature: "switchboard.chat.temperature",
	topP: "switchboard.chat.topP",
	topK: "switchboard.chat.topK",
	stopSequences: "switchboard.chat.stopSequences",
	maxAttempts: "switchboard.retry.maxAttempts",
	maxWaitSeconds: "switchboard.retry.maxWaitSeconds",
	silenceNoticeSeconds: "switchboard.silence.noticeSeconds",
	silenceLimitSeconds: "switchboard.silence.limitSeconds",
} as const;

/** Context keys for `when` clauses. */
export const CONTEXT = {
	/** True while the conversation on screen has a reply under way. */
	busy: "switchboard.chat.busy",
	/** True once there is a connection of any kind. */
	hasConnections: "switchboard.hasConnections",
} as const;
