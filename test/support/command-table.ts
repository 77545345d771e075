import "./fake-vscode.ts";

/** Definitions of all commands, read without an editor. */
export const { COMMAND_TABLE } = await import("#editor/commands.ts");

/** Row of a tree, for calls on one. */
export const { Row } = await import("#editor/kit/rows.ts");
