import * as vscode from "vscode";
import { wireTime } from "#api/petstore/date-time.ts";
import { ORDER_DELETE, ORDER_LOOKUP, orderShape } from "#api/petstore/model.ts";
import type { PetstoreConnection } from "#app/connections/connection.ts";
import { CONTEXT, HAS, INVENTORY_PANEL, VIEWS } from "#app/contributions.ts";
import { deleteOrder, type PlacedOrder, placeOrder, readOrder } from "#app/petstore/orders.ts";
import { totalOf } from "#app/petstore/store-resources.ts";
import { ClientError } from "#base/errors.ts";
import { int64Of } from "#base/int64.ts";
import { allOptional, int64, optional, trimmed } from "#base/schema.ts";
import { type Call, commandsOf, DELETE, inTitle, onKey, onRows, readGiven, runOn, showing } from "../kit/command.ts";
import { askText, leadTo } from "../kit/prompts.ts";
import { syntheticRow } from "../kit/tree.ts";
import { walk } from "../kit/wizard.ts";
import { withProgress } from "../progress.ts";
import { describeRefusal } from "../words/show-error.ts";
import { askPet } from "./chosen-pets.ts";
import { deleteOf, lineStep, storeOf, storesOf, tellNotConfirmed } from "./chosen-store.ts";
import type { PetstoreRoom } from "./petstore-room.ts";
import { storeKeys } from "./store-look.ts";

const define = commandsOf<PetstoreRoom>({ service: "petstore", palette: HAS.petstore });

const ORDER = { connection: trimmed(), id: int64() };
const { id: _, ...NEW_ORDER } = allOptional(orderShape.fields);
const inStore = (group: string) => inTitle(VIEWS.store, group, CONTEXT.hasPetstore);
const onStore = (condition: string, ...groups: readonly string[]) => onRows(VIEWS.store, condition, ...groups);
const onOrders = (...groups: readonly string[]) => onStore("=~ /^orders/", ...groups);
const onOrder = (group: string) => onStore("== order", group);

