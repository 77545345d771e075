import * as vscode from "vscode";
import { HELP_SCHEME } from "#app/contributions.ts";

/** Help of the chat for keyboards and screen readers. */
export const ACCESSIBILITY_HELP = `# Help for the Switchboard chat

The chat is a list of messages, each an article with a name, above a box to type in. What is not in view is there all \
the same, for search and for your screen reader. The start and the end of a reply and errors are announced, the words \
of a reply are not.

## Keys in the chat

- Enter sends, Shift+Enter breaks the line, Escape stops a reply. Up in the empty box edits your last message: Enter sends it \
again, Escape leaves it. Control+Up brings back what you wrote before. Enter while a reply arrives queues what you typed, \
and Up takes the last that is queued back into the box.
- @ in the box lists what can be attached, / at its start your prompts: Up and Down choose, Enter takes, Escape closes.
- Alt+Up and Alt+Down go from message to message; below the last one is the box. Escape on a message leads to the box, \
and stops nothing.
- Alt+Page Up and Alt+Page Down go to the previous and the next conversation of the history.
- Tab goes through a message: the header collapses and expands it, and its buttons come last.
- Alt+Enter goes to a call of a tool that needs your approval. There, Alt+Enter allows it once and Alt+Backspace denies \
it; Down on Allow Once opens the other ways to allow, and Deny asks for a reason: Enter sends it, Escape gives none.
- Ctrl+F, on a Mac Cmd+F, opens the find box. Enter and Shift+Enter go from match to match, Escape leads to the message.
- Alt+F1 opens this help.

To change them, search for Switchboard in Preferences: Open Keyboard Shortcuts.

## Commands

- Switchboard: Find in Chat
- Switchboard: Focus Last Message
- Switchboard: Open Chat in Editor
- Switchboard: Show History
- Switchboard: Ask in Chat
`;

/** Opens the help as a read-only document. */
export async function showAccessibilityHelp(): Promise<void> {
	const uri = vscode.Uri.from({ scheme: HELP_SCHEME, path: "/Help for the Chat.md" });
	await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: true });
}
