import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { after, before, describe, it } from "mocha";
import * as vscode from "vscode";
import { droppedFile } from "#editor/petstore/photo-commands.ts";
import type { Sandbox } from "#sandbox/sandbox.ts";
import { connectStore } from "../support/connected-store.ts";
import { readShownRows } from "../support/shown-rows.ts";
import { until } from "../support/until.ts";

const run = <T>(command: string, argument?: object): Thenable<T> =>
	vscode.commands.executeCommand<T>(`switchboard.${command}`, argument);

interface Refreshed {
	readonly ok: boolean;
	readonly stores: readonly {
		readonly connection: string;
		readonly counts: Readonly<Record<string, number>> | null;
		readonly inventory: Readonly<Record<string, number>> | null;
	}[];
}

interface Deleted {
	readonly deleted: boolean;
	readonly confirmed: boolean;
	readonly now?: object | null;
}

interface Moved {
	readonly moved: readonly string[];
	readonly failed: readonly { readonly pet: string; readonly code: string; readonly message: string }[];
	readonly left: readonly string[];
}

/** By status: how many pets it has, and how many rows there are of them. */
type Counts = readonly (readonly [status: string, beside: number, below: number])[];

const KNOWN = ["available", "pending", "sold"];

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

describe("the pets of a store in an editor", () => {
	let sandbox: Sandbox;
	let connection: string;
	before(async () => {
		({ sandbox, connection } = await connectStore("Pets"));
	});
	after(async () => {
		sandbox.petstore.behave({});
		await run("petstore.clearFilter", {});
		await run("removeConnection", { connection });
		await sandbox.close();
	});
	const asked = (operation: "findPetsByStatus" | "updatePetWithForm" | "uploadFile") =>
		sandbox.status().petstore.operations[operation] ?? 0;
	const inventory = async () => {
		const wish = { connection, operation: "getInventory" };
		return (await run<{ data: Record<string, number> }>("petstore.call", wish)).data;
	};
	const shown = async () => {
		const { ok, stores } = await run<Refreshed>("petstore.refreshPets", { connection });
		assert.ok(ok && stores.length === 1);
		const [{ counts } = assert.fail("a store")] = stores;
		return counts ?? assert.fail("counts");
	};
	/** What the store itself says, past the product: how many pets a status has. */
	const storeCounts = async (): Promise<Counts> => {
		const { apiKey } = sandbox.keys.petstore;
		const reply = await fetch(`${sandbox.baseUrls.petstore}/v2/store/inventory`, { headers: { api_key: apiKey } });
		const all = (await reply.json()) as Readonly<Record<string, number>>;
		return KNOWN.map((status) => [status, all[status] ?? 0, all[status] ?? 0]);
	};
	/** Opens one row at the top of the view, and no other. */
	const openOnly = async (index: number) => {
		for (const key of ["collapseAll", "focusFirst", ...Array(index).fill("focusDown"), "expand"]) {
			await vscode.commands.executeCommand(`list.${key}`);
		}
	};
	/** What the view has on screen, once that is as wanted: the number beside a status, and the rows below it. */
	const viewCounts = async (wanted: Counts): Promise<Counts> => {
		await vscode.commands.executeCommand("switchboard.pets.focus");
		const counts: Counts[number][] = [];
		for (const [index, [status, ...numbers]] of wanted.entries()) {
			let seen: readonly [number, number] = [Number.NaN, 0];
			for (let tries = 0; String(seen) !== String(numbers) && tries < 1_000; tries++) {
				// A key that is pressed while the focus moves is lost.
				if (tries % 20 === 0) await openOnly(index);
				await delay(100);
				const rows = await readShownRows("Pets");
				const heading = rows.find(({ name, level }) => level === 1 && name.toLowerCase().startsWith(`${status}, `));
				const below = rows.find(({ level }) => level === 2);
				seen = [Number(/^\w+, (\d+) pets?$/.exec(heading?.name ?? "")?.[1]), below?.siblings ?? 0];
			}
			counts.push([status, ...seen]);
		}
		return counts;
	};
	const idsOf = async (status: string) => {
		const wish = { connection, operation: "findPetsByStatus", params: { status: [status] } };
		return (await run<{ data: { id: string }[] }>("petstore.call", wish)).data.map(({ id }) => id);
	};

	it("are loaded when their view is shown, with one request a status", async () => {
		const before = asked("findPetsByStatus");
		await vscode.commands.executeCommand("switchboard.pets.focus");
		await until(async () => asked("findPetsByStatus") - before >= 3, "the pets to be asked for");
		assert.equal(asked("findPetsByStatus") - before, 3);
	});

	it("have the counts of the inventory, other statuses together", async () => {
		const counts = await shown();
		const all = await inventory();
		for (const status of KNOWN) assert.equal(counts[status], all[status], status);
		const others = Object.entries(all).filter(([status]) => !KNOWN.includes(status));
		assert.ok(others.length > 0);
		const sum = others.reduce((all, [, count]) => all + count, 0);
		assert.equal(counts["other"], sum);
	});

	it("are gone from the view when their deletion was done and its answer lost, which is not confirmed", async () => {
		const [pet = assert.fail("a pet")] = await idsOf("pending");
		await shown();
		sandbox.petstore.behave({ on: ["deletePet"], cutAfterBytes: 1 });
		const { deleted, confirmed, now } = await run<Deleted>("petstore.deletePet", { connection, pet });
		sandbox.petstore.behave({});
		assert.deepEqual([deleted, confirmed, now], [true, false, null]);
		const counts = await storeCounts();
		assert.deepEqual(await viewCounts(counts), counts);
		await run("petstore.undoPetChange", { connection, pet });
		assert.ok((await idsOf("pending")).includes(pet));
	});

	it("are what a command is about that names none: the one that is selected, or one of those that are known", async () => {
		await vscode.commands.executeCommand("workbench.action.closeAllEditors");
		/** The pet that went into the chat; null where the question was left unanswered. */
		const attached = async ({ answers }: { readonly answers: boolean }) => {
			await run("requests.clear", {});
			const asking = run("petstore.askInChat");
			let isDone = false;
			void asking.then(() => {
				isDone = true;
			});
			for (let tries = 0; !isDone && tries < 100; tries++) {
				await delay(50);
				// Of the known ones the first is taken, once they are asked about.
				if (answers) await vscode.commands.executeCommand("workbench.action.acceptSelectedQuickOpenItem");
			}
			if (!isDone) return null;
			await asking;
			const { requests } = await run<{ requests: { path: string }[] }>("requests.list", { connection });
			return requests.map(({ path }) => /\/pet\/(\d+)$/.exec(path)?.[1]).find((id) => id !== undefined);
		};
		const known = await attached({ answers: true });
		assert.match(known ?? "", /^\d+$/);
		await vscode.commands.executeCommand("switchboard.pets.focus");
		for (const key of ["focusFirst", "expand", "focusDown", "focusDown", "toggleSelection"]) {
			await vscode.commands.executeCommand(`list.${key}`);
			await delay(200);
		}
		const selected = await attached({ answers: false });
		assert.match(selected ?? "", /^\d+$/);
		assert.notEqual(selected, known);
		await vscode.commands.executeCommand("list.clear");
		await vscode.commands.executeCommand("workbench.action.closeAllEditors");
	});

	it("are moved fifty at once; one refusal is listed, and the counts agree again", async () => {
		const fifty = [...(await idsOf("available")), ...(await idsOf("pending"))].slice(0, 50);
		assert.equal(fifty.length, 50);
		const lists = asked("findPetsByStatus");
		sandbox.petstore.behave({ on: ["updatePetWithForm"], fail: { status: 405, times: 1, message: "Not this one" } });
		const result = await run<Moved>("petstore.moveToStatus", { connection, pets: fifty, status: "sold" });
		sandbox.petstore.behave({});
		assert.deepEqual(JSON.parse(JSON.stringify(result)), result);
		assert.equal(result.moved.length, 49);
		assert.deepEqual(result.left, []);
		const [refused, ...others] = result.failed;
		assert.ok(refused !== undefined && others.length === 0 && fifty.includes(refused.pet));
		assert.deepEqual([refused.code, refused.message], ["invalid", "Not this one"]);
		for (const id of result.moved) assert.equal(sandbox.petstore.store.pets.get(BigInt(id))?.status, "sold");
		assert.notEqual(sandbox.petstore.store.pets.get(BigInt(refused.pet))?.status, "sold");
		const counts = await storeCounts();
		assert.deepEqual(await viewCounts(counts), counts);
		assert.equal(asked("findPetsByStatus"), lists, "nothing was loaded again");
	});

	it("are filtered by words and tags, and found by a tag whatever their status is", async () => {
		assert.deepEqual(await run("petstore.filterPets", { text: " dog " }), { text: "dog", tags: [] });
		assert.deepEqual(await run("petstore.filterPets", { tags: ["senior"] }), { text: "dog", tags: ["senior"] });
		const found = await run<{ tags: string[]; pets: { id: string; status: string }[] }>("petstore.findByTag", {
			connection,
			tags: ["loud"],
		});
		assert.deepEqual(
			found.pets.map(({ id, status }) => [id, status]),
			[["9012", "in quarantine"]],
		);
		assert.deepEqual(await run("petstore.filterPets", {}), { text: "dog", tags: ["senior"] });
		assert.deepEqual(await run("petstore.clearFilter", {}), { text: "", tags: [] });
	});

	it("get a photo, which is shown only on request, as a read-only file", async () => {
		const uploaded = await run<{ pet: string; bytes: number }>("petstore.uploadPhoto", {
			...{ connection, pet: 9001, name: "pixel.png", base64: PIXEL },
		});
		assert.deepEqual([uploaded.pet, uploaded.bytes], ["9001", Buffer.from(PIXEL, "base64").length]);
		const shown = await run<{ url: string; type: string; bytes: number }>("petstore.previewPhoto", {
			...{ connection, pet: "9001" },
		});
		assert.deepEqual([shown.type, shown.bytes], ["image/png", uploaded.bytes]);
		assert.ok(shown.url.endsWith("upload-9001-1.png"));
		const tabs = () => vscode.window.tabGroups.all.flatMap((group) => group.tabs);
		const find = () => {
			const inputs = tabs().map(({ input }) => input);
			const custom = inputs.filter((each) => each instanceof vscode.TabInputCustom);
			return custom.find(({ uri }) => uri.scheme === "switchboard-photo")?.uri;
		};
		await until(async () => find() !== undefined, "the photo");
		const uri = find() ?? assert.fail("the photo is in an editor of pictures");
		assert.deepEqual(Buffer.from(await vscode.workspace.fs.readFile(uri)), Buffer.from(PIXEL, "base64"));
		await assert.rejects(async () => vscode.workspace.fs.writeFile(uri, new Uint8Array(1)));
		await assert.rejects(async () => vscode.workspace.fs.stat(uri.with({ path: "/0/gone.png" })));
		await vscode.commands.executeCommand("workbench.action.closeAllEditors");
	});

	it("say to drop a file where something else was dropped", async () => {
		const drop = (...items: readonly (readonly [type: string, text: string])[]) => {
			const dropped = new vscode.DataTransfer();
			for (const [type, text] of items) dropped.set(type, new vscode.DataTransferItem(text));
			return droppedFile(dropped);
		};
		const missing = { code: "invalid", field: "file", message: /file is missing: drop a picture/ };
		await assert.rejects(drop(["text/uri-list", "https://pets.example/a.png\r\n"]), missing);
		await assert.rejects(drop(["text/plain", "a.png"]), missing);
		const [folder = assert.fail("a folder")] = vscode.workspace.workspaceFolders ?? [];
		const notes = String(vscode.Uri.joinPath(folder.uri, "notes.md"));
		const file = await drop(["text/uri-list", `https://pets.example/a.png\r\n${notes}`]);
		assert.deepEqual([file.name, new TextDecoder().decode(file.bytes)], ["notes.md", "# Notes\n"]);
	});
});
