import assert from "node:assert/strict";
import { test } from "node:test";
import { fetchPhoto, photoAddresses } from "#api/petstore/photo.ts";
import { PET_SCHEME } from "#app/contributions.ts";
import { subjectAddress } from "#app/petstore/documents.ts";
import { orderLists } from "#app/petstore/orders.ts";
import { sendable } from "#app/petstore/pet-text.ts";
import type { PageView } from "#protocol/page.ts";
import { fakeVscode } from "../../support/fake-vscode.ts";
import { until } from "../../support/until.ts";
import { openPets } from "../app/pet-service-window.ts";

const { petPage } = await import("#editor/petstore/pet-page.ts");
const { showPetCard } = await import("#editor/petstore/pet-card.ts");

/** Values of a named detail of a page, with the labels of their buttons. */
const detail = ({ details = [] }: PageView, name: string) =>
	details
		.find((each) => each.name === name)
		?.values.map(({ text, button }) => (button ? `${text} [${button[1]}]` : text));

test("a card shows what its store says, and the status as the pressed button", async (t) => {
	const { service, clients, connection, at } = await openPets(t);
	const pet = await service.get(at("1"));
	const orders = orderLists(clients).of(connection).state;
	const page = petPage({ label: "Store", pet, orders });
	assert.deepEqual([page.title, page.tab, page.facts], ["Biscuit", "Biscuit · Store", ["Store"]]);
	const long = petPage({ label: "Store", pet: { ...pet, name: "Bartholomew ".repeat(20) }, orders }).tab ?? "";
	assert.match(long, /^Bartholomew .{20,40}… · Store$/);
	assert.equal(petPage({ label: "Store", pet, isNamesake: true, orders }).tab, "Biscuit (1) · Store");
	assert.deepEqual(
		page.buttons?.map(([, label]) => label),
		["Edit as JSON", "Refresh", "Delete Pet..."],
	);
	assert.deepEqual(detail(page, "Category"), ["Dogs"]);
	assert.deepEqual(detail(page, "Tags"), ["friendly", "house-trained", "good with children"]);
	assert.deepEqual(detail(page, "Id"), ["1 [Copy Id]"]);
	const { choice } = page.details?.find(({ name }) => name === "Status") ?? {};
	assert.equal(choice?.pressed, `status:${pet.status}`);
	assert.deepEqual(
		choice?.buttons.map(([, label]) => label),
		["Available", "Pending", "Sold"],
	);
});

test("the orders of a card are those that are loaded, and none is read for it unasked", async (t) => {
	const { service, clients, connection, at, asked, behave } = await openPets(t);
	const lists = orderLists(clients);
	t.after(() => lists.dispose());
	const orders = lists.of(connection);
	const page = async (id: string) => petPage({ label: "Store", pet: await service.get(at(id)), orders: orders.state });
	assert.deepEqual(detail(await page("1"), "Orders"), ["Orders 1 to 10 are not loaded. [Load Orders]"]);
	assert.deepEqual(asked(), ["GET /pet/1"]);
	const { orders: all } = await orders.refresh();
	const first = all[0] ?? assert.fail();
	const shown = detail(await page(first?.petId ?? assert.fail()), "Orders") ?? [];
	assert.match(
		shown[0] ?? "",
		new RegExp(`^Order ${first.id} · ${first.status} · quantity \\d \\[Open Order ${first.id}\\]$`),
	);
	assert.equal(shown.at(-1), "Orders 1 to 10 are loaded. [Refresh Orders]");
	const named = new Set(all.map(({ petId }) => petId));
	const free = ["1", "2", "3", "4", "5", "7"].find((id) => !named.has(at(id).id)) ?? assert.fail();
	assert.deepEqual(detail(await page(free), "Orders"), ["No order from 1 to 10 is for this pet. [Refresh Orders]"]);
	behave({ on: ["getOrderById"], fail: { status: 500 } });
	await assert.rejects(orders.refresh());
	assert.match((detail(await page(free), "Orders") ?? []).join(), /^\S.+\. .+\. \[Try Again\]$/);
});

test("a pet of an odd status has it in words, with no button pressed", async (t) => {
	const { clients, connection, at } = await openPets(t);
	const page = petPage({
		label: "Store",
		pet: { id: at("5").id, status: "lost" },
		orders: orderLists(clients).of(connection).state,
	});
	assert.deepEqual([page.title, detail(page, "Status"), detail(page, "Photos")], ["Pet 5", ["lost"], undefined]);
	assert.ok(!page.details?.some(({ choice }) => choice?.buttons.some(([id]) => id === choice.pressed)));
});

test("a photo comes from the store's own origin, and one that fails is told", async (t) => {
	const { service, clients, connection, at, baseUrl, clock } = await openPets(t);
	const pet = await service.get(at("1"));
	const [url = ""] = photoAddresses(pet.photoUrls);
	assert.equal(new URL(url).origin, new URL(baseUrl).origin);
	assert.ok("bytes" in (await fetchPhoto(url, { transport: clients.parts.transport, clock })));
	const orders = orderLists(clients).of(connection).state;
	const shown = (photo: string | null) => petPage({ label: "Store", pet, photo, orders });
	assert.deepEqual(shown("blob:a").picture, { address: "blob:a", text: "Photo of Biscuit" });
	assert.equal(shown(null).picture, undefined);
	assert.deepEqual(detail(shown(null), "Photos"), ["1, but the photo could not be loaded [Preview Pet Photo...]"]);
});

test("a photo goes from an open card with its address in the pet", async (t) => {
	const { service, pets, clients, registry, connection, at, clock } = await openPets(t);
	fakeVscode({ Uri: { from: (parts: object) => parts, joinPath: () => "" } });
	const orders = orderLists(clients);
	t.after(() => orders.dispose());
	const { transport } = clients.parts;
	const photos = { keep: () => "photo" };
	const room = { service, pets, registry, orders, photos, fetching: () => ({ transport, clock }), extensionUri: "" };
	const views: PageView[] = [];
	const webview = {
		postMessage: (view: PageView) => views.push(view),
		onDidReceiveMessage: () => undefined,
		asWebviewUri: (uri: unknown) => uri,
	};
	const panel = { webview, onDidDispose: (close: () => void) => t.after(close) };
	const address = at("1");
	const uri = { scheme: PET_SCHEME, ...subjectAddress({ kind: "pet", connection, id: address.id }, "Store") };
	showPetCard(uri as never, panel as never, room as never);
	await until(() => views.at(-1)?.picture?.address === "photo", "the photo");
	const pet = await service.get(address);
	await service.save(address, { ...sendable(pet), photoUrls: ["https://photos.example/1.png"] }, pet);
	assert.deepEqual([views.at(-1)?.picture, detail(views.at(-1) ?? assert.fail(), "Photos")?.length], [undefined, 1]);
});

test("a card without its pet says why, with the way on", () => {
	const page = petPage({ label: "Store", pet: undefined, problem: "Store did not answer.", orders: { name: "idle" } });
	assert.deepEqual(
		[page.title, page.problem, page.buttons],
		["Store", "Store did not answer.", [["refresh", "Try Again"]]],
	);
});
