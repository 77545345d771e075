import "./fake-vscode.ts";

/** Definitions of all commands and submenus, read without an editor. */
export const { COMMAND_TABLE, SUBMENUS } = await import("#editor/commands.ts");

/** Row of a tree, for calls on one. */
export const { Row } = await import("#editor/kit/rows.ts");
