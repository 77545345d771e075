/** A label, as it is on the wire. */
export interface Label {
	readonly id: number;
	readonly name: string;
	readonly color: string;
	readonly description: string | null;
}

/** An issue, or a pull request, which shares the numbers. Times are epoch milliseconds. */
export interface Issue {
	readonly id: number;
	readonly number: number;
	readonly title: string;
	readonly body: string | null;
	readonly labels: readonly Label[];
	/** A login; null where the account is gone. */
	readonly author: string | null;
	readonly comments: number;
	readonly createdAt: number;
	readonly updatedAt: number;
	/** Open as long as there is none. */
	readonly closedAt: number | null;
	readonly isPullRequest: boolean;
}

/** Numbers of each kind that a repository has. */
export interface IssuePlan {
	readonly repositoryId: number;
	readonly open: number;
	readonly closed?: number;
	readonly pullRequests?: number;
}

const MINUTE = 60_000;

/** When the first issue was written. Fixed, so that a listing is the same at each start. */
export const FIRST_ISSUE_AT = Date.UTC(2024, 0, 8, 9);

/** The labels that issues have. */
export const LABELS: readonly Label[] = [
	{ id: 901, name: "bug", color: "d73a4a", description: "Something does not work" },
	{ id: 902, name: "enhancement", color: "a2eeef", description: null },
	{ id: 903, name: "good first issue", color: "7057ff", description: "Small and well described" },
	{ id: 904, name: "needs: wiring", color: "fbca04", description: "Somebody has to open the cabinet" },
];

const PARTS = ["Cord", "Jack", "Lamp", "Key", "Relay", "Plug", "Trunk", "Bell", "Dial", "Headset", "Fuse"];
const TROUBLES = [
	"crackles on long calls",
	"stays lit after hanging up",
	"is slow when the board is full",
	"loses the second digit",
	"needs a label in Braille",
	"should say which line it belongs to",
	"rings twice",
];
const AUTHORS = ["ada", "lin", "exchange-bot"];

/** Issues with nothing special about them, the same for the same plan. Closed ones and pull requests lie between the open. */
export function plainIssues({ repositoryId, open, closed = 0, pullRequests = 0 }: IssuePlan): readonly Issue[] {
	const total = open + closed + pullRequests;
	const issues: Issue[] = [];
	for (let index = 0; index < total; index++) {
		const isClosed = isOneOf(index, { of: closed, in: total });
		// What is left after the closed ones is shared out in the same way.
		const left = index - spread(index, { of: closed, in: total });
		const isPullRequest = !isClosed && isOneOf(left, { of: pullRequests, in: total - closed });
		issues.push(plainIssue(repositoryId, { number: index + 1, isClosed, isPullRequest }));
	}
	return issues;
}

interface Kind {
	readonly number: number;
	readonly isClosed: boolean;
	readonly isPullRequest: boolean;
}

function plainIssue(repositoryId: number, { number, isClosed, isPullRequest }: Kind): Issue {
	const part = pick(PARTS, number);
	const trouble = pick(TROUBLES, number * 3);
	const createdAt = FIRST_ISSUE_AT + number * 37 * MINUTE;
	// Not in the order of the numbers, so that sorting by it shows.
	const updatedAt = createdAt + ((number * 7919) % 1440) * MINUTE;
	return {
		id: repositoryId * 100_000 + number,
		number,
		title: isPullRequest ? `Rewire ${part.toLowerCase()} ${number}` : `${part} ${number} ${trouble}`,
		body: bodyOf(part, { number, trouble }),
		labels: LABELS.filter((_, at) => (number >> at) % 4 === 1),
		author: pick(AUTHORS, number),
		comments: (number * 31) % 12,
		createdAt,
		updatedAt,
		closedAt: isClosed ? updatedAt : null,
		isPullRequest,
	};
}

function bodyOf(part: string, { number, trouble }: { number: number; trouble: string }): string | null {
	if (number % 9 === 0) return null;
	return [
		`### What happens\n\nThe **${part.toLowerCase()}** at position ${number} ${trouble}.`,
		`### How to see it\n\n1. Sit down at the board.\n2. Plug into \`${number}\`.\n3. Listen.`,
		number % 5 === 0 ? `\`\`\`text\nline ${number}: no carrier\n\`\`\`` : "It was fine last week.",
	].join("\n\n");
}

function pick(words: readonly string[], at: number): string {
	return words[at % words.length] ?? "";
}

/** Number of the first `index` places that are taken when `of` are spread evenly over `in`. */
function spread(index: number, { of, in: total }: { of: number; in: number }): number {
	return Math.floor((index * of) / total);
}

function isOneOf(index: number, share: { of: number; in: number }): boolean {
	return spread(index + 1, share) > spread(index, share);
}
