import { Violation } from "#sandbox/strict.ts";

/** The models that are listed: whatever is asked for, the same composes the answer. */
const MODELS = [
	{ id: "sandbox", display_name: "Sandbox" },
	{ id: "sandbox-1", display_name: "Sandbox One" },
	{ id: "sandbox-2", display_name: "Sandbox Two" },
].map((model) => ({ type: "model", ...model, created_at: "2026-01-01T00:00:00Z" }));

/** So few that the list has more than one page. */
const PAGE_SIZE = 2;

/** A page of the models, as services of this kind answer `GET /v1/models`. Throws a `Violation` that names the parameter. */
export function modelsPage(query: URLSearchParams): object {
	const strange = [...query.keys()].find((name) => name !== "after_id");
	if (strange !== undefined) throw new Violation(strange, "is not a known parameter");
	const after = query.get("after_id");
	const from = MODELS.findIndex(({ id }) => id === after) + 1;
	if (after !== null && from === 0) throw new Violation("after_id", "is not the id of a model");
	const data = MODELS.slice(from, from + PAGE_SIZE);
	const has_more = from + PAGE_SIZE < MODELS.length;
	return { data, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null, has_more };
}
