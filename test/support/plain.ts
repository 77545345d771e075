/** Value as JSON holds it: records without the JSON that they were read from. */
export function plain<T>(value: T): T {
	// What was written is read back.
	return JSON.parse(JSON.stringify(value)) as T;
}
