import { createRequire } from "node:module";
import { CodehostClient } from "#api/codehost/client.ts";
import { patSource } from "#api/codehost/credential.ts";
import { RateLimits } from "#api/codehost/gate.ts";
import { createTransport } from "#api/http/undici-transport.ts";
import { systemClock } from "#base/clock.ts";
import { codehostPatience } from "../../support/codehost-patience.ts";
import { peersUrl } from "../peers.ts";

/** What one run took, and how many issues it came to. Milliseconds. */
export interface Measured {
	readonly ms: number;
	/** Until the first page was handed out. */
	readonly firstPageMs: number;
	/** The same again, when nothing has changed. */
	readonly againMs: number;
	readonly issues: number;
}

/** Reads all issues of a repository, perhaps once more; hears of each page. */
type List = (repo: string, onPage: () => void, refresh?: boolean) => Promise<number>;

/** Each way of listing the issues of a service. */
const WAYS: Readonly<Record<string, (baseUrl: string) => Promise<List>>> = {
	async ours(baseUrl) {
		const client = new CodehostClient({
			baseUrl,
			profile: {
				accept: "application/json",
				issueQuery: ["per_page"],
				rateLimitHeaders: { remaining: "x-ratelimit-remaining" },
			},
			credential: patSource("bench-token", { origin: baseUrl }),
			transport: createTransport(),
			clock: systemClock,
			rateLimits: new RateLimits(systemClock),
			patience: () => codehostPatience,
		});
		return async (repo, onPage) => (await client.listIssues("acme", repo, { onPage })).issues.length;
	},

	async octokit(baseUrl) {
		const { Octokit } = createRequire(peersUrl)("@octokit/rest");
		const octokit = new Octokit({ auth: "bench-token", baseUrl });
		return async (repo, onPage) => {
			const parameters = { owner: "acme", repo, per_page: 100 };
			const issues = await octokit.paginate(
				"GET /repos/{owner}/{repo}/issues",
				parameters,
				(page: { readonly data: readonly unknown[] }) => {
					onPage();
					return page.data;
				},
			);
			return issues.length;
		};
	},
};

process.on("message", async ({ way, baseUrl }: { way: string; baseUrl: string }) => {
	const create = WAYS[way];
	if (create === undefined) throw new Error(`There is no way "${way}".`);
	const list = await create(baseUrl);
	await list("warm", () => undefined);
	await list("warm", () => undefined);
	const begun = performance.now();
	let firstPageMs = 0;
	const issues = await list("app", () => {
		firstPageMs ||= performance.now() - begun;
	});
	const ms = performance.now() - begun;
	const again = performance.now();
	await list("app", () => undefined, true);
	const againMs = performance.now() - again;
	process.send?.({ ms, firstPageMs, againMs, issues } satisfies Measured);
	process.disconnect();
});
