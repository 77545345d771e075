/** The keys of a result as the reference writes them: `{id, login?, list: [{a, b}]}`. */
export interface ResultShape {
	readonly [key: string]: { readonly optional: boolean; readonly inner: ResultShape | undefined };
}

/** Reads a shape as the reference writes it. Throws where it is written otherwise. */
export function readShape(written: string): ResultShape {
	const tokens = written.match(/[\w]+|[{}[\],:?]/g) ?? [];
	let at = 0;
	const take = (wanted: string) => {
		if (tokens[at] !== wanted) throw new Error(`${wanted} is missing in ${written}`);
		at += 1;
	};
	const has = (token: string) => {
		if (tokens[at] !== token) return false;
		at += 1;
		return true;
	};
	const object = (): ResultShape => {
		const shape: Record<string, ResultShape[string]> = {};
		take("{");
		while (tokens[at] !== "}") {
			const key = tokens[at];
			if (key === undefined || !/^\w+$/.test(key)) throw new Error(`a key is missing in ${written}`);
			at += 1;
			const optional = has("?");
			let inner: ResultShape | undefined;
			if (has(":")) {
				const isList = has("[");
				inner = object();
				if (isList) take("]");
			}
			shape[key] = { optional, inner };
			if (!has(",")) break;
		}
		take("}");
		return shape;
	};
	const shape = object();
	if (at !== tokens.length) throw new Error(`there is something behind ${written}`);
	return shape;
}

/** In what a result is not as its shape says, a line for each; in lists every element is looked at. */
export function differences(shape: ResultShape, result: unknown, path = ""): readonly string[] {
	if (Array.isArray(result)) return result.flatMap((each, index) => differences(shape, each, `${path}[${index}]`));
	if (typeof result !== "object" || result === null) return [`${path || "the result"} is no object`];
	const keys = new Map(Object.entries(result).filter(([, value]) => value !== undefined));
	return [
		...[...keys.keys()].filter((key) => !(key in shape)).map((key) => `${path}.${key} is not named`),
		...Object.entries(shape).flatMap(([key, { optional, inner }]) => {
			if (!keys.has(key)) return optional ? [] : [`${path}.${key} is not there`];
			return inner === undefined ? [] : differences(inner, keys.get(key), `${path}.${key}`);
		}),
	];
}
