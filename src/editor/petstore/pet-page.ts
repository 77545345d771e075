import { ORDER_LOOKUP, PET_STATUSES } from "#api/petstore/model.ts";
import { photoAddresses } from "#api/petstore/photo.ts";
import type { ResourceState } from "#app/kit/resource.ts";
import type { OrderList } from "#app/petstore/orders.ts";
import type { KnownPet } from "#app/petstore/pet-text.ts";
import type { PageDetail, PageView } from "#protocol/page.ts";
import { joinParts, plainLine, plainNames, tabTitle } from "../kit/text.ts";
import { describeRefusal } from "../words/show-error.ts";
import { nameOfPet } from "./documents.ts";
import { GROUPS } from "./pet-look.ts";

/** State of the card of a pet. */
interface PetCardState extends Pick<PageView, "problem" | "status"> {
	/** Label of its store. */
	readonly label: string;
	readonly pet: KnownPet | undefined;
	/** True if other pets have its name. */
	readonly isNamesake?: boolean | undefined;
	/** Address of the photo that is shown; null if it could not be fetched. */
	readonly photo?: string | null | undefined;
	readonly orders: ResourceState<OrderList>;
}

const IDS = `${ORDER_LOOKUP.min} to ${ORDER_LOOKUP.max}`;

/** Page of a pet. Ids of its buttons are commands about it, or `refresh`, `orders`, and `status` with one. */
export function petPage({ label, pet, isNamesake, problem, status, photo, orders }: PetCardState): PageView {
	const store = plainLine(label);
	const again = ["refresh", problem === undefined ? "Refresh" : "Try Again"] as const;
	if (pet === undefined) return { title: store, problem, status, buttons: problem ? [again] : [], tables: [] };
	const name = nameOfPet(pet);
	const known = PET_STATUSES.find((each) => each === pet.status);
	const photos = photoAddresses(pet.photoUrls).length;
	const count = `${photos}${photo === null ? ", but the photo could not be loaded" : ""}`;
	const details: readonly PageDetail[] = [
		{
			name: "Status",
			values: known === undefined ? [{ text: plainLine(pet.status, "No status") }] : [],
			choice: {
				pressed: `status:${known}`,
				buttons: PET_STATUSES.map((each) => [`status:${each}`, GROUPS[each].label]),
			},
		},
		{ name: "Category", values: [{ text: plainLine(pet.category?.name) }] },
		{ name: "Tags", values: plainNames(pet.tags).map((text) => ({ text })), areTags: true },
		{ name: "Id", values: [{ text: pet.id, button: ["copyId", "Copy Id"] }] },
		{ name: "Photos", values: photos === 0 ? [] : [{ text: count, button: ["previewPhoto", "Preview Pet Photo..."] }] },
		{ name: "Orders", values: orderValues(pet, orders, label) },
	];
	return {
		title: name,
		tab: tabTitle(isNamesake ? `${name} (${pet.id})` : name, label),
		picture: photo ? { address: photo, text: `Photo of ${name}` } : undefined,
		facts: [store],
		problem,
		status,
		buttons: [["openPet", "Edit as JSON"], again, ["deletePet", "Delete Pet..."]],
		details: details.filter(({ values, choice }) => choice ?? values.some(({ text }) => text !== "")),
		tables: [],
	};
}

/** Orders that name a pet, among those that are loaded. */
function orderValues({ id }: KnownPet, { name, value, error }: ResourceState<OrderList>, label: string) {
	const isLoading = name === "loading";
	const text = (words: string, button = "Refresh Orders"): PageDetail["values"] => [
		{ text: isLoading ? `Loading orders ${IDS}...` : words, button: ["orders", button] },
	];
	if (error !== undefined) return text(describeRefusal(error, label), "Try Again");
	if (value === undefined) return text(`Orders ${IDS} are not loaded.`, "Load Orders");
	const own = value.orders.filter(({ petId }) => petId === id);
	const rest = value.error === undefined ? "" : " Some could not be loaded.";
	return [
		...own.map((order) => {
			const quantity = order.quantity === undefined ? "" : `quantity ${order.quantity}`;
			const words = joinParts([`Order ${order.id}`, plainLine(order.status, "no status"), quantity]);
			return { text: words, button: [`openOrder:${order.id}`, `Open Order ${order.id}`] as const };
		}),
		...text(own.length === 0 ? `No order from ${IDS} is for this pet.${rest}` : `Orders ${IDS} are loaded.${rest}`),
	];
}
