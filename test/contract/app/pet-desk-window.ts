import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { PetstoreFormat } from "#app/connections/petstore-profiles.ts";
import { type PetChange, PetChanges } from "#app/petstore/pet-changes.ts";
import { PetDesk } from "#app/petstore/pet-desk.ts";
import { PetUndo } from "#app/petstore/pet-undo.ts";
import { int64Of } from "#base/int64.ts";
import type { PetstoreBehaviour } from "#sandbox/petstore/behaviour.ts";
import { openPetstoreWindow } from "./petstore-window.ts";

/** An id that no number of JavaScript holds. */
export const FAR = "9223372036854775807";

/** A window with the desk of a store's pets, and what undoes its changes. */
export async function openDesk(context: TestContext, { format = "json" }: { readonly format?: PetstoreFormat } = {}) {
	const window = await openPetstoreWindow(context);
	const { id: connection } = await window.add(window.keys, format);
	const changes = new PetChanges();
	const told: PetChange[] = [];
	changes.onDidChange((change) => told.push(change));
	const { clock } = window.clients.parts;
	const desk = new PetDesk({ clients: window.clients, changes, clock });
	const undo = new PetUndo({ desk, clients: window.clients, changes });
	window.requests.length = 0;
	const at = (digits: string) => ({ connection, id: int64Of(digits) ?? assert.fail(digits) });
	const asked = () =>
		window.requests.splice(0).map(({ method, url }) => `${method} ${new URL(url).pathname.split("/v2")[1]}`);
	const behave = (behaviour: PetstoreBehaviour) => window.sandbox.petstore.behave(behaviour);
	return { ...window, clock, connection, desk, undo, told, at, asked, behave };
}
