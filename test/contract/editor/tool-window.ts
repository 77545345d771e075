import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { PetService } from "#app/petstore/pet-service.ts";
import { int64Of } from "#base/int64.ts";
import type { ToolRooms } from "#editor/models/tool.ts";
import { prepareTool } from "#editor/models/tools.ts";
import { openWindow } from "../../support/codehost-window.ts";
import { openPetstoreWindow } from "../app/petstore-window.ts";

const describe = (error: unknown, label: string) => `${label}: ${error instanceof Error ? error.message : error}`;

/** A window with code hosts and one with pet stores; the tools use the registry of the one that is asked for. */
export async function toolWindow(t: TestContext, service: "codehost" | "petstore") {
	const [host, store] = [await openWindow(t), await openPetstoreWindow(t)];
	const { registry, redactor } = service === "codehost" ? host : store;
	const { clients: codehosts, repositories, statuses } = host;
	const pets = new PetService(store.clients);
	t.after(() => pets.dispose());
	const { secrets } = pets.clients.parts;
	const listedPets = () => [{ id: int64Of("7") ?? assert.fail(), name: "Biscuit", status: "available" }];
	const services = { registry, codehosts, repositories, statuses, pets, listedPets };
	const rooms: ToolRooms = { ...services, redactor, secrets, describe };
	const call = async (name: string, input: unknown, signal = new AbortController().signal) =>
		prepareTool(`switchboard_${name}`, input, rooms).run(signal);
	return { host, store, rooms, call };
}

/** JSON of a result, below the line that it is material. */
export function jsonIn(result: string): Readonly<Record<string, unknown>> {
	return JSON.parse(result.slice(result.indexOf("\n")));
}
