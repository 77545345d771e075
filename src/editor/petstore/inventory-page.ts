import type { Inventory } from "#api/petstore/model.ts";
import { countsOf, type StatusCount, totalOf } from "#app/petstore/store-resources.ts";
import { escapeHtml } from "#base/escaped.ts";
import { plainLine } from "../kit/text.ts";

/** Most bars; further statuses are combined. Some stores have hundreds of undocumented ones. */
const MOST_BARS = 15;

/** Theme colors of statuses, as in the rows of pets. */
const COLORS: Readonly<Record<string, string>> = { available: "green", pending: "yellow", sold: "purple" };

const STYLE = `
body { padding: 1rem 1.5rem; }
table { border-collapse: collapse; width: 100%; max-width: 44rem; }
caption { text-align: start; font-size: 1.3em; padding-block-end: .8rem; }
h1 { display: inline; font: inherit; }
caption small { display: block; color: var(--vscode-descriptionForeground); padding-block-start: .2rem; }
th, td { padding: .35rem 0; text-align: start; font-weight: normal; vertical-align: middle; }
th { padding-inline-end: 1rem; overflow-wrap: anywhere; max-width: 14rem; width: 1%; min-width: 5.5rem; }
thead { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; }
.bar { display: flex; align-items: center; gap: 1rem; }
.count { min-width: 3ch; text-align: end; font-variant-numeric: tabular-nums; }
svg { flex: 1; min-width: 0; height: 1.1rem; }
.track { fill: var(--vscode-editorWidget-background); stroke: var(--vscode-contrastBorder, transparent); }
.green { fill: var(--vscode-charts-green); }
.yellow { fill: var(--vscode-charts-yellow); }
.blue { fill: var(--vscode-charts-blue); }
.purple { fill: var(--vscode-charts-purple); }
.problem { color: var(--vscode-errorForeground); max-width: 44rem; }
`;

/** Inventory page: a table with bars, without scripts or requests. `problem` says why it is not up to date. */
export function inventoryPage(label: string, inventory: Inventory | undefined, problem?: string): string {
	// Unguessable; the policy knows the style by it.
	const nonce = crypto.randomUUID().replaceAll("-", "");
	const policy = `default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'nonce-${nonce}'`;
	return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Inventory</title>
<style nonce="${nonce}">${STYLE}</style>
</head>
<body>
<main>
${problem === undefined ? "" : `<p class="problem" role="alert">${escapeHtml(problem)}</p>`}
${inventory === undefined ? "" : table(inventory, label)}
</main>
</body>
</html>`;
}

function table(inventory: Inventory, label: string): string {
	const rows = shownCounts(inventory);
	const most = Math.max(1, ...rows.map(({ count }) => count));
	const total = totalOf(inventory);
	return `<table>
<caption><h1>Inventory of ${escapeHtml(plainLine(label))}</h1> <small>${total} ${total === 1 ? "pet" : "pets"}</small></caption>
<thead><tr><th scope="col">Status</th><th scope="col">Pets</th></tr></thead>
<tbody>
${rows.map((row) => bar(row, most)).join("\n")}
</tbody>
</table>`;
}

function bar({ status, count, isKnown }: StatusCount, most: number): string {
	const color = (isKnown ? COLORS[status] : undefined) ?? "blue";
	const width = (Math.max(0, count / most) * 100).toFixed(1);
	const name = escapeHtml(plainLine(status, "(no status)"));
	const track = '<rect class="track" width="100%" height="100%"/>';
	const drawn = `<svg aria-hidden="true">${track}<rect class="${color}" width="${width}%" height="100%"/></svg>`;
	return `<tr><th scope="row">${name}</th><td><div class="bar">${drawn}<span class="count">${count}</span></div></td></tr>`;
}

/** Counts, with the last of very many combined. */
function shownCounts(inventory: Inventory): readonly StatusCount[] {
	const counts = countsOf(inventory);
	if (counts.length <= MOST_BARS) return counts;
	const rest = counts.slice(MOST_BARS - 1);
	const count = rest.reduce((sum, each) => sum + each.count, 0);
	return [...counts.slice(0, MOST_BARS - 1), { status: `${rest.length} other statuses`, count, isKnown: false }];
}
