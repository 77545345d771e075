import assert from "node:assert/strict";
import { test } from "node:test";
import { CONTEXT, TREES, VIEWS } from "#app/contributions.ts";
import manifest from "../../../package.json" with { type: "json" };
import { type Contexts, holds, MENUS } from "../../support/menus.ts";

const { commands, configuration, submenus, viewsWelcome } = manifest.contributes;

const ALL: Contexts = {
	...Object.fromEntries(Object.values(CONTEXT).map((key) => [key, true])),
	[CONTEXT.changedPets]: ["switchboard-pet:/Pet 1.json"],
	"config.switchboard.connections": JSON.stringify(
		["codehost", "petstore", "messages"].map((service) => ({ id: service, service })),
	),
};

const STATES: Readonly<Record<string, Contexts>> = {
	"fresh install": {},
	"a window that has not loaded the product": {
		"config.switchboard.connections": ALL["config.switchboard.connections"],
	},
	"the sandbox alone": { ...ALL, "config.switchboard.connections": "[]", [CONTEXT.addedMessages]: false },
	"all services": ALL,
};

/** Values of rows, as the trees give them. */
const ROWS: Readonly<Record<string, readonly string[]>> = {
	[VIEWS.repositories]: ["repository"],
	[VIEWS.issues]: [
		"group",
		"grouped",
		"unbound",
		"more",
		"issue",
		"issue.linked",
		"issue.linked.current",
		"error",
		"error.credential",
		"error.connection",
	],
	[VIEWS.pets]: [
		...["pet", "pet.photo", "stray", "store", "chunk", "group.available", "group.pending", "group.sold", "group.other"],
		...["error", "error.credential", "error.connection"],
	],
	[VIEWS.store]: [
		...["store", "inventory", "orders", "orders.failed", "order", "users", "user", "session.in", "session.out"],
		...["error", "error.credential", "error.connection"],
	],
	[VIEWS.connections]: ["codehost.pat", "codehost.app", "petstore", "messages"].flatMap((kind) =>
		["stored", "stored.bare", "stored.out", "passing"].map((kept) => `connection.${kind}.${kept}`),
	),
	[VIEWS.requests]: ["request"],
};

function shown(menu: string, contexts: Contexts): (typeof MENUS)[string] {
	return (MENUS[menu] ?? []).filter(({ when }) => holds(when, contexts));
}

function palette(contexts: Contexts): readonly string[] {
	const conditions = new Map((MENUS["commandPalette"] ?? []).map(({ command, when }) => [command, when]));
	return commands
		.filter(({ enablement }) => holds(enablement, contexts))
		.filter(({ command }) => holds(conditions.get(command), contexts))
		.map(({ title }) => title);
}

const dots = (view: string, contexts: Contexts) =>
	shown("view/title", { ...contexts, view }).filter(({ group }) => !group?.startsWith("navigation"));

/** Rows of the menu of a row: a command that is a button as well counts where it stands in the menu. */
const rowMenu = (view: string, viewItem: string, listMultiSelection: boolean) =>
	shown("view/item/context", { ...ALL, view, viewItem, listMultiSelection }).filter(
		({ group }) => !group?.startsWith("inline"),
	);

test("the palette has at most 25 commands after an install, and 60 with everything", () => {
	for (const [state, contexts] of Object.entries(STATES)) {
		const { length } = palette(contexts);
		assert.ok(length <= (state === "fresh install" ? 25 : 60), `${state}: ${length}`);
	}
});

test("no two commands in the palette have the same title", () => {
	for (const contexts of Object.values(STATES)) {
		const titles = palette(contexts);
		assert.deepEqual([...new Set(titles)], titles);
	}
});

test("the palette is the same before the product is loaded, but for what that loads", () => {
	const loads = new Set<string>([
		...[CONTEXT.busy, CONTEXT.changedPets, CONTEXT.filtered, CONTEXT.loading, CONTEXT.hasRepositories],
		...[CONTEXT.petstoreBusy, CONTEXT.petstoreFiltered, CONTEXT.requestsFiltered],
	]);
	const loaded = Object.fromEntries(Object.entries(ALL).filter(([key]) => !loads.has(key)));
	const before = palette(STATES["a window that has not loaded the product"] ?? {});
	assert.deepEqual(palette({ ...loaded, [CONTEXT.addedMessages]: false }), before);
});

test("the menu of a view has at most ten rows", () => {
	for (const [state, contexts] of Object.entries(STATES)) {
		for (const view of [...TREES, VIEWS.chat]) {
			const { length } = dots(view, contexts);
			assert.ok(length <= 10, `${view}, ${state}: ${length}`);
		}
	}
});

test("the menu of a row has at most six rows", () => {
	for (const [view, items] of Object.entries(ROWS)) {
		for (const item of items) {
			for (const isMulti of [false, true]) {
				const { length } = rowMenu(view, item, isMulti);
				assert.ok(length <= 6, `${item}: ${length}`);
			}
		}
	}
});

