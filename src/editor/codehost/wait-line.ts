import type { IssueLists } from "#app/codehost/issue-lists.ts";
import type { Repositories } from "#app/codehost/repositories.ts";
import type { CodehostStatus, CodehostStatuses } from "#app/codehost/status.ts";
import { type Disposable, DisposableStore } from "#base/disposables.ts";
import { Countdown } from "../kit/countdown.ts";
import { describeWait } from "../kit/words.ts";

/** A wait that is over so soon is not worth a line. Milliseconds. */
const SHORTEST_MS = 500;

/**
 * Counts down in a line above the issues what a list under way waits for: a rate limit, or the next try. `show` shows the
 * line; undefined takes it away.
 */
export function showWaits(
	repositories: Repositories,
	lists: IssueLists,
	statuses: CodehostStatuses,
	show: (line: string | undefined) => void,
): Disposable {
	const { clock } = repositories.clients.parts;
	/** The wait that ends first, among the connections with a list that is being loaded. */
	const first = (): CodehostStatus | undefined => {
		const loading = repositories.list().filter((each) => lists.of(each).state.name === "loading");
		const connections = new Set(loading.map(({ connection }) => connection));
		const waiting = statuses.list().filter(({ connection, wait }) => wait !== null && connections.has(connection));
		return waiting.sort((a, b) => (a.wait?.until ?? 0) - (b.wait?.until ?? 0))[0];
	};
	let shown: string | undefined;
	const draw = () => {
		const { label = "", wait } = first() ?? {};
		const now = clock.now();
		const line = wait && wait.until - now >= SHORTEST_MS ? describeWait(wait, { label, now }) : undefined;
		if (line !== shown) show(line);
		shown = line;
	};
	const held = new DisposableStore();
	const countdown = held.add(new Countdown(clock, () => [first()?.wait?.until ?? null], draw));
	const update = () => {
		draw();
		countdown.plan();
	};
	held.add(statuses.onDidChange(update));
	held.add(lists.onDidChange(update));
	return held;
}
