import { list, object, oneOf, text } from "#base/schema.ts";
import { strictly } from "#sandbox/strict.ts";
import { MAX_INT64, type Named, SALE_STATUSES, type StoreOrder, type StorePet, type StoreUser } from "./model.ts";
import pets from "./pets.json" with { type: "json" };

/** Content of a new pet store. */
export type Seed = ReturnType<typeof createSeed>;

const DAY = 24 * 3_600_000;

/** Pets that are written by hand; `picture` is a PNG in base64. */
export const WRITTEN_PETS = strictly(
	list(
		object({
			name: text({ min: 1 }),
			category: text(),
			status: oneOf(...SALE_STATUSES),
			tags: list(text()),
			picture: text({ min: 1 }),
		}),
	),
	pets,
	"pets",
);

/** Path of a photo below the address of the pictures. */
const photo = (name: string, number: number) => `/${name.toLowerCase()}-${number}.png`;

const numbered = (names: readonly string[], first: number): readonly Named[] =>
	[...new Set(names)].map((name, index) => ({ id: BigInt(first + index), name }));

const CATEGORIES = numbered(
	WRITTEN_PETS.map(({ category }) => category),
	1,
);

const TAGS = numbered(
	WRITTEN_PETS.flatMap(({ tags }) => tags),
	11,
);

/** Pets, orders and users, equal for equal options. `pictures` is the address of the pictures. */
export function createSeed(
	{ pets, curious, password }: { readonly pets: number; readonly curious: boolean; readonly password: string },
	pictures: string,
) {
	return {
		pets: [
			...Array.from({ length: pets }, (_, index) => plainPet(index + 1, pictures)),
			...(curious ? curiousPets(pictures) : []),
		],
		orders: orders(curious),
		users: users(password, curious),
	};
}

/** Pet written by hand, or one like it after the last of them. */
function plainPet(number: number, pictures: string): StorePet {
	const { name, category, status, tags } = pick(WRITTEN_PETS, number - 1);
	return {
		id: BigInt(number),
		category: pick(
			CATEGORIES,
			CATEGORIES.findIndex((each) => each.name === category),
		),
		name: number > WRITTEN_PETS.length ? `Pet ${number}` : name,
		photoUrls: [pictures + photo(name, number)],
		tags: TAGS.filter((each) => tags.includes(each.name ?? "")),
		status,
	};
}

/** Pets that are hard to display: int64 limits, markup, blanks, undocumented statuses. */
function curiousPets(pictures: string): readonly StorePet[] {
	return [
		// The first integer that a double cannot hold, and the one that it would become.
		{ id: 2n ** 53n, name: "Even", photoUrls: [], status: "available" },
		{
			id: 2n ** 53n + 1n,
			category: { id: MAX_INT64, name: "Numbers" },
			name: "Odd",
			photoUrls: [pictures + photo("mochi", 53)],
			tags: [{ id: 2n ** 53n + 1n, name: "exact" }],
			status: "available",
		},
		{ id: MAX_INT64, name: "Max", photoUrls: [], tags: [{ id: MAX_INT64, name: "exact" }], status: "pending" },
		{ id: 9001n, name: "<b>Bold</b> & \"quoted\" 'n' ]]> $(done)", photoUrls: [], tags: [], status: "available" },
		{ id: 9002n, name: "Łódź 🦜 العصفور\u202e الطويل", photoUrls: [], tags: [{ name: "no id" }], status: "available" },
		{ id: 9003n, name: `${"Very ".repeat(60)}Long`, photoUrls: ["https://pets.invalid/gone.png"], status: "sold" },
		{ id: 9004n, name: "", photoUrls: [" "], category: {}, status: "sold" },
		{ id: 9005n, name: "Two\r\nlines\tand a tab", photoUrls: ["javascript:alert(1)"], status: "pending" },
		{ id: 9011n, name: "Argos", photoUrls: [], tags: [{ id: 13n, name: "senior" }], status: "adopted" },
		{ id: 9012n, name: "Echo", photoUrls: [], tags: [{ id: 15n, name: "loud" }], status: "in quarantine" },
		{ id: 9013n, name: "Schrödinger", photoUrls: [], tags: [{ id: 16n, name: "undecided" }] },
	];
}

/** Orders below 11 can be looked up (contract section 8); 4 and 9 are free. */
function orders(curious: boolean): readonly StoreOrder[] {
	const first = Math.floor(Date.now() / DAY - 8) * DAY + 120;
	return [1, 2, 3, 5, 6, 7, 8, 10].map((number) => ({
		id: BigInt(number),
		petId: curious && number === 10 ? 2n ** 53n + 1n : BigInt(((number * 5) % WRITTEN_PETS.length) + 1),
		quantity: 1 + (number % 3),
		shipDate: first + number * 27 * 3_600_000,
		status: pick(["placed", "approved", "delivered"] as const, number),
		complete: number % 3 === 2,
	}));
}

function users(password: string, curious: boolean): readonly StoreUser[] {
	const person = (id: bigint, [firstName, lastName]: readonly [string, string]): StoreUser => ({
		id,
		username: firstName.toLowerCase(),
		firstName,
		lastName,
		email: `${firstName.toLowerCase()}@exchange.example`,
		password,
		phone: `+49 30 5550 ${id}`,
		userStatus: Number(id % 3n),
	});
	return [
		person(101n, ["Ada", "Quill"]),
		person(102n, ["Lin", "Okafor"]),
		person(103n, ["Grace", "Marlowe"]),
		...(curious ? [{ ...person(MAX_INT64, ["Max", "Integer"]), username: "max integer" }] : []),
	];
}

function pick<T>(all: readonly [T, ...T[]] | readonly T[], at: number): T {
	const found = all[at % all.length];
	if (found === undefined) throw new Error("There is nothing to pick.");
	return found;
}
