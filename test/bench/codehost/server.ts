import { createServer } from "node:http";

/**
 * Run as a process of its own, so that the client's time is the client's alone: a repository of 10,000 issues at
 * `/repos/acme/app/issues`, 100 a page with links as code hosts send them, and a small one at `/repos/acme/warm/issues`
 * to warm up with. Every answer takes 20 ms; one that is not modified takes as long.
 */
const LATENCY_MS = 20;
const PAGE_SIZE = 100;
const PAGES: Readonly<Record<string, number>> = { app: 100, warm: 8 };

const host = "https://host.example";
const pages = new Map<number, Buffer>();

/** A page of issues with the fields, and about the size, that code hosts in use send. */
function pageOf(page: number): Buffer {
	let body = pages.get(page);
	if (body === undefined) {
		const numbers = Array.from({ length: PAGE_SIZE }, (_, index) => (page - 1) * PAGE_SIZE + index + 1);
		body = Buffer.from(JSON.stringify(numbers.map(issueOf)));
		pages.set(page, body);
	}
	return body;
}

function issueOf(number: number) {
	const url = `${host}/repos/acme/app/issues/${number}`;
	return {
		url,
		repository_url: `${host}/repos/acme/app`,
		labels_url: `${url}/labels{/name}`,
		comments_url: `${url}/comments`,
		events_url: `${url}/events`,
		html_url: `${host}/acme/app/issues/${number}`,
		id: 1_000_000_000 + number,
		node_id: `I_kwDOABCDEF${number}`,
		number,
		title: `Something is odd when the ${number}th call comes in at night`,
		user: userOf(number % 50),
		labels: ["bug", "needs triage"].map((name, index) => ({
			id: index,
			node_id: `LA_${index}`,
			url: `${host}/repos/acme/app/labels/${name}`,
			name,
			color: "d73a4a",
			default: false,
			description: "Something does not work",
		})),
		state: number % 3 === 0 ? "closed" : "open",
		locked: false,
		assignee: null,
		assignees: [userOf(number % 7)],
		milestone: null,
		comments: number % 12,
		created_at: "2026-10-01T08:00:00Z",
		updated_at: "2026-11-01T08:00:00Z",
		closed_at: null,
		author_association: "CONTRIBUTOR",
		body: "It rings, and nobody is there. Steps: wait until it is dark, call, listen.\n".repeat(12),
		reactions: { url: `${url}/reactions`, total_count: 1, "+1": 1, "-1": 0, laugh: 0, hooray: 0 },
		timeline_url: `${url}/timeline`,
		performed_via_github_app: null,
		state_reason: null,
	};
}

function userOf(id: number) {
	const url = `${host}/users/caller${id}`;
	return {
		login: `caller${id}`,
		id,
		node_id: `MDQ6VXNlcj${id}`,
		avatar_url: `${host}/avatars/${id}`,
		url,
		html_url: `${host}/caller${id}`,
		followers_url: `${url}/followers`,
		following_url: `${url}/following{/other_user}`,
		repos_url: `${url}/repos`,
		events_url: `${url}/events{/privacy}`,
		type: "User",
		site_admin: false,
	};
}

const server = createServer((request, response) => {
	const url = new URL(request.url ?? "/", "http://127.0.0.1");
	const page = Number(url.searchParams.get("page") ?? 1);
	const last = PAGES[/^\/repos\/acme\/(\w+)\/issues$/.exec(url.pathname)?.[1] ?? ""] ?? 0;
	const at = (number: number, rel: string) =>
		`<http://${request.headers.host}${url.pathname}?per_page=${PAGE_SIZE}&page=${number}>; rel="${rel}"`;
	const link = page < last ? { link: `${at(page + 1, "next")}, ${at(last, "last")}` } : {};
	const etag = `W/"${page}"`;
	const isKnown = request.headers["if-none-match"] === etag;
	const body = pageOf(page);
	setTimeout(() => {
		const length = isKnown ? {} : { "content-type": "application/json", "content-length": body.length };
		response.writeHead(isKnown ? 304 : 200, { etag, ...link, ...length });
		response.end(isKnown ? undefined : body);
	}, LATENCY_MS);
});

for (let page = 1; page <= 100; page++) pageOf(page);
server.listen(0, "127.0.0.1", () => {
	const address = server.address();
	if (typeof address === "object" && address !== null) process.send?.({ port: address.port });
});
process.once("disconnect", () => process.exit());