/** Commands about a store as a whole and its orders. */
export const ORDER_COMMANDS = [
	define("switchboard.petstore.showInventory", "Show Inventory...", {
		menus: [inStore("2_orders@2"), onStore("== inventory", "1_open@1")],
		input: { connection: trimmed() },
		gives: ["{connection, inventory, total}"],
		run: runOn(storeOf, async ({ id, label }, _, { inventories, panel }) => {
			const count = (signal: AbortSignal) => inventories.of(id).refresh(signal);
			const inventory = await withProgress(`Counting the pets of ${label}...`, count);
			panel.show(id);
			return { connection: id, inventory, total: totalOf(inventory) };
		}),
	}),
	define("switchboard.petstore.refreshStore", "Refresh Store", {
		icon: "refresh",
		palette: false,
		menus: [
			inStore("navigation@3"),
			{ menu: "editor/title", when: `activeWebviewPanelId == ${INVENTORY_PANEL}`, group: "navigation@1" },
			onStore("=~ /^(store|inventory)$/", "inline@1", "1_open@2"),
			onStore("== orders", "3_refresh@1"),
			onStore("== orders.failed", "inline@2", "3_refresh@1"),
			onStore("=~ /^error/", "inline@1", "1_retry@1"),
		],
		input: { connection: optional(trimmed()) },
		gives: ["{ok}"],
		async run(call, { registry, inventories, orders, panel }) {
			const shown = storesOf(call, registry).flatMap(({ id }) => [
				...(inventories.of(id).state.name !== "idle" || panel.connection === id ? [inventories.of(id)] : []),
				...(orders.of(id).state.name !== "idle" ? [orders.of(id)] : []),
			]);
			const results = await Promise.allSettled(shown.map((each) => each.refresh()));
			return { ok: results.every(({ status }) => status === "fulfilled") };
		},
	}),
	define("switchboard.petstore.listOrders", "Show Orders...", {
		input: { connection: trimmed() },
		gives: ["{orders, complete}"],
		run: runOn(storeOf, async (store, call, room) => {
			const refresh = (signal: AbortSignal) => room.orders.of(store.id).refresh(signal);
			const { orders, error } = await withProgress(`Looking up the orders of ${store.label}...`, refresh);
			if (call.argument === undefined) {
				await vscode.commands.executeCommand(`${VIEWS.store}.focus`);
				await room.storeTree.revealAt(...storeKeys(room.registry, store.id), "orders");
			}
			return { orders, complete: error === undefined };
		}),
	}),
	define("switchboard.petstore.placeOrder", "Place Order...", {
		icon: "add",
		menus: [
			inStore("navigation@1"),
			onOrders("inline@1", "1_add@1"),
			onRows(VIEWS.pets, "=~ /^pet\\b/ && !listMultiSelection", "1_open@2"),
		],
		input: { connection: trimmed(), ...NEW_ORDER, id: optional(int64()) },
		gives: ["{order, confirmed, now?}"],
		run: runOn(storeOf, async (store, call, room) => {
			if (call.argument === undefined) return placeByPrompts(store, room, call.row?.fields["pet"]);
			const { connection: _, ...draft } = call.argument;
			return placeOrder((await room.clients.open(store.id)).client, draft);
		}),
	}),
	define("switchboard.petstore.openOrder", "Open Order...", {
		menus: [inStore("2_orders@1"), onOrders("1_add@2"), onOrder("1_open@1")],
		input: ORDER,
		gives: ["{order}"],
		opensRow: true,
		run: runOn(orderFor, async ({ connection, order }, call, room) => {
			await room.documents.show({ kind: "order", connection, id: order.id }, order, showing(call));
			return { order };
		}),
	}),
	define("switchboard.petstore.deleteOrder", "Delete Order...", {
		palette: false,
		menus: [onOrders("2_end@1"), onOrder("2_end@1")],
		keybinding: onKey(VIEWS.store, "order", DELETE),
		input: ORDER,
		gives: ["{deleted, confirmed, now?}"],
		async run(call, room) {
			const chosen = await orderOf(call, room, "Delete Order", { max: Number.POSITIVE_INFINITY, ...ORDER_DELETE });
			if (chosen === undefined) return undefined;
			const { store, id } = chosen;
			const { client } = await room.clients.open(store.id);
			const what = { key: id, name: `order ${id}`, detail: "The API can't restore an order." };
			return deleteOf(call, store, what, (signal) => deleteOrder(client, id, { signal }));
		},
	}),
];

