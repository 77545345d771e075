import type { ChatModel } from "#app/chat/model-lists.ts";
import type { MessagesProfile } from "#app/connections/messages-profiles.ts";
import type { Capabilities } from "#app/connections/model-capabilities.ts";
import { joinParts } from "../kit/text.ts";

/** Switch of the editor that hides its Chat. */
const NO_AI = "chat.disableAIFeatures";

/** Switches of the editor for models of extensions in agent sessions: to list them, and to do without a GitHub sign-in. */
const LISTED = "chat.agentHost.byokModels.enabled";
const SIGNED_OUT = "chat.agentHost.allowSignedOutWhenUsable";

/** Switch of the editor for its Chat without agent sessions. */
const LOCAL = "chat.editor.localAgent.enabled";

/**
 * Smallest context for the editor's Agent, in tokens. Its requests begin with some 20,000 tokens of instructions and tools;
 * the rest of 32,768 has room for a few files and the reply. A local engine silently cuts off a longer request.
 */
const AGENT_CONTEXT = 32_768;

/** State of a connection's models in the editor's own Chat. */
interface EditorChatState {
	readonly words: string;
	readonly more?: string;
	/** Settings of the editor that the state depends on; none in an editor without agent sessions. */
	readonly settings?: readonly string[];
	readonly isWarning?: boolean;
}

/** Tells where the editor's Chat lists models. `editorSwitch` is undefined for a switch that the editor does not have. */
export function editorChatState(
	profile: MessagesProfile,
	models: readonly Pick<ChatModel, "name" | "capabilities">[],
	editorSwitch: (key: string) => boolean | undefined,
): EditorChatState {
	if (editorSwitch(NO_AI)) {
		return { words: "Off: AI features are disabled", more: `The setting is ${NO_AI}.`, settings: [NO_AI] };
	}
	const sessions = sessionsState(editorSwitch(LISTED), editorSwitch(SIGNED_OUT));
	if (editorSwitch(LOCAL) === false) {
		const words = editorSwitch(LISTED) ? "Agent sessions only: Local is off" : "Local is off";
		const more = joinParts([`The setting is ${LOCAL}`, sessions.more], ". ");
		return { words, more, settings: [LOCAL, ...(sessions.settings ?? [])] };
	}
	const callers = models.filter(({ capabilities }) => capabilities.tools);
	if (models.length > 0 && callers.length === 0) {
		const tools = "Agent and inline chat list models that call tools; Try Tools in the composer turns them on";
		return {
			...sessions,
			words: `Ask ${editorSwitch(LISTED) ? "and agent sessions" : "only"}: no model is known to call tools`,
			more: joinParts([tools, sessions.more], ". "),
		};
	}
	const small = callers.flatMap(({ name, capabilities }) => {
		const words = smallContextWords(capabilities, profile);
		return words === undefined ? [] : [`${name}: ${words}`];
	});
	if (small.length === 0) return sessions;
	const words = small.length < callers.length ? sessions.words : "Ask only: context too small for Agent";
	return { ...sessions, words, more: joinParts([small[0], sessions.more], " "), isWarning: true };
}

/** Tells if agent sessions list models, with the settings that are missing or, if none is, those that decide it. */
function sessionsState(isListed: boolean | undefined, signedOut = false): EditorChatState {
	if (isListed === undefined) return { words: "Ask and Agent" };
	if (isListed && signedOut) return { words: "Local and agent sessions", settings: [LISTED, SIGNED_OUT] };
	if (isListed) {
		const more = `For agent sessions, sign in to GitHub or turn on ${SIGNED_OUT}.`;
		return { words: "Local; agent sessions need a sign-in", more, settings: [SIGNED_OUT] };
	}
	if (signedOut) {
		const words = "Local only: agent sessions need a setting";
		return { words, more: `For agent sessions, turn on ${LISTED}.`, settings: [LISTED] };
	}
	const more = `For agent sessions, turn on ${LISTED} and, without a GitHub sign-in, ${SIGNED_OUT}.`;
	return { words: "Local only: agent sessions need two settings", more, settings: [LISTED, SIGNED_OUT] };
}

/** Warning with the cure where the context of a model that Agent lists is too small for it. */
export function smallContextWords({ tools, contextTokens }: Capabilities, profile: MessagesProfile) {
	if (!tools || contextTokens === null || contextTokens >= AGENT_CONTEXT) return undefined;
	const cure =
		profile === "ollama"
			? "Start Ollama with OLLAMA_CONTEXT_LENGTH=64000, or set num_ctx in a Modelfile."
			: "Load the model with a larger context, or choose another.";
	const [size, needed] = [contextTokens, AGENT_CONTEXT].map((each) => each.toLocaleString("en"));
	return `A context of ${size} tokens is too small for Agent, which needs ${needed}. ${cure}`;
}
