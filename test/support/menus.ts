import manifest from "../../package.json" with { type: "json" };

/** Entry of a command or a submenu in a menu of the manifest. */
interface MenuItem {
	readonly command?: string;
	readonly submenu?: string;
	readonly when?: string;
	readonly group?: string;
}

/** Menus of the manifest by their ids. */
export const MENUS: Readonly<Record<string, readonly MenuItem[]>> = manifest.contributes.menus;

/** Values of context keys and settings; a key that is missing is not set. */
export type Contexts = Readonly<Record<string, unknown>>;

/** Evaluates a `when` clause of the manifest, with the operators that it uses. Throws for another one. */
export function holds(when: string | undefined, contexts: Contexts): boolean {
	if (when === undefined || when === "true") return true;
	return when.split(" || ").some((all) => all.split(" && ").every((each) => isTrue(each.trim(), contexts)));
}

function isTrue(term: string, contexts: Contexts): boolean {
	const [, key = "", operator, value = ""] = /^(!?[\w.-]+)(?: (==|!=|=~|in) (.+))?$/.exec(term) ?? [];
	const given = contexts[key];
	switch (operator) {
		case "==":
			return String(given) === value;
		case "!=":
			return String(given) !== value;
		case "=~":
			return new RegExp(value.slice(1, -1)).test(String(given ?? ""));
		case "in":
			return Array.isArray(contexts[value]) && contexts[value].includes(given);
		default:
			if (key === "" || key === "false") return assertKnown(term);
			return key.startsWith("!") ? !contexts[key.slice(1)] : Boolean(given);
	}
}

function assertKnown(term: string): false {
	if (term !== "false") throw new Error(`The evaluator does not know ${term}`);
	return false;
}