/** Asks for pet, quantity and date, and places the order. */
async function placeByPrompts(store: PetstoreConnection, room: PetstoreRoom, pet: unknown) {
	const answers = { petId: String(pet ?? ""), quantity: "1", shipDate: "", id: "" };
	const tomorrow = new Date(Date.now() + DAY_MS).toISOString().slice(0, 10);
	let isIdWanted = false;
	const placed = await walk({
		title: `Place Order in ${store.label}`,
		steps: [
			{
				name: "petId",
				skip: () => pet !== undefined,
				async ask(frame) {
					const answer = await askPet(frame, store, room);
					if (typeof answer === "string") answers.petId = answer;
					return answer;
				},
			},
			lineStep("quantity", answers, {
				placeholder: "1",
				prompt: "Quantity",
				check: (text) => (/^[1-9]\d{0,8}$/.test(text.trim()) ? undefined : "Enter a whole number from 1 to 999999999."),
			}),
			lineStep("shipDate", answers, {
				placeholder: tomorrow,
				prompt: "Ship date. Leave empty to decide later.",
				checkLate: true,
				check: (text) =>
					text.trim() === "" || shipTime(text) !== undefined
						? undefined
						: `Enter a date such as ${tomorrow}, or a time such as ${tomorrow}T10:18:27Z.`,
				remark: (text) => (Date.parse(shipTime(text) ?? "") < Date.now() ? "This date is in the past." : undefined),
			}),
			{
				...lineStep("id", answers, {
					placeholder: "11",
					prompt: "Order id. Leave empty for a free one.",
					check: (text) => (text.trim() === "" || int64Of(text) !== null ? undefined : "Enter the id of the order."),
					remark: (text) =>
						Number(text) > ORDER_LOOKUP.max
							? `An order above ${ORDER_LOOKUP.max} cannot be looked up afterwards, and replaces any that has its id.`
							: undefined,
				}),
				// Asked for only where no id is free.
				skip: () => !isIdWanted,
			},
		],
		finish: async () => {
			const { client } = await room.clients.open(store.id);
			const [petId, id, shipDate] = [answers.petId.trim(), answers.id.trim(), shipTime(answers.shipDate)];
			const quantity = Number(answers.quantity);
			const draft = { petId, quantity, shipDate, status: "placed", complete: false, ...(id !== "" && { id }) };
			const place = (signal: AbortSignal) => placeOrder(client, draft, { signal });
			return withProgress("Placing the order...", place);
		},
		stepToFix(error) {
			const field = error instanceof ClientError ? error.field : undefined;
			const step = field === "quantity" || field === "shipDate" || field === "id" ? field : "petId";
			isIdWanted ||= step === "id";
			return { step, problem: describeRefusal(error, store.label) };
		},
	});
	if (placed !== undefined) tellPlaced(store, placed);
	return placed;
}

/** Order of a call, as its store has it now. */
export async function orderFor(call: Call, room: PetstoreRoom, title: string) {
	const chosen = await orderOf(call, room, title);
	if (chosen === undefined) return undefined;
	const { store, id } = chosen;
	const { client } = await room.clients.open(store.id);
	const order = await withProgress(`Looking up order ${id}...`, (signal) => readOrder(client, id, { signal }));
	return { connection: store.id, order };
}

function tellPlaced({ id: connection, label }: PetstoreConnection, placed: PlacedOrder): void {
	const { order, confirmed, now } = placed;
	if (!confirmed) {
		const seen = now === undefined ? undefined : `There is ${now === null ? "no" : "an"} order ${order.id}`;
		tellNotConfirmed(label, seen);
		return;
	}
	const argument = syntheticRow({ connection, id: order.id });
	const step = { label: "Open", command: "switchboard.petstore.openOrder", argument };
	leadTo(`Order ${order.id} was placed in ${label}.`, step);
}

/** Order of a call: of its row, or with an id that the person enters. */
async function orderOf(
	call: Call,
	room: PetstoreRoom,
	title: string,
	{ min, max }: { readonly min: number; readonly max: number } = ORDER_LOOKUP,
): Promise<{ store: PetstoreConnection; id: string } | undefined> {
	const store = await storeOf(call, room, title);
	if (store === undefined) return undefined;
	// A row of the view above the orders names none.
	const { id } = readGiven(call, { id: call.row === undefined ? int64() : optional(int64()) }, "petstore") ?? {};
	if (id !== undefined) return { store, id };
	const range = `from ${min} ${max === Number.POSITIVE_INFINITY ? "up" : `to ${max}`}`;
	const answer = await askText({
		title,
		placeholder: "3",
		prompt: `Order id, ${range}`,
		check(text) {
			const typed = int64Of(text.replace("#", ""));
			return typed === null || Number(typed) < min || Number(typed) > max
				? `Enter the id of an order, ${range}.`
				: undefined;
		},
	});
	return typeof answer === "string" ? { store, id: answer.trim().replace("#", "") } : undefined;
}

const DAY_MS = 24 * 60 * 60 * 1_000;

/** A day alone is its beginning. */
function shipTime(text: string): string | undefined {
	const given = text.trim();
	return wireTime(/^\d{4}-\d\d-\d\d$/.test(given) ? `${given}T00:00:00Z` : given) ?? undefined;
}
