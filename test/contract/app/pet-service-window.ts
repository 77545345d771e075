import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { PetstoreFormat } from "#app/connections/petstore-profiles.ts";
import { StoreDocuments } from "#app/petstore/documents.ts";
import { type BatchOptions, deletePets, type ManyDone, movePets, undoLast } from "#app/petstore/many-pets.ts";
import { type PetBatch, type PetChange, PetService } from "#app/petstore/pet-service.ts";
import type { PetAddress } from "#app/petstore/pet-text.ts";
import { Pets } from "#app/petstore/pets.ts";
import { int64Of } from "#base/int64.ts";
import { openPetstoreWindow, usersIn } from "./petstore-window.ts";

/** An id that no number of JavaScript holds. */
export const FAR = "9223372036854775807";

/** What changes, undoes and lists the pets of a window's stores. */
export function petsIn(
	context: TestContext,
	{ clients }: Pick<Awaited<ReturnType<typeof openPetstoreWindow>>, "clients">,
) {
	const service = new PetService(clients);
	const pets = new Pets(service);
	const told: PetChange[] = [];
	service.onDidChange((change) => told.push(change));
	context.after(() => {
		pets.dispose();
		service.dispose();
	});
	const undo = {
		last: (address?: Partial<PetAddress>, options?: BatchOptions) => undoLast(service, address, options),
		batch: (batch: PetBatch) => undoLast(service, { batch }),
	};
	const addresses = (connection: string, ids: readonly string[]) =>
		ids.map((digits) => ({ connection, id: int64Of(digits) ?? assert.fail(digits) }));
	const outcome = async (work: Promise<ManyDone<PetAddress>>) => {
		const { done, failed, left, confirmed } = await work;
		const ids = (pets: readonly PetAddress[]) => pets.map(({ id }) => id);
		const refused = failed.map(({ item, error }) => ({ pet: item.id, error }));
		return { moved: ids(done), failed: refused, left: ids(left), confirmed };
	};
	const move = (connection: string, ids: readonly string[], status: string, options?: BatchOptions) =>
		outcome(movePets(service, addresses(connection, ids), status, options));
	const removeAll = (connection: string, ids: readonly string[], options?: BatchOptions) =>
		outcome(deletePets(service, addresses(connection, ids), options));
	const documents = new StoreDocuments(service, usersIn(context, { clients, registry: clients.parts.registry }).users);
	return { service, undo, pets, told, move, removeAll, documents };
}

/** A window with the pets of one store. */
export async function openPets(context: TestContext, { format = "json" }: { readonly format?: PetstoreFormat } = {}) {
	const window = await openPetstoreWindow(context);
	const { id: connection } = await window.add(window.keys, format);
	window.requests.length = 0;
	const at = (digits: string) => ({ connection, id: int64Of(digits) ?? assert.fail(digits) });
	const asked = () =>
		window.requests.splice(0).map(({ method, url }) => `${method} ${new URL(url).pathname.split("/v2")[1]}`);
	const { petstore } = window.sandbox;
	const behave: typeof petstore.behave = (...how) => petstore.behave(...how);
	return { ...window, ...petsIn(context, window), connection, at, asked, behave };
}
