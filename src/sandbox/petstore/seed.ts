import { list } from "#base/schema.ts";
import { strictly } from "#sandbox/strict.ts";
import { petWith, SALE_STATUSES, type StoreOrder, type StorePet, type StoreUser, userDraft } from "./model.ts";
import data from "./pets.json" with { type: "json" };

const DAY = 24 * 3_600_000;

const pets = list(petWith([...SALE_STATUSES, "adopted", "in quarantine"]));

const CATEGORIES = [...new Set(data.pets.map(({ category }) => category))];
const TAGS = [...new Set(data.pets.flatMap(({ tags }) => tags))];

/** One of some names, with an id from `first` on by its place. */
function numbered(name: string, names: readonly string[], first: number) {
	return { id: BigInt(first + names.indexOf(name)), name };
}

/** Pets that are written by hand, each with a picture of its name. */
export const PETS = strictly(
	pets,
	data.pets.map(({ category, tags, ...pet }, index) => ({
		...pet,
		id: BigInt(index + 1),
		category: numbered(category, CATEGORIES, 1),
		photoUrls: [`/${pet.name.toLowerCase()}.png`],
		tags: tags.map((tag) => numbered(tag, TAGS, 11)),
	})),
	"pets",
);

/** Pets that are hard to display: int64 limits, markup, blanks, undocumented statuses. */
const CURIOUS_PETS = strictly(pets, exact(data.curiousPets), "curiousPets");

const USERS = strictly(list(userDraft), exact(data.users), "users");
const CURIOUS_USERS = strictly(list(userDraft), exact(data.curiousUsers), "curiousUsers");

/** Values with whole numbers, which JSON modules hold as texts of digits: a double has no room for an int64. */
function exact(values: readonly object[]): unknown {
	const isWhole = (value: unknown): value is string => typeof value === "string" && /^\d+$/.test(value);
	return JSON.parse(JSON.stringify(values), (_, value: unknown) => (isWhole(value) ? BigInt(value) : value));
}

/** Pets, orders and users, equal for equal options. `pictures` is the address of the pictures. */
export function createSeed(
	options: { readonly pets: number; readonly curious: boolean; readonly password: string },
	pictures: string,
) {
	const { curious, password } = options;
	const plain = Array.from({ length: options.pets }, (_, index) => {
		const pet = pick(PETS, index);
		// After those that are written by hand, there are others like them.
		return index < PETS.length ? pet : { ...pet, id: BigInt(index + 1), name: `Pet ${index + 1}` };
	});
	return {
		pets: [...plain, ...(curious ? CURIOUS_PETS : [])].map((pet): StorePet => {
			const photoUrls = pet.photoUrls.map((url) => (url.startsWith("/") ? pictures + url : url));
			return { ...pet, id: pet.id ?? 0n, photoUrls };
		}),
		orders: orders(curious),
		users: [...USERS, ...(curious ? CURIOUS_USERS : [])].map((user): StoreUser => {
			return { ...user, id: user.id ?? 0n, username: user.username ?? "", password };
		}),
	};
}

/** Orders below 11 can be looked up (contract section 8); 4 and 9 are free. */
function orders(curious: boolean): readonly StoreOrder[] {
	const first = Math.floor(Date.now() / DAY - 8) * DAY + 120;
	return [1, 2, 3, 5, 6, 7, 8, 10].map((number) => ({
		id: BigInt(number),
		petId: curious && number === 10 ? 2n ** 53n + 1n : BigInt(((number * 5) % PETS.length) + 1),
		quantity: 1 + (number % 3),
		shipDate: first + number * 27 * 3_600_000,
		status: pick(["placed", "approved", "delivered"] as const, number),
		complete: number % 3 === 2,
	}));
}

function pick<T>(all: readonly T[], at: number): T {
	const found = all[at % all.length];
	if (found === undefined) throw new Error("There is nothing to pick.");
	return found;
}