test("a menu shows a key only where it works, as the editor shows it in each", () => {
	const ofViews = manifest.contributes.keybindings.filter((each) => "args" in each).map(({ command }) => command);
	assert.ok(ofViews.length > 2);
	const shown = (MENUS["editor/title"] ?? []).filter(({ command }) => command && ofViews.includes(command));
	assert.deepEqual(shown, []);
});

test("a submenu is in a menu, and never empty on a row on which it stands", () => {
	const ids = submenus.map(({ id }) => id);
	const used = Object.values(MENUS).flatMap((items) => items.flatMap(({ submenu }) => submenu ?? []));
	assert.deepEqual([...new Set(used)].sort(), [...ids].sort());
	// The editor takes a submenu once in each menu, and drops any other entry of it.
	for (const items of Object.values(MENUS)) {
		const here = items.flatMap(({ submenu }) => submenu ?? []);
		assert.deepEqual([...new Set(here)], here);
	}
	for (const [view, items] of Object.entries(ROWS)) {
		for (const viewItem of items) {
			for (const { submenu = "" } of rowMenu(view, viewItem, false)) {
				if (submenu !== "") assert.ok(shown(submenu, { ...ALL, view, viewItem }).length > 0, `${submenu}: ${viewItem}`);
			}
		}
	}
});

test("no submenu holds another row of a menu that it stands in", () => {
	for (const { id } of submenus) {
		const own = new Set((MENUS[id] ?? []).map(({ command }) => command));
		for (const [view, items] of Object.entries(ROWS)) {
			for (const item of items) {
				const rows = rowMenu(view, item, false);
				if (!rows.some(({ submenu }) => submenu === id)) continue;
				assert.deepEqual(
					rows.filter(({ command }) => command !== undefined && own.has(command)),
					[],
				);
			}
		}
	}
});

test("the chat opens from the title of every view and the row of a messages service", () => {
	for (const view of TREES) {
		const buttons = shown("view/title", { ...ALL, view }).filter(({ group }) => group?.startsWith("navigation"));
		assert.ok(
			buttons.some(({ command }) => command === "switchboard.openChat"),
			view,
		);
	}
	for (const kept of ["stored", "stored.bare", "stored.out", "passing"]) {
		const row = { view: VIEWS.connections, viewItem: `connection.messages.${kept}` };
		const groups = shown("view/item/context", row)
			.filter(({ command }) => command === "switchboard.openChat")
			.map(({ group }) => group);
		assert.deepEqual(groups, ["inline@2", "1_use@1"]);
	}
});

test("the first welcome offers the chat first, then the sandbox", () => {
	const { contents = "" } = viewsWelcome.find(({ view, when }) => view === TREES[0] && holds(when, {})) ?? {};
	const buttons = contents
		.split("\n")
		.flatMap((line) => /^\[([^\]]+)\]\(command:([\w.]+)\)$/.exec(line)?.slice(1) ?? []);
	assert.deepEqual(buttons, [
		...["Chat with Your Model", "switchboard.chat.start"],
		...["Try the Built-in Sandbox", "switchboard.trySandbox"],
	]);
});

test("Settings shows at most twelve settings, the others behind Advanced", () => {
	const shownOnes = configuration.flatMap(({ properties }) =>
		Object.entries(properties).filter(([, entry]) => !("tags" in entry && entry.tags.includes("advanced"))),
	);
	assert.ok(shownOnes.length <= 12, `${shownOnes.length}`);
});

/** Ids of merged commands, which are like those that they are merged with. */
const MERGED = [
	...["chat.attach", "codehost.askInChat", "petstore.askInChat", "chat.list", "chat.search"],
	...["codehost.refreshRepositories", "petstore.newPetHere"],
].map((name) => `switchboard.${name}`);

test("a merged command keeps its id, out of the palette and the menus", () => {
	const entries = Object.entries(MENUS).flatMap(([menu, items]) => items.map((item) => ({ menu, ...item })));
	for (const id of MERGED) {
		assert.equal(commands.filter(({ command }) => command === id).length, 1, id);
		const own = entries.filter(({ command }) => command === id);
		assert.deepEqual(own, [{ menu: "commandPalette", command: id, when: "false" }]);
	}
});

test("a command has an icon where it is a button, and only there", () => {
	const items = Object.entries(MENUS).flatMap(([menu, entries]) => (menu === "commandPalette" ? [] : entries));
	const buttons = items.filter(({ group }) => /^(?:inline|navigation)/.test(`${group}`)).map(({ command }) => command);
	const own = commands.filter(({ command }) => !MERGED.includes(command));
	const withIcon = own.filter(({ icon }) => icon !== undefined).map(({ command }) => command);
	assert.deepEqual([...new Set(buttons)].sort(), withIcon.sort());
});
