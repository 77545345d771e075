import { flag, type Infer, integer, list, nullable, object, oneOf, optional, text, withDefault } from "#base/schema.ts";
import { strictly } from "#sandbox/strict.ts";
import { ACCOUNTS, type SandboxIssue, type SandboxLabel, type SandboxRepository } from "./model.ts";
import data from "./repositories.json" with { type: "json" };

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** Today in UTC when the sandbox is loaded: issues written by hand count their days back from it. */
const TODAY = Math.floor(Date.now() / DAY) * DAY;

/** Time of the first generated issue, fixed for reproducible lists. */
const FIRST_ISSUE_AT = Date.UTC(2024, 0, 8, 9);

const LABELS: readonly SandboxLabel[] = data.labels.map((label, index) => ({ id: 901 + index, ...label }));

const daysAgo = integer({ min: 1, max: 365 });
const times = withDefault(integer({ min: 1 }), 1);

/** Issue written by hand. */
const WRITTEN = object({
	title: text(),
	titleTimes: times,
	/** Lines. */
	body: nullable(list(text())),
	bodyTimes: times,
	labels: optional(list(oneOf(...LABELS.map(({ name }) => name)))),
	author: nullable(text()),
	assignee: optional(text()),
	milestone: optional(text()),
	comments: withDefault(integer({ min: 0 }), 0),
	opened: daysAgo,
	updated: optional(daysAgo),
	closed: optional(daysAgo),
});

const REPOSITORY = object({
	description: withDefault(nullable(text()), null),
	private: withDefault(flag(), false),
	members: withDefault(list(text()), []),
	issues: withDefault(list(WRITTEN), []),
	/** Numbers of issues to generate. */
	generated: optional(object({ open: integer({ min: 1 }), closed: withDefault(integer({ min: 1 }), 0) })),
});

function writtenIssue(issue: Infer<typeof WRITTEN>, index: number): Omit<SandboxIssue, "id"> {
	const { title, titleTimes, body, bodyTimes, opened, closed, updated = closed ?? opened, ...rest } = issue;
	const number = index + 1;
	// Opened in the morning, and changed in the afternoon.
	const at = (days: number, hour: number) => TODAY - days * DAY + (hour * 60 + ((number * 37) % 60)) * MINUTE;
	return {
		...rest,
		number,
		title: title.repeat(titleTimes),
		body: body?.join("\n").repeat(bodyTimes) ?? null,
		labels: LABELS.filter(({ name }) => issue.labels?.includes(name)),
		createdAt: at(opened, 9),
		updatedAt: at(updated, 17),
		closedAt: closed === undefined ? null : at(closed, 17),
	};
}

/** Issues for long lists, equal for equal counts; closed ones are spread evenly. */
function generatedIssues({ open, closed }: { readonly open: number; readonly closed: number }) {
	const total = open + closed;
	const closedBefore = (index: number) => Math.floor((index * closed) / total);
	return Array.from({ length: total }, (_, index) =>
		generatedIssue(index + 1, closedBefore(index + 1) > closedBefore(index)),
	);
}

function generatedIssue(number: number, isClosed: boolean): Omit<SandboxIssue, "id"> {
	const createdAt = FIRST_ISSUE_AT + number * 37 * MINUTE;
	// Not in the order of the numbers, so that sorting by it shows.
	const updatedAt = createdAt + ((number * 7919) % 1440) * MINUTE;
	return {
		number,
		title: `Report ${number} of a long list`,
		body:
			number % 9 === 0
				? null
				: `### Report ${number}\n\n**One** of many, for long lists.\n\n\`\`\`text\nline ${number}: no carrier\n\`\`\``,
		labels: LABELS.slice(0, 4).filter((_, at) => (number >> at) % 4 === 1),
		author: ["ada", "lin", "exchange-bot"][number % 3] ?? null,
		comments: (number * 31) % 12,
		createdAt,
		updatedAt,
		closedAt: isClosed ? updatedAt : null,
	};
}

/** Repositories by path. Issues are made on demand: there are ten thousand. */
const REPOSITORIES: ReadonlyMap<string, SandboxRepository> = new Map(
	Object.entries(data.repositories).map(([path, given], index) => {
		const { issues, generated, ...facts } = strictly(REPOSITORY, given, path);
		const [login = "", name = ""] = path.split("/");
		const owner = ACCOUNTS.get(login);
		if (owner === undefined) throw new Error(`${path} has no owner.`);
		const id = 5001 + index;
		let made: readonly SandboxIssue[] | undefined;
		const all = () => {
			made ??= (generated ? generatedIssues(generated) : issues.map(writtenIssue)).map((issue) => {
				return { ...issue, id: id * 100_000 + issue.number };
			});
			return made;
		};
		return [path, { ...facts, id, owner, name, issues: all }];
	}),
);

/** Repository of a path, in any case. */
export function seededRepository(owner: string, name: string): SandboxRepository | undefined {
	return REPOSITORIES.get(`${owner}/${name}`.toLowerCase());
}

/** Current path of a renamed repository. */
export function renamedFrom(owner: string, name: string): string | undefined {
	return `${owner}/${name}`.toLowerCase() === "exchange/telephone" ? "exchange/switchboard" : undefined;
}
