import type { CommandId, SubmenuId, TreeId } from "#app/contributions.ts";
import type { Service } from "#base/errors.ts";
import { type FieldValues, object, parse, type SchemaFields } from "#base/schema.ts";
import type { Fields, Row } from "./rows.ts";

/** Call of a command, with an argument or on a row; with neither it prompts. */
export interface Call<T = Fields> {
	readonly argument: T | undefined;
	readonly row: Row | undefined;
	/** All selected rows, including the row itself. */
	readonly rows?: readonly Row[];
	/** Id of the connection that the person chose, for the error. */
	connection?: string;
}

/** Entry of a command or submenu in a menu, in the terms of the manifest. */
export interface MenuEntry {
	readonly menu:
		| "view/title"
		| "view/item/context"
		| "editor/title"
		| "editor/context"
		| "explorer/context"
		| "terminal/context"
		| "scm/title"
		| SubmenuId;
	readonly when?: string;
	readonly group: string;
}

/** A command: its entry in the manifest, its page in the reference, its argument and its implementation. */
interface CommandDefinition<Room, F extends SchemaFields> {
	readonly id: CommandId;
	readonly title: string;
	/** Service that a mistake in the argument is about; by default that of the connection that is named. */
	readonly service?: Service;
	/** Name of a codicon. */
	readonly icon?: string;
	/** Condition of the entry in the palette, where it is not always or never there. */
	readonly palette?: string | boolean;
	readonly enablement?: string;
	readonly menus?: readonly (MenuEntry | readonly MenuEntry[])[];
	readonly keybinding?: { readonly key: string; readonly mac?: string; readonly when: string; readonly args?: string };
	/** Fields of the argument; none where it is left out. */
	readonly input?: F;
	/** Forms of the argument in the reference, where the fields do not say which belong together. */
	readonly takes?: readonly string[];
	/** Forms of the result in the reference; none where the guide to automation shows it by an example. */
	readonly gives?: readonly string[];
	/** True if it shows a row in an editor, which a double click keeps open. */
	readonly opensRow?: boolean;
	/** Resolves to plain JSON, or undefined if the person leaves. With an argument it must not prompt. */
	run(call: Call<FieldValues<F>>, room: Room, question: string): unknown;
}

/** A command of any argument. */
export type Command<Room> = CommandDefinition<Room, SchemaFields>;

/** Function that defines the commands of a room; `defaults` go for each that does not say otherwise. */
export function commandsOf<Room>(defaults: Pick<Command<Room>, "palette" | "service"> = {}) {
	return <F extends SchemaFields = Readonly<Record<never, never>>>(
		id: CommandId,
		title: string,
		definition: Omit<CommandDefinition<Room, F>, "id" | "title">,
	): Command<Room> => ({ ...defaults, id, title, ...definition });
}

/** Entry in the title bar of a view, under a further condition where one is given. */
export function inTitle(view: string, group: string, condition?: string): MenuEntry {
	return { menu: "view/title", when: `view == ${view}${condition === undefined ? "" : ` && ${condition}`}`, group };
}

/** Entries on the rows of a view whose context value meets a condition such as `== store`, one in each group. */
export function onRows(view: string, condition: string, ...groups: readonly string[]): readonly MenuEntry[] {
	return groups.map((group) => ({
		menu: "view/item/context",
		when: `view == ${view} && viewItem ${condition}`,
		group,
	}));
}

/** Entry in a submenu, for rows whose context value meets a condition where one is given. */
export function inSubmenu(menu: SubmenuId, group: string, condition?: string): MenuEntry {
	return { menu, group, ...(condition && { when: `viewItem ${condition}` }) };
}

/** Key on the selected rows of a view while it has the focus; the runner takes the command for rows of their `kind`. */
export function onKey(view: TreeId, kind: string, keys: { readonly key: string; readonly mac?: string }) {
	return { ...keys, when: `focusedView == ${view} && !inputFocus`, args: `${view}#${kind}` };
}

/** Keys that delete in the editor's own explorer. */
export const DELETE = { key: "delete", mac: "cmd+backspace" };

/** Options by which a row shows its document: a click leaves the focus in the view, where its keys are; a menu does not. */
export function showing({ row, rows }: Call<unknown>) {
	return { preserveFocus: row !== undefined && row.id !== "" && rows === undefined };
}

/** Argument of a call, or the fields of the row that it was made on; undefined where the person is to be asked. */
export function givenIn<T>({ argument, row }: Call<T>): Partial<T> | undefined {
	// A row is made of the same fields as the argument of the commands that stand in its menu.
	return (row?.fields as Partial<T> | undefined) ?? argument;
}

/** Wraps a command about one subject, which `find` takes from the call or prompts for. */
export function runOn<Room, A, T extends object>(
	find: (call: Call<NoInfer<A>>, room: NoInfer<Room>, question: string) => Promise<T | undefined>,
	run: (subject: T, call: Call<A>, room: Room) => unknown,
): (call: Call<A>, room: Room, question: string) => Promise<unknown> {
	return async (call, room, question) => {
		const subject = await find(call, room, question);
		return subject && run(subject, call, room);
	};
}

/** Fields of what is given in a call, where it is. Throws `invalid` for one that is missing or wrong. */
export function readGiven<F extends SchemaFields>(call: Call, fields: F, service: Service): FieldValues<F> | undefined {
	const given = givenIn(call);
	return given && parse(object(fields), given, service);
}

/** Validates the argument of a command, about the connection to `named` where it names one. Throws `invalid` with the field. */
export function readArgument({ service, input = {} }: Command<never>, argument: unknown, named: Service = "messages") {
	if (argument === undefined || argument === null) return undefined;
	return parse(object(input, { strict: true }), argument, service ?? named);
}
